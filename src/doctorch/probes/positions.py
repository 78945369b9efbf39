"""In a copy: change one token of what the model is given; which positions of its answer move? Of a model that may not look ahead, none
before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from doctorch.observe.inputs import first_tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from doctorch.probes.fork import Copy

MOVED = 1e-4
"""Change relative to the largest of all positions above which one has moved. Rounding stays below 1e-6."""
MIN_POSITIONS = 50
SAME = 0.98
"""Share of targets equal to the ids at an offset, from which they are those ids."""
PLACES = (0.5, 0.75, 1.0)
"""Where in the sequence a token is changed; the last one shows a model that looks ahead only in its first part."""


def change(root: str, subjects: list[tuple[str, bool]]) -> Callable[[Copy], None]:
    """An arm that makes the experiment at the next call of a model, for arguments of ids by name and whether rows come first in them."""

    def prepare(copy: Copy) -> None:
        asked = [False]
        scores: list[torch.Tensor] = []

        def loss(name: str, value: torch.Tensor, bound: Any, site: Any, entry: Any) -> None:
            scores[:] = [value.detach()]

        def call(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            known = copy.session.roots.get(id(module))
            if asked[0] or known is None or known.entry is None or known.entry.key != root:
                return
            asked[0] = True
            try:
                found = [_one(module, args, kwargs, name, batch_first, scores) for name, batch_first in subjects]
                copy.end(complete=True, subjects=[one for one in found if one is not None])
            except Exception as error:
                copy.end(failure=f"{type(error).__name__}: {error}")

        copy.session.events.loss_call.append(loss)
        copy.session.events.root_call.append(call)

    return prepare


def _one(module: Any, args: Any, kwargs: dict[str, Any], name: str, batch_first: bool, scores: list[torch.Tensor]) -> dict[str, Any] | None:
    given = kwargs.get(name) if not name.isdigit() else args[int(name)] if int(name) < len(args) else None
    if not isinstance(given, torch.Tensor) or given.ndim != 2:
        return None

    def again(ids: torch.Tensor) -> torch.Tensor | None:
        scores.clear()
        torch.manual_seed(0)
        if name.isdigit():
            output = module(*(ids if i == int(name) else a for i, a in enumerate(args)), **kwargs)
        else:
            output = module(*args, **{**kwargs, name: ids})
        answer = first_tensor(output)
        return answer if answer is not None and answer.ndim > 1 else scores[-1] if scores else None

    return {"argument": name, "batch_first": batch_first, **dependence(module, given.detach(), again, batch_first)}


def dependence(module: Any, ids: torch.Tensor, again: Callable[[torch.Tensor], torch.Tensor | None], batch_first: bool) -> dict[str, Any]:
    """``length``, and for each changed position ``changed``: ``[position, change at the one before it, largest change before it, change at
    itself, largest change after it]``, relative to the largest; empty where that cannot be told, or nothing moves."""
    module.eval()
    length = ids.shape[1] if batch_first else ids.shape[0]
    found: list[list[float]] = []
    with torch.no_grad():
        before = again(ids.clone())
        for share in PLACES:
            position = min(length - 1, int(share * length))
            changed = ids.clone()
            column = changed[:, position] if batch_first else changed[position]
            other = column.roll(1) if len(column) > 1 else column
            different = ids.reshape(-1)
            for row in range(len(column)):
                if int(other[row]) == int(column[row]):
                    choice = different[different != column[row]]
                    if len(choice):
                        other[row] = choice[row % len(choice)]
            if batch_first:
                changed[:, position] = other
            else:
                changed[position] = other
            after = again(changed)
            moved = _by_position(before, after, ids, batch_first)
            if moved is None:
                continue
            scale = float(moved.max())
            if scale <= 1e-9 or position >= len(moved) or position < 1:
                continue
            later = float(moved[position + 1 :].max()) if position + 1 < len(moved) else 0.0
            changes = (float(moved[position - 1]), float(moved[:position].max()), float(moved[position]), later)
            found.append([position, *(one / scale for one in changes)])
    return {"length": length, "changed": found}


def _by_position(one: torch.Tensor | None, other: torch.Tensor | None, ids: torch.Tensor, batch_first: bool) -> torch.Tensor | None:
    """The largest change at each position of the sequence, where the answer has one for each."""
    if one is None or other is None or one.shape != other.shape:
        return None
    rows, length = ids.shape if batch_first else (ids.shape[1], ids.shape[0])
    change = (other.double() - one.double()).abs()
    for width in (length, length - 1):
        if change.ndim >= 3 and change.shape[:2] == (rows, width):
            return change.flatten(2).amax((0, 2))
        if change.ndim >= 3 and change.shape[:2] == (width, rows):
            return change.flatten(2).amax((1, 2))
        if change.ndim == 3 and change.shape[0] == rows and change.shape[2] == width:
            return change.amax((0, 1))
        if change.ndim == 2 and change.shape[0] == rows * width:
            return change.amax(1).reshape(rows, width).amax(0) if batch_first else change.amax(1).reshape(width, rows).amax(1)
    return None
