"""Targets against the ids that the model was given, by offset: is the target at t the token after that at t, or the same one?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any
from weakref import ref

import torch

from doctorch.observe import values
from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site
from doctorch.observe.recorder import now
from doctorch.observe.session import Session

LOOKS = 12
"""Calls of a loss at one place that are compared with each argument."""
OFFSETS = (-1, 0, 1, 2, 3)
MAX_ELEMENTS = 60_000
MAX_INPUTS = 4
MAX_PLACES = 60
MAX_VIEWS = 12
"""Nodes behind the input of a loss that are looked through for slices."""
VIEWS = ("View", "Reshape", "Unsafe", "Clone", "Transpose", "Permute", "TBackward", "ToCopy", "Alias", "Select")
IDS = frozenset((torch.int64, torch.int32, torch.int16))
CLASSES = frozenset(("cross_entropy", "nll_loss"))


class ShiftWatcher(Watcher):
    """Listens at the models and at the losses over classes."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.reset()

    def install(self) -> None:
        self.session.events.root_call.append(self._root_call)
        self.session.events.loss_call.append(self._loss_call)

    def reset(self) -> None:
        self.inputs: list[tuple[str, str, ref[torch.Tensor]]] = []
        self.compared: Counter[str] = Counter()

    def _root_call(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        root = self.session.roots.get(id(module))
        if root is None or root.entry is None:
            return
        found = []
        for name, value in (*enumerate(args), *kwargs.items()):
            if isinstance(value, torch.Tensor) and value.ndim == 2 and value.dtype in IDS and min(value.shape) > 1 or _one_row(value):
                found.append((root.entry.key, str(name), ref(value)))
        if found:
            self.inputs = found[:MAX_INPUTS]

    def _loss_call(self, name: str, value: torch.Tensor, bound: dict[str, Any], site: Site | None, entry: Any) -> None:
        target = bound["target"]
        if name not in CLASSES or not value.requires_grad or target.is_floating_point() or not self.inputs or target.ndim > 2:
            return
        if target.numel() > MAX_ELEMENTS or not values.readable(target):
            return
        began = now()
        ignored = bound.get("ignore_index", -100)
        for root, argument, known in self.inputs:
            ids = known()
            if ids is None or ids.device != target.device or not values.readable(ids):
                continue
            for rows, targets, batch_first in aligned(ids, target):
                key = f"{entry.key}:{root}:{argument}:{'rows' if batch_first else 'columns'}"
                if self.compared[key] < LOOKS and len(self.compared) <= MAX_PLACES:
                    self.compared[key] += 1
                    start = slice_start(value, rows.shape[1]) if targets.shape[1] < rows.shape[1] else 0
                    self._compare(key, site, entry.key, root, argument, rows, targets, start, int(ignored), batch_first)
        self.session.watch(now() - began)

    def _compare(
        self, key: str, site: Site | None, loss: str, root: str, argument: str, rows: torch.Tensor, targets: torch.Tensor, start: int,
        ignored: int, batch_first: bool,
    ) -> None:  # fmt: skip
        data: dict[str, Any] = {"loss_call": loss, "root": root, "name": argument, "looks": 0, "batch_first": batch_first}
        data.update(positions={str(k): 0 for k in OFFSETS}, equal={str(k): 0 for k in OFFSETS}, valid=0, targets=0)
        fact = self.session.recorder.fact("shift", key, site, lambda: data)
        data = fact.data
        data["looks"] += 1
        data["start"] = start
        data["length"] = rows.shape[1]
        data["targets"] += targets.numel()
        fact.count += 1
        self.session.recorder.touch(fact)
        valid = targets != ignored
        sums, width = [valid.sum()], targets.shape[1]
        for offset in OFFSETS:
            first = min(width, max(0, -(start + offset)))
            last = max(first, min(width, rows.shape[1] - start - offset))
            some = valid[:, first:last]
            same = (targets[:, first:last] == rows[:, first + start + offset : last + start + offset]) & some
            sums += [some.sum(), same.sum()]

        def use(found: list[float]) -> None:
            data["valid"] += int(found[0])
            for number, offset in enumerate(OFFSETS):
                data["positions"][str(offset)] += int(found[1 + 2 * number])
                data["equal"][str(offset)] += int(found[2 + 2 * number])
            self.session.recorder.touch(fact)

        values.read_later(self.session.recorder, sums, use)


def _one_row(value: Any) -> bool:
    """Ids of a single sequence, as a batch of one."""
    return isinstance(value, torch.Tensor) and value.ndim == 2 and value.dtype in IDS and value.numel() > 8


def aligned(ids: torch.Tensor, target: torch.Tensor) -> Iterator[tuple[torch.Tensor, torch.Tensor, bool]]:
    """The ids and the targets as (rows, positions), where the targets are about one for each id; and whether rows come first. Both ways
    where the shapes allow it."""
    for batch_first in (True, False):
        rows = ids if batch_first else ids.transpose(0, 1)
        number, length = rows.shape
        if length < 3 or target.numel() % number:
            continue
        width = target.numel() // number
        if not length - 2 <= width <= length:
            continue
        if target.ndim == 2:
            shaped = target if batch_first else target.transpose(0, 1)
            if shaped.shape != (number, width):
                continue
        else:
            shaped = target.reshape(number, width) if batch_first else target.reshape(width, number).transpose(0, 1)
        yield rows, shaped, batch_first


def slice_start(value: torch.Tensor, length: int) -> int:
    """How many positions at the front were cut off what the model answered, on the way to the loss."""
    node: Any = value.grad_fn
    start = 0
    for _ in range(MAX_VIEWS):
        if node is None:
            break
        if node.name() == "SliceBackward0":
            sizes, dim, first = node._saved_self_sym_sizes, node._saved_dim, int(node._saved_start)
            dim = dim - 2**64 if dim >= 2**63 else dim
            first = first - 2**64 if first >= 2**63 else first
            if length - 2 <= int(sizes[dim]) <= length and 0 < first < 4:
                start += first
        elif not node.name().startswith(VIEWS):
            break
        node = node.next_functions[0][0] if node.next_functions else None
    return start
