"""Values that go from one step into the next beside the weights: the state of a recurrent model."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch

from doctorch.observe import values
from doctorch.observe.deep import _address
from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site, here
from doctorch.observe.session import Session

MAX_MODULES = 200
MAX_TENSORS = 16
PROBED = 8
"""Elements by which a copy of a returned value is known again (on the CPU)."""
MAX_ROWS = 256
RECURRENT = (torch.nn.RNNBase, torch.nn.RNNCellBase)


class _Kept:
    """A value as it was: its storage, and on the CPU some of its elements."""

    __slots__ = ("address", "ref", "shape", "elements")

    def __init__(self, tensor: torch.Tensor) -> None:
        storage = tensor.untyped_storage()
        self.address = storage._cdata
        self.ref = weakref.ref(storage)
        self.shape = tuple(tensor.shape)
        self.elements = _elements(tensor)

    def is_in(self, tensor: torch.Tensor) -> bool:
        if _address(tensor) == self.address and self.ref() is not None:
            return True
        return self.elements is not None and tuple(tensor.shape) == self.shape and _elements(tensor) == self.elements


class StateWatcher(Watcher):
    """Facts of kind ``state``."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._forget()

    def _forget(self) -> None:
        self.returned: dict[int, tuple[weakref.ref[Any], int, list[_Kept]]] = {}
        """By model: the steps that were done when it returned, and what it returned."""
        self.attributes: dict[tuple[int, str], Callable[[], Any]] = {}
        """Storages of the tensors that modules held as attributes at the last look. Not their addresses: what is freed comes back."""
        self.looked: dict[int, int] = {}
        """By model: the step in which its attributes were last looked at."""
        self.watched: dict[int, tuple[weakref.ref[Any], Any, Any]] = {}
        """Addresses of such tensors that are new since the step before and nothing has read yet, the fact of their model, and whose they
        are: model, number of the part, attribute."""
        self.read: dict[int, tuple[weakref.ref[Any], int, str, Any]] = {}
        """By model: the attribute whose older value an operator was seen to read, and the fact that counts it."""
        self.loader: tuple[int, bool] = (-1, False)
        """The step in which a loader gave a batch, and whether it shuffles."""
        self.tokens: torch.Size | None = None
        self.first: list[list[int]] = []
        self.last: tuple[int, list[list[int]]] = (-1, [])
        self.entry: Any = None

    def install(self) -> None:
        events = self.session.events
        events.batch.append(self._batch)
        events.root_call.append(self._called)
        events.root_return.append(self._returned)
        events.operator.append(self._operator)
        events.loss_call.append(self._loss)
        events.backward_ended.append(lambda loss, site, failure: self.watched.clear())

    def reset(self) -> None:
        self._forget()

    def _batch(self, watch: Any, loader: Any, batch: Any) -> None:
        self.loader = (self.session.recorder.steps, bool(watch.entry.data.get("shuffles")))

    # ---- what a model is given, and what it returns

    def _called(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        session = self.session
        root = session.roots.get(id(module))
        if not session.grad_at_call or root is None or root.entry is None:
            return
        tensors = list(_floats((args, kwargs)))[:MAX_TENSORS]
        self._tokens(args, kwargs)
        known = self.returned.get(id(module))
        if known is not None and known[0]() is module and known[1] < session.recorder.steps:
            if any(kept.is_in(tensor) for tensor in tensors for kept in known[2]):
                self._count(module, "argument", None)
            elif (entry := session.recorder.writer.entries.get(("state", self._key(module, "argument")))) is not None:
                entry.data["calls"] += 1
        if session.deep:
            self._look_at_attributes(module, args)
        elif (read := self.read.get(id(module))) is not None:
            self._look_again(module, *read)

    def _returned(self, module: torch.nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        if self.session.grad_at_call and isinstance(output, (tuple, list, dict)):
            kept = [_Kept(tensor) for tensor in list(_floats(output))[:MAX_TENSORS] if _plain(tensor)]
            self.returned[id(module)] = (weakref.ref(module), self.session.recorder.steps, kept)

    def _key(self, module: torch.nn.Module, how: str) -> str:
        root = self.session.roots.get(id(module))
        return f"{root.entry.key if root is not None and root.entry is not None else '?'}/{how}"

    def _count(self, module: torch.nn.Module, how: str, name: str | None) -> None:
        recorder = self.session.recorder
        entry = recorder.fact("state", self._key(module, how), here(4), lambda: _first(how, name))
        self._carried(entry)

    def _carried(self, entry: Any) -> None:
        data = entry.data
        entry.count += 1
        data["calls"] += 1
        data["carried"] += 1
        step, shuffles = self.loader
        if step == self.session.recorder.steps:
            data["shuffled" if shuffles else "ordered"] += 1
        self.entry = entry
        self._compare(entry)
        self.session.recorder.touch(entry)

    # ---- attributes

    def _look_at_attributes(self, module: torch.nn.Module, args: Any) -> None:
        step = self.session.recorder.steps
        if self.looked.get(id(module)) == step:
            return  # what was made in this step is no state of an earlier one
        self.looked[id(module)] = step
        parts = list(module.modules())[:MAX_MODULES]
        first = next((tensor for tensor in args if isinstance(tensor, torch.Tensor) and tensor.ndim), None)
        if first is None or not any(isinstance(part, RECURRENT) for part in parts):
            return
        sizes = set(first.shape[:2])
        for number, part in enumerate(parts):
            for name, value in (*vars(part).items(), *part._buffers.items()):
                if name.startswith("_") and name in ("_parameters", "_buffers", "_modules"):
                    continue
                for tensor in _floats(value):
                    if isinstance(tensor, torch.nn.Parameter) or tensor.ndim < 2 or sizes.isdisjoint(tensor.shape) or not _plain(tensor):
                        continue
                    storage = tensor.untyped_storage()
                    before = self.attributes.get((number, name))
                    self.attributes[number, name] = weakref.ref(storage)
                    if before is not None and before() is not storage:
                        site = here(4)
                        key = self._key(module, "attribute")
                        recorder = self.session.recorder
                        entry = recorder.fact("state", key, site, lambda name=name: _first("attribute", name))  # type: ignore[misc]
                        self.watched[storage._cdata] = (weakref.ref(storage), entry, (weakref.ref(module), number, name))

    def _look_again(self, module: torch.nn.Module, model: weakref.ref[Any], number: int, name: str, entry: Any) -> None:
        """On a step that is not looked at operator by operator: is what was read before there again, with another value?"""
        step = self.session.recorder.steps
        if model() is not module or self.looked.get(id(module)) == step:
            return
        self.looked[id(module)] = step
        part = next(itertools.islice(module.modules(), number, None), None)
        held = vars(part).get(name, part._buffers.get(name)) if part is not None else None
        tensor = next(_floats(held), None)
        storage = tensor.untyped_storage() if tensor is not None and _plain(tensor) else None
        before, self.attributes[number, name] = self.attributes.get((number, name)), _ref(storage)
        if storage is not None and before is not None and before() is not storage:
            self._carried(entry)
        else:
            entry.data["calls"] += 1

    def _operator(self, name: str, args: Any, kwargs: Any, out: Any, site: Site | None) -> None:
        if not self.watched or name == "detach":
            return
        for tensor in _floats(args):
            known = self.watched.pop(_address(tensor), None)
            if known is not None and known[0]() is not None:
                _, entry, (model, number, attribute) = known
                entry.data["read_site"] = site.as_data if site is not None else None
                self.watched = {address: other for address, other in self.watched.items() if other[1] is not entry}
                if (module := model()) is not None:
                    self.read[id(module)] = (model, number, attribute, entry)
                self._carried(entry)

    # ---- do the tokens go on where those of the step before ended?

    def _tokens(self, args: Any, kwargs: Any) -> None:
        first = args[0] if args else next(iter(kwargs.values()), None)
        self.first, self.tokens = [], None
        if isinstance(first, torch.Tensor) and first.ndim == 2 and first.dtype == torch.int64 and first.is_cpu and values.readable(first):
            self.tokens = first.shape
            self.first = [first[:MAX_ROWS, 0].tolist(), first[0, :MAX_ROWS].tolist()]

    def _compare(self, entry: Any) -> None:
        step, ends = self.last
        if step != self.session.recorder.steps - 1 or not self.first or not ends:
            return
        shares = [
            sum(a == b for a, b in zip(one, two, strict=False)) / len(one)
            for one, two in zip(ends, self.first, strict=True)
            if one and len(one) == len(two)
        ]
        if shares:
            entry.data["compared"] += 1
            entry.data["continued"] += max(shares)

    def _loss(self, name: str, value: torch.Tensor, bound: dict[str, Any], site: Site | None, entry: Any) -> None:
        target = bound.get("target")
        if not value.requires_grad or self.tokens is None or not isinstance(target, torch.Tensor):
            return
        if target.dtype == torch.int64 and target.is_cpu and target.numel() == self.tokens.numel() and values.readable(target):
            table = target.reshape(self.tokens)
            self.last = (self.session.recorder.steps, [table[:MAX_ROWS, -1].tolist(), table[-1, :MAX_ROWS].tolist()])


def _first(how: str, name: str | None) -> dict[str, Any]:
    counts = ("calls", "carried", "shuffled", "ordered", "compared", "continued")
    return {"how": how, "attribute": name, "read_site": None, **dict.fromkeys(counts, 0)}


def _ref(storage: Any) -> Any:
    """A weak reference, or something that refers to nothing."""
    return weakref.ref(storage) if storage is not None else lambda: None


def _plain(tensor: torch.Tensor) -> bool:
    try:
        tensor.untyped_storage()
    except (RuntimeError, NotImplementedError):
        return False
    return values.readable(tensor)


def _elements(tensor: torch.Tensor) -> tuple[float, ...] | None:
    """Some elements of a CPU tensor, unless they are all alike."""
    if not tensor.is_cpu or not values.readable(tensor) or not tensor.numel() or tensor.layout is not torch.strided:
        return None
    found = tuple(values.strided(tensor, PROBED).tolist())
    return found if len(set(found)) > 2 else None


def _floats(value: Any, depth: int = 0) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, (tuple, list)) and depth < 4:
        for one in value[:MAX_TENSORS]:
            yield from _floats(one, depth + 1)
    elif isinstance(value, dict) and depth < 4:
        for one in list(value.values())[:MAX_TENSORS]:
            yield from _floats(one, depth + 1)
