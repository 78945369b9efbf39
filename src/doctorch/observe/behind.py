"""What stands right behind a value in its graph: the last activation, and between which numbers it keeps what leaves it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from doctorch.observe.graph import SHAPE_NODES

INF = math.inf
MAX_NODES = 12
"""Nodes walked through shape operators before an activation; a loss has two or three."""

RANGES: dict[str, tuple[str, float, float]] = {
    "Relu": ("relu", 0.0, INF),
    "Sigmoid": ("sigmoid", 0.0, 1.0),
    "Hardsigmoid": ("hardsigmoid", 0.0, 1.0),
    "Tanh": ("tanh", -1.0, 1.0),
    "Softplus": ("softplus", 0.0, INF),
    "Softmax": ("softmax", 0.0, 1.0),
    "LogSoftmax": ("log_softmax", -INF, 0.0),
    "LogSigmoid": ("logsigmoid", -INF, 0.0),
    "Exp": ("exp", 0.0, INF),
    "Abs": ("abs", 0.0, INF),
    # The least values of these two lie inside the curve: x·Φ(x) at -0.75, x·σ(x) at -1.28.
    "Gelu": ("gelu", -0.17, INF),
    "Silu": ("silu", -0.279, INF),
}
"""Nodes of activations, with the range of what they give."""
PICKING = frozenset(("Slice", "Select", "Index", "IndexSelect", "MaskedSelect", "Split", "Gather"))
"""Nodes that keep a part of the elements: sums over them say nothing of the sums before."""


class Behind(NamedTuple):
    """The last activation before a value."""

    kind: str
    seq: int
    low: float
    high: float
    picked: bool
    """A part of its result was taken."""
    dim: int | None
    """Of a softmax: the dimension, as it was given."""


def activation(tensor: Any) -> Behind | None:
    """The activation right behind a tensor, through operators only that move values; None where something else made it."""
    return at_node(tensor.grad_fn)


def at_node(node: Any) -> Behind | None:
    """The same from a node of the graph on."""
    picked = False
    for _ in range(MAX_NODES):
        if node is None:
            return None
        name = bare(node)
        found = RANGES.get(name)
        if found is not None:
            dim = _dim(node) if found[0] in ("softmax", "log_softmax") else None
            return Behind(found[0], node._sequence_nr(), found[1], found[2], picked, dim)
        made = _clamped(node, name) or _written_out(node, name)
        if made is not None:
            return Behind(made[0], node._sequence_nr(), made[1], made[2], picked, None)
        if name not in SHAPE_NODES and name not in PICKING and name not in ("Clamp", "ClampMin", "ClampMax"):
            return None
        if name in ("Cat", "Stack") and len(node.next_functions) > 1:
            return None
        if not node.next_functions:
            return None
        picked = picked or name in PICKING
        node = node.next_functions[0][0]
    return None


def bare(node: Any) -> str:
    """``Mul`` for ``MulBackward0``."""
    return type(node).__name__.split("Backward")[0]


def _dim(node: Any) -> int | None:
    dim = getattr(node, "_saved_dim", None)
    if not isinstance(dim, int):
        return None
    return dim - (1 << 64) if dim >= 1 << 63 else dim


def _clamped(node: Any, name: str) -> tuple[str, float, float] | None:
    """``clamp(min=0)`` is a relu; ``relu6`` and ``hardtanh`` clamp on both sides. A clamp of what an activation gave is passed."""
    if name == "Hardtanh":
        low, high = getattr(node, "_saved_min_val", None), getattr(node, "_saved_max_val", None)
    elif name in ("Clamp", "ClampMin") and not _has_activation(node.next_functions[0][0]):
        low, high = getattr(node, "_saved_min", None), getattr(node, "_saved_max", None)
    else:
        return None
    ends = [end if isinstance(end, (int, float)) else None for end in (low, high)]
    if ends[0] is None:
        return None
    return ("relu" if ends == [0, None] else "clamp"), float(ends[0]), float(ends[1]) if ends[1] is not None else INF


def _has_activation(node: Any) -> bool:
    return node is not None and (bare(node) in RANGES or _written_out(node, bare(node)) is not None)


def _written_out(node: Any, name: str) -> tuple[str, float, float] | None:
    """A sigmoid or softmax written by hand: ``1 / (1 + exp(-x))``, ``exp(x) / exp(x).sum()``."""
    following = [one for one, _ in node.next_functions]
    over = following[1] if name == "Div" and len(following) == 2 else None
    if over is not None and bare(over) == "Sum" and bare(following[0]) == "Exp" and over.next_functions[0][0] is following[0]:
        return "softmax", 0.0, 1.0
    if name == "Mul" and following and following[0] is not None and bare(following[0]) == "Reciprocal":
        node, name = following[0], "Reciprocal"
    if name == "Reciprocal" or (name == "Div" and following[:1] == [None]):
        below = [one for one, _ in node.next_functions if one is not None]
        if len(below) == 1 and bare(below[0]) == "Add":
            added = [one for one, _ in below[0].next_functions if one is not None]
            if len(added) == 1 and bare(added[0]) == "Exp":
                return "sigmoid", 0.0, 1.0
    return None
