"""The last batches that loaders gave, and which of them the loop is at: some loops fetch a batch ahead of the one they train on."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import torch

KEPT = 4
"""Batches remembered; wrappers of loaders fetch one or two ahead."""
MAX_TENSORS = 16


class Batch:
    """One batch: weak references only."""

    __slots__ = ("held", "indices", "tensors")

    def __init__(self, batch: Any, indices: Any) -> None:
        self.held = weakly(batch)
        self.indices = indices
        """Of its samples in the dataset, where the sampler tells."""
        self.tensors = [weakref.ref(tensor) for tensor in _tensors(batch)]
        """Its tensors, and their copies on a device."""


class Batches:
    """What was fetched last, newest last."""

    def __init__(self) -> None:
        self.known: deque[Batch] = deque(maxlen=KEPT)
        self.ahead = 0
        """Batches fetched after the one that a model was last seen to be given."""
        self.seen = False
        """A model was seen since the last batch was fetched."""

    def add(self, batch: Any, indices: Any) -> None:
        """A loader gave this."""
        self.known.append(Batch(batch, indices))
        self.seen = False

    def given(self, tensors: Iterator[Any]) -> None:
        """A model is given these: which batch are they of?"""
        for tensor in tensors:
            if isinstance(tensor, torch.Tensor):
                for ahead, batch in enumerate(reversed(self.known)):
                    if any(ref() is tensor for ref in batch.tensors):
                        self.ahead, self.seen = ahead, True
                        return

    def moved(self, source: torch.Tensor, result: torch.Tensor) -> None:
        """A tensor was copied to a device."""
        for batch in self.known:
            if any(ref() is source for ref in batch.tensors):
                batch.tensors.append(weakref.ref(result))

    def indices_of(self, tensor: torch.Tensor) -> Any:
        """The indices of the batch that a tensor is of; of any other tensor those of the batch that the loop is at, where that is sure."""
        for batch in reversed(self.known):
            if any(ref() is tensor for ref in batch.tensors):
                return batch.indices
        at = self.current
        return at.indices if at is not None and (self.seen or not self.ahead) else None

    @property
    def current(self) -> Batch | None:
        """The batch that the loop is at, as far as is known."""
        return self.known[-1 - self.ahead] if len(self.known) > self.ahead else None

    def candidates(self) -> list[Batch]:
        """All that are known, that of the loop first."""
        at = self.current
        return [*([at] if at is not None else []), *(batch for batch in reversed(self.known) if batch is not at)]


def weakly(batch: Any) -> Any:
    """A batch with weak references for its tensors; parts that are neither tensors nor plain containers are left out."""
    if isinstance(batch, torch.Tensor):
        return weakref.ref(batch)
    if type(batch) in (list, tuple):
        return type(batch)([weakly(part) for part in batch])
    if isinstance(batch, Mapping):
        return {name: weakly(part) for name, part in batch.items()}
    return batch if isinstance(batch, (int, float, str)) else None


def _tensors(batch: Any, room: int = MAX_TENSORS) -> list[torch.Tensor]:
    if isinstance(batch, torch.Tensor):
        return [batch]
    found: list[torch.Tensor] = []
    for part in batch.values() if isinstance(batch, Mapping) else batch if type(batch) in (list, tuple) else ():
        if len(found) >= room:
            break
        found += _tensors(part, room - len(found))
    return found
