"""Which line of the user's code is running: frames of torch, of installed packages and of doctorch are skipped."""

from __future__ import annotations

import os
import site as site_module
import sys
import sysconfig
from collections.abc import Callable
from types import CodeType, FrameType

_get_frame = sys._getframe


class Site:
    """A line of the user's code. One object per place, so that it can be a dictionary key by identity."""

    __slots__ = ("file", "line", "function", "as_data", "id", "key", "package")

    def __init__(self, file: str, line: int, function: str, number: int) -> None:
        self.file = file
        self.line = line
        self.function = function
        self.id = number
        self.as_data = {"file": file, "line": line, "function": function}
        self.key = f"{file}:{line}"
        self.package: str | None = None
        """The installed package that the line calls, on the way to torch: of ``trainer.fit(model)`` it is Lightning. None where it calls
        torch itself."""


class _State:
    library: tuple[str, ...] = ()
    user_roots: tuple[str, ...] = ()
    on_source: Callable[[str], None] | None = None
    on_package: Callable[[Site], None] | None = None


_user_code: dict[int, bool] = {}
_sites: dict[tuple[int, int], Site] = {}
_by_place: dict[tuple[str, int], Site] = {}
_alive: list[CodeType] = []
"""Keys are id(code), which is cheap (hashing a code object is not); keeping the code alive keeps the id unique."""
_absolute: dict[str, str] = {}


def configure(torch_file: str, on_source: Callable[[str], None], on_package: Callable[[Site], None] | None = None) -> None:
    """Say where torch lies, whom to tell of each new file of the user's, and of each line that calls torch through another package."""
    paths = sysconfig.get_paths()
    prefixes = {os.path.dirname(torch_file), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}
    prefixes.update(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib") if name in paths)
    for name in ("getsitepackages", "getusersitepackages"):
        try:
            found = getattr(site_module, name)()
        except Exception:
            continue
        prefixes.update([found] if isinstance(found, str) else found)
    both = {os.path.abspath(p) for p in prefixes if p} | {os.path.realpath(p) for p in prefixes if p}
    _State.library = tuple(sorted(p.rstrip(os.sep) + os.sep for p in both))
    _State.on_source, _State.on_package = on_source, on_package
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    if spec is not None and getattr(spec, "origin", None) and not _launcher(spec.name):
        # `python -m package.module`: an installed package that is run is the user's.
        _State.user_roots = (os.path.dirname(os.path.abspath(spec.origin)) + os.sep,)


def _launcher(name: str) -> bool:
    return name.split(".")[0] in ("torch", "accelerate", "runpy", "pdb", "doctorch", "lightning", "deepspeed")


def is_user_file(name: str) -> bool:
    """Whether a code object's file name is a file of the user's."""
    if name.startswith("<") or not name:
        return name.startswith(("<ipython", "<stdin"))
    path = absolute(name)
    if _State.user_roots and path.startswith(_State.user_roots):
        return True
    return not path.startswith(_State.library) and f"{os.sep}site-packages{os.sep}" not in path


def in_library(path: str) -> bool:
    """Whether an absolute path lies in torch, the standard library or an installed package."""
    return path.startswith(_State.library)


def absolute(name: str) -> str:
    """The absolute path of a code object's file name, as of the first time it was asked for."""
    path = _absolute.get(name)
    if path is None:
        path = _absolute[name] = name if name.startswith("<") else os.path.abspath(name)
    return path


def _classify(code: CodeType) -> bool:
    user = is_user_file(code.co_filename)
    _user_code[id(code)] = user
    _alive.append(code)
    if user and _State.on_source is not None:
        _State.on_source(absolute(code.co_filename))
    return user


def is_user_code(code: CodeType) -> bool:
    """Whether the code object is the user's."""
    user = _user_code.get(id(code))
    return _classify(code) if user is None else user


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of the user's code at or above ``frame``."""
    known = _user_code
    while frame is not None:
        code = frame.f_code
        user = known.get(id(code))
        if user or (user is None and _classify(code)):
            return frame
        frame = frame.f_back
    return None


def site_of(frame: FrameType) -> Site:
    """The site of a frame's current line."""
    key = (id(frame.f_code), frame.f_lasti)
    found = _sites.get(key)
    if found is None:
        code = frame.f_code
        is_user_code(code)  # keeps the code alive
        found = _sites[key] = place(absolute(code.co_filename), frame.f_lineno or code.co_firstlineno, code.co_name)
        package = _package_below(frame)
        if package is not None and found.package is None:
            found.package = package
            if _State.on_package is not None:
                _State.on_package(found)
    return found


def _package_below(frame: FrameType) -> str | None:
    """The installed package whose code a frame of the user's has called, or None where it has called torch or nothing that is known.

    Asked once for each place. Frames of the standard library and our own wrappers are looked through.
    """
    inner: list[FrameType] = []
    at: FrameType | None = _get_frame(2)
    while at is not None and at is not frame:
        inner.append(at)
        at = at.f_back
    if at is None:
        return None
    for called in reversed(inner):
        name = str(called.f_globals.get("__name__", "")).partition(".")[0]
        if name in sys.stdlib_module_names or name == "doctorch" or called.f_code.co_name == "decorate_context":
            continue  # torch.no_grad() as a decorator: what it decorates is meant
        return name if name not in ("torch", "torchvision", "torchaudio", "") else None
    return None


def place(file: str, line: int, function: str) -> Site:
    """The site of a file and line."""
    found = _by_place.get((file, line))
    if found is None:
        found = _by_place[file, line] = Site(file, line, function, len(_by_place))
    return found


def here(depth: int = 1) -> Site | None:
    """The user's line that called, or None when no user code is on the stack."""
    frame = user_frame(_get_frame(depth + 1))
    return site_of(frame) if frame is not None else None


def stack(frame: FrameType | None, limit: int = 30) -> list[Site]:
    """The user's lines on the stack, outermost first."""
    found: list[Site] = []
    while frame is not None and len(found) < limit:
        if is_user_code(frame.f_code):
            found.append(site_of(frame))
        frame = frame.f_back
    return found[::-1]


def release() -> None:
    """At the end of the process: let go of the code objects, so that they die when they would without us."""
    for table in (_user_code, _sites, _alive):
        table.clear()
