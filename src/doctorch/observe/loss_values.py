"""What the values say at the calls of loss functions: over which dimension they are normalised, whether the last activation can reach
the targets, whether the targets are what the loss means.

Read on the first calls of a place, in deep segments and at powers of two; numbers only, those of a device some steps later.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import ref

import torch

from doctorch.observe import behind, padding, values
from doctorch.observe.behind import Behind
from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site

if TYPE_CHECKING:
    from doctorch.observe.session import Session
    from doctorch.records.writer import Entry

FIRST_CHECKS = 3
"""Calls of a place whose values are read at once."""
MAX_ELEMENTS = 100_000
"""A larger input has only its first rows read: what is computed of it must take less memory than backward will."""
SUM_TOLERANCE = 1e-3
HALF_TOLERANCE = 2e-2
"""Rows of a float32 softmax sum to one within 1e-6; of bfloat16, 1000 classes, within 1e-2."""
REACH_MARGIN = 0.02
"""A target counts as beyond an activation's range from this share of the range's width (of the mean size of the targets where it is open)
on: targets at the very end, as ±1 under tanh, are meant."""
DIFFERENCES = frozenset(("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"))
CLASSES = frozenset(("cross_entropy", "nll_loss"))
BINARY = frozenset(("binary_cross_entropy", "binary_cross_entropy_with_logits"))
SIGNED = frozenset(("soft_margin_loss", "hinge_embedding_loss", "margin_ranking_loss", "cosine_embedding_loss"))
"""Losses that mean targets of -1 and 1."""
COUNTS = frozenset(("poisson_nll_loss",))
EXP_LIMIT = 30.0
"""exp of more than this says «no log-probability» loudly enough."""

SOFTMAXES = frozenset(("_softmax", "_log_softmax"))

Use = Callable[[list[float]], None]


class LossValues(Watcher):
    """Adds to the facts of kind ``loss_call``."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.reset()

    def reset(self) -> None:
        """A new process."""
        self.softmax_shapes: dict[int, tuple[int, ...]] = {}
        """Shapes that softmaxes of this segment gave, by the sequence number of their node."""
        self.inputs: list[ref[torch.Tensor]] = []
        """Sequences that the last model was given."""

    def install(self) -> None:
        """Listen to the calls of losses, of models, and to softmaxes."""
        events = self.session.events
        events.loss_call.append(self._loss_call)
        events.root_call.append(self._root_call)
        events.operator.append(self._operator)
        events.backward_ended.append(self._backward_ended)

    def _root_call(self, module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        found = padding.sequences((*args, *kwargs.values()))
        if found:
            self.inputs = found

    def _operator(self, name: str, args: Any, kwargs: Any, out: Any, site: Site | None) -> None:
        if name in SOFTMAXES:
            self.softmax_shapes[self.session.tape.seq - 1] = tuple(out.shape)

    def _backward_ended(self, loss: Any, site: Any, failure: Any) -> None:
        self.softmax_shapes.clear()

    def _loss_call(self, name: str, value: torch.Tensor, bound: dict[str, Any], site: Site | None, entry: Entry) -> None:
        number = entry.data["count"]
        if not (number <= FIRST_CHECKS or self.session.deep or (number & (number - 1)) == 0):
            return
        if not value.requires_grad:
            return
        target = bound.get("target")
        if not isinstance(target, torch.Tensor) or not (values.readable(value) and values.readable(target)):
            return
        paused = self.session.pause()
        try:
            self._look(name, value, target, bound, entry)
        finally:
            if paused:
                self.session.resume()
        self.session.recorder.touch(entry)

    def _look(self, name: str, value: torch.Tensor, target: torch.Tensor, bound: dict[str, Any], entry: Entry) -> None:
        found = behind.activation(value)
        data = entry.data
        data["looked"] = data.get("looked", 0) + 1
        if found is not None:
            self._activation(data, found)
        if value.layout is not torch.strided or not value.is_floating_point() or not value.numel() or not value.ndim:
            return
        value, target = first_rows(value.detach(), target.detach())
        if name in CLASSES or name == "kl_div" or (found is not None and found.kind in ("softmax", "log_softmax")):
            self._sums(entry, "value", value)
            self._sums(entry, "exp", value.float().clamp(max=EXP_LIMIT).exp())
            if target.is_floating_point() and target.shape == value.shape:
                self._sums(entry, "target", target)
        if name in DIFFERENCES and found is not None:
            self._reach(entry, found, value, target)
        elif name == "binary_cross_entropy_with_logits" or (name in CLASSES and found is not None):
            self._ends(entry, value)
        if name in BINARY or name in SIGNED or name in COUNTS or (name in CLASSES and target.is_floating_point()):
            self._targets(entry, target)
        if name in CLASSES and not target.is_floating_point() and self.inputs:
            padding.look(self.session, entry, self.inputs, target, bound)

    def _activation(self, data: dict[str, Any], found: Behind) -> None:
        data["activation"] = found.kind
        data["activation_calls"] = data.get("activation_calls", 0) + 1
        data["low"], data["high"] = finite(found.low), finite(found.high)
        data["picked"] = bool(data.get("picked")) or found.picked
        if found.dim is not None:
            data["softmax_dim"] = found.dim
        where = self.session.tape.line_of_seq.get(found.seq)
        if where is not None:
            data["activation_site"] = where.as_data
        shape = self.softmax_shapes.get(found.seq)
        if shape is not None:
            data["softmax_shape"] = list(shape)

    def _sums(self, entry: Entry, name: str, value: torch.Tensor) -> None:
        """Over which dimensions all sums are one, and how far they are from it over the classes."""
        tolerance = SUM_TOLERANCE if value.dtype in (torch.float32, torch.float64) else HALF_TOLERANCE
        fresh = {"calls": 0, "one": {}, "rows": 0, "off_rows": 0, "low": None, "high": None}
        sums = entry.data.setdefault("sums", {}).setdefault(name, fresh)
        classes = 1 if value.ndim > 1 else 0
        dims = [dim for dim in range(min(value.ndim, 4)) if value.shape[dim] > 1]
        by_dim = [value.sum(dim, dtype=torch.float32) for dim in dims]
        off = [((one - 1).abs() > tolerance).sum() for one in by_dim]
        rows = value.sum(classes, dtype=torch.float32)
        wide = 20 * tolerance
        ends = [((rows - 1).abs() > wide).sum(), rows.min(), rows.max()]

        def use(numbers: list[float]) -> None:
            sums["calls"] += 1
            for dim, number in zip(dims, numbers[3:], strict=True):
                sums["one"][str(dim)] = sums["one"].get(str(dim), 0) + (number == 0)
            sums["rows"] += rows.numel()
            sums["off_rows"] += int(numbers[0]) if math.isfinite(numbers[0]) else 0
            widen(sums, numbers[1], numbers[2], "low", "high")

        self._later([*ends, *off], use, entry)

    def _reach(self, entry: Entry, found: Behind, value: torch.Tensor, target: torch.Tensor) -> None:
        if value.shape != target.shape and target.numel() != value.numel():
            return
        scalars = reach(found, value, target)

        def use(numbers: list[float]) -> None:
            add_reach(entry.data, numbers, target.numel(), value.numel())

        self._later(scalars, use, entry)

    def _ends(self, entry: Entry, value: torch.Tensor) -> None:
        """Smallest and largest output, and how many are exactly zero."""
        scalars = [value.min(), value.max(), (value == 0).sum()]
        numel = value.numel()

        def use(numbers: list[float]) -> None:
            data = entry.data
            widen(data, numbers[0], numbers[1], "output_min", "output_max")
            data["outputs"] = data.get("outputs", 0) + numel
            data["output_zeros"] = data.get("output_zeros", 0) + int(numbers[2])
            data["all_zero_looks"] = data.get("all_zero_looks", 0) + (numbers[2] == numel)

        self._later(scalars, use, entry)

    def _targets(self, entry: Entry, target: torch.Tensor) -> None:
        """How many targets lie where."""
        if not target.numel():
            return
        low, high = torch.aminmax(target)
        flags = [(target < 0).sum(), (target > 1).sum(), ((target != 0) & (target != 1) & (target != -1)).sum()]
        flags += [(target == 0).sum(), (target == -1).sum(), (target == 1).sum(), (target < 0.5).sum()]
        numel = target.numel()

        def use(numbers: list[float]) -> None:
            data = entry.data.setdefault("targets", {"looks": 0, "elements": 0})
            data["looks"] += 1
            data["elements"] += numel
            widen(data, numbers[0], numbers[1], "min", "max")
            for name, number in zip(("below_0", "above_1", "other", "zeros", "minus_ones", "ones", "below_half"), numbers[2:], strict=True):
                data[name] = data.get(name, 0) + int(number)

        self._later([low, high, *flags], use, entry)

    def _later(self, scalars: list[torch.Tensor], use: Use, entry: Entry) -> None:
        def used(numbers: list[float]) -> None:
            use(numbers)
            self.session.recorder.touch(entry)

        values.read_later(self.session.recorder, scalars, used)


def first_rows(value: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Both, or their first rows where there are very many elements."""
    if value.numel() <= MAX_ELEMENTS or value.ndim < 2:
        return value, target
    rows = max(1, MAX_ELEMENTS * value.shape[0] // value.numel())
    return value[:rows], target[:rows] if target.ndim and target.shape[0] == value.shape[0] else target


def reach(found: Behind, value: torch.Tensor, target: torch.Tensor) -> list[torch.Tensor]:
    """Scalars: targets below and above the range, least and largest target, least and largest output, outputs that are zero."""
    wide = found.high - found.low
    size = target.abs().mean(dtype=torch.float32)
    margin = torch.full_like(size, REACH_MARGIN * wide) if math.isfinite(wide) else REACH_MARGIN * size
    below, above = (target < found.low - margin).sum(), (target > found.high + margin).sum()
    return [below, above, target.min(), target.max(), value.min(), value.max(), (value == 0).sum()]


def add_reach(data: dict[str, Any], numbers: list[float], n_targets: int, n_outputs: int) -> None:
    """Put the numbers of :func:`reach` into a fact."""
    below, above, least, largest, low, high, zeros = numbers
    data["reach_looks"] = data.get("reach_looks", 0) + 1
    data["reach_targets"] = data.get("reach_targets", 0) + n_targets
    data["beyond"] = data.get("beyond", 0) + int(below) + int(above)
    widen(data, least, largest, "target_min", "target_max")
    widen(data, low, high, "output_min", "output_max")
    data["outputs"] = data.get("outputs", 0) + n_outputs
    data["output_zeros"] = data.get("output_zeros", 0) + int(zeros)
    data["all_zero_looks"] = data.get("all_zero_looks", 0) + (zeros == n_outputs)


def widen(data: dict[str, Any], low: float, high: float, low_name: str, high_name: str) -> None:
    """Keep the least and the largest of what was seen; numbers that are none are left out."""
    for name, number, pick in ((low_name, low, min), (high_name, high, max)):
        if math.isfinite(number):
            data[name] = number if data.get(name) is None else pick(data[name], number)


def finite(number: float) -> float | None:
    """The number, None for an open end."""
    return number if math.isfinite(number) else None
