"""Graphs that reach back over an earlier backward: a recurrent state, or a sum of losses, that carries its history along."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from typing import Any

import torch

from doctorch.observe.events import Watcher
from doctorch.observe.graph import MAX_NODES
from doctorch.observe.lines import Site, here
from doctorch.observe.session import Session

MAX_BOUNDS = 512
"""Earlier backward calls remembered, by the number that the graph's next node had when they ended."""
MAX_READS = 6
"""Lines told of one graph."""
MAX_LOOKS = 12
MAX_TENSORS = 64
"""Tensors looked at among the arguments, and among the results, of a model's call."""


class CarriedWatcher(Watcher):
    """Numbers and lines only: no node of a graph is kept."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.reset()

    def reset(self) -> None:
        self.bounds: dict[str, deque[int]] = {}
        """By backward line."""
        self.last = 0
        """Number of the next node when the last backward ended."""
        self.growing: set[str] = set()
        """Backward lines whose graph reached further back at the last look than at the one before."""
        self.losses: deque[int] = deque(maxlen=MAX_BOUNDS)
        """Numbers of the nodes that backward was called on."""
        self.lines: dict[int, Site] = {}
        """The line of each node of the segment before, where that was looked at."""
        self.results: dict[int, set[int]] = {}
        """By id of a model: numbers of the nodes of its last results."""

    def install(self) -> None:
        events = self.session.events
        events.root_call.append(self._called)
        events.root_return.append(self._returned)
        events.backward_begins.append(self._backward_begins)
        events.backward_ended.append(self._backward_ended)

    # ---- a model is given what it returned before the last backward

    def _called(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        mine = self.results.get(id(module))
        if not mine or not self.session.grad_at_call:
            return
        for tensor, depth in _tensors((args, kwargs)):
            node = tensor.grad_fn
            if node is not None and node._sequence_nr() < self.last and node._sequence_nr() in mine:
                self._given_back(depth)
                return

    def _given_back(self, depth: int) -> None:
        site = here(4)
        recorder = self.session.recorder
        entry = recorder.fact("carried", f"call@{site.key if site else '?'}", site, lambda: {"how": "call", "tuple": depth > 1})
        entry.count += 1
        recorder.touch(entry)

    def _returned(self, module: torch.nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        nodes = (tensor.grad_fn for tensor, _ in _tensors(output))
        self.results[id(module)] = {node._sequence_nr() for node in nodes if node is not None}

    # ---- the graph

    def _backward_begins(self, loss: torch.Tensor | None, site: Site | None) -> None:
        tape = self.session.tape
        root = loss.grad_fn if loss is not None else None
        if root is None:
            return
        key = site.key if site is not None else "?"
        if self.session.deep and tape.oldest < tape.began:
            self._look(root, site, key)
        elif key in self.growing or self._kept_at_first(key):
            self._look_on(root, key)
        self.losses.append(root._sequence_nr())

    def _look(self, root: Any, site: Site | None, key: str) -> None:
        """The graph reaches back: over how many calls of this backward, and where this segment reads what an earlier one made."""
        numbers, reads = _walk(root, self.session.tape.began)
        self._chain(key, numbers)
        for reader, old in list(reads.items())[:MAX_READS]:
            self._read(reader, old, site)

    def _kept_at_first(self, key: str) -> bool:
        """The second call of a backward that keeps its graph: a look even where nothing else is looked at (a loop without modules)."""
        entry = self.session.recorder.writer.entries.get(("backward", key))
        return entry is not None and entry.data["retain_graph"] == entry.data["count"] == 2

    def _look_on(self, root: Any, key: str) -> None:
        """Outside deep segments, as long as the chain grows from one backward to the next."""
        numbers, _ = _walk(root, 0)
        self._chain(key, numbers)

    def _chain(self, key: str, numbers: list[int]) -> None:
        recorder = self.session.recorder
        bounds = list(self.bounds.get(key, ()))
        entry = recorder.writer.entries.get(("backward", key))
        if entry is None:
            return
        chain = len({bisect_right(bounds, number) for number in numbers})
        looks = entry.data.setdefault("chains", [])
        grown = chain > 1 and (not looks or chain > looks[-1][1])
        if len(looks) < MAX_LOOKS and (grown or not looks or chain != looks[-1][1]):
            looks.append([entry.data["count"], chain, len(numbers)])
            recorder.touch(entry)
        if grown and len(looks) < MAX_LOOKS:
            self.growing.add(key)
        else:
            self.growing.discard(key)

    def _read(self, reader: int, old: int, backward: Site | None) -> None:
        recorder, tape = self.session.recorder, self.session.tape
        site, made = _line(tape.line_of_seq, reader), _line(self.lines, old)
        entry = recorder.fact("carried", f"read@{site.key if site else '?'}", site, lambda: {"how": "read", "again": 0, "loss": 0})
        entry.count += 1
        entry.data["made_site"] = made.as_data if made is not None else None
        entry.data["backward_site"] = backward.as_data if backward is not None else None
        entry.data["again"] += made is not None and made.id in tape.lines
        entry.data["loss"] += old in self.losses
        recorder.touch(entry)

    def _backward_ended(self, loss: Any, site: Site | None, failure: BaseException | None) -> None:
        self.last = torch._C._autograd._get_sequence_nr()
        key = site.key if site is not None else "?"
        self.bounds.setdefault(key, deque(maxlen=MAX_BOUNDS)).append(self.last)
        if self.session.deep:
            self.lines = self.session.tape.line_of_seq
        elif self.lines:
            self.lines = {}


def _line(lines: dict[int, Site], number: int) -> Site | None:
    """The line of a node. An operator that works in place makes two, of which the second is known."""
    return lines.get(number) or lines.get(number + 1)


def _walk(root: Any, began: int) -> tuple[list[int], dict[int, int]]:
    """The numbers of all nodes; and of those of this segment that read older ones, with the number of the oldest read."""
    numbers: list[int] = []
    reads: dict[int, int] = {}
    seen = {root}
    waiting = [(root, root._sequence_nr())]
    while waiting and len(seen) < MAX_NODES:
        node, number = waiting.pop()
        numbers.append(number)
        for following, _ in node.next_functions:
            if following is None or hasattr(following, "variable"):
                continue
            below = following._sequence_nr()
            if below < began <= number:
                reads[number] = min(below, reads.get(number, below))
            if following not in seen:
                seen.add(following)
                waiting.append((following, below))
    return numbers, reads


def _tensors(value: Any, depth: int = 0) -> Iterator[tuple[torch.Tensor, int]]:
    """The tensors among arguments or results, with the number of tuples, lists and dicts around them beyond the first."""
    if isinstance(value, torch.Tensor):
        yield value, depth
    elif isinstance(value, (tuple, list)) and depth < 4:
        for item in value[:MAX_TENSORS]:
            yield from _tensors(item, depth + (depth > 0 or isinstance(item, (tuple, list, dict))))
    elif isinstance(value, dict) and depth < 4:
        for item in list(value.values())[:MAX_TENSORS]:
            yield from _tensors(item, depth + 1)
