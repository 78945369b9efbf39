"""How large weights, gradients, decay and updates are, on a few steps; and whether anything moves weights that no step moves."""

from __future__ import annotations

import math
import operator
from typing import Any

import torch
from torch.optim.optimizer import Optimizer

from doctorch.observe import values
from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site
from doctorch.observe.optimizers import OptimizerWatch

MAX_TENSORS = 12
ELEMENTS = 64
"""Elements read of each tensor, and tensors: a look costs 0.2 ms on the CPU."""
MAX_SAMPLES = 60
LOOKS = frozenset({1, 4, 10, 20, 50, 100, 200, 500, 1000})
"""Backwards without a step after which it is looked whether the weights moved all the same."""

Vector = list[float]


class UpdateWatcher(Watcher):
    """Looks at the first steps and then at ever fewer: steps 0, 1, 2, 4, 7, 11, 17, …, as far as they are followed."""

    def install(self) -> None:
        self.due: dict[str, int] = {}
        self.open: dict[str, Any] = {}
        """What was read before the step that is under way, by optimizer: numbers only."""
        self.prints: dict[str, float] = {}
        self.session.events.before_step.append(self._before)
        self.session.events.after_step.append(self._after)
        self.session.events.backward_ended.append(self._backward_ended)

    def reset(self) -> None:
        self.due.clear()
        self.open.clear()
        self.prints.clear()

    # ---- sizes

    def _before(self, optimizer: Optimizer, watch: OptimizerWatch) -> None:
        self.open.pop(watch.key, None)
        if watch.steps < self.due.get(watch.key, 0):
            return
        self.due[watch.key] = watch.steps + watch.steps // 2 + 1
        chosen = _chosen(optimizer)
        if not chosen:
            return
        sizes: list[list[float]] = []
        seen: list[tuple[int, Vector]] = []
        for number, (group, tensor) in enumerate(chosen):
            weight, gradient = values.strided(tensor, ELEMENTS), values.strided(tensor.grad, ELEMENTS)  # type: ignore[arg-type]
            scale = tensor.numel() / max(1, weight.numel())
            decay = float(group.get("weight_decay") or 0.0)
            if tensor.is_cpu:
                before = weight.tolist()
                sizes.append([scale, decay, _square(before), _square(gradient.tolist())])
                seen.append((number, before))
            else:
                self._later(watch, number, scale, decay, weight, gradient, sizes, len(chosen))
        self.open[watch.key] = (watch.steps, sizes, seen, chosen[0][0])

    def _later(
        self,
        watch: OptimizerWatch,
        number: int,
        scale: float,
        decay: float,
        weight: torch.Tensor,
        gradient: torch.Tensor,
        sizes: list[list[float]],
        total: int,
    ) -> None:
        """On an accelerator: sums of squares are queued and read some steps later; the update is not measured there."""
        step = watch.steps

        def use(found: list[float]) -> None:
            sizes.append([scale, decay, *found])
            if len(sizes) == total:
                self._put(watch, step, sizes, None, {})

        values.read_later(self.session.recorder, [weight.float().square().sum(), gradient.float().square().sum()], use)

    def _after(self, optimizer: Optimizer, watch: OptimizerWatch, site: Site | None) -> None:
        found = self.open.pop(watch.key, None)
        if found is None:
            return
        step, sizes, seen, group = found
        if not seen or len(seen) != len(sizes):
            return
        chosen = _chosen(optimizer)
        if len(chosen) != len(seen):
            return
        update = 0.0
        for (_, before), (_, tensor), (scale, *_rest) in zip(seen, chosen, sizes, strict=True):
            after = values.strided(tensor, ELEMENTS).tolist()
            update += scale * sum((one - other) ** 2 for one, other in zip(before, after, strict=True))
        self._put(watch, step, sizes, math.sqrt(update), group)

    def _put(self, watch: OptimizerWatch, step: int, sizes: list[list[float]], update: float | None, group: dict[str, Any]) -> None:
        weight = math.sqrt(sum(scale * square for scale, _, square, _ in sizes))
        gradient = math.sqrt(sum(scale * square for scale, _, _, square in sizes))
        decay = math.sqrt(sum(scale * rate * rate * square for scale, rate, square, _ in sizes))
        recorder = self.session.recorder
        entry = recorder.fact("update", watch.key, None, lambda: {"samples": [], "tensors": len(sizes)})
        for name in ("eps", "betas", "momentum", "decoupled_weight_decay"):
            if name in group:
                entry.data[name] = group[name]
        if len(entry.data["samples"]) < MAX_SAMPLES:
            entry.data["samples"].append([step, weight, gradient, decay, update])
        entry.count += 1
        recorder.touch(entry)

    # ---- without a step

    def _backward_ended(self, loss: Any, site: Site | None, failure: BaseException | None) -> None:
        if self.session.other_threads or failure is not None:
            return
        for watch in self.session.optimizers.values():
            if watch.steps == 0 and watch.entry.data["backwards"] in LOOKS:
                self._look_for_moves(watch)

    def _look_for_moves(self, watch: OptimizerWatch) -> None:
        tensors = [tensor for ref in watch.sample if (tensor := ref()) is not None and values.readable(tensor)]
        if not tensors:
            return
        data = watch.entry.data
        number = data["backwards"]
        known = data.setdefault("unstepped", {"backwards": 0, "moved": False})
        if known["backwards"] == number:
            return

        def use(found: list[float]) -> None:
            known["backwards"] = number
            if self.prints.setdefault(watch.key, found[0]) != found[0]:
                known["moved"] = True
            self.session.recorder.touch(watch.entry)

        total = torch.stack([values.strided(tensor).double().sum() for tensor in tensors]).sum()
        values.read_later(self.session.recorder, [total], use)


def _square(vector: Vector) -> float:
    return float(sum(map(operator.mul, vector, vector)))


def _chosen(optimizer: Optimizer) -> list[tuple[dict[str, Any], torch.Tensor]]:
    """Weights (two dimensions and more) with a gradient, spread over the groups; other tensors where there are none."""
    members = [
        (group, tensor)
        for group in optimizer.param_groups
        for tensor in group["params"]
        if tensor.grad is not None
        and tensor.grad.layout is torch.strided
        and tensor.dtype.is_floating_point
        and tensor.numel()
        and values.readable(tensor)
        and values.readable(tensor.grad)
    ]
    weights = [member for member in members if member[1].ndim >= 2] or members
    return weights[:: max(1, -(-len(weights) // MAX_TENSORS))]
