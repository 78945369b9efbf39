"""What models answered last, by weak reference: from whose answer is a value computed?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

import torch

from doctorch.observe.lines import Site

if TYPE_CHECKING:
    from doctorch.observe.session import Session

MAX_ANSWERS = 16
"""Calls of models remembered."""
MAX_NODES = 400
"""Nodes of a graph walked from a loss back to the models: a few behind it the last one's answer stands, and beyond that a model or two."""


class Answers:
    """The outputs of the last calls of models with gradients on."""

    def __init__(self) -> None:
        self.last: list[tuple[str, Site | None, ref[torch.Tensor]]] = []

    def note(self, session: Session, module: torch.nn.Module, site: Site | None, output: Any) -> None:
        """A model has answered."""
        root = session.roots.get(id(module))
        if root is None or root.entry is None:
            return
        for tensor in _tensors(output):
            if tensor.requires_grad:
                self.last.append((root.entry.key, site, ref(tensor)))
        del self.last[:-MAX_ANSWERS]

    def behind(self, value: torch.Tensor) -> list[tuple[str, Site | None]]:
        """The models, and the lines that called them, whose answers a value is computed from."""
        living = [(root, site, tensor) for root, site, known in self.last if (tensor := known()) is not None]
        # A graph's nodes are compared as objects: torch gives the same one for a node as long as someone holds it.
        nodes = [(tensor.grad_fn, root, site) for root, site, tensor in living if tensor.grad_fn is not None]
        found: dict[tuple[str, Site | None], None] = {}
        waiting: list[Any] = [value.grad_fn] if value.grad_fn is not None else []
        met = set(waiting)
        at = 0
        while at < len(waiting) and at < MAX_NODES:
            node = waiting[at]
            at += 1
            for known, root, site in nodes:
                if known is node:
                    found[root, site] = None
            for following, _ in node.next_functions:
                if following is not None and following not in met:
                    met.add(following)
                    waiting.append(following)
        return list(found)


def _tensors(output: Any) -> list[torch.Tensor]:
    if isinstance(output, torch.Tensor):
        return [output]
    parts = output.values() if isinstance(output, dict) else output if isinstance(output, (list, tuple)) else ()
    return [part for part in parts if isinstance(part, torch.Tensor)][:4]
