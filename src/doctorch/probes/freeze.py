"""In a copy: every turn sees the batch of the copy's first turn.

Three ways at once, since trainings get their batches in many. A loader gives the batches of the first turn again and again.
The random generators are put back at the end of each turn, so a batch that is drawn by hand is drawn again, and dropout and
noise are the same too. Where a loop walks over its data by hand, the rows that it picks out of a tensor are those of the
first turn, and what a model and a loss are given is replaced at their doorway.
"""

from __future__ import annotations

import copy as copying
import functools
import random
import sys
from typing import TYPE_CHECKING, Any

import torch
import torch.utils.data.dataloader as dataloader_module
from torch.utils._python_dispatch import TorchDispatchMode

from doctorch.observe.losses import LOSSES

if TYPE_CHECKING:
    from doctorch.probes.fork import Copy


def same_batch(copy: Copy) -> None:
    """Arm of an experiment: freeze the batch."""
    Frozen(copy)


class Frozen:
    """What the first turn was given, and the places where later turns are given it again."""

    def __init__(self, copy: Copy) -> None:
        self.copy = copy
        self.batches: dict[int, list[Any]] = {}
        """By loader: the batches of the first turn."""
        self.position: dict[int, int] = {}
        self.calls: list[tuple[int, list[torch.Tensor]]] = []
        """Model calls of the first turn: the model's id and the tensors it was given."""
        self.targets: list[torch.Tensor] = []
        self.call_number = self.loss_number = 0
        self.depth = 0
        self.replaced = False
        """Whether a model was given something else than the loop meant."""
        self.generators = _generators()
        self.picks = Picks(copy)
        self.picks.__enter__()  # type: ignore[no-untyped-call]
        copy.session.events.turn.insert(0, self._turn_done)
        self._wrap_next()
        self._wrap_call()
        for name in LOSSES:
            self._wrap_loss(name)

    def _turn_done(self, number: int) -> None:
        self.position.clear()
        if self.picks.on and (self.batches or self.picks.broken):
            self.picks.on = False
            self.picks.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        self.picks.number = 0
        self.call_number = self.loss_number = 0
        _put_back(self.generators)
        if self.copy.turn == 0:
            self.copy.report(frozen="loader" if self.batches else "doorway", targets=len(self.targets))
        elif self.replaced and not self.targets:
            self.copy.end(failure="the batch cannot be held: the loop picks it by hand and its loss is written by hand")

    # ---- the loader

    def _wrap_next(self) -> None:
        base: Any = dataloader_module._BaseDataLoaderIter
        original = base.__next__

        def __next__(iterator: Any) -> Any:
            key = id(getattr(iterator, "_doctorch_watch", iterator))
            if self.copy.turn and key in self.batches:
                held = self.batches[key]
                at = self.position.get(key, 0)
                self.position[key] = at + 1
                return clone(held[at % len(held)])
            batch = original(iterator)
            if not self.copy.turn and torch.is_grad_enabled():
                self.batches.setdefault(key, []).append(clone(batch))
            return batch

        base.__next__ = __next__

    # ---- the doorway

    def _wrap_call(self) -> None:
        original: Any = torch.nn.Module.__call__

        @functools.wraps(original)
        def __call__(module: Any, *args: Any, **kwargs: Any) -> Any:
            if self.depth or not torch.is_grad_enabled():
                return original(module, *args, **kwargs)
            self.depth = 1
            try:
                if not self.batches and any(True for _ in module.parameters()):
                    args, kwargs = self._at_model(module, args, kwargs)
                return original(module, *args, **kwargs)
            finally:
                self.depth = 0

        owner: Any = torch.nn.Module
        owner.__call__ = __call__

    def _at_model(self, module: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given = [t for t in (*args, *kwargs.values()) if _is_input(t)]
        number = self.call_number
        self.call_number += 1
        if not self.copy.turn:
            self.calls.append((id(module), [t.detach().clone() for t in given]))
            return args, kwargs
        if number >= len(self.calls) or self.calls[number][0] != id(module):
            return args, kwargs
        held = list(self.calls[number][1])
        if len(held) != len(given) or any(a.shape != b.shape for a, b in zip(held, given, strict=True)):
            self.copy.end(failure="the batch cannot be held: its shape changes from step to step")
        if all(torch.equal(a, b) for a, b in zip(held, given, strict=True)):
            return args, kwargs
        self.replaced = True
        following = iter(held)
        args = tuple(next(following) if _is_input(t) else t for t in args)
        kwargs = {name: next(following) if _is_input(t) else t for name, t in kwargs.items()}
        return args, kwargs

    def _wrap_loss(self, name: str) -> None:
        functional = torch.nn.functional
        original = getattr(functional, name)

        @functools.wraps(original)
        def loss(input: Any, target: Any = None, *args: Any, **kwargs: Any) -> Any:
            if not self.batches and torch.is_grad_enabled() and _is_input(target):
                number = self.loss_number
                self.loss_number += 1
                if not self.copy.turn:
                    self.targets.append(target.detach().clone())
                elif self.replaced and number < len(self.targets) and self.targets[number].shape == target.shape:
                    target = self.targets[number]
            return original(input, target, *args, **kwargs)

        setattr(functional, name, loss)


class Picks(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Rows that the loop picks out of a tensor of its own: in later turns those of the first."""

    NAMES = frozenset(("index", "index_select", "slice", "select", "split", "gather", "take_along_dim", "narrow", "chunk"))

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else the first operator imports torch._dynamo

    def __init__(self, copy: Copy) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.copy = copy
        self.on = True
        self.held: list[tuple[str, Any, Any]] = []
        self.number = 0
        self.broken = False
        """The loop picks other things than in its first turn."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        name = getattr(getattr(func, "_overloadpacket", None), "__name__", "")
        if name not in self.NAMES or not self.on or self.broken or not args or not isinstance(args[0], torch.Tensor):
            return out
        source = args[0]
        first = out[0] if isinstance(out, (list, tuple)) and out else out
        if source.requires_grad or not isinstance(first, torch.Tensor) or first.numel() >= source.numel() or not torch.is_grad_enabled():
            return out
        origin = (tuple(source.shape), source.dtype)  # not the tensor itself: each epoch may draw an order of its own
        number = self.number
        self.number += 1
        if not self.copy.turn:
            self.held.append((name, origin, clone(out)))
            return out
        known = self.held[number] if number < len(self.held) else None
        if known is None or known[0] != name or known[1] != origin or _shapes(known[2]) != _shapes(out):
            self.broken = True
            return out
        return clone(known[2])


def _shapes(value: Any) -> Any:
    return [tuple(v.shape) for v in value] if isinstance(value, (list, tuple)) else tuple(value.shape)


def _is_input(value: Any) -> bool:
    """A tensor that comes from outside the model: nothing of the graph."""
    return isinstance(value, torch.Tensor) and not value.requires_grad


def clone(value: Any) -> Any:
    """A batch with tensors of its own."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(clone(v) for v in value))
    if isinstance(value, (list, tuple)):
        return type(value)(clone(v) for v in value)
    if type(value) is dict:
        return {name: clone(v) for name, v in value.items()}
    try:
        return copying.deepcopy(value)
    except Exception:  # an object that cannot be copied is given as it is
        return value


def _generators() -> dict[str, Any]:
    states: dict[str, Any] = {"torch": torch.get_rng_state(), "random": random.getstate()}
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        states["numpy"] = numpy.random.get_state()
    return states


def _put_back(states: dict[str, Any]) -> None:
    torch.set_rng_state(states["torch"])
    random.setstate(states["random"])
    if "numpy" in states:
        sys.modules["numpy"].random.set_state(states["numpy"])
