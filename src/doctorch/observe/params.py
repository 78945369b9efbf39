"""The leaf tensors that training is about: which module holds them, which optimizer, who read them, who got a gradient."""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from typing import TYPE_CHECKING, Any

import torch

from doctorch.observe import lines, values
from doctorch.observe.lines import Site

if TYPE_CHECKING:
    from doctorch.observe.recorder import Recorder
    from doctorch.records.writer import Entry

MAX_PARAMS = 4000
"""Parameters followed one by one; a model with more is still watched, its rest is not told apart."""

MAX_MOVES = 50
"""Parameters without a gradient whose values are sampled in one look."""
SEARCH_DEPTH = 3
"""Nesting of lists and dictionaries in module attributes that is searched for unregistered layers."""


OWN_TABLES = frozenset(vars(torch.nn.Module()))
"""Attributes that every module has: its tables of parameters, buffers, submodules and hooks."""


NOT_CONTAINERS = (types.FunctionType, types.MethodType, types.ModuleType, type, functools.partial)


class Param:
    """One leaf tensor."""

    __slots__ = ("ref", "index", "entry", "name", "root", "optimizer", "searched", "owner", "sample")

    def __init__(self, tensor: torch.Tensor, index: int, entry: Entry) -> None:
        self.ref = weakref.ref(tensor)
        self.index = index
        self.entry = entry
        self.name: str | None = None
        self.root: str | None = None
        self.optimizer: str | None = None
        self.searched = False
        self.owner: weakref.ref[torch.nn.Module] | None = None
        self.sample: float | None = None

    @property
    def trains(self) -> bool:
        """Whether it is meant to learn: a Parameter, or in an optimizer; not just some leaf that requires grad."""
        return bool(self.entry.data["is_parameter"]) or self.optimizer is not None


class ParamTable:
    """All leaf tensors seen. Holds no tensor: weak references only."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.by_id: dict[int, Param] = {}
        self.all: list[Param] = []

    def get(self, tensor: torch.Tensor) -> Param | None:
        """The entry of a leaf; made when new, None beyond the limit."""
        found = self.by_id.get(id(tensor))
        if found is not None and found.ref() is tensor:
            return found
        if len(self.all) >= MAX_PARAMS:
            self.recorder.note(f"more than {MAX_PARAMS} parameters: the rest is not followed one by one")
            return None
        index = len(self.all)
        entry = self.recorder.fact("param", str(index), None, lambda: _first_data(tensor))
        found = self.by_id[id(tensor)] = Param(tensor, index, entry)
        self.all.append(found)
        return found

    def register_root(self, root: torch.nn.Module, key: str) -> None:
        """Name every parameter of a module that was called from outside any other."""
        owners = {id(p): module for module in root.modules() for p in module.parameters(recurse=False)}
        for name, tensor in root.named_parameters():
            param = self.get(tensor)
            if param is None:
                return
            if param.owner is None and id(tensor) in owners:
                param.owner = weakref.ref(owners[id(tensor)])
            if param.name is None or (param.root != key and param.name.count(".") < name.count(".")):
                # The outermost module gives the fullest name.
                param.name, param.root = name, key
                param.entry.data.update(name=name, root=key, registered=True, requires_grad=tensor.requires_grad)
                self.recorder.touch(param.entry)

    def set_optimizer(self, tensors: list[torch.Tensor], key: str) -> None:
        """These tensors are in that optimizer's groups."""
        for tensor in tensors:
            param = self.get(tensor)
            if param is not None and param.optimizer != key:
                param.optimizer = key
                param.entry.data["optimizer"] = key
                self.recorder.touch(param.entry)

    def had_grad(self, tensor: torch.Tensor) -> bool:
        """Whether the parameter had a gradient at some step; True for those not followed."""
        param = self.by_id.get(id(tensor))
        return param is None or bool(param.entry.data["had_grad"])

    def got_grad(self, tensor: torch.Tensor) -> None:
        """The parameter came to an optimizer step with a gradient."""
        param = self.by_id.get(id(tensor))
        if param is not None and param.ref() is tensor:
            param.entry.data["had_grad"] = True
            self.recorder.touch(param.entry)

    def used(self, bits: int, bits_grad: int, sites: dict[int, Site], nograd_sites: dict[int, Site]) -> None:
        """A deep segment ended: ``bits`` are the parameters read in it, ``bits_grad`` those read with grad mode on."""
        for param in self.members(bits):
            data = param.entry.data
            data["used"] += 1
            if bits_grad >> param.index & 1:
                data["used_grad"] += 1
            else:
                data["used_nograd"] += 1
            owner = param.owner() if param.owner is not None else None
            data["used_eval"] += owner is not None and not owner.training
            site = sites.get(param.index)
            if site is not None:
                data["used_site"] = site.as_data
            site = nograd_sites.get(param.index)
            if site is not None:
                data["nograd_site"] = site.as_data
                data.setdefault("used_site", site.as_data)
            tensor = param.ref()
            if tensor is not None:
                data["requires_grad"] = tensor.requires_grad
            self.recorder.touch(param.entry)

    def note_moves(self, bits: int) -> None:
        """Of parameters that no backward reaches: whether their values change all the same (a codebook moved by an average)."""
        for param in self.members(bits)[:MAX_MOVES]:
            tensor = param.ref()
            if tensor is not None and not param.entry.data["reached"] and values.readable(tensor):
                values.read_later(self.recorder, [values.strided(tensor).sum(dtype=torch.float)], functools.partial(self._moved, param))

    def _moved(self, param: Param, found: list[float]) -> None:
        if param.sample is not None and param.sample != found[0]:
            param.entry.data["moved"] = True
            self.recorder.touch(param.entry)
        param.sample = found[0]

    def members(self, bits: int) -> list[Param]:
        """The parameters of a bit mask."""
        found = []
        while bits:
            low = bits & -bits
            found.append(self.all[low.bit_length() - 1])
            bits ^= low
        return found

    def find_holders(self, bits: int, roots: list[torch.nn.Module]) -> None:
        """For parameters in no module's ``parameters()``: which attribute of which module holds them, if any does."""
        wanted = {}
        for param in self.members(bits):
            if param.name is None and not param.searched:
                param.searched = True
                tensor = param.ref()
                if tensor is not None:
                    wanted[id(tensor)] = param
        if not wanted:
            return
        for root in roots:
            for module in root.modules():
                for attribute, value in list(vars(module).items()):
                    if attribute in OWN_TABLES:
                        continue
                    kind = _container(value)
                    if kind is None:
                        continue
                    for identity in _held(value, SEARCH_DEPTH):
                        found = wanted.get(identity)
                        if found is not None and found.entry.data.get("holder") is None:
                            found.entry.data["holder"] = _holder(module, attribute, kind)
                            self.recorder.touch(found.entry)


def _first_data(tensor: torch.Tensor) -> dict[str, Any]:
    return {
        "name": None,
        "root": None,
        "shape": list(tensor.shape),
        "numel": tensor.numel(),
        "requires_grad": tensor.requires_grad,
        "is_parameter": isinstance(tensor, torch.nn.Parameter),
        "optimizer": None,
        "registered": False,
        "holder": None,
        "used": 0,
        "used_nograd": 0,
        "used_eval": 0,
        "used_grad": 0,
        "reached": 0,
        "got_grad": 0,
        "had_grad": False,
    }


def _container(value: Any) -> str | None:
    if isinstance(value, (list, tuple, dict, set, frozenset)):
        return "list" if isinstance(value, (list, set, frozenset)) else "tuple" if isinstance(value, tuple) else "dict"
    if isinstance(value, torch.Tensor):
        return "tensor" if value.requires_grad and value.is_leaf else None
    if isinstance(value, (torch.nn.Module, *NOT_CONTAINERS)):
        return None
    module = type(value).__module__.split(".")[0]
    if hasattr(value, "__dict__") and module not in ("torch", "builtins", "numpy"):
        return "object"
    return None


def _held(value: Any, depth: int) -> list[int]:
    """Ids of the leaf tensors inside a container."""
    if isinstance(value, torch.Tensor):
        return [id(value)]
    if isinstance(value, torch.nn.Module):
        return [id(p) for p in value.parameters()]
    if depth == 0:
        return []
    if isinstance(value, dict):
        inside = list(value.values())
    elif isinstance(value, (list, tuple, set, frozenset)):
        inside = list(value)
    else:
        inside = list(vars(value).values()) if hasattr(value, "__dict__") else []
    return [identity for item in inside[:10_000] for identity in _held(item, depth - 1)]


def _holder(module: torch.nn.Module, attribute: str, kind: str) -> dict[str, Any]:
    site = class_site(type(module))
    return {
        "cls": type(module).__qualname__,
        "attr": attribute,
        "kind": kind,
        "file": site["file"] if site else None,
        "line": site["line"] if site else None,
    }


_class_sites: dict[type, dict[str, Any] | None] = {}


def class_site(cls: type) -> dict[str, Any] | None:
    """Where a class of the user's stands: file, its first line, the lines of ``__init__`` and ``forward``; None for library classes."""
    if cls in _class_sites:
        return _class_sites[cls]
    found: dict[str, Any] | None = None
    for name in ("forward", "__init__", "__getitem__", "__iter__", "__next__"):
        function = cls.__dict__.get(name)
        code = getattr(inspect.unwrap(function) if callable(function) else function, "__code__", None)
        if code is not None and lines.is_user_code(code):
            found = found or {"file": lines.absolute(code.co_filename), "line": code.co_firstlineno}
            found["line"] = min(found["line"], code.co_firstlineno)
            found[f"{name.strip('_')}_line"] = code.co_firstlineno
    _class_sites[cls] = found
    return found
