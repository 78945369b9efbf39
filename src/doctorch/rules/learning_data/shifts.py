"""What the rules on shifted targets share: targets against the model's ids by offset, and whether the model looks ahead."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from doctorch.analysis.packages import package_at
from doctorch.analysis.probes import probe
from doctorch.findings import Place
from doctorch.records.reader import Fact, Process
from doctorch.rules.learning_data.sources import batch_expressions, target_expression
from doctorch.rules.shared import place_of
from doctorch.source import origin, query
from doctorch.source.origin import Origin
from doctorch.source.project import Project

SAME = 0.98
"""Share of targets equal to the ids at an offset from which they are taken for those ids: masked language models change 15 % of them."""
OTHER = 0.9
"""At the other offsets so many may be equal: text repeats itself, but not that much."""
MIN_POSITIONS = 50
HALF = 0.5
"""Share of the targets that an offset must reach: of a short sequence turned round, the last id and the first target are the same."""
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
        positions = {k: int(self.fact["positions"][str(k)]) for k in OFFSETS}
        enough = max(MIN_POSITIONS, HALF * max(positions.values()))
        best = [k for k in OFFSETS if positions[k] >= enough and self.share(k) >= SAME]
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
    itself: float
    """The least change at a position whose own token was changed."""
    after: float
    """The largest change at any position after."""
    length: int

    @property
    def never(self) -> bool:
        """No answer moves with a later token, and some move with an earlier one: these are the positions of a sequence."""
        return self.before <= STILL and self.after >= MOVES

    @property
    def own(self) -> bool:
        """The answer for each position moves with the token at it: the model does not shift them by itself, as an encoder-decoder does
        with the labels that it is given."""
        return self.itself >= MOVES

    @property
    def always(self) -> bool:
        """The answer for each position moves with the token after it."""
        return min(self.previous) >= MOVES


def ahead(process: Process, shift: Shift) -> Ahead | None:
    """Whether the model looks ahead in that argument; None where the experiment was not made."""
    found = probe(process, "position-dependence")
    if found is None or found.data.get("root") != shift.fact["root"]:
        return None
    which = (shift.fact["name"], shift.fact["batch_first"])
    subject = next((one for one in found.data.get("subjects") or () if (one["argument"], one["batch_first"]) == which), None)
    if subject is None or not subject["changed"]:
        return None
    columns = list(zip(*subject["changed"], strict=True))
    return Ahead(tuple(map(float, columns[1])), max(columns[2]), min(columns[3]), max(columns[4]), int(subject["length"]))


def target_lines(project: Project, shift: Shift) -> tuple[Place | None, tuple[Place, ...]]:
    """The line that makes the targets, by a slice where there is one, and the lines on the way; else the loss."""
    call = place_of(shift.fact)
    if package_at(shift.fact.process, call) is not None:
        made = _returned_line(project, shift)
        return made or call, tuple(one for one in (call,) if made is not None and one is not None)
    found = target_expression(project, shift.fact)
    stops = origin.chain(project, *found) if found is not None else []
    sliced = [stop for stop in stops if call is None or (stop.file.path, stop.line) != (call.file, call.line)]
    sliced = [stop for stop in sliced if _slices(stop)]
    place = Place(sliced[0].file.path, sliced[0].line) if sliced else call
    others = (*(Place(stop.file.path, stop.line) for stop in stops), call)
    return place, tuple(dict.fromkeys(one for one in others if one is not None and one != place))[:4]


def _returned_line(project: Project, shift: Shift) -> Place | None:
    """Where the user's code returns the targets that a package hands on: the value, beside the ids, that is a slice; else all of it."""
    lines: list[Place] = []
    for file, value in batch_expressions(project, shift.fact.process):
        lines.append(Place(file.path, value.lineno))
        parts = zip(value.keys, value.values, strict=True) if isinstance(value, ast.Dict) else ()
        others = [part for key, part in parts if isinstance(key, ast.Constant) and key.value != shift.fact["name"]]
        sliced = [part for part in others if any(isinstance(n, ast.Subscript) and _is_slice(n.slice) for n in ast.walk(part))]
        if len(sliced) == 1:
            return Place(file.path, sliced[0].lineno)
    return lines[0] if len(set(lines)) == 1 else None


def _slices(stop: Origin) -> bool:
    statement = query.statement_of(stop.file, stop.node)
    return statement is not None and any(isinstance(node, ast.Subscript) and _is_slice(node.slice) for node in ast.walk(statement))


def _is_slice(index: ast.expr) -> bool:
    return isinstance(index, ast.Slice) or (isinstance(index, ast.Tuple) and any(isinstance(one, ast.Slice) for one in index.elts))
