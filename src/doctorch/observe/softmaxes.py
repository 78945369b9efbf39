"""Softmaxes inside the model: over how many elements they normalise, and whether an attention sums over another dimension.

In deep segments. A product of matrices sums over one dimension of the weights that it is given; where those are the result of a softmax
over another dimension, nothing that is summed adds up to one. Dimensions are told by their strides in the storage of the softmax, which
views keep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

import torch

from doctorch.observe.behind import bare
from doctorch.observe.events import Watcher
from doctorch.observe.graph import SHAPE_NODES
from doctorch.observe.lines import Site

if TYPE_CHECKING:
    from doctorch.observe.session import Session

SOFTMAXES = frozenset(("_softmax", "_log_softmax"))
PRODUCTS = frozenset(("bmm", "mm"))
KEEPING = frozenset(("clone", "_to_copy", "native_dropout", "mul", "mul_"))
"""Operators whose result has the layout of their input: a dropout of the weights, a copy."""
SCALING = SHAPE_NODES | frozenset(("Mul", "Div", "Add", "MaskedFill", "Where", "Sub"))
"""What may stand between the product of queries and keys and the softmax: a scale, a mask."""
LAYERS = frozenset(("Addmm", "Mm", "Linear", "Convolution", "ConvolutionOverrideable"))
FEW_NODES = 8


class Weights:
    """The result of a softmax, while its storage lives."""

    __slots__ = ("storage", "entry", "stride", "size", "outer", "square")

    def __init__(self, storage: ref[Any], entry: Any, out: torch.Tensor, dim: int, square: bool) -> None:
        self.storage = storage
        self.entry = entry
        self.stride = out.stride(dim)
        self.size = out.shape[dim]
        self.outer = dim < out.ndim - 2
        """It normalised over samples or heads, not over rows or columns of the scores."""
        self.square = square


class Softmaxes(Watcher):
    """Writes facts of kind ``softmax``."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.reset()

    def reset(self) -> None:
        """A new process."""
        self.weights: dict[int, Weights] = {}

    def install(self) -> None:
        """Listen to operators and to the end of a segment."""
        self.session.events.operator.append(self._operator)
        self.session.events.backward_ended.append(self._backward_ended)

    def _backward_ended(self, loss: Any, site: Any, failure: Any) -> None:
        self.weights.clear()

    def _operator(self, name: str, args: Any, kwargs: Any, out: Any, site: Site | None) -> None:
        if name in SOFTMAXES:
            self._softmax(name, args, out, site)
        elif self.weights:
            if name in PRODUCTS:
                self._product(args[0], args[0].ndim - 1, site)
                self._product(args[1], args[1].ndim - 2, site)
            elif name in KEEPING and args and isinstance(args[0], torch.Tensor):
                self._kept(args, out[0] if isinstance(out, tuple) else out)

    def _softmax(self, name: str, args: Any, out: torch.Tensor, site: Site | None) -> None:
        source, dim = args[0], args[1]
        if not out.ndim or not isinstance(dim, int) or not source.requires_grad:
            return
        dim %= out.ndim
        made_by = _made_by(source.grad_fn)
        entry = self.session.recorder.fact("softmax", f"{name}@{site.key if site else '?'}", site, lambda: _first(name))
        entry.count += 1
        data = entry.data
        data["looks"] += 1
        size = out.shape[dim]
        data["size_max"] = max(data["size_max"], size)
        data["others_max"] = max(data["others_max"], out.numel() // max(1, size))
        data["dim"], data["shape"], data["made_by"] = dim, list(out.shape), made_by
        data["one"] += size == 1 and out.numel() > 1
        self.session.recorder.touch(entry)
        if made_by == "scores" and out.ndim >= 2 and name == "_softmax" and out.is_contiguous():
            storage = out.untyped_storage()
            square = out.shape[-1] == out.shape[-2]
            self.weights[storage._cdata] = Weights(ref(storage), entry, out, dim, square)

    def _find(self, tensor: Any) -> Weights | None:
        if not isinstance(tensor, torch.Tensor) or tensor.layout is not torch.strided:
            return None
        known = self.weights.get(tensor.untyped_storage()._cdata)
        return known if known is not None and known.storage() is not None else None

    def _kept(self, args: Any, out: Any) -> None:
        known = self._find(args[0])
        if known is None or not isinstance(out, torch.Tensor) or out.shape != args[0].shape or out.stride() != args[0].stride():
            return
        if len(args) > 1 and isinstance(args[1], torch.Tensor) and args[1].requires_grad:
            return  # multiplied by something of the model: no longer what the softmax normalised
        storage = out.untyped_storage()
        made = self.weights[storage._cdata] = Weights.__new__(Weights)
        for slot in Weights.__slots__:
            setattr(made, slot, getattr(known, slot))
        made.storage = ref(storage)

    def _product(self, operand: Any, summed: int, site: Site | None) -> None:
        """``operand`` is summed over its dimension ``summed``."""
        known = self._find(operand)
        if known is None or known.size == 1:
            return
        data = known.entry.data
        data["products"] += 1
        same = operand.stride(summed) == known.stride and operand.shape[summed] == known.size
        if not same and (known.outer or known.square):
            data["other_dim"] += 1
            data["product_site"] = site.as_data if site is not None else None
        self.session.recorder.touch(known.entry)


def _made_by(node: Any) -> str | None:
    """``layer`` for the output of a linear layer or convolution, ``scores`` for a product of two activations, else None."""
    for _ in range(FEW_NODES):
        if node is None:
            return None
        name = bare(node)
        following = [one for one, _ in node.next_functions if one is not None]
        if name == "Bmm" or (name == "Mm" and len(following) == 2 and not any(_is_weight(one) for one in following)):
            return "scores" if len(following) == 2 and not any(_is_weight(one) for one in following) else "layer"
        if name in LAYERS:
            return "layer"
        if name not in SCALING or not following:
            return None
        node = following[0]
    return None


def _is_weight(node: Any) -> bool:
    """Whether a node is a parameter, perhaps transposed or expanded."""
    for _ in range(3):
        if hasattr(node, "variable"):
            return True
        following = [one for one, _ in node.next_functions if one is not None]
        if len(following) != 1 or bare(node) not in SHAPE_NODES:
            return False
        node = following[0]
    return hasattr(node, "variable")


def _first(name: str) -> dict[str, Any]:
    counts = dict.fromkeys(("looks", "one", "size_max", "others_max", "products", "other_dim"), 0)
    return {"kind": name.removeprefix("_"), **counts, "dim": None, "shape": None, "made_by": None, "product_site": None}
