"""Which user line takes the time while a batch is being fetched: the stack, sampled by a timer signal.

Only in the main thread, only during a fetch, and only where the script has no use of SIGALRM itself. A sampling thread
would be wrong: it gets the interpreter just where the main thread lets go of it, so pure Python lines would show as nothing.
"""

from __future__ import annotations

import ast
import linecache
import signal
import sys
import threading
import weakref
from itertools import islice
from types import CodeType, FrameType
from typing import Any

from doctorch.observe import lines
from doctorch.observe.recorder import Recorder, now

TICK_S = 0.002
"""Sampling interval inside a fetch. A tick costs about 6 µs, 0.3 %."""
RESTORE = sys.platform == "linux"
"""Elsewhere the handler stays, doing nothing: a late signal may go to another thread."""
OWN = __name__.rpartition(".")[0]
"""The package of the wrappers that may stand between the user's line and the function that it called."""
MAX_DEPTH = 80


class LoaderWatch:
    """One DataLoader."""

    __slots__ = (
        "ref",
        "dataset",
        "iterator",
        "entry",
        "key",
        "batches",
        "iterators",
        "wait_ns",
        "first_wait_ns",
        "fetch_ns",
        "fetch_cpu_ns",
        "fetched",
        "samples",
        "ticks",
    )

    def __init__(self, loader: Any, key: str, entry: Any) -> None:
        self.ref: weakref.ref[Any] | None = None
        self.dataset: weakref.ref[Any] | None = None
        """Its data set, which outlives a loader that is built in the loop's header."""
        self.iterator: weakref.ref[Any] | None = None
        """That which gave the last batch: it holds the data set where the loop's header built loader and data set and kept neither."""
        self.point_at(loader)
        self.key = key
        self.entry = entry
        self.batches = self.iterators = self.wait_ns = self.first_wait_ns = 0
        self.fetch_ns = self.fetch_cpu_ns = self.fetched = self.samples = self.ticks = 0

    def point_at(self, loader: Any) -> None:
        """This loader is the one now."""
        self.ref = weakref.ref(loader) if loader is not None else None
        try:
            self.dataset = weakref.ref(getattr(loader, "dataset", None))
        except TypeError:  # None, a list or a tuple
            self.dataset = None


class Sampler:
    """The timer: armed at the start of a fetch, disarmed at its end."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        self.armed = False
        self.last = 0
        self.watch: LoaderWatch | None = None
        self.dataset_codes: set[int] = set()

    def arm(self, watch: LoaderWatch) -> None:
        """Begin to sample, if this is the main thread and the signal is free."""
        if not self.usable or threading.get_ident() != threading.main_thread().ident:
            return
        if signal.getsignal(signal.SIGALRM) != signal.SIG_DFL or signal.getitimer(signal.ITIMER_REAL)[0]:
            return
        signal.signal(signal.SIGALRM, self._tick)
        signal.siginterrupt(signal.SIGALRM, False)
        self.watch = watch
        self.armed = True
        self.last = now()
        signal.setitimer(signal.ITIMER_REAL, TICK_S, TICK_S)

    def disarm(self) -> None:
        """Stop sampling and leave the signal as it was.

        A signal that the timer sent is delivered to the main thread before the call that stops the timer returns (Linux
        prefers the main thread for signals of the process), so none can meet the default action, which would end the script.
        """
        if not self.armed:
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.armed = False
        self.watch = None
        if RESTORE:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _tick(self, number: int, frame: FrameType | None) -> None:
        while frame is not None and frame.f_code is _OWN_TICK:
            frame = frame.f_back  # the tick before is still counted: a loaded machine
        watch = self.watch
        if not self.armed or watch is None or frame is None:
            return
        at = now()
        elapsed, self.last = at - self.last, at
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
            if not inner.f_globals.get("__name__", "").startswith(OWN):
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
        name: str | None
        if callee is not None:
            name = f"{callee.f_globals.get('__name__', '?')}:{callee.f_code.co_name}"
        else:
            data["own_ms"] += ms
            name = _c_call(inner)
        callees = data["callees"]
        if name is not None and (name in callees or len(callees) < 24):
            callees[name] = callees.get(name, 0.0) + ms
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


_c_calls: dict[tuple[int, int], str | None] = {}


def _c_call(frame: FrameType) -> str | None:
    """``call:`` and the name, as written, of the C function that has just returned to this frame, if one has.

    Signals are handled right after a call into C, with the frame still at the call; its position gives the text (Python 3.11).
    """
    code = frame.f_code
    key = (id(code), frame.f_lasti)  # the frame's site was taken before, which keeps the code alive
    if key not in _c_calls:
        _c_calls[key] = _call_text(code, frame.f_lasti)
    return _c_calls[key]


def _call_text(code: CodeType, lasti: int) -> str | None:
    positions = getattr(code, "co_positions", None)
    if positions is None:
        return None
    start, end, column, end_column = next(islice(positions(), lasti // 2, None), (None, None, None, None))
    if start is None or start != end or column is None:
        return None
    text = linecache.getline(code.co_filename, start).encode()[column:end_column].decode(errors="replace")
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(node, ast.Call):
        return None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    return f"call:{name}" if name else None


_OWN_TICK = Sampler._tick.__code__
