"""Whether targets are padded: one value fills the ends of the rows, where the inputs are filled too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import ref

import torch

from doctorch.observe import values

if TYPE_CHECKING:
    from doctorch.observe.session import Session
    from doctorch.records.writer import Entry

MAX_INPUTS = 3
"""Sequences among the arguments of a model that are compared with the targets."""
MAX_ELEMENTS = 60_000
"""A batch of 120 rows of 512 tokens; larger ones are left alone."""
MIN_WIDTH = 2
INTEGERS = frozenset((torch.int64, torch.int32, torch.int16, torch.uint8))


def sequences(arguments: Iterable[Any]) -> list[ref[torch.Tensor]]:
    """The arguments of a model that may be padded sequences: rows of ids, or of vectors."""
    found: list[ref[torch.Tensor]] = []
    for one in arguments:
        if isinstance(one, torch.Tensor) and len(found) < MAX_INPUTS and one.numel() <= MAX_ELEMENTS:
            ids = one.ndim == 2 and one.dtype in INTEGERS
            vectors = one.ndim == 3 and one.is_floating_point() and not one.requires_grad
            if (ids or vectors) and min(one.shape) > 1:
                found.append(ref(one))
    return found


def look(session: Session, entry: Entry, inputs: Sequence[ref[torch.Tensor]], target: torch.Tensor, bound: dict[str, Any]) -> None:
    """Compare the ends of the rows of targets and inputs. Adds ``padding`` to the fact of the loss call."""
    if bound.get("reduction", "mean") == "none" or bound.get("weight") is not None or target.numel() > MAX_ELEMENTS:
        return
    ignored = int(bound.get("ignore_index", -100))
    for known in inputs:
        tensor = known()
        if tensor is None or not values.readable(tensor) or tensor.device != target.device:
            continue
        for rows, first in ((tensor.shape[0], True), (tensor.shape[1], False)):
            targets = _rows(target, rows, first)
            if targets is None:
                continue
            filled = _filled(tensor if first else tensor.transpose(0, 1))
            _compare(session, entry, filled, targets, ignored)
            if targets.shape[1] > MIN_WIDTH:  # shifted by the model, with nothing to tell at the last position
                _compare(session, entry, filled, targets[:, :-1], ignored, (targets[:, -1] == ignored).all())


def _rows(target: torch.Tensor, rows: int, batch_first: bool) -> torch.Tensor | None:
    """The targets as (rows, positions), undone of the flattening for the loss."""
    if target.ndim > 2 or target.numel() % rows or target.numel() < 2 * rows:
        return None
    if target.ndim == 2:
        shaped = target if batch_first else target.transpose(0, 1)
        return shaped if shaped.shape[0] == rows else None
    return target.reshape(rows, -1) if batch_first else target.reshape(-1, rows).transpose(0, 1)


def _filled(tensor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Where the value that most rows end with stands (for vectors: zeros), and that value."""
    if tensor.ndim == 3:
        return (tensor == 0).all(-1), torch.zeros((), device=tensor.device)
    value = torch.mode(tensor[:, -1]).values
    return tensor == value, value


def _ends(filled: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Length of the run at the end of each row, and how many stand elsewhere."""
    lengths = filled.flip(1).long().cumprod(1).sum(1)
    return lengths, filled.sum() - lengths.sum()


def _compare(
    session: Session, entry: Entry, filled: tuple[torch.Tensor, torch.Tensor], targets: torch.Tensor, ignored: int,
    where: torch.Tensor | None = None,
) -> None:  # fmt: skip
    """``where``: counts only where that is true."""
    at, value = _filled(targets)
    lengths, inside = _ends(at)
    input_lengths, input_inside = _ends(filled[0])
    same = (((lengths - input_lengths).abs() <= 1) & (lengths > 0)).sum()
    scalars = [value, lengths.sum(), inside, (lengths > 0).sum(), same, lengths.min(), lengths.max()]
    scalars += [input_inside, (input_lengths > 0).sum(), torch.ones_like(inside) if where is None else where]
    rows, numel, width = targets.shape[0], targets.numel(), filled[0].shape[1]

    def use(numbers: list[float]) -> None:
        pad, run, inner, ended, alike, shortest, longest, input_inner, input_ended, counts = (int(number) for number in numbers)
        # Rows that end at different places, in inputs and targets alike, and a value that hardly stands anywhere else.
        if not counts or pad == ignored or longest == shortest or not alike or alike < 0.9 * max(ended, input_ended):
            return
        if inner > 0.02 * run or input_inner > 0.05 * rows * width:
            return
        data = entry.data.setdefault("padding", {"id": pad, "looks": 0, "targets": 0, "pads": 0, "rows": 0, "padded_rows": 0})
        if data["id"] != pad:
            return
        data["looks"] += 1
        data["targets"] += numel
        data["pads"] += run
        data["rows"] += rows
        data["padded_rows"] += ended
        session.recorder.touch(entry)

    values.read_later(session.recorder, scalars, use)
