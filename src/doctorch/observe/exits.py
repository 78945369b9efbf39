"""How the process ends: the exception that ended it, the tensors on its line, files it read, and forks on the way."""

from __future__ import annotations

import builtins
import codecs
import functools
import io
import linecache
import os
import re
import stat
import sys
from collections.abc import Iterator
from itertools import islice
from threading import get_ident
from types import FrameType, TracebackType
from typing import Any

import torch

from doctorch.observe import lines
from doctorch.observe.session import Session

MAX_MESSAGE = 2000
MAX_FILES = 500
MAX_FIELD = 256
"""Bytes read of a file's start."""
MAX_TEXTS = 200_000
NOT_DATA = (".py", ".pyc", ".so", ".pyi", ".pth", "-nspkg.pth", ".dist-info")


def record_exception(session: Session, error: BaseException, trace: TracebackType | None) -> None:
    """Put down the exception that ended the process. Reads shapes, and bounds of integer CPU tensors on the failing line."""
    frames: list[tuple[FrameType, int]] = []
    seen = 0
    while trace is not None and seen < 2000:
        frames.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
        seen += 1
    user = [(frame, line) for frame, line in frames if lines.is_user_code(frame.f_code)]
    sites = [lines.place(lines.absolute(f.f_code.co_filename), line, f.f_code.co_name) for f, line in user]
    last = sites[-1] if sites else None
    try:
        message = str(error)[:MAX_MESSAGE]
    except Exception:  # an exception of the script's whose own text fails
        message = ""
    entry = session.recorder.fact("exception", "last", last)
    inner = frames[-1] if frames else None
    entry.data.update(
        type=type(error).__name__,
        message=message,
        stack=[s.as_data for s in sites[-30:]],
        inner={"file": inner[0].f_code.co_filename, "line": inner[1], "function": inner[0].f_code.co_name} if inner else None,
        phase=_phase(session, frames),
        tensors=_tensors_on_line(user[-1][0], user[-1][1]) if user else {},
        texts=_texts_on_line(user[-1][0], user[-1][1]) if user else {},
        worker="in DataLoader worker process" in message,
    )
    entry.count = 1
    session.recorder.touch(entry)
    _index_out_of_bounds(session, message, last)


_OUT_OF_BOUNDS = re.compile(r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)")


def _index_out_of_bounds(session: Session, message: str, site: lines.Site | None) -> None:
    """Gather, scatter and indexing say themselves what was out of bounds; outside deep steps nothing else tells."""
    found = _OUT_OF_BOUNDS.search(message)
    if found is None or site is None or session.recorder.number_of("index_error"):
        return
    index, dim, size = (int(number) for number in found.groups())
    text = linecache.getline(site.file, site.line)
    function = next((name for name in ("gather", "scatter", "index_select", "take_along_dim") if name in text), "index")
    data = {"function": function, "size": size, "dim": dim, "min": index, "max": index, "bad": None, "total": None, "raised": True}
    entry = session.recorder.fact("index_error", f"{function}@{site.key}", site, lambda: {**data, "rows": [], "values": [index]})
    entry.count = 1


def _phase(session: Session, frames: list[tuple[FrameType, int]]) -> str:
    names = {frame.f_code.co_name for frame, _ in frames}
    files = " ".join(frame.f_code.co_filename for frame, _ in frames)
    if "utils/data" in files.replace(os.sep, "/"):
        return "data"
    if "_run_backward" in names:
        return "backward"
    if session.in_optimizer:
        return "optimizer"
    if "_call_impl" in names:
        return "forward"
    return "other"


def _named_on_line(frame: FrameType, line: int) -> Iterator[tuple[str, Any]]:
    """The variables and attributes that a line names, with their values."""
    text = linecache.getline(frame.f_code.co_filename, line)
    for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", text)):
        first, *rest = name.split(".")
        value = frame.f_locals.get(first, frame.f_globals.get(first))
        yield first, value
        for part in rest:
            value = _attribute(value, part)
        if rest:
            yield name, value


def _attribute(owner: Any, name: str) -> Any:
    """An attribute as it is stored; no code of the script's runs for it. Modules keep tensors and modules in tables of their own."""
    inside = getattr(owner, "__dict__", {})
    kinds = ("_buffers", "_parameters", "_modules") if isinstance(owner, torch.nn.Module) else ()
    return next((table[name] for table in (inside, *(inside.get(kind) or {} for kind in kinds)) if name in table), None)


def _tensors_on_line(frame: FrameType, line: int) -> dict[str, Any]:
    found = ((name, _describe(value)) for name, value in _named_on_line(frame, line) if isinstance(value, torch.Tensor))
    return dict(islice(found, 12))


def _texts_on_line(frame: FrameType, line: int) -> dict[str, Any]:
    """The sequences on the line whose elements are text: how many, how many different ones, and whether they are numbers."""
    found: dict[str, Any] = {}
    for name, value in _named_on_line(frame, line):
        if isinstance(value, (list, tuple)) and value and all(isinstance(one, (list, tuple)) for one in value[:MAX_TEXTS]):
            if any(isinstance(one, str) for one in value[0]):
                found[name] = {"n": len(value), "rows": True}
            continue
        texts = _texts(value)
        if texts:
            distinct = set(texts)
            found[name] = {
                "n": len(texts),
                "distinct": len(distinct),
                "numbers": all(_is_number(text) for text in distinct),
                "whole": all(text.strip().lstrip("-").isdigit() for text in distinct),
            }
    return found


def _texts(value: Any) -> list[str]:
    """The texts that a list, a tuple, an array or a column of a table holds side by side; empty where it holds something else."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, (list, tuple)):
        if getattr(value, "ndim", 0) != 1 or not callable(getattr(value, "tolist", None)) or isinstance(value, torch.Tensor):
            return []
        value = value.tolist()
    some = list(value[:MAX_TEXTS])
    return some if all(isinstance(one, str) for one in some) else []


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _describe(tensor: torch.Tensor) -> dict[str, Any]:
    data: dict[str, Any] = {
        "shape": list(tensor.shape),
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "device": str(tensor.device),
        "requires_grad": tensor.requires_grad,
    }
    if tensor.device.type == "cpu" and tensor.dtype in (torch.int64, torch.int32) and 0 < tensor.numel() <= 4_000_000:
        low, high = torch.aminmax(tensor)
        data.update(min=int(low), max=int(high))
    return data


class Files:
    """Files opened for reading, with the user's line.

    ``open`` is wrapped rather than listened to by an audit hook: with any audit hook each look at a frame's code costs
    a call into Python, in the user's code too (measured: four times the cost of finding the user's line).
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.skip = tuple({sys.prefix, sys.base_prefix, "/proc", "/sys", "/dev"})
        self.own = os.path.abspath(str(session.recorder.settings["run_dir"]))

    def install(self) -> None:
        """Wrap the one function that ``builtins.open`` and ``io.open`` are."""
        original = io.open
        session = self.session

        @functools.wraps(original)
        def open(file: Any, mode: Any = "r", *args: Any, **kwargs: Any) -> Any:
            opened = original(file, mode, *args, **kwargs)
            if get_ident() == session.thread:
                try:
                    self._opened(file, mode, opened)
                except Exception:
                    self.session.recorder.failed()
            return opened

        io.open = open
        builtins.open = open

    def _opened(self, path: Any, mode: Any, opened: Any) -> None:
        if isinstance(path, os.PathLike):
            path = os.fspath(path)
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str) or not isinstance(mode, str) or any(c in mode for c in "wax+"):
            return
        full = os.path.abspath(path)
        recorder = self.session.recorder
        known = recorder.writer.entries.get(("file_open", full))
        if known is not None:
            known.count += 1
            known.data["count"] += 1
            recorder.touch(known)
            return
        if full.endswith(NOT_DATA) or full.startswith((*self.skip, self.own)) or lines.in_library(full):
            return
        if recorder.number_of("file_open") >= MAX_FILES:
            return
        frame = lines.user_frame(sys._getframe(2))
        if frame is None:
            return
        try:
            status = os.stat(full)
        except OSError:
            return
        data: dict[str, Any] = {"path": full, "count": 1, "size": status.st_size, "mode": mode}
        data["encoding"] = getattr(opened, "encoding", None) if "b" not in mode else None
        data["by"] = sys._getframe(2).f_globals.get("__name__", "").partition(".")[0]
        if stat.S_ISREG(status.st_mode) and status.st_size > len(codecs.BOM_UTF8):
            data["bom"], data["first_field"] = byte_order_mark(full)
        entry = recorder.fact("file_open", full, lines.site_of(frame), lambda: data)
        entry.count = 1


def byte_order_mark(path: str) -> tuple[bool, str | None]:
    """Whether a file begins with the byte-order mark of UTF-8; if so, the first field of its first line, which the mark falsifies."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        start = os.read(descriptor, MAX_FIELD)
    finally:
        os.close(descriptor)
    if not start.startswith(codecs.BOM_UTF8):
        return False, None
    line = start.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace").splitlines() or [""]
    field = re.split(r"[,;\t|]", line[0], maxsplit=1)[0].strip()
    return True, field.strip("\"'")[:80]


def hide_own_frames() -> None:
    """Uncaught exceptions are printed without the frames of our wrappers, as they would be without doctorch."""
    original = sys.excepthook

    @functools.wraps(original)
    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        try:
            trace = without_own_frames(error, trace)
        except Exception:
            pass
        original(kind, error, trace)

    sys.excepthook = excepthook


def without_own_frames(error: BaseException, trace: TracebackType | None, depth: int = 0) -> TracebackType | None:
    """The traceback with doctorch's frames taken out; those of its causes are mended in place."""
    first = _next_foreign(trace)
    at = first
    while at is not None:
        at.tb_next = _next_foreign(at.tb_next)
        at = at.tb_next
    if depth < 20:
        for chained in (error.__cause__, error.__context__):
            if chained is not None and chained.__traceback__ is not None:
                chained.__traceback__ = without_own_frames(chained, chained.__traceback__, depth + 1)
    if depth == 0:
        error.__traceback__ = first
    return first


def _next_foreign(trace: TracebackType | None) -> TracebackType | None:
    """The next frame that would be there without us: operators that the deep look passes on go through torch's own Python once more."""
    passed_on = False
    while trace is not None and (_own(trace) or (passed_on and trace.tb_frame.f_code.co_filename.endswith("_ops.py"))):
        passed_on = trace.tb_frame.f_code.co_name == "__torch_dispatch__" or passed_on
        trace = trace.tb_next
    return trace


_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _own(trace: TracebackType) -> bool:
    return trace.tb_frame.f_code.co_filename.startswith(_OWN)
