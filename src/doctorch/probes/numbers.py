"""In a copy: where a value stops being a number. The step is run again on the same batch, every operator's result looked at.

What is no number is followed from operator to operator, by the storages it lies in, so that the operator named is the one that
the loss or the gradient owes it to: not a logarithm beside it whose -inf a mask puts aside.
"""

from __future__ import annotations

import math
import sys
import weakref
from typing import TYPE_CHECKING, Any

import torch
import torch.utils.data.dataloader as dataloader_module
from torch.utils._python_dispatch import TorchDispatchMode

from doctorch.observe import lines
from doctorch.probes import suspects
from doctorch.probes.fork import params_finite
from doctorch.probes.freeze import clone

if TYPE_CHECKING:
    from doctorch.probes.fork import Copy

TURNS = 200
"""Turns run on without a step: a loop that picks its batches by hand may meet the same trouble again."""
SAME = 4
"""Of these, the ones that get the batch in question."""
PICKS = frozenset(
    ("index", "index_select", "slice", "select", "split", "unbind", "chunk", "view", "unsqueeze", "squeeze", "alias", "_to_copy")
)
"""Operators that take rows out of a tensor, or give it another shape."""
NO_VALUE = frozenset(("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_", "set_"))
"""Operators whose result has no value yet."""


def look(held: Any, indices: Any) -> Any:
    """Arm of an experiment: the batch in question (weak references) and its samples' indices in the dataset."""

    def prepare(copy: Copy) -> None:
        batch = suspects.strongly(held)
        if batch is None:
            batch = _fetched(copy, indices)
        copy.report(batch=suspects.of_batch(batch, indices))
        if batch is not None:
            _repeat(copy, batch)
        _begin(copy, indices)

    return prepare


def look_anew(copy: Copy) -> None:
    """The weights are no numbers any more: begin anew, and wait for the trouble to come again on the batches that follow."""
    from doctorch.probes import arms

    arms.fresh(copy)
    with torch.no_grad():
        for parameter in _parameters(copy):
            if not params_finite([parameter]):  # made by hand: torch knows no initial value for it
                parameter.fill_(1.0) if parameter.ndim < 2 else parameter.copy_(0.02 * torch.randn_like(parameter))
        for root in list(copy.session.roots.values()):
            module = root.module()
            for buffer in module.buffers() if module is not None else ():
                if buffer.is_floating_point() and bool(torch.isnan(buffer).any()):
                    buffer.fill_(1.0)  # running statistics
    copy.report(anew=True)
    _begin(copy, None)


def _begin(copy: Copy, indices: Any) -> None:
    copy.session.events.before_step.append(lambda optimizer, watch: _drop_gradients(optimizer))
    for watch in list(copy.session.optimizers.values()):  # of the step that is about to be made
        optimizer = watch.ref()
        if optimizer is not None:
            _drop_gradients(optimizer)
    held = [(parameter, parameter.detach().clone()) for parameter in _parameters(copy)]

    def put_back(*_: Any) -> None:
        with torch.no_grad():
            for parameter, value in held:
                parameter.detach().copy_(value)

    copy.session.events.turn.insert(0, put_back)  # a step that evaluates its closure many times moves the weights all the same
    mode = Numbers(copy, indices)
    mode.__enter__()  # type: ignore[no-untyped-call]
    events = copy.session.events
    events.turn.insert(0, mode.turn)
    events.root_call.append(mode.root_call)
    events.backward_begins.append(mode.backward_begins)
    events.backward_ended.append(mode.backward_ended)


def _parameters(copy: Copy) -> list[torch.Tensor]:
    found = [watch.ref() for watch in list(copy.session.optimizers.values())]
    return [p for optimizer in found if optimizer is not None for group in optimizer.param_groups for p in group["params"]]


def _drop_gradients(optimizer: Any) -> None:
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None  # a step without gradients moves nothing


def _fetched(copy: Copy, indices: Any) -> Any:
    """The batch once more from its dataset, where its tensors are gone; None where that cannot be."""
    watch = copy.session.last_loader
    iterator = watch.iterator() if watch is not None and watch.iterator is not None else None
    if iterator is None or not isinstance(indices, (list, tuple)) or not all(isinstance(i, int) for i in indices):
        return None
    try:
        return iterator._collate_fn([iterator._dataset[i] for i in indices])
    except Exception:
        return None


def _repeat(copy: Copy, batch: Any) -> None:
    base: Any = dataloader_module._BaseDataLoaderIter
    original = base.__next__

    def __next__(iterator: Any) -> Any:
        if copy.turn < SAME and torch.is_grad_enabled():
            return clone(batch)
        return original(iterator)

    base.__next__ = __next__


class Origin:
    """Where something that is no number came from."""

    __slots__ = ("order", "event", "meant", "before", "tensor")

    def __init__(self, order: int, event: dict[str, Any] | None, meant: bool, before: bool = False) -> None:
        self.order = order
        self.event = event
        """The operator that made it of numbers; None where none did."""
        self.meant = meant
        """An infinity that may have been put there on purpose: a mask."""
        self.before = before
        """It was there when the turn began: in the data, the weights, a constant."""
        self.tensor: torch.Tensor | None = None
        """Of these: where it was, rows that the loop picked out of it taken for the whole."""


class Numbers(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Looks at what every operator makes of finite values, forward and backward."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __init__(self, copy: Copy, indices: Any) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.copy = copy
        self.indices = indices
        self.sites: dict[int, Any] = {}
        self.names: dict[int, str] = {}
        self.seq = torch._C._autograd._get_sequence_nr()
        self.busy = False
        self.batch: int | None = None
        """Samples in the batch: the first dimension of what a model is given."""
        self.given: list[torch.Tensor] = []
        """What models were given in this turn and no operator of it spoiled."""
        self.order = 0
        self.active = False
        """From the next turn on: the forward of this one was not seen."""
        self.origins: dict[int, tuple[weakref.ref[Any], Origin]] = {}
        """By storage: what lies there is no number, and why."""

    # ---- the turn

    def root_call(self, module: Any, args: Any, kwargs: Any) -> None:
        """A model is called: its inputs are data."""
        found = [t for t in suspects.tensors_of([args, kwargs]) if not t.requires_grad]
        for tensor in found:
            origin = self._origin(tensor)
            if origin is None or origin.before:
                self.given.append(tensor)
        if self.batch is None and found and found[0].ndim:
            self.batch = found[0].shape[0]

    def turn(self, number: int) -> None:
        """At the end of a turn: nothing was found in it."""
        self.active = True
        self.origins.clear()
        self.given.clear()
        self.batch = None

    def backward_begins(self, loss: Any, site: Any) -> None:
        """The forward is done: does the loss owe anything to a value that is no number?"""
        if self.active and isinstance(loss, torch.Tensor) and not params_finite([loss]):
            origin = self._origin(loss)
            if origin is None and self.origins:  # it went through something that is no operator
                origin = max((one for _, one in self.origins.values()), key=lambda one: one.order)
            self._found(origin)

    def backward_ended(self, loss: Any, site: Any, failure: Any) -> None:
        """The gradients are there: which of them are no numbers, and since when?"""
        if not self.active:
            return
        grads = [p.grad for p in _parameters(self.copy) if p.grad is not None and p.grad.layout is torch.strided]
        bad = [grad for grad in grads if not params_finite([grad])]
        if bad:
            known = [origin for grad in bad if (origin := self._origin(grad)) is not None]
            if not known and self.origins:
                known = [one for _, one in self.origins.values() if not one.meant]
            self._found(min(known, key=lambda one: one.order, default=None))

    def _found(self, origin: Origin | None) -> None:
        facts: dict[str, Any] = {"events": [origin.event] if origin is not None and origin.event is not None else []}
        bad = suspects.of_batch(self.given, self.indices if self.copy.turn < SAME else None)
        met = origin.tensor if origin is not None and not bad else None
        if met is not None and met.ndim and not met.requires_grad and met.shape[0] in (self.batch, len(self.indices or ())):
            bad = suspects.of_batch(met, self.indices if self.copy.turn < SAME else None)
        if bad:
            facts["batch"] = bad
        self.copy.end(complete=True, same=self.copy.turn < SAME, **facts)

    # ---- one operator

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self.busy or self.copy.session.tape.muted:  # our own, or an observer's
            return func(*args, **kwargs)
        name = getattr(getattr(func, "_overloadpacket", None), "__name__", str(func))
        given = _floats((*args, *kwargs.values()))
        before = [_range(t) for t in given]
        origins = [self._origin(t) for t, one in zip(given, before, strict=True) if not one["finite"]]
        out = func(*args, **kwargs)
        self.busy = True
        try:
            self._look(func, name, args, kwargs, given, before, origins, out)
        finally:
            self.busy = False
        return out

    def _look(self, func: Any, name: str, args: Any, kwargs: Any, given: Any, before: list[Any], origins: list[Any], out: Any) -> None:
        node: Any = torch._C._current_autograd_node()
        frame = lines.user_frame(sys._getframe(2)) if node is None else None
        if node is None:
            seq = torch._C._autograd._get_sequence_nr()
            if seq != self.seq:
                if frame is not None:
                    self.sites[seq - 1] = lines.site_of(frame)
                self.names[seq - 1] = name
                self.seq = seq
        if name in NO_VALUE:
            return
        for tensor in _floats(out if isinstance(out, (tuple, list)) else (out,)):
            after = _range(tensor)
            if after["finite"]:
                # A finite part of something that is no number leaves the rest as it is.
                if not any(one.numel() > tensor.numel() and _address(one) == _address(tensor) for one in given):
                    self.origins.pop(_address(tensor), None)
                continue
            origin = self._made(before, origins, after, (*args, *kwargs.values()))
            if origin is not None and origin.before:
                self._locate(origin, name, given, before, tensor)
            if origin is None:
                event = self._event(func, name, args, kwargs, node, frame, tensor, after, before, given)
                origin = Origin(self._next(), event, False)
            self.origins[_address(tensor)] = (weakref.ref(tensor.untyped_storage()), origin)

    def _made(self, before: list[Any], origins: list[Any], after: dict[str, Any], args: Any) -> Origin | None:
        """What an output that is no number owes that to, among what the operator was given; None: to the operator itself."""
        if any(isinstance(value, float) and not math.isfinite(value) for value in args):
            return Origin(self._next(), None, True)
        bad = [one for one in before if not one["finite"]]
        if not bad:
            return None
        known = [origin for origin in origins if origin is not None]
        if after["nan"] and not any(one["nan"] for one in bad) and all(origin.meant for origin in known):
            return None  # NaN from infinities that were put there on purpose
        if known:
            return _first(known)
        return Origin(self._next(), None, not any(one["nan"] for one in bad), before=True)

    def _locate(self, origin: Origin, name: str, given: list[torch.Tensor], before: list[Any], out: torch.Tensor) -> None:
        """Of something that was there before: the tensor that the turn's arithmetic met it in."""
        if name in PICKS and (origin.tensor is None or origin.tensor is given[0]):
            origin.tensor = out
        elif origin.tensor is None:
            origin.tensor = next(t for t, one in zip(given, before, strict=True) if not one["finite"])

    def _next(self) -> int:
        self.order += 1
        return self.order

    def _origin(self, tensor: torch.Tensor) -> Origin | None:
        found = self.origins.get(_address(tensor))
        return found[1] if found is not None and found[0]() is not None else None

    def _event(
        self, func: Any, name: str, args: Any, kwargs: Any, node: Any, frame: Any, out: torch.Tensor, after: Any, before: Any, given: Any
    ) -> dict[str, Any]:  # fmt: skip
        number = node._sequence_nr() if node is not None else -1
        site = lines.site_of(frame) if frame is not None else self.sites.get(number)
        return {
            "op": name,
            "phase": "forward" if node is None else "backward",
            "forward_op": self.names.get(number),
            "node": type(node).__name__ if node is not None else None,
            "site": site.as_data if site is not None else None,
            "inputs": before,
            "dtype": str(out.dtype).removeprefix("torch."),
            "nan": after["nan"],
            "float32_finite": _in_float32(func, args, kwargs, out.dtype),
            "reduced": max((t.numel() for t in given), default=0) // max(1, out.numel()),
            **self._where(out, given),
        }

    def _where(self, out: torch.Tensor, given: list[torch.Tensor]) -> dict[str, Any]:
        """The first place that is no number, and what the operator was given there."""
        bad = ~torch.isfinite(out.detach())
        places = bad.nonzero()
        place = tuple(places[0].tolist())
        values = []
        for tensor in given:
            try:
                values.append(float(tensor.detach().expand(out.shape)[place]))
            except (RuntimeError, ValueError):
                continue
        rows = sorted({int(r) for r in places[:, 0].tolist()})[:5] if out.ndim and out.shape[0] == self.batch else []
        indices = suspects.named(rows, self.indices) if self.copy.turn < SAME else []
        kept = [value if math.isfinite(value) else str(value) for value in values]
        return {"given": kept, "rows": rows, "indices": indices, "count": len(places), "numel": out.numel(), "shape": list(out.shape)}


def _first(origins: list[Origin]) -> Origin:
    return min(origins, key=lambda one: (one.meant, one.order))


def _address(tensor: torch.Tensor) -> int:
    try:
        return int(tensor.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError):
        return 0


def _floats(values: Any) -> list[torch.Tensor]:
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
    return all(bool(torch.isfinite(t).all()) for t in _floats(out if isinstance(out, (tuple, list)) else (out,)))
