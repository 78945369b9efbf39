"""Fingerprints of rows: the same for the same row, wherever and in whatever batch it stands, on the CPU and by the accelerator's way."""

from __future__ import annotations

from typing import Any, cast

import pytest
import torch

from doctorch.observe import rows
from doctorch.observe.rows import Rows


class Recorder:
    steps = 0


def read(*tensors: torch.Tensor, by: str = "bytes") -> Rows:
    recorder = cast(Any, Recorder())
    if by == "bytes":
        return rows.of(recorder, list(tensors), closely=True)
    found = Rows(tensors[0].shape[0])
    rows._queue(recorder, found, list(tensors))
    return found


@pytest.mark.parametrize("by", ["bytes", "operators"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool])
def test_a_row_is_known_again(by: str, dtype: torch.dtype) -> None:
    table = (torch.arange(600).reshape(40, 15) * 37 % 101).to(dtype)
    if dtype is torch.bool:
        table = (torch.arange(600).reshape(40, 15) * 37 % 101) % 3 == 0
    whole = read(table, by=by)
    order = torch.tensor([7, 3, 21, 7])
    some = read(table[order], by=by)
    assert some.prints == [whole.prints[i] for i in order.tolist()]
    assert len(set(whole.prints)) == len({tuple(row) for row in table.tolist()})
    assert whole.total == 40
    assert whole.read


@pytest.mark.parametrize("by", ["bytes", "operators"])
def test_rows_that_lie_scattered(by: str) -> None:
    table = torch.linspace(0, 1, 480).reshape(12, 40)
    assert read(table.t().contiguous().t(), by=by).prints == read(table, by=by).prints
    assert read(table.expand(2, 12, 40)[1], by=by).prints == read(table, by=by).prints


@pytest.mark.parametrize("by", ["bytes", "operators"])
def test_blank_rows_are_left_out_and_all_tensors_count(by: str) -> None:
    table = torch.linspace(0, 1, 40).reshape(4, 10)
    table[2] = 0.5
    assert len(read(table, by=by).prints) == 3
    one, other = torch.tensor([[1, 2], [1, 2]]), torch.tensor([3, 4])
    assert len(set(read(one, by=by).prints)) == 1
    assert len(set(read(one, other, by=by).prints)) == 2


def test_large_rows_and_many_rows_are_read_in_part() -> None:
    pictures = torch.arange(12 * 3 * 128 * 128, dtype=torch.float32).reshape(12, 3, 128, 128)
    found = read(pictures)
    assert rows.MIN_ROWS <= len(found.prints) <= 12
    assert found.prints == read(pictures.clone()).prints
    many = torch.arange(40_000, dtype=torch.float32).reshape(10_000, 4)
    assert len(read(many).prints) == rows.MAX_ROWS == len(set(read(many).prints))


def test_windows_are_rows_moved_on() -> None:
    windows = torch.linspace(0, 1, 60).unfold(0, 10, 1)
    found = read(windows)
    assert found.shifts == found.neighbours > 20
    assert read(windows[torch.arange(0, 51, 7)]).shifts == 0
