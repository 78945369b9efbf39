"""A process that imports torch once and then runs one script after another, each in a fork of itself.

Reads requests from stdin and answers on stdout, one JSON object a line; ends when stdin does. It stays free of observers: they
are installed in the fork only, right before the script runs, where ``import torch`` would have triggered them. To the script
the fork looks like a fresh interpreter that was started on it: ``sys.argv``, ``sys.path[0]``, ``__main__``, working directory,
standard streams, and the way an interpreter ends (exception hook, threads, exit functions).

Request: ``script``, ``args``, ``cwd``, ``stdout`` and ``stderr`` (files to write), ``settings`` (for ``doctorch.observe.install``; null
runs the script plainly), ``env`` (variables to add), ``timeout`` (seconds), ``tracer`` (a coverage data file, or null).
Answer: ``code`` (exit code, None after a signal), ``signal``, ``seconds``, ``timed_out``.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import linecache
import os
import select
import signal
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

PRELOADED = ("numpy", "torch", "torch.utils.data", "torch.utils.checkpoint", "torch.distributions", "torch._dynamo", "pandas", "PIL.Image")
"""What scripts import as a rule, or torch for them: the first optimizer imports ``torch._dynamo``, which takes a second. What is not
installed is left to the script that wants it."""

_exit = os._exit
"""The plain function: observers wrap ``os._exit`` in the forks."""


def preload() -> None:
    """Import what scripts need, and keep torch to one thread: a process with threads of its own must not be forked."""
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    import torch

    torch.set_num_threads(1)


def main() -> None:
    """Serve until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints while it is loaded must not be taken for an answer
    preload()
    gc.freeze()
    print(json.dumps({"ready": os.getpid()}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            _become(request)
        status, timed_out = _wait(pid, float(request["timeout"]))
        code = os.waitstatus_to_exitcode(status)
        answer = {
            "code": code if code >= 0 else None,
            "signal": -code if code < 0 else None,
            "seconds": time.monotonic() - began,
            "timed_out": timed_out,
        }
        print(json.dumps(answer), file=answers, flush=True)


def _wait(pid: int, timeout: float) -> tuple[int, bool]:
    """The status of the child, and whether it had to be killed. What it left running in its process group is ended too."""
    handle = os.pidfd_open(pid)
    try:
        ended, _, _ = select.select([handle], [], [], timeout)
    finally:
        os.close(handle)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    return status, not ended


def _become(request: Mapping[str, Any]) -> None:
    """Turn this fork into the script's process. Does not return."""
    code = 1
    try:
        os.setpgid(0, 0)
        _streams(request)
        os.environ.update(request["env"])
        os.chdir(request["cwd"])
        script = os.path.abspath(request["script"])
        sys.argv = [request["script"], *request["args"]]
        sys.path[0] = os.path.dirname(script)
        tracer = _start_tracer(request["tracer"])
        module = _main_module(script)
        if request["settings"] is not None:
            importlib.import_module("doctorch.observe").install(dict(request["settings"]))
        code = _run(module, script)
        code = _finish(code)
        if tracer is not None:
            tracer.stop()
            tracer.save()
    except BaseException:
        traceback.print_exc()
    finally:
        _exit(code)


def _streams(request: Mapping[str, Any]) -> None:
    for number, path, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, request["stdout"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (2, request["stderr"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        descriptor = os.open(path, flags, 0o600)
        os.dup2(descriptor, number, inheritable=True)
        os.close(descriptor)
    # Standard output and error have empty buffers and write to the new descriptors, in the way that the interpreter chose at its start.
    vars(sys).update(stdin=os.fdopen(0, encoding="utf-8", closefd=False))
    vars(sys).update(__stdin__=sys.stdin)


def _start_tracer(data_file: str | None) -> Any:
    if data_file is None:
        return None
    import coverage

    tracer = coverage.Coverage(data_file=data_file, data_suffix=True, config_file=True, source=["doctorch"])
    tracer.start()
    return tracer


def _main_module(script: str) -> ModuleType:
    """``__main__`` as ``python script.py`` makes it."""
    module = ModuleType("__main__")
    loader = SourceFileLoader("__main__", script)
    vars(module).update(__file__=script, __loader__=loader, __builtins__=sys.modules["builtins"], __cached__=None, __spec__=None)
    sys.modules["__main__"] = module
    return module


def _run(module: ModuleType, script: str) -> int:
    """Execute the script; the exit code as Python would give it."""
    try:
        exec(compile(Path(script).read_bytes(), script, "exec"), vars(module))
    except SystemExit as error:
        if error.code is None:
            return 0
        if isinstance(error.code, int):
            return error.code & 0xFF
        print(error.code, file=sys.stderr)
        return 1
    except BaseException as error:
        _print_exception(error)
        return 1
    return 0


def _print_exception(error: BaseException) -> None:
    """As the interpreter does it: the ``sys.last_*`` names first, then the hook. The frame of this file is taken off."""
    trace = error.__traceback__.tb_next if error.__traceback__ else None
    error.__traceback__ = trace
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    linecache.checkcache()
    try:
        sys.excepthook(type(error), error, trace)
    except BaseException:
        traceback.print_exc()


def _finish(code: int) -> int:
    """What an interpreter does between the end of the script and its own."""
    getattr(threading, "_shutdown")()  # noqa: B009 - not in the stubs
    try:
        atexit._run_exitfuncs()
    except BaseException:  # it has printed it, and an interpreter goes on
        pass
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = 120
    return code


if __name__ == "__main__":
    main()
