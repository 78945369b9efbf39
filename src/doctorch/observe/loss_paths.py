"""From a loss down to the terms in which its graph ends, with the sign and factor with which each goes into it.

The graph is walked through sums, means, factors and shape operators, down to *heads*: the calls of loss functions, log-probabilities,
squared and absolute differences. What lies behind a head is the model. A factor that does not depend on the model is known from the
operator that applied it, by a weak reference to its tensor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import ref

import torch

from doctorch.observe import behind
from doctorch.observe.behind import bare
from doctorch.observe.graph import SHAPE_NODES
from doctorch.observe.lines import Site

MAX_NODES = 400
"""Nodes of a loss walked: enough for a dozen terms; a sum over a Python list of a thousand ends earlier."""
MAX_HEADS = 40
MAX_BRANCHES = 4
"""Inputs of one ``cat`` or ``stack`` that are followed: they are made alike."""
RECORDED = frozenset(
    ("mul", "mul_", "div", "div_", "sub", "sub_", "rsub", "add", "add_", "gather", "mean", "sum", "_softmax", "_log_softmax", "index")
)
"""Operators whose other argument is remembered."""
SAMPLING = frozenset(("multinomial", "bernoulli", "normal", "poisson", "bernoulli_", "normal_", "exponential_"))
"""Operators that draw: what they give is an action, not a target."""
PASSING = SHAPE_NODES | frozenset(("Index", "IndexSelect", "MaskedSelect", "Gather", "MaskedFill", "NanToNum"))

Argument = Any
"""A number, a weak reference to a tensor, or None."""


@dataclass(frozen=True)
class Operation:
    """An operator of the forward that made a node."""

    arguments: list[Argument]
    shape: tuple[int, ...]
    """Of its first argument."""
    gave: int
    """Elements of its result."""

    @property
    def elements(self) -> int:
        """Elements of its first argument."""
        return math.prod(self.shape)

    def argument(self, place: int) -> Argument:
        """One of the first three arguments, None where it is unknown."""
        return self.arguments[place] if place < len(self.arguments) else None


@dataclass
class Head:
    """A term of the loss."""

    kind: str
    seq: int
    sign: int
    scale: float
    factors: list[tuple[ref[torch.Tensor], bool]] = field(default_factory=list)
    """Tensors that multiply it (True: it is divided by them)."""
    total: float = 1.0
    """Elements that sums on the way added up."""
    averaged: bool = False
    """A mean over everything was taken on the way."""
    sampled: bool = False
    """It is the log-probability of something that was drawn."""
    mul_seq: int | None = None
    """The product with the last of the factors."""
    sign_seq: int | None = None
    """The last node on the way that turned the sign."""
    reduce_seq: int | None = None
    """The sum or mean nearest to the loss."""
    selected_dim: int | None = None
    """The dimension along which the target's entry is picked, and the shape that it is picked from."""
    selected_shape: tuple[int, ...] | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    node: Any = None

    def then(self, **changes: Any) -> Head:
        """A copy further down."""
        return replace(self, factors=list(self.factors), extra=changes.pop("extra", {}), **changes)


class LossPaths:
    """The operators of one forward, and the way back through them from a loss."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """A new forward begins."""
        self.last_seq = -1
        self.ops: dict[int, Operation] = {}
        """Recorded operators by the sequence number of their node."""
        self.losses: dict[int, tuple[str, Site | None, str]] = {}
        """Results of loss functions by sequence number: function, line, reduction."""
        self.drawn: dict[int, ref[Any]] = {}
        """Storages of what was drawn."""

    # ---- the forward

    def operator(self, seq: int, name: str, args: Any, out: Any) -> None:
        """An operator of the forward, and the sequence number after it."""
        if name in RECORDED:
            if seq != self.last_seq:  # it made a node
                first = args[0] if args and isinstance(args[0], torch.Tensor) else None
                shape = tuple(first.shape) if first is not None else ()
                self.ops[seq - 1] = Operation([_kept(one) for one in args[:3]], shape, out.numel() if isinstance(out, torch.Tensor) else 1)
        elif name in SAMPLING and isinstance(out, torch.Tensor) and out.layout is torch.strided:
            storage = out.untyped_storage()
            self.drawn[storage._cdata] = ref(storage)
        self.last_seq = seq

    def loss_returned(self, name: str, result: Any, bound: dict[str, Any], site: Site | None) -> None:
        """A loss function gave its result."""
        node = result.grad_fn if isinstance(result, torch.Tensor) else None
        if node is not None:
            self.losses[node._sequence_nr()] = (name, site, str(bound.get("reduction", "mean")))

    # ---- the loss

    def heads(self, root: Any) -> tuple[list[Head], bool]:
        """The terms, and whether all were reached."""
        found: list[Head] = []
        waiting: list[tuple[Any, Head]] = [(root, Head("", -1, 1, 1.0))]
        walked = 0
        while waiting and walked < MAX_NODES and len(found) < MAX_HEADS:
            node, path = waiting.pop()
            walked += 1
            head = self._head(node, path)
            if head is not None:
                found.append(head)
            else:
                waiting += [(following, further) for following, further in self._below(node, path) if following is not None]
        return found, not waiting

    def _head(self, node: Any, path: Head) -> Head | None:
        seq, name = node._sequence_nr(), bare(node)
        known = self.losses.get(seq)
        if known is not None:
            return path.then(kind=known[0], seq=seq, node=node, extra={"function": known[0], "reduction": known[2], "site": known[1]})
        following = [one for one, _ in node.next_functions]
        if name in ("LogSoftmax", "LogSigmoid"):
            return path.then(kind="log_prob", seq=seq, node=node)
        if name == "Sub" and len(following) == 2 and following[1] is not None and bare(following[1]) == "Logsumexp":
            return path.then(kind="log_prob", seq=seq, node=node)
        if name == "Log" and _of_probabilities(following[0]):
            return path.then(kind="log_prob", seq=seq, node=node)
        if name in ("Pow", "Abs", "LinalgVectorNorm", "Norm") or (name == "Mul" and len(following) == 2 and following[0] is following[1]):
            if name == "Pow" and getattr(node, "_saved_exponent", 2) not in (2, 2.0):
                return None
            return self._difference(node, following[0], path, "absolute" if name == "Abs" else "square")
        if name in ("Relu", "Clamp", "ClampMin", "Softplus"):
            return self._hinge(following[0], path, seq)
        return None

    def _difference(self, node: Any, inner: Any, path: Head, kind: str) -> Head | None:
        """A difference between something of the model and something that does not depend on it."""
        while inner is not None and bare(inner) in SHAPE_NODES and inner.next_functions:
            inner = inner.next_functions[0][0]
        if inner is None or bare(inner) not in ("Sub", "Rsub"):
            return None
        sides = [one for one, _ in inner.next_functions]
        if len(sides) != 2 or (sides[0] is None) == (sides[1] is None):
            return None
        record = self.ops.get(inner._sequence_nr())
        place = 1 if sides[0] is not None else 0
        constant = record.argument(place) if record is not None else None
        model = sides[0] if sides[0] is not None else sides[1]
        # Drawn values under a squared distance to a mean: the log-density of an action.
        sampled = path.sampled or self._is_drawn(constant)
        return path.then(kind=kind, seq=node._sequence_nr(), node=node, sampled=sampled, extra={"constant": constant, "model": model})

    def _hinge(self, node: Any, path: Head, seq: int) -> Head | None:
        """``relu(1 - y * f)``: the factor y, where there is one."""
        for _ in range(4):
            if node is None:
                return None
            name = bare(node)
            following = [one for one, _ in node.next_functions if one is not None]
            if name == "Mul":
                record = self.ops.get(node._sequence_nr())
                factors = [one for one in record.arguments if isinstance(one, ref)] if record is not None else []
                constant = next((one for one in factors if (t := one()) is not None and not t.requires_grad), None)
                if len(following) != 1 or constant is None:
                    return None
                return path.then(kind="hinge", seq=seq, node=None, extra={"labels": constant})
            if name not in ("Rsub", "Sub", "Add", "Neg") or len(following) != 1:
                return None
            node = following[0]
        return None

    def _below(self, node: Any, path: Head) -> list[tuple[Any, Head]]:
        """What goes into a node, with sign and factor so far; nothing where the node is no sum, mean or factor."""
        name = bare(node)
        seq = node._sequence_nr()
        following = [one for one, _ in node.next_functions]
        if name == "Neg":
            return [(following[0], path.then(sign=-path.sign, sign_seq=seq))]
        if name == "Add":
            return [(one, path.then()) for one in following]
        if name in ("Sub", "Rsub"):
            signs = (1, -1) if name == "Sub" else (-1, 1)
            turned = {1: path.sign_seq, -1: seq}
            return [(one, path.then(sign=path.sign * by, sign_seq=turned[by])) for one, by in zip(following, signs, strict=False)]
        if name in ("Mul", "Div"):
            return self._product(node, name, seq, following, path)
        if name in ("Mean", "Sum", "Nansum"):
            return [(following[0], self._reduced(name, seq, path))]
        if name in ("Minimum", "Maximum", "Where"):
            return [(one, path.then()) for one in following]
        if name == "Exp" and following[0] is not None and bare(following[0]) == "Sub":  # the ratio of two policies
            sides = [one for one, _ in following[0].next_functions]
            return [(sides[0], path.then(sampled=True))] if len(sides) == 2 and sides[1] is None else []
        if name in ("Clamp", "ClampMin", "ClampMax") and following and following[0] is not None and bare(following[0]) == "Exp":
            return [(following[0], path.then())]
        if name in ("Cat", "Stack"):
            return [(one, path.then()) for one in following[:MAX_BRANCHES]]
        if name in PASSING and following:
            further = path.then()
            record = self.ops.get(seq)
            if name == "Gather" and record is not None:
                further.sampled = path.sampled or self._is_drawn(record.argument(2))
                further.selected_dim, further.selected_shape = record.argument(1), record.shape
            elif name == "Index" and record is not None and len(record.shape) == 2 and record.gave == record.shape[0]:
                further.selected_dim, further.selected_shape = 1, record.shape
            return [(following[0], further)]
        return []

    def _reduced(self, name: str, seq: int, path: Head) -> Head:
        record = self.ops.get(seq)
        further = path.then(reduce_seq=path.reduce_seq if path.reduce_seq is not None else seq)
        if record is None:
            return further
        if name == "Mean":
            further.averaged = path.averaged or (record.gave == 1 and record.elements > 1)
            return further
        further.total = path.total * record.elements / max(1, record.gave)
        dims = record.argument(1)
        if isinstance(dims, tuple) and len(dims) == 1:  # one-hot targets times log-probabilities, added up over the classes
            further.selected_dim, further.selected_shape = dims[0], record.shape
        return further

    def _product(self, node: Any, name: str, seq: int, following: list[Any], path: Head) -> list[tuple[Any, Head]]:
        if len(following) == 2 and following[0] is not None and following[1] is not None:
            # Both depend on the model. A numerator over something positive, a variance, keeps its sign.
            return [(following[0], path.then())] if name == "Div" and bare(following[0]) in ("Neg", "Pow") else []
        place = 0 if following[0] is not None else 1
        if name == "Div" and place == 1:
            return []
        record = self.ops.get(seq)
        constant = record.argument(1 - place) if record is not None else None
        further = path.then()
        if isinstance(constant, ref):
            further.factors.append((constant, name == "Div"))
            further.mul_seq = seq
        elif isinstance(constant, (int, float)):
            if constant < 0:
                further.sign, further.sign_seq = -path.sign, seq
            further.scale = path.scale * abs(constant) if name == "Mul" else path.scale / abs(constant) if constant else path.scale
        else:
            return []  # the factor is not known, so neither is the sign
        return [(following[place], further)]

    def _is_drawn(self, argument: Argument) -> bool:
        tensor = argument() if isinstance(argument, ref) else None
        if not isinstance(tensor, torch.Tensor) or tensor.layout is not torch.strided:
            return False
        storage = tensor.untyped_storage()
        known = self.drawn.get(storage._cdata)
        return known is not None and known() is not None


def _kept(argument: Any) -> Argument:
    if isinstance(argument, torch.Tensor):
        return ref(argument)
    if isinstance(argument, bool):
        return None
    if isinstance(argument, (list, tuple)) and argument and all(isinstance(one, int) for one in argument):
        return tuple(argument)
    return argument if isinstance(argument, (int, float)) else None


def _of_probabilities(node: Any) -> bool:
    """Whether the argument of a log is a probability: a softmax or sigmoid, perhaps shifted, clamped, renormalised or picked from, or one
    less that."""
    for _ in range(8):
        if node is None:
            return False
        name = bare(node)
        found = behind.at_node(node)
        if found is not None and found.kind in ("softmax", "sigmoid"):
            return True
        if name not in SHAPE_NODES and name not in ("Add", "Clamp", "ClampMin", "Div", "Gather", "Index", "Sub", "Rsub", "Select"):
            return False
        following = [one for one, _ in node.next_functions if one is not None]
        if not following:
            return False
        node = following[0]
    return False
