"""What ``load_state_dict`` put into modules, and what it left out."""

from __future__ import annotations

import functools
import weakref
from typing import Any

import torch
from torch.optim.optimizer import Optimizer

from doctorch.observe.events import Watcher
from doctorch.observe.lines import here
from doctorch.observe.wrap import put
from doctorch.records.writer import Entry

MAX_NAMES = 5
LOADS_SEEN = 3
"""Loads at one place that are looked at."""


class LoadWatcher(Watcher):
    """A fact for each place that loads weights, and the mark ``loaded`` on the parameters that got some."""

    def install(self) -> None:
        self.loaded: dict[int, weakref.ref[torch.Tensor]] = {}
        self.places: dict[str, tuple[Entry, weakref.ref[torch.nn.Module]]] = {}
        self.marked = 0
        self._wrap()
        self._wrap_optimizer()

    def reset(self) -> None:
        self.places.clear()
        self.marked = 0

    def _wrap(self) -> None:
        original = torch.nn.Module.load_state_dict

        @functools.wraps(original)
        def load_state_dict(module: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
            entry, own = None, 0
            try:
                entry = self._entry()
                if entry is not None:
                    own = _own(module, state_dict)
            except Exception:
                self.session.recorder.failed()
            result = original(module, state_dict, *args, **kwargs)
            if entry is not None:
                try:
                    strict = bool(args[0] if args else kwargs.get("strict", True))
                    self._loaded(entry, module, state_dict, strict, own, result)
                except Exception:
                    self.session.recorder.failed()
            return result

        put(torch.nn.Module, "load_state_dict", load_state_dict)

    def _wrap_optimizer(self) -> None:
        original = Optimizer.__init__

        @functools.wraps(original)
        def __init__(optimizer: Optimizer, *args: Any, **kwargs: Any) -> None:
            original(optimizer, *args, **kwargs)
            try:
                self._mark_optimizers()
            except Exception:
                self.session.recorder.failed()

        put(Optimizer, "__init__", __init__)

    def _mark_optimizers(self) -> None:
        """``loaded_first`` for the optimizers that have not stepped yet and hold loaded parameters: what they train begins from a file."""
        if not self.loaded:
            return
        for watch in list(self.session.optimizers.values()):
            optimizer = watch.ref()
            if optimizer is None or watch.steps or watch.entry.data.get("loaded_first"):
                continue
            if any(self._was_loaded(p) for group in optimizer.param_groups for p in group["params"]):
                watch.entry.data["loaded_first"] = True
                self.session.recorder.touch(watch.entry)

    def _entry(self) -> Entry | None:
        """The fact of this place; None where enough was seen (a target network that is brought up to date at every step)."""
        site = here(2)
        entry = self.session.recorder.fact("load", site.key if site is not None else "?", site, dict)
        entry.count += 1
        return entry if entry.count <= LOADS_SEEN else None

    def _loaded(self, entry: Entry, module: torch.nn.Module, given: Any, strict: bool, own: int, result: Any) -> None:
        missing, unexpected = set(getattr(result, "missing_keys", ())), list(getattr(result, "unexpected_keys", ()))
        tensors = dict(module.named_parameters())
        if own < len(given):
            for name, tensor in tensors.items():
                if name not in missing:
                    self.loaded[id(tensor)] = weakref.ref(tensor)
        self._mark_optimizers()
        self.marked = 0
        entry.data.update(
            cls=type(module).__name__,
            strict=strict,
            given=len(given),
            unexpected=len(unexpected),
            own=own,
            params=len(tensors),
            params_missing=len(missing & tensors.keys()),
            numel=sum(t.numel() for t in tensors.values()),
            numel_missing=sum(t.numel() for name, t in tensors.items() if name in missing),
            missing_names=[name for name in tensors if name in missing][:MAX_NAMES],
            unexpected_names=unexpected[:MAX_NAMES],
            count=entry.count,
        )
        self.places[entry.key] = (entry, weakref.ref(module))
        for one, ref in self.places.values():
            if (into := ref()) is not None:
                one.data["covered"] = sum(t.numel() for t in into.parameters() if self._was_loaded(t))
                self.session.recorder.touch(one)

    def _was_loaded(self, tensor: torch.Tensor) -> bool:
        ref = self.loaded.get(id(tensor))
        return ref is not None and ref() is tensor

    def publish(self) -> None:
        params = self.session.params
        if self.marked == len(params.all) or not self.loaded:
            return
        self.marked = len(params.all)
        for param in list(params.all):
            tensor = param.ref()
            if tensor is not None and self._was_loaded(tensor) and not param.entry.data.get("loaded"):
                param.entry.data["loaded"] = True
                self.session.recorder.touch(param.entry)


def _own(module: torch.nn.Module, given: Any) -> int:
    """How many of the tensors given are those that the module has already."""
    mine = {tensor.data_ptr() for tensor in (*module.parameters(), *module.buffers()) if tensor.numel() and tensor.device.type != "meta"}
    return sum(isinstance(t, torch.Tensor) and t.device.type != "meta" and t.numel() > 0 and t.data_ptr() in mine for t in given.values())
