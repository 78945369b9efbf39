"""Fingerprints of the rows of a batch: enough to know a row again, nothing of what is in it."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any

import torch

from doctorch.observe import values

if TYPE_CHECKING:
    from doctorch.observe.recorder import Recorder

MAX_BYTES = 1 << 19
"""Read of one batch; of larger ones the first rows are read."""
ROW_BYTES = 1 << 15
"""Read of one row: of a larger one its two halves' first bytes."""
MIN_ROWS = 8
DEVICE_COLUMNS = 64
"""Elements of a row that are read on an accelerator, evenly spread."""
MAX_ROWS = 512
IN_ORDER = 32
"""Of more rows the first ones are read one by one, the others evenly spread."""
COLUMNS = 4
MAX_COLUMN_ROWS = 64
"""Elements of each row that are kept apart, to see in how many values a column comes."""
HALF = 1 << 24
"""What comes back from an accelerator comes as float32, which holds whole numbers up to this."""


class Rows:
    """The rows of one batch."""

    __slots__ = ("total", "prints", "columns", "shifts", "neighbours", "read")

    def __init__(self, total: int) -> None:
        self.total = total
        """Rows of the batch."""
        self.prints: list[int] = []
        """Of the rows that were read, constant ones left out."""
        self.columns: list[tuple[Any, ...]] = []
        """A few elements of each, as fingerprints; floating-point rows on the CPU only."""
        self.shifts = self.neighbours = 0
        """Rows that are the one before moved on by one place, as windows over a series are; and all that were compared so."""
        self.read = False
        """The fingerprints have arrived."""


def of(recorder: Recorder, tensors: list[torch.Tensor], closely: bool = False) -> Rows:
    """Fingerprints of the rows of tensors that belong together, the first of which tells how many there are; at once on the CPU, else
    some steps later. ``closely``: columns and shifts too."""
    rows = Rows(tensors[0].shape[0])
    same = [t.detach() for t in tensors if t.ndim and t.shape[0] == rows.total and values.readable(t)]
    if not same or not rows.total or any(t.layout is not torch.strided for t in same):
        return rows
    if all(t.is_cpu for t in same):
        _read(rows, same, closely)
        rows.read = True
    else:
        _queue(recorder, rows, same)
    return rows


def _read(rows: Rows, tensors: list[torch.Tensor], closely: bool) -> None:
    sizes = [t[0].numel() * t.element_size() for t in tensors]
    taken = min(rows.total, MAX_ROWS, max(MIN_ROWS, MAX_BYTES // max(1, sum(min(size, ROW_BYTES) for size in sizes))))
    chosen = _chosen(rows.total, taken)
    parts = [_bytes(t, size, chosen) for t, size in zip(tensors, sizes, strict=True)]
    first = tensors[0]
    element = first.element_size()
    columns = _places(first, sizes[0]) if closely and first.is_floating_point() else []
    step = element * (first.shape[2] if first.ndim == 3 else 1)
    before: bytes | None = None
    for number, place in enumerate(chosen):
        row = parts[0][number]
        if row[:element] == row[-element:] and len(row) > element and row == row[:element] * (len(row) // element):
            before = None
            continue  # blank: padding, an empty picture
        rows.prints.append(hash(row) if len(parts) == 1 else hash(tuple(part[number] for part in parts)))
        if closely and number < MAX_COLUMN_ROWS:
            rows.columns.append(tuple(hash(row[at : at + element]) for at in columns))
        if closely and place < IN_ORDER:
            if before is not None and first.ndim < 4 and len(row) > 2 * step and row[:-step] == before[step:]:
                rows.shifts += 1
            rows.neighbours += before is not None
            before = row


def _places(tensor: torch.Tensor, size: int) -> list[int]:
    """Where in the bytes of a row a few of its elements stand."""
    element = tensor.element_size()
    number = min(size, ROW_BYTES) // element
    return (
        [element * (number * (2 * k + 1) // (2 * COLUMNS)) for k in range(COLUMNS)]
        if number >= COLUMNS
        else [element * k for k in range(number)]
    )


def _chosen(total: int, taken: int) -> list[int]:
    """Which rows are read."""
    if total <= taken:
        return list(range(total))
    first = min(IN_ORDER, taken // 2)
    step = (total - first) / (taken - first)
    return [*range(first), *(first + int(step * k) for k in range(taken - first))]


def _bytes(tensor: torch.Tensor, size: int, chosen: list[int]) -> list[bytes]:
    """The bytes of each row, or of parts of it."""
    if not tensor[0].is_contiguous():
        tensor = tensor[chosen].contiguous()  # rows that lie scattered are brought together
        chosen = list(range(len(chosen)))
    stride = tensor.stride(0) * tensor.element_size()
    starts = [tensor.data_ptr() + stride * place for place in chosen]
    if size <= ROW_BYTES:
        return [ctypes.string_at(start, size) for start in starts]
    half, middle = ROW_BYTES // 2, size // 2 // 16 * 16
    return [ctypes.string_at(start, half) + ctypes.string_at(start + middle, half) for start in starts]


def _queue(recorder: Recorder, rows: Rows, tensors: list[torch.Tensor]) -> None:
    whole: torch.Tensor | None = None
    blank: torch.Tensor | None = None
    for tensor in tensors:
        some = tensor[:: math.ceil(rows.total / MAX_ROWS)]
        some = some.reshape(some.shape[0], -1)
        some = some[:, :: max(1, some.shape[1] // DEVICE_COLUMNS)][:, :DEVICE_COLUMNS]
        bits = _bits(some)
        mixed = _mixed(bits)
        whole = mixed if whole is None else _mixed(torch.stack((whole, mixed), 1))
        if blank is None:
            blank = (bits == bits[:, :1]).all(1) & (bits.shape[1] > 1)
    if whole is None or blank is None:
        return

    def use(found: list[list[float]]) -> None:
        low, high, empty = found
        rows.prints = [int(a) + HALF * int(b) for a, b, c in zip(low, high, empty, strict=True) if not c]
        rows.read = True

    values.read_lists_later(recorder, [whole & (HALF - 1), (whole >> 24) & (HALF - 1), blank], use)


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    """The elements as integers of the same bits."""
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor).flatten(1)
    if tensor.is_floating_point():
        sizes = {2: torch.int16, 4: torch.int32, 8: torch.int64}
        tensor = (
            tensor.contiguous().view(sizes[tensor.element_size()]) if tensor.element_size() in sizes else tensor.float().view(torch.int32)
        )
    return tensor.long()


def _mixed(bits: torch.Tensor) -> torch.Tensor:
    """One number a row: each element is multiplied by an odd number of its column's, then the sum is stirred (as in splitmix64)."""
    weight = torch.arange(1, 2 * bits.shape[1], 2, device=bits.device) * -7046029254386353131
    mixed = (bits + weight) * weight
    mixed = (mixed ^ (mixed >> 29)) * -4658895280553007687
    total = mixed.sum(1)
    return (total ^ (total >> 32)) * -7723592293110705685
