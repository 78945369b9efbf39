"""How the process ends: the exception that ended it, the tensors on its line, files it read, and forks on the way."""

from __future__ import annotations

import os
import re
import sys
from types import FrameType, TracebackType
from typing import Any

import torch

from doctorch.observe import lines
from doctorch.observe.session import Session

MAX_MESSAGE = 2000
MAX_FILES = 500
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
    message = str(error)[:MAX_MESSAGE]
    entry = session.recorder.fact("exception", "last", last)
    inner = frames[-1] if frames else None
    entry.data.update(
        type=type(error).__name__,
        message=message,
        stack=[s.as_data for s in sites[-30:]],
        inner={"file": inner[0].f_code.co_filename, "line": inner[1], "function": inner[0].f_code.co_name} if inner else None,
        phase=_phase(session, frames),
        tensors=_tensors_on_line(user[-1][0], user[-1][1]) if user else {},
        worker="in DataLoader worker process" in message,
    )
    entry.count = 1
    session.recorder.touch(entry)


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


def _tensors_on_line(frame: FrameType, line: int) -> dict[str, Any]:
    import linecache

    text = linecache.getline(frame.f_code.co_filename, line)
    found: dict[str, Any] = {}
    for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", text)):
        first, *rest = name.split(".")
        value = frame.f_locals.get(first, frame.f_globals.get(first))
        for part in rest:
            value = getattr(value, "__dict__", {}).get(part)
        if isinstance(value, torch.Tensor):
            found[name] = _describe(value)
        if len(found) >= 12:
            break
    return found


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
    """Files opened for reading, with the user's line: one audit hook, which cannot be taken off again and so stays tiny."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.busy = False
        self.skip = tuple({sys.prefix, sys.base_prefix, "/proc", "/sys", "/dev"})
        self.own = os.path.abspath(str(session.recorder.settings["run_dir"]))

    def install(self) -> None:
        """Begin to listen."""
        own_pid = os.getpid()

        def hook(event: str, args: tuple[Any, ...]) -> None:
            if event == "open" and not self.busy and os.getpid() == own_pid:
                self.busy = True
                try:
                    self._opened(args)
                except Exception:
                    self.session.recorder.failed()
                finally:
                    self.busy = False

        sys.addaudithook(hook)

    def _opened(self, args: tuple[Any, ...]) -> None:
        path, mode, flags = args
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str) or (mode is not None and any(c in mode for c in "wax+")) or flags & (os.O_WRONLY | os.O_RDWR):
            return
        if path.endswith(NOT_DATA) or path.startswith(self.skip):
            return
        full = os.path.abspath(path)
        if full.startswith(self.own) or lines._State.library and full.startswith(lines._State.library):
            return
        recorder = self.session.recorder
        known = recorder.writer.entries.get(("file_open", full))
        if known is not None:
            known.count += 1
            known.data["count"] += 1
            recorder.touch(known)
            return
        if recorder._kinds.get("file_open", 0) >= MAX_FILES:
            return
        frame = lines.user_frame(sys._getframe(2))
        if frame is None:
            return
        try:
            size = os.stat(full).st_size
        except OSError:
            return
        entry = recorder.fact("file_open", full, lines.site_of(frame), lambda: {"path": full, "count": 1, "size": size})
        entry.count = 1
