"""Training in half precision: weights of which the updates are too small to change them, and models that compute in float16."""

from __future__ import annotations

import math
from statistics import median
from typing import Any

import torch
from torch.optim.optimizer import Optimizer

from doctorch.observe import values
from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site
from doctorch.observe.optimizers import OptimizerWatch

HALVES = (torch.float16, torch.bfloat16)
MAX_TENSORS = 12
ELEMENTS = 128
"""Weights read of each tensor, and tensors, in one look."""
MAX_LOOKS = 24


class HalfWatcher(Watcher):
    """Looks at the weights of optimizers that hold half-precision ones on steps 0, 1, 2, 4, 8, …, as far as they are followed."""

    def install(self) -> None:
        self.due: dict[str, int] = {}
        self.halves: dict[str, bool] = {}
        """By optimizer: whether it holds weights in half precision."""
        self.open: dict[str, list[tuple[list[float], list[float]]]] = {}
        """Weights and gradients before the step that is under way: numbers only."""
        self.seen: set[tuple[int, str]] = set()
        events = self.session.events
        events.before_step.append(self._before)
        events.after_step.append(self._after)
        events.root_return.append(self._return)

    def reset(self) -> None:
        self.due.clear()
        self.halves.clear()
        self.open.clear()
        self.seen.clear()

    # ---- what models compute in

    def _return(self, module: torch.nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        if not isinstance(output, torch.Tensor) or output.dtype not in HALVES or not output.requires_grad:
            return
        name = str(output.dtype).removeprefix("torch.")
        root = self.session.roots.get(id(module))
        if (id(module), name) in self.seen or root is None or root.entry is None:
            return
        self.seen.add((id(module), name))
        root.entry.data["answers_in"] = name
        self.session.recorder.touch(root.entry)

    # ---- what steps do to weights

    def _before(self, optimizer: Optimizer, watch: OptimizerWatch) -> None:
        self.open.pop(watch.key, None)
        if watch.steps < self.due.get(watch.key, 0) or not self.halves.get(watch.key, True):
            return
        tensors = [p for group in optimizer.param_groups for p in group["params"] if p.dtype in HALVES]
        if not watch.steps:
            self.halves[watch.key] = bool(tensors)
        self.due[watch.key] = max(1, 2 * watch.steps)
        chosen = _chosen(tensors)
        if chosen:
            self.open[watch.key] = [(_numbers(p), _numbers(p.grad)) for p in chosen]  # type: ignore[arg-type]

    def _after(self, optimizer: Optimizer, watch: OptimizerWatch, site: Site | None) -> None:
        found = self.open.pop(watch.key, None)
        if found is None:
            return
        tensors = [p for group in optimizer.param_groups for p in group["params"] if p.dtype in HALVES]
        chosen = _chosen(tensors)
        if len(chosen) != len(found):
            return
        moved = kept = spoiled = 0
        sizes: list[float] = []
        for (before, gradient), tensor in zip(found, chosen, strict=True):
            for old, slope, new in zip(before, gradient, _numbers(tensor), strict=False):
                if not math.isfinite(new):
                    spoiled += math.isfinite(old) and math.isfinite(slope)
                elif slope != 0.0 and old != 0.0 and math.isfinite(slope):
                    sizes.append(abs(old))
                    if new == old:
                        kept += 1
                    else:
                        moved += 1
        self._write(optimizer, watch, tensors, [watch.steps, moved, kept, spoiled, median(sizes) if sizes else 0.0])

    def _write(self, optimizer: Optimizer, watch: OptimizerWatch, tensors: list[torch.Tensor], look: list[float]) -> None:
        group = optimizer.param_groups[0]
        rate = group.get("lr")
        recorder = self.session.recorder
        entry = recorder.fact("half_weights", watch.key, None, lambda: {"looks": []})
        if len(entry.data["looks"]) < MAX_LOOKS:
            entry.data["looks"].append([*look, float(rate) if isinstance(rate, (int, float)) else None])
        kinds = {str(p.dtype).removeprefix("torch.") for p in tensors}
        total = sum(p.numel() for g in optimizer.param_groups for p in g["params"])
        entry.data.update(
            dtypes=sorted(kinds),
            share=sum(p.numel() for p in tensors) / max(1, total),
            eps=group.get("eps"),
            adaptive="betas" in group,
            own=type(optimizer).__module__.startswith("torch.optim"),
            copies=_has_copy(optimizer, tensors),
        )
        entry.count += 1
        recorder.touch(entry)


def _chosen(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """Weights (two dimensions and more) with a gradient on the CPU, spread over the model; other tensors where there are none."""
    some = [p for p in tensors if p.is_cpu and p.grad is not None and p.grad.layout is torch.strided and p.numel() and values.readable(p)]
    weights = [p for p in some if p.ndim >= 2] or some
    return weights[:: max(1, -(-len(weights) // MAX_TENSORS))]


def _numbers(tensor: torch.Tensor) -> list[float]:
    found: list[float] = values.strided(tensor, ELEMENTS).tolist()
    return found


def _has_copy(optimizer: Optimizer, tensors: list[torch.Tensor]) -> bool:
    """Whether the optimizer keeps a finer copy of some weight: a tensor of its state in float32 that holds the same values."""
    for p in tensors[:MAX_TENSORS]:
        for value in optimizer.state.get(p, {}).values():
            if isinstance(value, torch.Tensor) and value.dtype is torch.float32 and value.shape == p.shape and p.is_cpu:
                return bool(torch.allclose(value.detach().to(p.dtype), p.detach(), rtol=0.02))
    return False
