"""DataLoaders: how long the loop waits for them, and which user line inside the data set takes the time."""

from __future__ import annotations

import functools
import time
import weakref
from collections import deque
from collections.abc import Iterator, Mapping
from threading import get_ident
from typing import Any

import torch.utils.data.dataloader as dataloader_module
from torch.utils.data import DataLoader

from doctorch.observe import lines
from doctorch.observe.events import fire
from doctorch.observe.lines import here
from doctorch.observe.recorder import Recorder, now
from doctorch.observe.sampling import LoaderWatch, Sampler
from doctorch.observe.session import Session
from doctorch.observe.workers import describe, wrap_worker_loop
from doctorch.observe.wrap import put

HEAVY_NS = 2_000_000
"""Fetches shorter than a tick are not sampled."""
ENOUGH_TICKS = 4000
"""After so many samples of a loader only every RARELY-th fetch is sampled."""
RARELY = 20


class LoaderObserver:
    """Wraps construction and iteration of DataLoaders, and the fetch of a batch in this process."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.recorder = session.recorder
        self.watches: dict[int, LoaderWatch] = {}
        self.built: dict[int, tuple[weakref.ref[Any], lines.Site | None]] = {}
        self.fetching: LoaderWatch | None = None
        self.number = 0
        self.by_place: dict[tuple[Any, ...], LoaderWatch] = {}
        """By where a loader was built, where it is iterated, and what its dataset is."""
        self.sampler = Sampler(session.recorder)
        self.recorder.writer.providers.append(self._publish)

    def install(self) -> None:
        """Put the wrappers in place."""
        self._wrap_init()
        self._wrap_iter()
        self._wrap_next()
        self._wrap_index()
        self._wrap_fetch()
        wrap_worker_loop()
        self.session.events.root_call.append(self._given)

    def _given(self, module: Any, args: Any, kwargs: Any) -> None:
        self.session.batches.given(_parts(args, kwargs))

    def _wrap_init(self) -> None:
        original = DataLoader.__init__

        @functools.wraps(original)
        def __init__(loader: Any, *args: Any, **kwargs: Any) -> None:
            original(loader, *args, **kwargs)
            try:
                self.built[id(loader)] = (weakref.ref(loader), here(1))
            except Exception:
                self.recorder.failed()

        put(DataLoader, "__init__", __init__)

    def _wrap_iter(self) -> None:
        original = DataLoader.__iter__

        @functools.wraps(original)
        def __iter__(loader: Any) -> Any:
            try:
                if get_ident() == self.session.thread:
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
                    put(iterator, "_doctorch_watch", watch)
            except Exception:
                self.recorder.failed()
            return iterator

        put(DataLoader, "__iter__", __iter__)

    def _wrap_next(self) -> None:
        base: Any = dataloader_module._BaseDataLoaderIter
        original = base.__next__
        session = self.session

        @functools.wraps(original)
        def __next__(iterator: Any) -> Any:
            if session.in_loader or (get_ident() != session.thread and session.claimed):
                return original(iterator)
            watch = getattr(iterator, "_doctorch_watch", None)
            popped = session.pause()
            session.in_loader = True
            self.fetching = watch
            began = now()
            batch = None
            try:
                batch = original(iterator)
                return batch
            finally:
                ended = now()
                session.in_loader = False
                self.fetching = None
                waited = ended - began
                session.wait_ns += waited
                session.recorder.last_event = ended
                if batch is not None:
                    session.last_loader = watch
                    if watch is not None:
                        watch.iterator = weakref.ref(iterator)
                    session.last_loader_step = session.recorder.steps
                if session.forward_began:
                    session.forward_wait_ns += waited
                if not session.recorder.loop_started:
                    session.event(began)
                if batch is not None:
                    sent = getattr(iterator, "_doctorch_sent", None)
                    indices = sent.popleft() if sent else None
                    try:
                        session.batches.add(batch, indices)
                    except Exception:  # a mapping of the script's own
                        session.recorder.failed()
                if watch is not None:
                    watch.batches += 1
                    watch.wait_ns += waited
                    if getattr(iterator, "_num_yielded", 2) <= 1:
                        watch.first_wait_ns += waited
                    if session.full and batch is not None and session.events.batch:
                        fire(session, session.events.batch, watch, watch.ref() if watch.ref is not None else None, batch)
                if popped:
                    session.resume()

        base.__next__ = __next__

    def _wrap_index(self) -> None:
        """Which samples a batch holds: with workers the indices are drawn some batches ahead."""
        base: Any = dataloader_module._BaseDataLoaderIter
        original = base._next_index

        @functools.wraps(original)
        def _next_index(iterator: Any) -> Any:
            index = original(iterator)
            sent = getattr(iterator, "_doctorch_sent", None)
            if sent is None:
                sent = iterator._doctorch_sent = deque(maxlen=1024)
            sent.append(index)
            return index

        base._next_index = _next_index

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
        known = self.built.pop(id(loader), None)
        built = known[1] if known is not None and known[0]() is loader else None
        place = (built, site, type(getattr(loader, "dataset", None)))
        found = self.by_place.get(place) if built is not None and site is not None else None
        if found is not None:  # built anew in the loop, for each epoch or step: one loader to whoever reads the record
            found.point_at(loader)
            found.entry.data["built"] += 1
        else:
            key = str(self.number)
            self.number += 1
            entry = self.recorder.fact("loader", key, site, lambda: {**describe(loader, built), "built": 1})
            found = self.by_place[place] = LoaderWatch(loader, key, entry)
        self.watches[id(loader)] = found
        return found

    def _publish(self) -> None:
        for watch in {id(w): w for w in list(self.watches.values())}.values():
            publish(self.recorder, watch)


def _parts(args: Any, kwargs: Any) -> Iterator[Any]:
    """What a model is given, looked into once."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, Mapping):
            yield from value.values()
        elif type(value) in (list, tuple):
            yield from value
        else:
            yield value


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
