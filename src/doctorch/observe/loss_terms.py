"""Of what a loss is made: the terms in which its graph ends, and with which sign and factor each goes into it.

In deep segments the graph is walked from the tensor that backward is called on, through sums, means, factors and shape operators,
down to *heads*: the calls of loss functions, log-probabilities, squared and absolute differences. What lies behind a head is the model.
A factor that does not depend on the model is known from the operator that applied it, by a weak reference to its tensor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from weakref import ref

import torch

from doctorch.observe import behind, values
from doctorch.observe.behind import Behind, bare
from doctorch.observe.events import Watcher
from doctorch.observe.graph import SHAPE_NODES
from doctorch.observe.lines import Site
from doctorch.observe.loss_values import add_reach, finite, first_rows, reach

if TYPE_CHECKING:
    from doctorch.observe.session import Session

MAX_NODES = 400
"""Nodes of a loss walked: enough for a dozen terms; a sum over a Python list of a thousand ends earlier."""
MAX_HEADS = 40
MAX_BRANCHES = 4
"""Inputs of one ``cat`` or ``stack`` that are followed: they are made alike."""
MAX_ELEMENTS = 100_000
"""Elements of a factor that are looked at; of a larger one nothing is known."""

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


class LossTerms(Watcher):
    """Writes facts of kind ``loss_term``."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.reset()

    def reset(self) -> None:
        """A new process."""
        self.last_seq = -1
        self.ops: dict[int, Operation] = {}
        """Recorded operators by the sequence number of their node."""
        self.losses: dict[int, tuple[str, Site | None, str]] = {}
        """Results of loss functions by sequence number: function, line, reduction."""
        self.drawn: dict[int, ref[Any]] = {}
        """Storages of what was drawn."""

    def install(self) -> None:
        """Listen to operators, loss functions and backward."""
        events = self.session.events
        events.operator.append(self._operator)
        events.loss_return.append(self._loss_return)
        events.backward_begins.append(self._backward_begins)
        events.backward_ended.append(self._backward_ended)

    # ---- the forward

    def _operator(self, name: str, args: Any, kwargs: Any, out: Any, site: Site | None) -> None:
        seq = self.session.tape.seq
        if name in RECORDED:
            if seq != self.last_seq:  # it made a node
                first = args[0] if args and isinstance(args[0], torch.Tensor) else None
                shape = tuple(first.shape) if first is not None else ()
                self.ops[seq - 1] = Operation([_kept(one) for one in args[:3]], shape, out.numel() if isinstance(out, torch.Tensor) else 1)
        elif name in SAMPLING and isinstance(out, torch.Tensor) and out.layout is torch.strided:
            storage = out.untyped_storage()
            self.drawn[storage._cdata] = ref(storage)
        self.last_seq = seq

    def _loss_return(self, name: str, result: Any, bound: dict[str, Any], site: Site | None) -> None:
        node = result.grad_fn if isinstance(result, torch.Tensor) else None
        if node is not None:
            self.losses[node._sequence_nr()] = (name, site, str(bound.get("reduction", "mean")))

    # ---- the loss

    def _backward_begins(self, loss: torch.Tensor | None, site: Site | None) -> None:
        if loss is None or loss.grad_fn is None or not self.session.deep or not self.session.tape.count:
            return
        heads, whole = self._heads(loss.grad_fn)
        for head in heads:
            self._write(head, site, whole)

    def _backward_ended(self, loss: Any, site: Any, failure: Any) -> None:
        self.ops.clear()
        self.losses.clear()
        self.drawn.clear()

    def _heads(self, root: Any) -> tuple[list[Head], bool]:
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

    # ---- the fact

    def _write(self, head: Head, backward: Site | None, whole: bool) -> None:
        tape, recorder = self.session.tape, self.session.recorder
        site = head.extra.get("site") or tape.line_of_seq.get(head.seq)
        key = f"{head.kind}@{site.key if site else '?'}<{backward.key if backward else '?'}"
        entry = recorder.fact("loss_term", key, site, lambda: _first(head))
        entry.count += 1
        data = entry.data
        data["looks"] += 1
        data["unknown"] += not whole  # terms that were not reached may go against it
        data["backward_site"] = backward.as_data if backward is not None else None
        product = tape.line_of_seq.get(head.mul_seq) if head.mul_seq is not None else None
        data["factor_site"] = product.as_data if product is not None else None
        data["sampled"] += head.sampled
        data["total"] = head.total
        data["averaged"] = head.averaged
        data["selected_dim"], data["selected_shape"] = head.selected_dim, list(head.selected_shape or ())
        data["path_sign"] = head.sign
        for name, seq in (("sign_site", head.sign_seq), ("reduce_site", head.reduce_seq)):
            turned = tape.line_of_seq.get(seq) if seq is not None else None
            data[name] = turned.as_data if turned is not None else None
        if head.kind == "log_prob":
            self._log_prob(data, head)
        self._signs(entry, head)
        if head.kind in ("square", "absolute"):
            self._reach(entry, head)
        if head.kind == "hinge":
            self._labels(entry, head)
        recorder.touch(entry)

    def _log_prob(self, data: dict[str, Any], head: Head) -> None:
        found = behind.at_node(head.node if bare(head.node) == "LogSoftmax" else head.node.next_functions[0][0])
        record = self.ops.get(found.seq) if found is not None else None
        if found is None or found.dim is None or record is None:
            return
        data["softmax_dim"], data["softmax_shape"] = found.dim, list(record.shape)
        where = self.session.tape.line_of_seq.get(found.seq)
        data["softmax_site"] = where.as_data if where is not None else None

    def _signs(self, entry: Any, head: Head) -> None:
        """Whether the term goes into the loss with a plus, a minus, or with factors of both signs."""
        tensors = [(tensor, divides) for known, divides in head.factors if (tensor := known()) is not None and values.readable(tensor)]
        data = entry.data
        if len(tensors) < len(head.factors) or any(not t.numel() or t.numel() > MAX_ELEMENTS or t.is_complex() for t, _ in tensors):
            data["unknown"] += 1
            return
        scalars: list[torch.Tensor] = []
        for tensor, _ in tensors:
            low, high = torch.aminmax(tensor.detach().float())
            scalars += [low, high, ((tensor != 0) & (tensor != 1)).sum()]

        def use(numbers: list[float]) -> None:
            sign, varied, scale = head.sign, False, head.scale
            for place, (tensor_numel, divides) in enumerate(shapes):
                low, high, other = numbers[3 * place : 3 * place + 3]
                if low < 0 < high:
                    sign = 0
                elif high <= 0 and low < 0:
                    sign = -sign
                constant = high - low <= 1e-6 * max(abs(high), abs(low))
                varied = varied or not (constant or other == 0)
                if tensor_numel == 1 and high:
                    scale = scale / abs(high) if divides else scale * abs(high)
                widen = data["factors"]
                widen[0] = low if widen[0] is None else min(widen[0], low)
                widen[1] = high if widen[1] is None else max(widen[1], high)
            data["scale"] = scale
            data[{1: "plus", -1: "minus", 0: "mixed"}[sign]] += 1
            data["varied"] += varied
            self.session.recorder.touch(entry)

        shapes = [(tensor.numel(), divides) for tensor, divides in tensors]
        if scalars:
            values.read_later(self.session.recorder, scalars, use)
        else:
            use([])

    def _reach(self, entry: Any, head: Head) -> None:
        """Whether the model's side of a difference can get where the other side is."""
        found: Behind | None = behind.at_node(head.extra["model"])
        constant = head.extra["constant"]
        target = constant() if isinstance(constant, ref) else None
        if found is None or not isinstance(target, torch.Tensor) or not values.readable(target) or not target.numel():
            return
        data = entry.data
        data["activation"] = found.kind
        data["activation_calls"] = data.get("activation_calls", 0) + 1
        data["low"], data["high"] = finite(found.low), finite(found.high)
        where = self.session.tape.line_of_seq.get(found.seq)
        if where is not None:
            data["activation_site"] = where.as_data
        target, _ = first_rows(target.detach(), target.detach())
        # The output itself is not at hand: the targets alone are looked at.
        scalars = reach(found, target, target)[:4]

        def use(numbers: list[float]) -> None:
            add_reach(data, [*numbers, math.nan, math.nan, 0.0], target_numel, 0)
            self.session.recorder.touch(entry)

        target_numel = target.numel()
        values.read_later(self.session.recorder, scalars, use)

    def _labels(self, entry: Any, head: Head) -> None:
        labels = head.extra["labels"]()
        if not isinstance(labels, torch.Tensor) or not values.readable(labels) or not 1 < labels.numel() <= MAX_ELEMENTS:
            return
        numel = labels.numel()
        data = entry.data

        def use(numbers: list[float]) -> None:
            data["labels"] = data.get("labels", 0) + numel
            data["zero_labels"] = data.get("zero_labels", 0) + int(numbers[0])
            data["one_labels"] = data.get("one_labels", 0) + int(numbers[1])
            self.session.recorder.touch(entry)

        values.read_later(self.session.recorder, [(labels == 0).sum(), (labels == 1).sum()], use)


def _first(head: Head) -> dict[str, Any]:
    counts = dict.fromkeys(("looks", "plus", "minus", "mixed", "unknown", "varied", "sampled"), 0)
    whole = {"head": head.kind, "function": head.extra.get("function"), "reduction": head.extra.get("reduction"), "scale": head.scale}
    return {
        **counts,
        **whole,
        "total": 1.0,
        "averaged": False,
        "factors": [None, None],
        "factor_site": None,
        "backward_site": None,
        "selected_dim": None,
    }


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
