"""What the rules on shifted targets share: targets against the model's ids by offset, and whether the model looks ahead."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from doctorch.analysis.probes import probe
from doctorch.findings import Place
from doctorch.records.reader import Fact, Process
from doctorch.rules.learning_data.sources import target_expression
from doctorch.rules.shared import place_of
from doctorch.source import origin
from doctorch.source.project import Project

SAME = 0.98
"""Share of targets equal to the ids at an offset from which they are taken for those ids: masked language models change 15 % of them."""
OTHER = 0.9
"""At the other offsets so many may be equal: text repeats itself, but not that much."""
MIN_POSITIONS = 50
STILL = 1e-4
"""Change of an answer, relative to the largest, up to which it has not moved: rounding stays below 1e-6."""
MOVES = 1e-3
OFFSETS = (-1, 0, 1, 2, 3)


@dataclass(frozen=True)
class Shift:
    """Targets of one loss against one argument of a model."""

    fact: Fact

    def share(self, offset: int) -> float:
        """Share of the targets that are the id so many positions on."""
        positions = int(self.fact["positions"][str(offset)])
        return int(self.fact["equal"][str(offset)]) / positions if positions else 0.0

    @property
    def offset(self) -> int | None:
        """The one offset at which targets and ids are the same."""
        best = [k for k in OFFSETS if int(self.fact["positions"][str(k)]) >= MIN_POSITIONS and self.share(k) >= SAME]
        others = [self.share(k) for k in OFFSETS if k not in best]
        return best[0] if len(best) == 1 and max(others) <= OTHER else None


def shifts(process: Process) -> Iterator[Shift]:
    """All comparisons of a process."""
    for fact in process.facts("shift"):
        yield Shift(fact)


@dataclass(frozen=True)
class Ahead:
    """What changing one token did to the model's answers before it."""

    previous: tuple[float, ...]
    """For each changed token: change at the position before it, relative to the largest."""
    before: float
    """The largest change at any position before."""
    length: int

    @property
    def never(self) -> bool:
        """No answer moves with a later token."""
        return self.before <= STILL

    @property
    def always(self) -> bool:
        """The answer for each position moves with the token after it."""
        return min(self.previous) >= MOVES


def ahead(process: Process, shift: Shift) -> Ahead | None:
    """Whether the model looks ahead in that argument; None where the experiment was not made."""
    found = probe(process, "position-dependence")
    if found is None or (found.data.get("root"), found.data.get("argument")) != (shift.fact["root"], shift.fact["name"]):
        return None
    changed = [one for one in found.data.get("changed") or () if one[3] > 0]
    if not changed:
        return None
    return Ahead(tuple(float(one[1]) for one in changed), max(float(one[2]) for one in changed), int(found.data.get("length") or 0))


def target_lines(project: Project, shift: Shift) -> tuple[Place | None, tuple[Place, ...]]:
    """The line that makes the targets, by a slice where there is one, and the lines on the way; else the loss."""
    call = place_of(shift.fact)
    found = target_expression(project, shift.fact)
    stops = origin.chain(project, *found) if found is not None else []
    sliced = [
        stop
        for stop in stops
        if any(isinstance(node, ast.Subscript) and _is_slice(node.slice) for node in ast.walk(stop.node))
        and (stop.file.path, stop.line) != (call.file if call else "", call.line if call else 0)
    ]
    place = Place(sliced[0].file.path, sliced[0].line) if sliced else call
    others = (*(Place(stop.file.path, stop.line) for stop in stops), call)
    return place, tuple(dict.fromkeys(one for one in others if one is not None and one != place))[:4]


def _is_slice(index: ast.expr) -> bool:
    return isinstance(index, ast.Slice) or (isinstance(index, ast.Tuple) and any(isinstance(one, ast.Slice) for one in index.elts))
