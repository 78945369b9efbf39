"""DataLoaders: how long the loop waits for them, and which user line inside the data set takes the time.

The stack is sampled by a timer signal only while a batch is being fetched, only in the main thread, and only where the
script has no use of SIGALRM itself. A sampling thread would be wrong: it gets the interpreter just where the main
thread lets go of it, so pure Python lines would show as nothing.
"""

from __future__ import annotations

import functools
import os
import signal
import threading
import time
import weakref
from types import FrameType
from typing import Any

import torch.utils.data
import torch.utils.data.dataloader as dataloader_module
from torch.utils.data import DataLoader

from doctorch.observe import lines
from doctorch.observe.lines import here
from doctorch.observe.params import class_site
from doctorch.observe.recorder import Recorder, current, now
from doctorch.observe.session import Session

TICK_S = 0.002
"""Sampling interval inside a fetch. A tick costs about 6 µs, 0.3 %."""
HEAVY_NS = 2_000_000
"""Fetches shorter than a tick are not sampled."""
ENOUGH_TICKS = 4000
"""After so many samples of a loader only every RARELY-th fetch is sampled."""
RARELY = 20
MAX_DEPTH = 80


class LoaderWatch:
    """One DataLoader."""

    __slots__ = ("ref", "entry", "key", "batches", "iterators", "wait_ns", "first_wait_ns", "fetch_ns", "fetch_cpu_ns", "fetched", "samples", "ticks")

    def __init__(self, loader: Any, key: str, entry: Any) -> None:
        self.ref = weakref.ref(loader) if loader is not None else None
        self.key = key
        self.entry = entry
        self.batches = self.iterators = self.wait_ns = self.first_wait_ns = 0
        self.fetch_ns = self.fetch_cpu_ns = self.fetched = self.samples = self.ticks = 0


class Sampler:
    """The timer: armed at the start of a fetch, disarmed at its end."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.installed = False
        self.usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        self.armed = False
        self.last = 0
        self.watch: LoaderWatch | None = None
        self.dataset_codes: set[int] = set()

    def arm(self, watch: LoaderWatch) -> None:
        """Begin to sample, if the signal is free."""
        if not self.usable:
            return
        handler = signal.getsignal(signal.SIGALRM)
        if handler != signal.SIG_DFL and handler != self._tick or signal.getitimer(signal.ITIMER_REAL)[0]:
            return
        if handler == signal.SIG_DFL:
            signal.signal(signal.SIGALRM, self._tick)
            signal.siginterrupt(signal.SIGALRM, False)
            self.installed = True
        self.watch = watch
        self.armed = True
        self.last = now()
        signal.setitimer(signal.ITIMER_REAL, TICK_S, TICK_S)

    def disarm(self) -> None:
        """Stop sampling. The handler stays: a signal may still be on its way, and the default action would kill."""
        if self.armed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.armed = False
            self.watch = None

    def _tick(self, number: int, frame: FrameType | None) -> None:
        if not self.armed:
            if signal.getitimer(signal.ITIMER_REAL)[0] == 0.0 and now() - self.last > 1_000_000_000:
                # Not ours: an alarm of the script's own, which means to end it.
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                os.kill(os.getpid(), signal.SIGALRM)
            return
        at = now()
        elapsed, self.last = at - self.last, at
        watch = self.watch
        if watch is None or frame is None:
            return
        try:
            self._count(watch, frame, elapsed / 1e6)
        except Exception:
            self.recorder.failed()
        self.last = now()

    def _count(self, watch: LoaderWatch, frame: FrameType, ms: float) -> None:
        callee: FrameType | None = None
        inner: FrameType | None = frame
        depth = 0
        while inner is not None and not lines.is_user_code(inner.f_code):
            if depth > MAX_DEPTH or inner.f_code.co_name in ("fetch", "_next_data") and "utils" in inner.f_code.co_filename:
                inner = None
                break
            callee = inner
            inner = inner.f_back
            depth += 1
        watch.ticks += 1
        total = self.recorder.fact("loader_total", watch.key, None, lambda: {"weight_ms": 0.0, "hits": 0, "library_ms": 0.0})
        total.data["weight_ms"] += ms
        total.data["hits"] += 1
        self.recorder.touch(total)
        if inner is None:  # the loader's own work: collating, sampling, moving rows
            total.data["library_ms"] += ms
            return
        getitem_line = self._getitem_line(inner)
        site = lines.site_of(inner)
        entry = self.recorder.fact("loader_line", f"{watch.key}/{site.key}", site, lambda: _first_line(watch, site))
        data = entry.data
        data["weight_ms"] += ms
        data["hits"] += 1
        entry.count += 1
        if getitem_line is not None:
            data["in_getitem"] = True
            data["getitem_line"] = getitem_line
        if callee is not None:
            name = f"{callee.f_globals.get('__name__', '?')}:{callee.f_code.co_name}"
            callees = data["callees"]
            if name in callees or len(callees) < 24:
                callees[name] = callees.get(name, 0.0) + ms
        else:
            data["own_ms"] += ms
        self.recorder.touch(entry)

    def _getitem_line(self, frame: FrameType | None) -> int | None:
        depth = 0
        found = None
        while frame is not None and depth < MAX_DEPTH:
            if frame.f_code.co_name in ("__getitem__", "__getitems__", "__next__", "__iter__") and lines.is_user_code(frame.f_code):
                found = frame.f_lineno
            elif frame.f_code.co_name == "fetch":
                break
            frame = frame.f_back
            depth += 1
        return found


def _first_line(watch: LoaderWatch, site: lines.Site) -> dict[str, Any]:
    zeros = {"weight_ms": 0.0, "hits": 0, "own_ms": 0.0}
    return {"loader": watch.key, **zeros, "function": site.function, "in_getitem": False, "getitem_line": None, "callees": {}}


class LoaderObserver:
    """Wraps construction and iteration of DataLoaders, and the fetch of a batch in this process."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.recorder = session.recorder
        self.watches: dict[int, LoaderWatch] = {}
        self.built: dict[int, tuple[weakref.ref[Any], lines.Site | None]] = {}
        self.fetching: LoaderWatch | None = None
        self.number = 0
        self.sampler = Sampler(session.recorder)
        self.recorder.writer.providers.append(self._publish)

    def install(self) -> None:
        """Put the wrappers in place."""
        self._wrap_init()
        self._wrap_iter()
        self._wrap_next()
        self._wrap_fetch()
        _wrap_worker_loop()

    def _wrap_init(self) -> None:
        original = DataLoader.__init__

        @functools.wraps(original)
        def __init__(loader: Any, *args: Any, **kwargs: Any) -> None:
            original(loader, *args, **kwargs)
            try:
                self.built[id(loader)] = (weakref.ref(loader), here(1))
            except Exception:
                self.recorder.failed()

        DataLoader.__init__ = __init__  # type: ignore[method-assign]

    def _wrap_iter(self) -> None:
        original = DataLoader.__iter__

        @functools.wraps(original)
        def __iter__(loader: Any) -> Any:
            try:
                if threading.get_ident() == self.recorder.main_ident:
                    self.watch_of(loader, here(1)).iterators += 1
            except Exception:
                self.recorder.failed()
            popped = self.session.pause()
            try:
                iterator = original(loader)
            finally:
                if popped:
                    self.session.resume()
            try:
                watch = self.watches.get(id(loader))
                if watch is not None:
                    iterator._doctorch_watch = watch
            except Exception:
                self.recorder.failed()
            return iterator

        DataLoader.__iter__ = __iter__  # type: ignore[method-assign]

    def _wrap_next(self) -> None:
        base: Any = dataloader_module._BaseDataLoaderIter
        original = base.__next__
        session = self.session
        main = self.recorder.main_ident

        @functools.wraps(original)
        def __next__(iterator: Any) -> Any:
            if threading.get_ident() != main or session.in_loader:
                return original(iterator)
            watch = getattr(iterator, "_doctorch_watch", None)
            popped = session.pause()
            session.in_loader = True
            self.fetching = watch
            began = now()
            try:
                return original(iterator)
            finally:
                ended = now()
                session.in_loader = False
                self.fetching = None
                waited = ended - began
                session.wait_ns += waited
                session.recorder.last_event = ended
                if session.forward_began:
                    session.forward_wait_ns += waited
                if not session.recorder.loop_started:
                    session.event(began)
                if watch is not None:
                    watch.batches += 1
                    watch.wait_ns += waited
                    if getattr(iterator, "_num_yielded", 2) <= 1:
                        watch.first_wait_ns += waited
                if popped:
                    session.resume()

        base.__next__ = __next__

    def _wrap_fetch(self) -> None:
        from torch.utils.data._utils import fetch

        for owner in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
            self._wrap_one_fetch(owner)

    def _wrap_one_fetch(self, owner: Any) -> None:
        original = owner.fetch

        @functools.wraps(original)
        def fetch(fetcher: Any, possibly_batched_index: Any) -> Any:
            watch = self.fetching
            if watch is None:
                return original(fetcher, possibly_batched_index)
            sampled = watch.fetched == 0 or watch.fetch_ns > HEAVY_NS * watch.fetched
            if sampled and watch.ticks > ENOUGH_TICKS:
                sampled = watch.fetched % RARELY == 0
            cpu = time.thread_time_ns()
            began = now()
            if sampled:
                self.sampler.arm(watch)
            try:
                return original(fetcher, possibly_batched_index)
            finally:
                if sampled:
                    self.sampler.disarm()
                watch.fetch_ns += now() - began
                watch.fetch_cpu_ns += time.thread_time_ns() - cpu
                watch.fetched += 1
                watch.samples += len(possibly_batched_index) if isinstance(possibly_batched_index, list) else 1

        owner.fetch = fetch

    def watch_of(self, loader: Any, site: lines.Site | None) -> LoaderWatch:
        """The watch of a loader, made when it is first iterated."""
        found = self.watches.get(id(loader))
        if found is not None and found.ref is not None and found.ref() is loader:
            return found
        key = str(self.number)
        self.number += 1
        known = self.built.pop(id(loader), None)
        built = known[1] if known is not None and known[0]() is loader else None
        entry = self.recorder.fact("loader", key, site, lambda: describe(loader, built))
        found = self.watches[id(loader)] = LoaderWatch(loader, key, entry)
        return found

    def _publish(self) -> None:
        for watch in list(self.watches.values()):
            publish(self.recorder, watch)


def publish(recorder: Recorder, watch: LoaderWatch) -> None:
    """Bring a watch's counters into its fact."""
    data = watch.entry.data
    if data.get("batches") == watch.batches and data.get("fetched") == watch.fetched and data.get("iterators") == watch.iterators:
        return
    watch.entry.count = watch.batches
    data.update(
        iterators=watch.iterators,
        batches=watch.batches,
        wait_ms=watch.wait_ns / 1e6,
        first_wait_ms=watch.first_wait_ns / 1e6,
        fetch_ms=watch.fetch_ns / 1e6,
        fetch_cpu_ms=watch.fetch_cpu_ns / 1e6,
        fetched=watch.fetched,
        samples=watch.samples,
    )
    recorder.touch(watch.entry)


def describe(loader: Any, built: lines.Site | None) -> dict[str, Any]:
    """What kind of loader it is."""
    dataset = getattr(loader, "dataset", None)
    inner = dataset
    for _ in range(5):  # Subset, random_split and the like hand through
        if type(inner).__module__.startswith("torch.") and hasattr(inner, "dataset"):
            inner = inner.dataset
    site = class_site(type(inner))
    line = None
    if site is not None:
        line = site.get("getitem_line") or site.get("next_line") or site.get("iter_line") or site["line"]
    try:
        length = len(dataset)  # type: ignore[arg-type]
    except Exception:
        length = None
    sampler = getattr(loader, "sampler", None)
    collate = getattr(loader, "collate_fn", None)
    return {
        "dataset_cls": type(inner).__name__,
        "dataset_module": type(inner).__module__,
        "dataset_site": {"file": site["file"], "line": line} if site is not None else None,
        "built_site": built.as_data if built is not None else None,
        "length": length,
        "batch_size": getattr(loader, "batch_size", None),
        "num_workers": getattr(loader, "num_workers", None),
        "persistent_workers": getattr(loader, "persistent_workers", None),
        "pin_memory": getattr(loader, "pin_memory", None),
        "sampler": type(sampler).__name__ if sampler is not None else None,
        "shuffles": type(sampler).__name__ in ("RandomSampler", "WeightedRandomSampler", "SubsetRandomSampler", "DistributedSampler"),
        "collate": f"{getattr(collate, '__module__', '')}.{getattr(collate, '__qualname__', type(collate).__qualname__)}",
        "in_workers": False,
    }


# ---- inside workers


def _wrap_worker_loop() -> None:
    worker = torch.utils.data._utils.worker
    if worker._worker_loop is not worker_loop:
        _original.append(worker._worker_loop)
        worker._worker_loop = worker_loop


_original: list[Any] = []


def worker_loop(*args: Any, **kwargs: Any) -> Any:
    """Stands for torch's worker loop in the worker process: the same loop, with the fetches watched.

    A module-level function, so that it can be sent to workers started by spawn or forkserver.
    """
    from doctorch.observe import installed

    observer = installed()
    if observer is None or not _original:
        return torch.utils.data._utils.worker._worker_loop(*args, **kwargs)
    try:
        _watch_worker(observer, args)
    except Exception:
        current().failed()
    return _original[0](*args, **kwargs)


def _watch_worker(observer: Any, args: tuple[Any, ...]) -> None:
    recorder = current()
    recorder.role = "loader-worker"
    recorder.ensure_started()
    loaders = observer.loaders
    loaders.sampler = Sampler(recorder)
    holder = args[1]
    dataset = holder[0] if isinstance(holder, list) else holder

    class Stand:
        pass

    stand = Stand()
    stand.dataset = dataset  # type: ignore[attr-defined]
    data = describe(stand, None)
    data["in_workers"] = True
    entry = recorder.fact("loader", "worker", None, lambda: data)
    watch = LoaderWatch(None, "worker", entry)
    loaders.watches = {0: watch}
    loaders.fetching = watch
