"""Observation of a live training process. Called once, right after torch was imported."""

from __future__ import annotations

import atexit
import importlib
import os
import sys
from typing import Any

_installed: list[Any] = []


def install(settings: dict[str, Any]) -> None:
    """Watch this process. ``settings``: ``run_dir`` (str), ``steps`` (int or None), ``probes`` (bool), ``probe_seconds`` (float).

    Never raises into the script: what fails is written to ``observer-error.txt`` in the run folder.
    """
    if _installed:
        return
    from doctorch.observe.observer import Observer

    observer = Observer(settings)
    _installed.append(observer)
    observer.install()
    atexit.register(observer.at_exit)
    if settings.get("probes"):
        # By name: the probes are built on the observers, which know nothing of them.
        importlib.import_module("doctorch.probes").install(observer)
    _wrap_hard_exit(observer)
    _wrap_exec(observer)


def _wrap_exec(observer: Any) -> None:
    """The process becomes another program: write what is pending. All of ``os.exec…`` go through these two."""
    for name in ("execv", "execve"):
        original = getattr(os, name)

        def replace(*args: Any, _original: Any = original) -> Any:
            observer.before_exec()
            return _original(*args)

        replace.__doc__ = original.__doc__
        replace.__name__ = name
        setattr(os, name, replace)


def _wrap_hard_exit(observer: Any) -> None:
    original = os._exit

    def _exit(status: int) -> None:
        observer.hard_exit()
        original(status)

    _exit.__doc__ = original.__doc__
    os._exit = _exit  # type: ignore[assignment]


def installed() -> Any:
    """The observer of this process, or None."""
    return _installed[0] if _installed else None


def failure(settings: dict[str, Any]) -> None:
    """Put down a traceback of doctorch's own where the parent finds it; called in an except block."""
    import traceback

    try:
        with open(os.path.join(str(settings["run_dir"]), "observer-error.txt"), "a", encoding="utf-8") as out:
            out.write(traceback.format_exc())
    except OSError:
        pass


def last_exception() -> BaseException | None:
    """The exception that is ending the interpreter. It is set before ``sys.excepthook`` runs, whatever hook the script installed."""
    found = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    return found if isinstance(found, BaseException) else None
