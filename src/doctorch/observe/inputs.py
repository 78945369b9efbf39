"""What models are given and what they answer: statistics by batch, in training and in evaluation. Numbers only."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import torch

from doctorch.observe import values
from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site, here
from doctorch.observe.recorder import now
from doctorch.observe.session import Session

MAX_TENSORS = 6
"""Tensors looked at in one call."""
MAX_ELEMENTS = 16_384
"""A larger tensor has only its first rows read: means and deviations are known within a hundredth from so many."""
MAX_FEATURES = 64
"""Of more, as many are looked at one by one, evenly spread."""
MAX_SLOTS = 300
CALLS_A_STEP = 8
"""Calls at one place within one step that are read: an evaluation may make thousands."""
RECENT = 48
"""Batches remembered one by one."""


class Slot:
    """One tensor that a model is given at one place, or that it answers with."""

    __slots__ = ("entry", "step", "in_step", "recent", "features", "checked")

    def __init__(self, entry: Any) -> None:
        self.entry = entry
        self.step = self.in_step = -1
        self.recent: deque[list[float]] = deque(maxlen=RECENT)
        self.features: list[list[float]] = []
        """For each feature: elements, sum, sum of squares, least, largest."""
        self.checked = 0

    def due(self, step: int) -> bool:
        """Whether this call is read."""
        if step != self.step:
            self.step, self.in_step = step, 0
        self.in_step += 1
        return self.in_step <= CALLS_A_STEP


class InputWatcher(Watcher):
    """Statistics of the tensors at the door of each model."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.slots: dict[tuple[Any, ...], Slot] = {}
        self.trains: set[int] = set()
        """Ids of modules that were called in training mode with grad mode on."""

    def install(self) -> None:
        events = self.session.events
        events.root_call.append(self._call)
        events.root_return.append(self._return)
        events.asked.append(self.publish)

    def reset(self) -> None:
        self.slots.clear()

    def publish(self) -> None:
        for slot in list(self.slots.values()):
            features = slot.features
            if features and slot.entry.data.get("checked") != slot.checked:
                slot.entry.data.update(checked=slot.checked, **summary(features))
                slot.entry.data["recent"] = list(slot.recent)
                self.session.recorder.touch(slot.entry)

    # ---- events

    def _call(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        root = self.session.roots.get(id(module))
        if root is None or root.entry is None or not root.has_params:  # a loss is no model
            return
        began = now()
        site = here(3)
        phase = self.phase(module)
        for name, tensor in _tensors(args, kwargs):
            self._look("input", root.entry.key, name, phase, site, tensor)
        self.session.watch(now() - began)

    def _return(self, module: torch.nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        root = self.session.roots.get(id(module))
        if root is None or root.entry is None or not root.has_params:
            return
        began = now()
        tensor = first_tensor(output)
        if tensor is not None:
            self._look("output", root.entry.key, "output", self.phase(module), here(3), tensor.detach())
        self.session.watch(now() - began)

    def phase(self, module: torch.nn.Module) -> str:
        """``train`` or ``eval``. A model that never trains in training mode does so in eval mode."""
        if not self.session.grad_at_call:
            return "eval"
        if module.training:
            self.trains.add(id(module))
            return "train"
        return "eval" if id(module) in self.trains else "train"

    # ---- one tensor

    def _look(self, kind: str, root: str, name: str, phase: str, site: Site | None, tensor: torch.Tensor) -> None:
        session = self.session
        loader = session.last_loader if session.last_loader_step == session.recorder.steps else None
        loader_key = loader.key if loader is not None else None
        key = (kind, root, name, phase, site, loader_key)
        slot = self.slots.get(key)
        if slot is None:
            if len(self.slots) >= MAX_SLOTS:
                return
            slot = self.slots[key] = self._new(key, tensor)
        entry = slot.entry
        entry.count += 1
        entry.data["calls"] += 1
        if tensor.ndim:
            entry.data["rows"] += tensor.shape[0]
        session.recorder.touch(entry)
        if not slot.due(session.recorder.steps) or not values.readable(tensor) or tensor.layout is not torch.strided or not tensor.numel():
            return
        if not self.affords():
            return
        began = now()
        if tensor.is_floating_point():
            if tensor.is_cpu:
                self._read(slot, tensor)
            else:
                self._queue(slot, tensor)
        elif tensor.dtype in (torch.int64, torch.int32, torch.uint8, torch.int16):
            self._queue(slot, tensor)
        self.spent_ns += now() - began

    def _new(self, key: tuple[Any, ...], tensor: torch.Tensor) -> Slot:
        kind, root, name, phase, site, loader = key
        recorder = self.session.recorder
        text = f"{root}:{name}:{phase}@{site.key if site else '?'}:{loader}"
        return Slot(
            recorder.fact(
                kind,
                text,
                site,
                lambda: {
                    "root": root,
                    "name": name,
                    "phase": phase,
                    "loader": loader,
                    "dtype": str(tensor.dtype).removeprefix("torch."),
                    "shape": list(tensor.shape),
                    "calls": 0,
                    "rows": 0,
                    "checked": 0,
                    "compared": 0,
                    "equal_rows": 0,
                    "non_finite": 0,
                },
            )
        )

    def _read(self, slot: Slot, tensor: torch.Tensor) -> None:
        """All numbers of a CPU batch."""
        table = as_table(tensor.detach())
        least, most = table.amin(0), table.amax(0)
        lows, highs = least.tolist(), most.tolist()
        data = slot.entry.data
        if not all(math.isfinite(x) for x in (*lows, *highs)):
            data["non_finite"] += 1
            return
        sums, squares = table.sum(0).tolist(), (table * table).sum(0).tolist()
        n = float(table.shape[0])
        if len(slot.features) != len(sums):
            slot.features = [[0.0, 0.0, 0.0, math.inf, -math.inf] for _ in sums]
            slot.recent.clear()
        for feature, total, square, low, high in zip(slot.features, sums, squares, lows, highs, strict=True):
            feature[0] += n
            feature[1] += total
            feature[2] += square
            feature[3] = min(feature[3], low)
            feature[4] = max(feature[4], high)
        slot.checked += 1
        spread = -1.0
        if tensor.ndim > 1 and tensor.shape[0] > 1:
            rows = tensor.detach()[: max(2, MAX_ELEMENTS * tensor.shape[0] // max(tensor.numel(), MAX_ELEMENTS))]
            rows = rows.reshape(rows.shape[0], -1)
            rows = rows[:, :: max(1, rows.shape[1] // 512)].double()
            spread = float(values.item((rows.var(0, unbiased=False).mean()).sqrt()))
            data["compared"] += 1
            data["equal_rows"] += bool(values.item((rows == rows[:1]).all()))
        mean = sum(sums) / (n * len(sums))
        slot.recent.append([self.session.recorder.steps, mean, _deviation(n * len(sums), sum(sums), sum(squares)), spread])

    def _queue(self, slot: Slot, tensor: torch.Tensor) -> None:
        """Extremes of integers; of an accelerator's floats mean and deviation too, read some steps later."""
        tensor = tensor.detach()
        floating = tensor.is_floating_point()
        low, high = torch.aminmax(tensor)
        scalars = [low, high]
        if floating:
            deviation, mean = torch.std_mean(tensor, unbiased=False)  # reductions only: nothing of the tensor's size is allocated
            scalars += [mean, deviation]
        data, recorder, step, n = slot.entry.data, self.session.recorder, self.session.recorder.steps, float(tensor.numel())

        def use(found: list[float]) -> None:
            if not all(math.isfinite(x) for x in found):
                data["non_finite"] += 1
                return
            slot.checked += 1
            if floating:
                if not slot.features:
                    slot.features = [[0.0, 0.0, 0.0, math.inf, -math.inf]]
                feature = slot.features[0]
                feature[0] += n
                feature[1] += n * found[2]
                feature[2] += n * (found[3] ** 2 + found[2] ** 2)
                feature[3], feature[4] = min(feature[3], found[0]), max(feature[4], found[1])
                slot.recent.append([step, found[2], found[3], -1.0])
            else:
                data["checked"] = slot.checked
                data["min"] = min(data.get("min", found[0]), found[0])
                data["max"] = max(data.get("max", found[1]), found[1])
            recorder.touch(slot.entry)

        values.read_later(recorder, scalars, use)


def as_table(tensor: torch.Tensor) -> torch.Tensor:
    """A batch as rows of features, float64: columns of a table, channels of an image, the last dimension of a sequence."""
    if tensor.ndim < 2:
        table = tensor.reshape(-1, 1)
    elif tensor.ndim < 4:
        table = tensor.reshape(-1, tensor.shape[-1]) if tensor.ndim == 3 else tensor
    else:
        some = tensor[: max(1, MAX_ELEMENTS * tensor.shape[0] // max(tensor.numel(), MAX_ELEMENTS))]
        table = some.movedim(1, -1).reshape(-1, tensor.shape[1])
    if table.shape[1] > MAX_FEATURES:
        table = table[:, :: math.ceil(table.shape[1] / MAX_FEATURES)]
    return table[: max(1, MAX_ELEMENTS // max(1, table.shape[1]))].double()


def summary(features: list[list[float]]) -> dict[str, Any]:
    """Mean, deviation and extremes over all features, and of each."""
    n, total, squares = (sum(f[i] for f in features) for i in range(3))
    each = [[f[1] / f[0], _deviation(*f[:3]), f[3], f[4]] for f in features if f[0]]
    return {
        "mean": total / n if n else None,
        "std": _deviation(n, total, squares),
        "min": min(f[3] for f in features),
        "max": max(f[4] for f in features),
        "n_features": len(features),
        "features": [[float(f"{x:.6g}") for x in one] for one in each],
        "constant_features": sum(one[2] == one[3] for one in each),
    }


def _deviation(n: float, total: float, squares: float) -> float:
    return math.sqrt(max(0.0, squares / n - (total / n) ** 2)) if n else 0.0


def _tensors(args: Any, kwargs: Any) -> list[tuple[str, torch.Tensor]]:
    found: list[tuple[str, torch.Tensor]] = []
    for name, value in (*enumerate(args), *kwargs.items()):
        if isinstance(value, torch.Tensor):
            found.append((str(name), value))
        elif isinstance(value, (list, tuple)) and len(value) <= MAX_TENSORS:
            found += [(f"{name}.{i}", part) for i, part in enumerate(value) if isinstance(part, torch.Tensor)]
        elif isinstance(value, dict) and len(value) <= 4 * MAX_TENSORS:
            found += [(f"{name}.{key}", part) for key, part in value.items() if isinstance(part, torch.Tensor)]
    # A single number (a count of items, a temperature) says something about the batch and is no input with a scale of its own.
    return [(name, tensor) for name, tensor in found if tensor.ndim][:MAX_TENSORS]


def first_tensor(output: Any) -> torch.Tensor | None:
    """The tensor that an output is, or its logits, or the first it holds."""
    if isinstance(output, torch.Tensor):
        return output
    logits = getattr(output, "logits", None)
    if isinstance(logits, torch.Tensor):
        return logits
    parts = output.values() if isinstance(output, dict) else output if isinstance(output, (list, tuple)) else ()
    return next((part for part in parts if isinstance(part, torch.Tensor)), None)
