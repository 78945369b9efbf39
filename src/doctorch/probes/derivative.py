"""The derivative that a custom autograd function gives, against differences of its forward."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

DIRECTIONS = 4
MAX_ELEMENTS = 200_000
"""Elements of the inputs tried; of larger ones the first rows are taken."""
NOTHING = 1e-7
"""Numeric derivative, relative to the analytic one, of a forward that is flat there."""
ALONE = 16
"""Elements of an input that are moved one by one."""
JITTER = 1e-3
"""Of an input's size: by so much it is moved away from the kink of a forward (a ReLU gives many exact zeros)."""


@dataclass(frozen=True)
class Precision:
    """How finely a function can be tried."""

    dtype: torch.dtype
    step: float
    """Half-width of the central difference, relative to the size of the input. Its error is of the order of step² and of eps/step."""
    tolerance: float
    """Relative difference above which a derivative is wrong and neither rounded nor approximated (tanh-GELU for GELU: 1e-3)."""
    smooth: float
    """Relative difference between one-sided differences above which there is a kink on the way."""


DOUBLE = Precision(torch.double, 1e-6, 1e-2, 1e-3)
SINGLE = Precision(torch.float, 1e-2, 1e-1, 5e-2)
"""For functions that insist on single precision (a library's kernel, a buffer)."""


class Subject:
    """A function on copies of its arguments, in one precision."""

    def __init__(self, call: Callable[..., Any], args: Sequence[Any], precision: Precision) -> None:
        self.call = call
        self.precision = precision
        self.generator = torch.Generator().manual_seed(0)
        self.given = [a.detach().to(precision.dtype) if _is_float(a) else a for a in args]
        self.places = [i for i, a in enumerate(args) if _is_float(a) and a.requires_grad]

    def outputs(self, moved: dict[int, torch.Tensor] | None = None) -> list[torch.Tensor]:
        """Its outputs that carry a gradient, or could. The same random numbers at every call."""
        torch.manual_seed(0)
        random.seed(0)
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            numpy.random.seed(0)
        at = {**dict(enumerate(self.given)), **(moved or {})}
        # Clones: a forward that works in place changes what it is given.
        out = self.call(*[a.clone() if isinstance(a, torch.Tensor) else a for a in (at[i] for i in range(len(self.given)))])
        return [o for o in (out if isinstance(out, (tuple, list)) else (out,)) if _is_float(o)]

    def moved_outputs(self, index: int, by: torch.Tensor) -> list[torch.Tensor]:
        with torch.no_grad():
            return self.outputs({index: self.given[index] + by})

    def gradients(self, weights: Sequence[torch.Tensor], between: bool = False) -> list[torch.Tensor]:
        """The analytic ones. ``between``: with another call between its forward and its backward."""
        with torch.enable_grad():
            leaves = {i: self.given[i].clone().requires_grad_() for i in self.places}
            pairs = [(o, w) for o, w in zip(self.outputs(dict(leaves)), weights, strict=True) if o.requires_grad]
            if between:
                self.outputs({i: (0.9 * self.given[i].flatten().roll(1)).view_as(self.given[i]).requires_grad_() for i in self.places})
            grads = torch.autograd.grad([o for o, _ in pairs], list(leaves.values()), [w for _, w in pairs], allow_unused=True)
        return [g.detach() if g is not None else torch.zeros_like(self.given[i]) for g, i in zip(grads, self.places, strict=True)]

    def step(self, index: int) -> float:
        """Half-width of differences in an argument."""
        return self.precision.step * (_size(self.given[index]) or 1.0)

    def random(self, like: torch.Tensor) -> torch.Tensor:
        return torch.randn(like.shape, generator=self.generator, dtype=self.precision.dtype)

    def weights(self, outputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Values for grad_output; nothing for outputs that carry no gradient."""
        return [self.random(o) * o.requires_grad for o in outputs]


def examine(call: Callable[..., Any], args: Sequence[Any]) -> dict[str, Any]:
    """Check one function on copies of its arguments.

    Returns ``inputs``: for each differentiable argument ``index``, ``shape``, ``error`` (largest difference between analytic and numeric
    derivative, relative to the larger), ``factor`` (analytic over numeric, median over directions), ``spread`` (of the factor), ``flat``;
    ``tolerance`` for the error; ``ignored`` (arguments whose gradient does not depend on grad_output) and ``ignores_grad_output``;
    ``stale`` (the gradient of one call changes when another was made in between); ``deliberate`` (a straight-through estimator, a reversal,
    clipping: see :func:`_deliberate`); ``holds`` (attributes of ctx that hold tensors); ``shape`` (of the first output); or ``why_not``.
    """
    args = _first_rows(args)
    found: dict[str, Any] = {"why_not": "it works in a precision that is too coarse to try it"}
    for precision in (DOUBLE, SINGLE):
        subject = Subject(call, args, precision)
        try:
            with torch.enable_grad():
                outputs = subject.outputs({i: subject.given[i].clone().requires_grad_() for i in subject.places})
        except (RuntimeError, TypeError):
            if precision is DOUBLE:
                continue  # single precision only
            raise
        if all(o.dtype == precision.dtype for o in outputs) and any(o.requires_grad for o in outputs):
            found = _examine(subject, outputs)
            if found.get("inputs"):
                break  # else what it does inside is too coarse for double precision, or it is smooth nowhere
    return found


def _examine(subject: Subject, outputs: list[torch.Tensor]) -> dict[str, Any]:
    held = _held(next(o.grad_fn for o in outputs if o.requires_grad))
    weights, other = subject.weights(outputs), subject.weights(outputs)
    outputs = [o.detach() for o in outputs]
    if not all(torch.equal(a, b) for a, b in zip(subject.outputs(), outputs, strict=True)):
        return {"why_not": "it does not give the same result twice"}
    plain, changed = subject.gradients(weights), subject.gradients(other)
    again = subject.gradients(weights)
    if not _all_close(plain, again):
        return {"why_not": "its backward does not give the same result twice"}
    ignored = [i for i, a, b in zip(subject.places, plain, changed, strict=True) if torch.equal(a, b) and bool(a.any())]
    stale = not _all_close(plain, subject.gradients(weights, between=True))
    if ignored:  # then the local derivative is what it gives
        weights = [torch.ones_like(w) * w.bool() for w in weights]
        plain = subject.gradients(weights)
    compared = [_compare(subject, i, gradient, weights) for i, gradient in zip(subject.places, plain, strict=True)]
    inputs = [one for one in compared if one is not None]
    return {
        "inputs": inputs,
        "tolerance": subject.precision.tolerance,
        "ignored": ignored,
        "ignores_grad_output": bool(ignored),
        "stale": stale,
        "deliberate": _deliberate(subject, outputs, plain, weights, inputs, bool(ignored)),
        "holds": sorted(held),
        "shape": list(outputs[0].shape),
    }


def _compare(subject: Subject, index: int, gradient: torch.Tensor, weights: Sequence[torch.Tensor]) -> dict[str, Any] | None:
    """Analytic against numeric derivatives along random directions: at the input itself or, where it lies on a kink, beside it. None where
    the forward is smooth at neither."""
    own = subject.given[index]
    for jitter in (0.0, JITTER):
        if jitter:
            subject.given[index] = own + jitter * (_size(own) or 1.0) * subject.random(own)
            gradient = subject.gradients(weights)[subject.places.index(index)]
        try:
            pairs = [pair for _ in range(DIRECTIONS) if (pair := _pair(subject, index, gradient, weights, subject.random(own))) is not None]
        finally:
            subject.given[index] = own
        if len(pairs) == DIRECTIONS:
            return {"index": index, "shape": list(own.shape), **_judged(pairs)}
    return None


def _pair(
    subject: Subject, index: int, gradient: torch.Tensor, weights: Sequence[torch.Tensor], direction: torch.Tensor
) -> tuple[float, float] | None:
    """The analytic and the numeric derivative along one direction; None where differences to either side, or over two widths, disagree."""
    step = subject.step(index)
    at = {k: _weighted(subject.moved_outputs(index, k * step * direction), weights) for k in (-2, -1, 0, 1, 2)}
    ahead, back = (at[1] - at[0]) / step, (at[0] - at[-1]) / step
    numeric, wide = (at[1] - at[-1]) / (2 * step), (at[2] - at[-2]) / (4 * step)
    analytic = float((gradient * direction).sum())
    # Rounding of the sums, which a derivative of nothing would drown in.
    floor = 1e3 * torch.finfo(subject.precision.dtype).eps * abs(at[0]) / step
    scale = max(abs(analytic), abs(numeric), floor)
    if not all(map(math.isfinite, (ahead, back, numeric, wide, analytic))):
        return None
    if max(abs(ahead - back), abs(numeric - wide)) > subject.precision.smooth * scale + floor:
        return None
    return analytic, numeric if abs(numeric) > floor else 0.0


def _judged(pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    scale = max(max(abs(a), abs(n)) for a, n in pairs) or 1.0
    largest = max(abs(a) for a, _ in pairs)
    factors = sorted(a / n for a, n in pairs if abs(n) > 1e-3 * scale)
    return {
        "error": max(abs(a - n) for a, n in pairs) / scale,
        "factor": factors[len(factors) // 2] if factors else None,
        "spread": (factors[-1] - factors[0]) if factors else None,
        "flat": all(abs(n) <= NOTHING * largest for _, n in pairs) and largest > 0,
    }


def _deliberate(
    subject: Subject,
    outputs: Sequence[torch.Tensor],
    plain: Sequence[torch.Tensor],
    weights: Sequence[torch.Tensor],
    inputs: Sequence[dict[str, Any]],
    ignoring: bool,
) -> bool:
    """Whether a derivative that differs is meant to: the forward passes an input on unchanged (reversal, scaling or clipping of gradients);
    it is flat where the two differ (rounding, thresholds, clamping: a straight-through estimator or a surrogate); or the gradient is not
    linear in grad_output (clipping, guided backpropagation)."""
    given = [subject.given[i] for i in subject.places]
    if any(o.shape == x.shape and torch.equal(o, x) for o in outputs for x in given):
        return True
    if any(one["flat"] for one in inputs):
        return True
    for index, gradient in zip(subject.places, plain, strict=True):
        for k, output in enumerate(outputs):
            if output.shape == gradient.shape and (
                _flat_where_different(subject, index, k, gradient, weights) or _quantised(subject, index, output, gradient, weights[k])
            ):
                return True
    if ignoring:
        return False
    other = subject.weights(outputs)
    both = zip(plain, subject.gradients(other), subject.gradients([100 * w + o for w, o in zip(weights, other, strict=True)]), strict=True)
    return any(_size(c - 100 * a - b) > subject.precision.tolerance * _size(c) for a, b, c in both)


def _quantised(subject: Subject, index: int, output: torch.Tensor, gradient: torch.Tensor, weights: torch.Tensor) -> bool:
    """Whether grad_output is passed on as it is (or cut to nothing) while the forward gives few values: rounding with a scale that is
    itself taken from the input, so that the forward is not flat."""
    passed = torch.isclose(gradient, weights) | (gradient == 0)
    few = len(torch.unique(output)) <= 0.5 * len(torch.unique(subject.given[index]))
    if not bool(passed.all()):
        return False
    return few or _flat_alone(subject, index, output)


def _flat_alone(subject: Subject, index: int, output: torch.Tensor) -> bool:
    """Whether an element of the output stays where it is when the element of the input at its place moves alone, for most of some."""
    x, step = subject.given[index], subject.step(index)
    places = torch.randperm(x.numel(), generator=subject.generator)[:ALONE].tolist()
    still = 0
    for place in places:
        direction = torch.zeros_like(x)
        direction.view(-1)[place] = step
        moved = min((subject.moved_outputs(index, direction)), key=lambda o: o.shape != output.shape)
        still += bool(moved.flatten()[place] == output.flatten()[place])
    return still > 0.5 * len(places)


def _flat_where_different(subject: Subject, index: int, output: int, gradient: torch.Tensor, weights: Sequence[torch.Tensor]) -> bool:
    """Of a function that works element by element: whether its forward does not move where the gradient is not its derivative."""
    x, step = subject.given[index], subject.step(index)

    def slope(direction: torch.Tensor) -> torch.Tensor:
        ends = [subject.moved_outputs(index, sign * step * direction)[output] for sign in (1, -1)]
        return (ends[0] - ends[1]) / (2 * step)

    own = slope(torch.ones_like(x))
    direction = subject.random(x)
    if _size(slope(direction) - own * direction) > subject.precision.tolerance * (_size(own) + 1e-12):
        return False
    known = weights[output].abs() > 1e-3
    differs = known & ((gradient / weights[output] - own).abs() > subject.precision.tolerance * max(_size(own), 1e-6))
    return bool(differs.any()) and not bool(own[differs].any())


def _first_rows(args: Sequence[Any]) -> list[Any]:
    """The arguments, or their first rows where they are large: of all that have as many rows as the largest."""
    floats = [a for a in args if _is_float(a)]
    total = sum(a.numel() for a in floats)
    largest = max(floats, key=lambda a: int(a.numel()), default=None)
    if total <= MAX_ELEMENTS or largest is None or largest.ndim == 0:
        return list(args)
    rows = len(largest)
    kept = max(1, rows * MAX_ELEMENTS // total)
    return [
        a.detach()[:kept].clone().requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) and a.ndim and len(a) == rows else a
        for a in args
    ]


def _weighted(outputs: Sequence[torch.Tensor], weights: Sequence[torch.Tensor]) -> float:
    return sum(float((o.double() * w.double()).sum()) for o, w in zip(outputs, weights, strict=True))


def _all_close(ones: Sequence[torch.Tensor], others: Sequence[torch.Tensor]) -> bool:
    return all(torch.allclose(a, b, rtol=1e-4, atol=1e-10, equal_nan=True) for a, b in zip(ones, others, strict=True))


def _size(tensor: torch.Tensor) -> float:
    """Root of the mean square; 0 of an empty tensor."""
    return float(tensor.double().square().mean().sqrt()) if tensor.numel() else 0.0


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _held(node: Any) -> set[str]:
    """Names of the attributes of a context that hold tensors."""
    return {name for name, held in vars(node).items() if isinstance(held, torch.Tensor)} if hasattr(node, "__dict__") else set()
