"""In a copy: where a value stops being a number. The step is run again on the same batch, every operator's result looked at."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch
import torch.utils.data.dataloader as dataloader_module
from torch.utils._python_dispatch import TorchDispatchMode

from doctorch.observe import lines
from doctorch.probes.freeze import clone

if TYPE_CHECKING:
    from doctorch.probes.fork import Copy

TURNS = 40
"""Turns run on without a step: a loop that picks its batches by hand may meet the same trouble again."""
SAME = 4
"""Of these, the ones that get the batch in question."""
DELIBERATE = frozenset(
    ("masked_fill", "masked_fill_", "full", "full_like", "fill", "fill_", "where", "new_full", "scalar_tensor", "lift_fresh", "zeros_like")
    + ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_", "set_", "as_strided", "detach", "_to_copy_meta")
)
"""Operators that put an infinity somewhere on purpose, or whose result has no value yet."""
OUTLIER = 1e4
"""A row whose largest value is this many times that of the usual row is no measurement."""
MAX_EVENTS = 4


def look(held: Any, indices: Any) -> Any:
    """Arm of an experiment: the batch in question (weak references) and its samples' indices in the dataset."""

    def prepare(copy: Copy) -> None:
        batch = strongly(held)
        copy.report(batch=of_batch(batch, indices))
        if batch is not None:
            _repeat(copy, batch)
        copy.session.events.before_step.append(lambda optimizer, watch: _drop_gradients(optimizer))
        for watch in list(copy.session.optimizers.values()):  # of the step that is about to be made
            optimizer = watch.ref()
            if optimizer is not None:
                _drop_gradients(optimizer)
        told = [batch is not None]
        mode = Numbers(copy, indices)

        def call(module: Any, args: Any, kwargs: Any) -> None:
            # A loss that is a module is called with what a model made: that is not data.
            given = [value for value in args if isinstance(value, torch.Tensor) and not value.requires_grad]
            # After an operator that made no number of numbers it is that operator's doing.
            found = {} if told[0] or mode.events else of_batch(given, None)
            if found:  # a loop that picks its rows by hand has come to them again
                told[0] = True
                copy.report(batch=found)

        copy.session.events.root_call.append(call)
        mode.__enter__()  # type: ignore[no-untyped-call]
        copy.session.events.turn.insert(0, mode.turn)

    return prepare


def _drop_gradients(optimizer: Any) -> None:
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None  # a step without gradients moves nothing


def _repeat(copy: Copy, batch: Any) -> None:
    base: Any = dataloader_module._BaseDataLoaderIter
    original = base.__next__

    def __next__(iterator: Any) -> Any:
        if copy.turn < SAME and torch.is_grad_enabled():
            return clone(batch)
        return original(iterator)

    base.__next__ = __next__


def strongly(held: Any) -> Any:
    """A batch from its weak references; None where a tensor of it is gone."""
    if callable(held):
        return held()
    if isinstance(held, (list, tuple)):
        parts = [strongly(part) for part in held]
        return None if any(part is None for part in parts) else type(held)(parts)
    if isinstance(held, dict):
        named = {name: strongly(part) for name, part in held.items()}
        return None if any(part is None for part in named.values()) else named
    return held


MAX_NODES = 3000


def of_graph(loss: torch.Tensor) -> dict[str, Any]:
    """What is wrong with the values that a graph was given from outside, where no loader tells: among what its nodes saved, the first
    tensor that no parameter had a part in and that holds bad values."""
    waiting, seen = [loss.grad_fn], 0
    met = {loss.grad_fn}
    while waiting and seen < MAX_NODES:
        node: Any = waiting.pop()
        seen += 1
        for name in ("_saved_mat1", "_saved_self", "_saved_input", "_saved_other", "_saved_target"):
            value = getattr(node, name, None)
            if (
                isinstance(value, torch.Tensor)
                and not value.requires_grad
                and value.is_cpu
                and value.is_floating_point()
                and value.ndim > 1
            ):
                found = of_batch(value, None)
                if found:
                    return found
        for following, _ in node.next_functions if node is not None else ():
            if following is not None and following not in met:
                met.add(following)
                waiting.append(following)
    return {}


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [tensor for part in parts for tensor in _tensors(part)]


def of_batch(batch: Any, indices: Any) -> dict[str, Any]:
    """What is wrong with the values of a batch: the first tensor with non-finite values, or with a row far outside the others."""
    for number, tensor in enumerate(_tensors(batch)):
        if tensor.is_floating_point() and tensor.ndim and tensor.numel():
            found = _bad_rows(tensor.detach())
            if found is not None:
                rows = found["rows"]
                known = list(indices) if isinstance(indices, (list, tuple)) else []
                found["indices"] = [int(known[row]) for row in rows if row < len(known) and isinstance(known[row], int)]
                return {"part": number, "shape": list(tensor.shape), **found}
    return {}


def _bad_rows(tensor: torch.Tensor) -> dict[str, Any] | None:
    flat = tensor.reshape(tensor.shape[0], -1).double()
    bad = ~torch.isfinite(flat)
    if bool(bad.any()):
        where = bad.nonzero()
        row, column = int(where[0, 0]), int(where[0, 1])
        rows = sorted({int(r) for r in where[:, 0]})[:5]
        return {"kind": "nonfinite", "rows": rows, "column": column, "value": str(float(flat[row, column])), "count": int(bad.sum())}
    largest = flat.abs().amax(1)
    usual = float(largest.median())
    worst = int(largest.argmax())
    if len(flat) >= 4 and usual > 0 and float(largest[worst]) > OUTLIER * usual:
        column = int(flat[worst].abs().argmax())
        rows = [int(r) for r in (largest > OUTLIER * usual).nonzero()[:5, 0]]
        return {"kind": "outlier", "rows": rows, "column": column, "value": float(flat[worst, column]), "usual": usual, "count": len(rows)}
    return None


class Numbers(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Looks at what every operator makes of finite values, forward and backward."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __init__(self, copy: Copy, indices: Any) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.copy = copy
        self.indices = indices
        self.events: list[dict[str, Any]] = []
        self.sites: dict[int, Any] = {}
        self.names: dict[int, str] = {}
        self.seq = torch._C._autograd._get_sequence_nr()
        self.busy = False

    def turn(self, number: int) -> None:
        """At the end of a turn: tell what was found."""
        if self.events:
            self.copy.end(complete=True, events=self.events, same=self.copy.turn < SAME)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(getattr(func, "_overloadpacket", None), "__name__", str(func))
        # The rest of the turn in which it happened belongs to a forward that was not seen.
        before = None if self.busy or not self.copy.turn or len(self.events) >= MAX_EVENTS else [_range(t) for t in _inputs(args)]
        out = func(*args, **kwargs)
        if before is None:
            return out
        self.busy = True
        try:
            self._look(func, name, args, kwargs, before, out)
        finally:
            self.busy = False
        return out

    def _look(self, func: Any, name: str, args: Any, kwargs: Any, before: list[Any], out: Any) -> None:
        node: Any = torch._C._current_autograd_node()
        if node is None:
            seq = torch._C._autograd._get_sequence_nr()
            if seq != self.seq:
                frame = lines.user_frame(_frame())
                if frame is not None:
                    self.sites[seq - 1] = lines.site_of(frame)
                self.names[seq - 1] = name
                self.seq = seq
        if name in DELIBERATE or any(not one["finite"] for one in before):
            return
        for tensor in _inputs(out if isinstance(out, (tuple, list)) else (out,)):
            after = _range(tensor)
            if after["finite"]:
                continue
            number = node._sequence_nr() if node is not None else -1
            frame = lines.user_frame(_frame()) if node is None else None
            site = lines.site_of(frame) if frame is not None else self.sites.get(number)
            event: dict[str, Any] = {
                "op": name,
                "phase": "forward" if node is None else "backward",
                "forward_op": self.names.get(number),
                "inputs": before,
            }
            event["node"] = type(node).__name__ if node is not None else None
            event["site"] = site.as_data if site is not None else None
            event["dtype"] = str(tensor.dtype).removeprefix("torch.")
            event["nan"] = after["nan"]
            event["float32_finite"] = _in_float32(func, args, kwargs, tensor.dtype)
            self.events.append({**event, **self._where(tensor, args)})
            return

    def _where(self, out: torch.Tensor, args: Any) -> dict[str, Any]:
        """The first place that is no number, and what the operator was given there."""
        bad = ~torch.isfinite(out.detach())
        place = bad.nonzero()[0].tolist() if out.ndim else []
        given = []
        for tensor in _inputs(args):
            if tensor.shape == out.shape:
                given.append(float(tensor.detach()[tuple(place)] if place else tensor.detach()))
        rows = sorted({int(r) for r in bad.nonzero()[:, 0].tolist()})[:5] if out.ndim else []
        known = list(self.indices) if isinstance(self.indices, (list, tuple)) else []
        indices = [int(known[r]) for r in rows if r < len(known) and isinstance(known[r], int)]
        if not out.ndim or out.shape[0] != len(known):
            indices = []
        return {"given": given, "rows": rows, "indices": indices, "count": int(bad.sum()), "numel": out.numel(), "shape": list(out.shape)}


def _frame() -> Any:
    import sys

    return sys._getframe(2)


def _inputs(values: Any) -> list[torch.Tensor]:
    found = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found.extend(v for v in value if isinstance(v, torch.Tensor))
    return [t for t in found if t.is_floating_point() and t.numel() and t.layout is torch.strided]


def _range(tensor: torch.Tensor) -> dict[str, Any]:
    detached = tensor.detach()
    low, high = (float(v) for v in torch.aminmax(detached.float() if detached.dtype in (torch.float16, torch.bfloat16) else detached))
    finite = math.isfinite(low) and math.isfinite(high)
    ends = {"min": low if finite else str(low), "max": high if finite else str(high), "finite": finite}
    return {**ends, "nan": math.isnan(low) or math.isnan(high), "dtype": str(tensor.dtype).removeprefix("torch.")}


def _in_float32(func: Any, args: Any, kwargs: Any, dtype: torch.dtype) -> bool | None:
    """Whether the operator's result would be finite in single precision; None where that is what it was in."""
    if dtype not in (torch.float16, torch.bfloat16):
        return None

    def wide(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            return value.detach().float()
        return type(value)(wide(v) for v in value) if type(value) in (list, tuple) else value

    try:
        out = func(*wide(tuple(args)), **{name: (torch.float32 if name == "dtype" else wide(v)) for name, v in kwargs.items()})
    except Exception:
        return None
    return all(bool(torch.isfinite(t).all()) for t in _inputs(out if isinstance(out, (tuple, list)) else (out,)))
