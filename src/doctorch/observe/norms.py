"""How far the running statistics of BatchNorm are from those of the batches, at a few calls of a model that trains."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Mapping
from typing import Any

import torch
from torch.nn.modules.batchnorm import _BatchNorm

from doctorch.observe import values
from doctorch.observe.lines import Site
from doctorch.observe.recorder import now
from doctorch.observe.session import Session
from doctorch.observe.wrap import put

FIRST_LOOK = 12
"""Steps before the first look: earlier ones compare with the initial values."""
GROWTH = 1.3
"""Looks come at steps that grow by this factor, where those are followed."""
MAX_LAYERS = 60
KEPT = 12


class Norms:
    """Facts of kind ``norm``. BatchNorm's forward is replaced during the looks only."""

    def __init__(self, session: Session, built: Mapping[int, tuple[weakref.ref[Any], Site | None]]) -> None:
        self.session = session
        self.built = built
        self.original: Any = _BatchNorm.forward
        self.replaced = False
        self.next: dict[int, float] = {}
        self.looks: dict[str, deque[list[float]]] = {}

    def install(self) -> None:
        self.session.events.root_call.append(self._called)
        self.session.events.root_return.append(self._returned)

    def reset(self) -> None:
        self.next.clear()
        self.looks.clear()
        self._put_back()

    def _called(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        self._put_back()  # the last call raised
        session = self.session
        step = session.recorder.steps
        if not session.grad_at_call or not session.deep_allowed or not module.training or session.copy:
            return
        if step >= self.next.get(id(module), FIRST_LOOK):
            self.next[id(module)] = max(step + 1, step * GROWTH)
            if any(isinstance(part, _BatchNorm) for part in module.modules()):
                self.replaced = True
                put(_BatchNorm, "forward", self._forward())

    def _returned(self, module: torch.nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        self._put_back()

    def _put_back(self) -> None:
        if self.replaced:
            self.replaced = False
            put(_BatchNorm, "forward", self.original)

    def _forward(self) -> Any:
        original, session = self.original, self.session

        def forward(module: Any, input: torch.Tensor) -> torch.Tensor:
            if module.training and module.running_mean is not None:
                tape = session.tape
                muted, tape.muted = tape.muted, True
                try:
                    with torch.no_grad():
                        self._look(module, input.detach())
                except Exception:
                    session.recorder.failed()
                finally:
                    tape.muted = muted
            result: torch.Tensor = original(module, input)
            return result

        return forward

    def _look(self, module: Any, x: torch.Tensor) -> None:
        name = self.session.name_of(module)
        if name is None or not values.readable(x) or x.ndim < 2 or x.numel() <= x.shape[1]:
            return
        began = now()
        recorder = self.session.recorder
        known = self.built.get(id(module))
        site = known[1] if known is not None and known[0]() is module else None
        key = f"{name}/{module.num_features}"
        if key not in self.looks and len(self.looks) >= MAX_LAYERS:
            return
        looks = self.looks.setdefault(key, deque(maxlen=KEPT))
        momentum = module.momentum
        first = {"name": name, "cls": type(module).__name__, "momentum": momentum, "eps": module.eps, "features": module.num_features}
        entry = recorder.fact("norm", key, site, lambda: {**first, "looks": []})
        entry.count += 1
        dims = [d for d in range(x.ndim) if d != 1]
        # Of the input as it is: a copy in float32 would raise the peak of memory.
        variance, mean = (one.float() for one in torch.var_mean(x, dims, unbiased=False))
        running = module.running_var.float() + module.eps
        shift = ((mean - module.running_mean.float()).abs() / running.sqrt()).mean()
        ratio = ((variance + module.eps) / running).log().abs().mean()
        step, count = recorder.steps, x.numel() // x.shape[1]

        def use(found: list[float]) -> None:
            looks.append([step, found[0], found[1], count])
            entry.data["looks"] = list(looks)
            self.session.recorder.touch(entry)

        values.read_later(recorder, [shift, ratio], use)
        self.session.watch(now() - began)
