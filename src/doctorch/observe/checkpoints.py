"""What a script reads from files with ``torch.load``, what it had written with ``torch.save``, and which states it puts back.

Only numbers and names are kept of a file: the kinds of its parts, learning rates, counters.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.optim import lr_scheduler
from torch.optim.optimizer import Optimizer

from doctorch.observe.events import Watcher
from doctorch.observe.lines import here
from doctorch.observe.session import Session
from doctorch.observe.wrap import put

COUNTER = re.compile(r"epoch|step|iter|round", re.I)
MAX_PARTS = 60
MAX_PATHS = 500


class CheckpointWatcher(Watcher):
    """Facts of kind ``checkpoint`` and ``restore``."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.written: dict[str, int] = {}
        """Files written by this process, and the number of steps then."""

    def install(self) -> None:
        self._wrap_files()
        self._wrap_restoring(Optimizer, "optimizer")
        for cls in list(vars(lr_scheduler).values()):
            if isinstance(cls, type) and cls is not Optimizer and "load_state_dict" in vars(cls):
                self._wrap_restoring(cls, "scheduler")
        self._wrap_restoring(torch.amp.GradScaler, "scaler")

    def reset(self) -> None:
        self.written.clear()

    # ---- files

    def _wrap_files(self) -> None:
        original_load, original_save = torch.load, torch.save

        @functools.wraps(original_load)
        def load(*args: Any, **kwargs: Any) -> Any:
            result = original_load(*args, **kwargs)
            self._guarded(self._loaded, args[0] if args else kwargs.get("f"), result)
            return result

        @functools.wraps(original_save)
        def save(*args: Any, **kwargs: Any) -> Any:
            result = original_save(*args, **kwargs)
            self._guarded(self._saved, args[1] if len(args) > 1 else kwargs.get("f"), args[0] if args else kwargs.get("obj"))
            return result

        put(torch, "load", load)
        put(torch, "save", save)

    def _guarded(self, handler: Callable[..., None], *args: Any) -> None:
        try:
            handler(*args)
        except Exception:
            self.session.recorder.failed()

    def _saved(self, file: Any, content: Any) -> None:
        if len(self.written) < MAX_PATHS:
            self.written[_name(file)] = self.session.recorder.steps

    def _loaded(self, file: Any, content: Any) -> None:
        site = here(3)
        recorder = self.session.recorder
        entry = recorder.fact("checkpoint", site.key if site is not None else "?", site, lambda: {"count": 0})
        entry.count += 1
        entry.data["count"] += 1
        if entry.data["count"] == 1:
            written = self.written.get(_name(file))
            name = os.path.basename(_name(file)) if isinstance(file, (str, os.PathLike)) else None
            entry.data.update(name=name, step=recorder.steps, written_at=written, parts=_parts(content))
        recorder.touch(entry)

    # ---- states put back

    def _wrap_restoring(self, cls: Any, what: str) -> None:
        original = cls.load_state_dict
        depth = [0]

        @functools.wraps(original)
        def load_state_dict(target: Any, *args: Any, **kwargs: Any) -> Any:
            depth[0] += 1
            try:
                result = original(target, *args, **kwargs)
            finally:
                depth[0] -= 1
            if not depth[0]:
                self._guarded(self._restored, what, target)
            return result

        put(cls, "load_state_dict", load_state_dict)

    def _restored(self, what: str, target: Any) -> None:
        recorder = self.session.recorder
        watch = self.session.optimizers.get(id(target))
        key = f"{what}/{watch.key if watch is not None else type(target).__name__}"
        site = here(3)
        entry = recorder.fact("restore", key, site, lambda: {"what": what, "step": recorder.steps, "count": 0})
        entry.count += 1
        entry.data["count"] += 1
        recorder.touch(entry)


def _name(file: Any) -> str:
    return os.path.abspath(os.fspath(file)) if isinstance(file, (str, os.PathLike)) else f"<{id(file)}>"


def _parts(content: Any) -> list[dict[str, Any]]:
    """The parts of a checkpoint that mean something for going on: weights, states of optimizers, schedulers and scalers, counters."""
    if not isinstance(content, Mapping):
        return []
    if _weights(content):
        return [{"key": None, "kind": "weights", "tensors": len(content)}]
    found: list[dict[str, Any]] = []
    for key, value in list(content.items())[:MAX_PARTS]:
        several = value if isinstance(value, (list, tuple)) and len(value) <= 8 else [value]
        for one in several:
            part = _part(str(key), one)
            if part is not None:
                found.append({"key": str(key), **part})
    return found


def _part(key: str, value: Any) -> dict[str, Any] | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return {"kind": "counter", "value": value} if COUNTER.search(key) else None
    if not isinstance(value, Mapping):
        return None
    if "param_groups" in value and "state" in value:
        groups = value["param_groups"]
        return {
            "kind": "optimizer",
            "states": len(value["state"]),
            "lrs": [float(group["lr"]) for group in groups if "lr" in group],
            "initial_lrs": [float(group["initial_lr"]) for group in groups if "initial_lr" in group],
            "params": sum(len(group.get("params", ())) for group in groups),
        }
    if "last_epoch" in value or "_schedulers" in value:
        last = value.get("last_epoch")
        rates = value.get("_last_lr")
        return {
            "kind": "scheduler",
            "last_epoch": int(last) if isinstance(last, int) else None,
            "lrs": [float(rate) for rate in rates] if isinstance(rates, (list, tuple)) else None,
        }
    if "growth_factor" in value and "scale" in value:
        return {"kind": "scaler", "scale": float(value["scale"])}
    return {"kind": "weights", "tensors": len(value)} if _weights(value) else None


def _weights(value: Mapping[Any, Any]) -> bool:
    return len(value) > 0 and all(isinstance(one, torch.Tensor) for one in value.values())
