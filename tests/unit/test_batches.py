"""Which batch of a loader the loop is at."""

from __future__ import annotations

from collections import UserDict

import torch

from doctorch.observe.batches import Batches, weakly


def test_a_loop_that_fetches_ahead() -> None:
    batches = Batches()
    first, second = torch.zeros(2), torch.ones(2)
    batches.add({"x": first, "y": torch.zeros(2)}, [3, 1])
    batches.add({"x": second}, [0, 2])
    batches.given(iter([first]))
    assert batches.ahead == 1
    assert batches.indices_of(first) == [3, 1]
    assert batches.indices_of(torch.zeros(2)) == [3, 1], "made of what the loop is at"
    third = torch.ones(3)
    batches.add([third], [5])
    assert batches.indices_of(torch.zeros(2)) is None, "no model was seen since: it may be either"
    assert batches.indices_of(third) == [5]


def test_a_plain_loop() -> None:
    batches = Batches()
    assert batches.indices_of(torch.zeros(1)) is None
    assert batches.current is None
    batch = [torch.zeros(2), torch.ones(2)]
    batches.add(batch, [1, 0])
    assert batches.indices_of(torch.zeros(2)) == [1, 0]
    assert batches.candidates() == [batches.current]


def test_copies_on_a_device() -> None:
    batches = Batches()
    x, other = torch.zeros(2), torch.ones(2)
    batches.add((x,), [4, 5])
    batches.add((other,), [6, 7])
    moved = x.clone()
    batches.moved(x, moved)
    batches.given(iter([moved]))
    assert batches.ahead == 1


def test_no_tensor_is_kept() -> None:
    x = torch.zeros(2)
    held = weakly(UserDict(x=x, name="a"))
    assert held["x"]() is x
    assert held["name"] == "a"
    del x
    assert held["x"]() is None
