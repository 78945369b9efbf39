"""Is anything wrong with the values of a batch: numbers that are none, a sample that lies absurdly far outside the others."""

from __future__ import annotations

from typing import Any

import torch

OUTLIER = 1e4
"""A row whose largest value is this many times that of the usual row is no measurement."""
MIN_ROWS = 4
"""Rows from which there is a usual one."""
MAX_NODES = 3000
SAVED = ("_saved_mat1", "_saved_self", "_saved_input", "_saved_other", "_saved_target")
"""Where the nodes of a graph keep what their operators were given."""


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


def tensors_of(value: Any) -> list[torch.Tensor]:
    """The tensors in nested lists, tuples and dicts, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [tensor for part in parts for tensor in tensors_of(part)]


def of_batch(batch: Any, indices: Any) -> dict[str, Any]:
    """What is wrong with the values of a batch: the first tensor with non-finite values, or with a row far outside the others.

    ``indices``: of its samples in the dataset, where known. Empty where nothing is wrong.
    """
    for number, tensor in enumerate(tensors_of(batch)):
        if tensor.is_floating_point() and tensor.ndim and tensor.numel() and tensor.layout is torch.strided:
            found = _bad_rows(tensor.detach())
            if found is not None:
                return {"part": number, "shape": list(tensor.shape), "indices": named(found["rows"], indices), **found}
    return {}


def named(rows: list[int], indices: Any) -> list[int]:
    """The indices in the dataset of some rows of the batch, as far as the sampler told them."""
    known = list(indices) if isinstance(indices, (list, tuple)) else []
    return [int(known[row]) for row in rows if row < len(known) and isinstance(known[row], int)]


def of_graph(loss: torch.Tensor) -> dict[str, Any]:
    """What is wrong with the values that a graph was given from outside, where no loader tells: among what its nodes saved, the first
    tensor that no parameter had a part in and that holds bad values."""
    waiting, seen = [loss.grad_fn], 0
    met = {loss.grad_fn}
    while waiting and seen < MAX_NODES:
        node: Any = waiting.pop()
        seen += 1
        for name in SAVED:
            value = getattr(node, name, None)
            if isinstance(value, torch.Tensor) and not value.requires_grad and value.is_cpu and value.ndim > 1:
                found = of_batch(value, None)
                if found:
                    return found
        for following, _ in node.next_functions if node is not None else ():
            if following is not None and following not in met:
                met.add(following)
                waiting.append(following)
    return {}


def _bad_rows(tensor: torch.Tensor) -> dict[str, Any] | None:
    flat = tensor.reshape(tensor.shape[0], -1).double()
    bad = ~torch.isfinite(flat)
    if bool(bad.any()):
        if bool((flat[bad] == -torch.inf).all()) and not bool(flat[~bad].any()):
            return None  # 0 and -inf: a mask that is added to scores
        where = bad.nonzero()
        row, column = int(where[0, 0]), int(where[0, 1])
        rows = sorted({int(r) for r in where[:, 0].tolist()})
        return {
            "kind": "nonfinite",
            "rows": rows[:5],
            "n_rows": len(rows),
            "column": column,
            "whole_column": bool(bad[:, column].all()) and len(flat) >= MIN_ROWS,
            "value": str(float(flat[row, column])),
            "count": int(bad.sum()),
        }
    largest = flat.abs().amax(1)
    usual = float(largest.median())
    worst = int(largest.argmax())
    if len(flat) >= MIN_ROWS and usual > 0 and float(largest[worst]) > OUTLIER * usual:
        column = int(flat[worst].abs().argmax())
        outside = (largest > OUTLIER * usual).nonzero()[:, 0].tolist()
        value = float(flat[worst, column])
        rows = [worst, *(int(r) for r in outside if int(r) != worst)]
        return {
            "kind": "outlier",
            "rows": rows[:5],
            "n_rows": len(rows),
            "column": column,
            "value": value,
            "usual": usual,
            "count": len(rows),
        }
    return None
