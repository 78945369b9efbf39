"""Dropout called as a function: unlike the module it does not know in which mode the model stands."""

from __future__ import annotations

import functools
import sys
import weakref
from threading import get_ident
from typing import Any

import torch
import torch.nn.functional as F

from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site, here, is_user_code, site_of
from doctorch.observe.session import Session
from doctorch.observe.wrap import put

FUNCTIONS = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
TRAINING = 2
"""Position of the argument ``training`` in all of them; True where it is not given."""


class FunctionalDropouts(Watcher):
    """Facts of kind ``functional_dropout``: calls by the user's code on followed steps, by line."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.root: weakref.ref[torch.nn.Module] | None = None
        self.call_site: Site | None = None

    def reset(self) -> None:
        self.root = None

    def install(self) -> None:
        self.session.events.root_call.append(self._called)
        for name in FUNCTIONS:
            if hasattr(F, name):
                self._wrap(name)

    def _called(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        self.root = weakref.ref(module)
        self.call_site = None if self.session.grad_at_call else here(2)

    def _wrap(self, name: str) -> None:
        original = getattr(F, name)
        session = self.session
        compiling = torch.compiler.is_compiling

        @functools.wraps(original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if not compiling() and session.full and get_ident() == session.thread and torch._C._get_tracing_state() is None:
                try:
                    frame = sys._getframe(1)
                    if is_user_code(frame.f_code):
                        given = kwargs.get("training", args[TRAINING] if len(args) > TRAINING else None)
                        self._dropped(name, site_of(frame), args[1] if len(args) > 1 else kwargs.get("p", 0.5), given)
                except Exception:
                    session.recorder.failed()
            return original(*args, **kwargs)

        # torch.jit.script compiles the source of what it finds: it shall find torch's own function.
        setattr(wrapper, "__prepare_scriptable__", lambda: original)  # noqa: B010
        setattr(wrapper, "__script_if_tracing_wrapper", True)
        setattr(wrapper, "__original_fn", original)
        put(F, name, wrapper)

    def _dropped(self, name: str, site: Site, p: Any, given: Any) -> None:
        root = self.root() if self.root is not None else None
        if root is None or given is False or not isinstance(p, (int, float)) or p <= 0:
            return
        recorder = self.session.recorder
        entry = recorder.fact("functional_dropout", f"{name}@{site.key}", site, lambda: _first(name, float(p)))
        data = entry.data
        entry.count += 1
        step = recorder.steps
        if torch.is_grad_enabled():
            data["steps"] += step != data["last_step"]
            data["last_step"] = step
        elif root.training or given is None:  # asked for in a model in eval mode: several answers of one model are wanted
            how = "train" if root.training else "eval"
            data[f"passes_{how}"] += 1
            data["blocks"] += step != data["last_pass"]
            data["last_pass"] = step
            if self.call_site is not None:
                data["pass_site"] = self.call_site.as_data
        recorder.touch(entry)


def _first(name: str, p: float) -> dict[str, Any]:
    counts = dict.fromkeys(("steps", "passes_train", "passes_eval", "blocks"), 0)
    return {"function": name, "p": p, **counts, "last_step": -1, "last_pass": -1, "pass_site": None}
