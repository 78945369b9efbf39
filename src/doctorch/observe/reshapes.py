"""Views and reshapes in the forward that take values across the borders of dimensions, and recurrent layers fed the batch as time."""

from __future__ import annotations

import sys
import weakref
from typing import Any

import torch

from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site, here, is_user_code
from doctorch.observe.session import Session

VIEWS = frozenset(("view", "_unsafe_view", "_reshape_alias", "reshape"))
PASSES = VIEWS | frozenset(
    ("transpose", "permute", "t", "unsqueeze", "squeeze", "expand", "clone", "_to_copy", "alias", "detach", "contiguous", "select", "slice")
)
"""Operators that hand values on without changing them."""
MAX_PLACES = 100
MAX_STORAGES = 20_000
FRAMES_UP = 3
"""From a handler over ``_note`` and ``__torch_dispatch__`` to the frame that called the operator."""


class ReshapeWatcher(Watcher):
    """Follows in deep segments what comes from the inputs of models, and notes the reshapes that a transposition may have been meant by."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.made: dict[int, tuple[weakref.ref[Any], str]] = {}
        """Storages that hold something computed from an input or a batch: the operator that made each."""
        self.read_next: dict[int, tuple[weakref.ref[Any], Any]] = {}
        """Storages whose reader is still to be named, and the fact that asks."""
        self.early: dict[int, tuple[weakref.ref[Any], str, list[int], list[int], Site]] = {}
        """Reshapes of other values; a model may be given one."""
        self.batch = 0

    def install(self) -> None:
        events = self.session.events
        events.batch.append(self._batch)
        events.root_call.append(self._root)
        events.module_call.append(self._module)
        events.operator.append(self._operator)
        events.backward_begins.append(lambda loss, site: self._clear())

    def reset(self) -> None:
        self._clear()
        self.batch = 0

    def _clear(self) -> None:
        self.made.clear()
        self.read_next.clear()
        self.early.clear()

    # ---- where values come in

    def _batch(self, watch: Any, loader: Any, batch: Any) -> None:
        if self.session.deep:
            tensors = _tensors(batch)
            self.batch = next((t.shape[0] for t in tensors if t.ndim), 0)
            for tensor in tensors:
                self._mark(tensor, "batch")

    def _root(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        if not self.session.deep or len(self.made) > MAX_STORAGES:
            return
        tensors = _tensors((args, kwargs))
        if not self.made:
            self.batch = next((t.shape[0] for t in tensors if t.ndim), 0)
        for tensor in tensors:
            address = _address(tensor)
            if address not in self.made:
                self._mark(tensor, "input")
            found = self.early.pop(address, None)
            if found is not None and found[0]() is not None:
                _, name, before, after, site = found
                self._note(name, before, after, None, tensor, site, self.session.grad_at_call)

    def _mark(self, tensor: torch.Tensor, name: str) -> None:
        try:
            storage = tensor.untyped_storage()
        except (RuntimeError, NotImplementedError):
            return
        self.made[storage._cdata] = (weakref.ref(storage), name)

    # ---- operators

    def _operator(self, name: str, args: Any, kwargs: Any, out: Any, site: Site | None) -> None:
        inputs = _tensors(args)
        known = [tensor for tensor in inputs if self._made_by(tensor) is not None]
        if not known and not (name in VIEWS and inputs):
            return
        first = known[0] if known else inputs[0]
        if name not in PASSES:
            for tensor in known:
                asking = self.read_next.pop(_address(tensor), None)
                if asking is not None and asking[0]() is not None:
                    asking[1].data["read_by"] = name
        outputs = _tensors(out)
        for tensor in outputs:
            if name in PASSES and (asking := self.read_next.get(_address(first))) is not None and asking[0]() is not None:
                self.read_next[_address(tensor)] = (weakref.ref(tensor.untyped_storage()), asking[1])
            if known and self._made_by(tensor) is None and len(self.made) <= MAX_STORAGES:
                self._mark(tensor, (self._made_by(first) or name) if name in PASSES else name)
        if name in VIEWS and site is not None and len(outputs) == 1 and is_user_code(sys._getframe(FRAMES_UP).f_code):
            before, after = list(first.shape), list(outputs[0].shape)
            if not crosses(before, after):
                return
            if known:
                self._note(name, before, after, self._made_by(first), outputs[0], site, torch.is_grad_enabled())
            elif len(self.early) < MAX_PLACES:
                storage = outputs[0].untyped_storage()
                self.early[storage._cdata] = (weakref.ref(storage), name, before, after, site)

    def _note(self, name: str, before: list[int], after: list[int], made_by: str | None, out: torch.Tensor, site: Site, grad: bool) -> None:
        recorder = self.session.recorder
        # The number of samples may differ from batch to batch: one fact a place and number of dimensions.
        key = f"{site.key}/{len(before)}-{len(after)}"
        if recorder.number_of("reshape") > MAX_PLACES:
            return
        entry = recorder.fact("reshape", key, site, lambda: {"count": 0, "read_by": None, "grad": 0})
        entry.count += 1
        entry.data["count"] += 1
        entry.data["grad"] += grad
        if entry.data["count"] == 1:
            entry.data.update({"op": name, "from": before, "to": after, "batch": self.batch, "made_by": made_by, "function": site.function})
            self.read_next[_address(out)] = (weakref.ref(out.untyped_storage()), entry)
        recorder.touch(entry)

    def _made_by(self, tensor: torch.Tensor) -> str | None:
        found = self.made.get(_address(tensor))
        return found[1] if found is not None and found[0]() is not None else None

    # ---- recurrent layers

    def _module(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        first = args[0] if args else None
        if not isinstance(module, torch.nn.RNNBase) or module.batch_first or not isinstance(first, torch.Tensor) or first.ndim != 3:
            return
        recorder = self.session.recorder
        name = self.session.name_of(module)
        entry = recorder.fact("recurrent", f"{type(module).__name__}/{name}", here(1), lambda: {"calls": 0, "batch_as_time": 0})
        entry.count += 1
        data = entry.data
        data["calls"] += 1
        time, batch = first.shape[0], first.shape[1]
        data["batch_as_time"] += time == self.batch != batch
        data.update(cls=type(module).__name__, name=name, shape=list(first.shape), batch=self.batch)
        recorder.touch(entry)


def crosses(before: list[int], after: list[int]) -> bool:
    """Whether a reshape takes values across the borders of dimensions: somewhere several dimensions become several others, so that it
    only splits and merges nowhere. Dimensions of size 1 count for nothing."""
    one, two = [n for n in before if n != 1], [n for n in after if n != 1]
    i = j = 0
    while i < len(one) and j < len(two):
        left, right, first, second = one[i], two[j], i, j
        while left != right:
            if left < right:
                i += 1
                if i >= len(one):
                    return False
                left *= one[i]
            else:
                j += 1
                if j >= len(two):
                    return False
                right *= two[j]
        if i > first and j > second:
            return True
        i, j = i + 1, j + 1
    return False


def _address(tensor: torch.Tensor) -> int:
    try:
        return int(tensor.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError):
        return 0


def _tensors(value: Any, depth: int = 0) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if depth > 2:
        return []
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return []
    return [tensor for part in value for tensor in _tensors(part, depth + 1)]
