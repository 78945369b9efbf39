"""Which calls of models a value is computed from. Nodes of a graph are told by their numbers: no tensor is kept."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import torch

MAX_ANSWERS = 16
"""Calls of models remembered."""
MAX_NODES = 400
"""Nodes of a graph walked from a loss back to the models; older ones than their answers are not walked."""
MAX_TENSORS = 4
Call = TypeVar("Call")


class Answers(Generic[Call]):
    """The answers of the last calls of models with gradients on."""

    def __init__(self) -> None:
        self.last: list[tuple[int, str, Call]] = []
        """Number and name of the node that made an answer, and the call."""

    def note(self, call: Call, output: Any) -> None:
        """A model has answered."""
        for tensor in _tensors(output):
            node = tensor.grad_fn
            if node is not None:
                self.last.append((node._sequence_nr(), node.name(), call))
        del self.last[:-MAX_ANSWERS]

    def behind(self, value: torch.Tensor | None) -> list[Call]:
        """The calls whose answers a value is computed from, the nearest first."""
        node: Any = value.grad_fn if value is not None else None
        if node is None or not self.last:
            return []
        left = {(number, name): call for number, name, call in self.last}
        oldest = min(number for number, _ in left)
        found: list[Call] = []
        waiting, met, at = [node], {node}, 0
        while at < len(waiting) and at < MAX_NODES and left:
            node = waiting[at]
            at += 1
            call = left.pop((node._sequence_nr(), node.name()), None)
            if call is not None and call not in found:
                found.append(call)
            for following, _ in node.next_functions:
                # A node's own come before it; those that write a leaf's gradient have the highest number there is.
                if following is not None and following not in met and oldest <= following._sequence_nr() < 1 << 63:
                    met.add(following)
                    waiting.append(following)
        return found


def _tensors(output: Any) -> list[torch.Tensor]:
    if isinstance(output, torch.Tensor):
        return [output]
    parts = output.values() if isinstance(output, dict) else output if isinstance(output, (list, tuple)) else ()
    return [part for part in parts if isinstance(part, torch.Tensor)][:MAX_TENSORS]
