"""duplicate-leak: rows that the model is validated on are among those it was trained on."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from doctorch.findings import Finding, Place, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_data.sources import input_chain
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source import origin, query
from doctorch.source.files import SourceFile
from doctorch.source.origin import Origin
from doctorch.source.pairing import SEEDS
from doctorch.source.project import Project, project_of

MIN_EXAMINED = 20
MIN_KNOWN = 10
MIN_SHARE = 0.02
"""Fewer rows in common are the doubles that real data have."""
SAME_ROWS = 0.9
"""Share of a pass's rows that were in the pass before, from which both go through one set: a policy's states are others each time."""
COVERS = 0.9
"""Share of what was trained on that a set holds, from which it is the training set itself, evaluated to print its loss."""
SMALLER = 0.8
"""… unless it has so much fewer rows than the training set: then rows come several times."""
RICH = 0.9
"""Share of the rows that have a value of their own in a column, from which the column is continuous."""
RICH_COLUMNS = 2
WINDOWS = 0.5
"""Share of rows that are the one before moved on by one, from which they are windows over a series."""
NATURAL = 2.0
"""Multiple of what equal rows by nature account for, that the known ones must exceed."""
EXPECTED_IN_BATCH = 5
"""Known rows that a batch would hold if they lay evenly, from which a batch without any tells of two sets at one place."""
PARTITIONS = ("random_split", "train_test_split")
"""Calls that make parts of which one is not meant to be trained on."""
SPLITS = (*PARTITIONS, "Subset")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        sets = [fact for fact in process.facts("evaluated_rows") if _counts(process, fact)]
        project = project_of(run)
        leaks = [fact for fact in sets if _leaks(project, process, fact, sets)]
        if leaks:
            yield _finding(project, process, max(leaks, key=lambda fact: (int(fact.get("known")), int(fact.get("rows")))))


def _counts(process: Process, fact: Fact) -> bool:
    """Whether it is a set that the model is evaluated on: the same rows each time, or rows gone through once when all was trained."""
    if not fact.get("passes") or int(fact.get("examined") or 0) < MIN_EXAMINED:
        return False
    return (int(fact.get("passes")) > 1 and float(fact.get("repeated")) >= SAME_ROWS) or int(fact.get("step")) >= process.n_steps


def _clean(fact: Fact) -> bool:
    known, examined = int(fact.get("known")), int(fact.get("examined"))
    return known < MIN_KNOWN or known < MIN_SHARE * examined


def _leaks(project: Project, process: Process, fact: Fact, sets: list[Fact]) -> bool:
    if _clean(fact) or fact.get("same_set") or not fact.get("trained") or fact.get("changed") or _moved(fact):
        return False
    if _of_two_sets(fact) or _equal_by_nature(fact):
        return False
    smaller = _smaller(fact)
    if _covers(fact) and not smaller:
        return False
    if not _wholly_known(fact):
        return True
    # All of it was trained on: a part of the training set that is evaluated on purpose, or a validation set that the training was given
    # as well. It is the latter where it is one part of a partition, and nothing else is evaluated that is new to the model.
    others = [one for one in sets if one.get("root") == fact.get("root") and one is not fact]
    if not smaller or any(_clean(one) for one in others):
        return False
    place = _part(project, process, fact)
    file = project.file(place.file) if place is not None else None
    calls = query.calls_at(file, place.line) if file is not None and place is not None else []
    return any((query.qualified(file, call.func) or "").endswith(PARTITIONS) for call in calls if file is not None)


def _smaller(fact: Fact) -> bool:
    """Whether a loader gives it, from a data set with clearly fewer rows than the training's."""
    rows, trained = int(fact.get("set_rows") or 0), [int(n) for n in (fact.get("train_sets") or {}).values()]
    return 0 < rows < SMALLER * max(trained, default=0)


def _covers(fact: Fact) -> bool:
    read = int(fact.get("read"))
    return int(fact.get("known")) * int(fact.get("rows")) >= COVERS * int(fact.get("trained")) * read


def _wholly_known(fact: Fact) -> bool:
    """Whether as many rows are known as there would be if all were trained on: of those only a share was seen in the followed steps."""
    examined, coverage = int(fact.get("examined")), float(fact.get("coverage"))
    least = coverage - 3 * math.sqrt(max(0.0, coverage * (1 - coverage)) / examined) - MIN_SHARE
    return int(fact.get("known")) >= least * examined


def _moved(fact: Fact) -> bool:
    """Whether rows came to the training after they had been evaluated, as pseudo-labels do: in early passes fewer were known than the
    rows trained on by then would have brought."""
    for _, known, trained in fact.get("history") or ():
        expected = int(fact.get("known")) * trained / int(fact.get("trained"))
        if known < expected / 2 and known < expected - 3 * math.sqrt(expected):
            return True
    return False


def _of_two_sets(fact: Fact) -> bool:
    """Some batches hold known rows and others none, and no loader says that they are one set."""
    share = int(fact.get("known")) / int(fact.get("examined"))
    return fact.get("loader") is None and any(not known and n * share >= EXPECTED_IN_BATCH for n, known in fact.get("batches") or ())


def _equal_by_nature(fact: Fact) -> bool:
    """Whether rows of such data are equal as often as this: told by pairs within one pass and within one training batch."""
    distinct = int(fact.get("distinct") or 0)
    rich = sum(values >= RICH * distinct for values in fact.get("column_values") or ())
    windows = int(fact.get("shifted") or 0) > WINDOWS * int(fact.get("neighbours") or 0)
    if distinct >= MIN_EXAMINED and rich >= RICH_COLUMNS and not windows:
        return False
    pairs = int(fact.get("pairs")) + int(fact.get("train_pairs"))
    equal = int(fact.get("equal")) + int(fact.get("train_equal"))
    # At most so likely are two rows to be the same: three deviations of a count above it.
    likely = (equal + 3 * math.sqrt(equal) + 3) / max(1, pairs)
    expected = int(fact.get("examined")) * min(1.0, likely * int(fact.get("trained")))
    return int(fact.get("known")) < NATURAL * expected


def _built(process: Process, fact: Fact) -> Place | None:
    """Where the loader was built that gives the set."""
    loader = process.fact("loader", str(fact.get("loader"))) if fact.get("loader") is not None else None
    return site_place(loader.get("built_site")) if loader is not None else None


def _part(project: Project, process: Process, fact: Fact) -> Place | None:
    """The line that takes the evaluated rows out of more."""
    built = _built(process, fact)
    return _split(project, built) if built is not None else _nearest_split(input_chain(project, fact))


def _finding(project: Project, process: Process, fact: Fact) -> Finding:
    built, place = _built(process, fact), _part(project, process, fact)
    trained = [
        site_place(one.get("built_site"))
        for key in fact.get("train_sets") or {}
        if key != fact.get("loader") and (one := process.fact("loader", str(key))) is not None
    ]
    place = place or built or place_of(fact)
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="known",
        values={
            "known": int(fact.get("known")),
            "examined": int(fact.get("examined")),
            "share": int(fact.get("known")) / int(fact.get("examined")),
            "trained": int(fact.get("trained")),
            "rows": int(fact.get("rows")),
            "step": int(fact.get("step")),
            "evaluation_line": fact.line,
        },
        place=place,
        related=tuple(one for one in related(built, *trained, place_of(fact)) if one != place),
        why="memory",
        fix="split",
        confidence=0.9,
    )


def _split(project: Project, built: Place) -> Place | None:
    """The line that made the data set of the loader that was built there."""
    file = project.file(built.file)
    if file is None:
        return None
    found = set()
    for call in query.calls_at(file, built.line):
        dataset = query.argument(call, 0, "dataset") if (query.qualified(file, call.func) or "").endswith("DataLoader") else None
        if dataset is not None:
            found.add(_nearest_split(origin.chain(project, file, dataset)))
    return found.pop() if len(found) == 1 else None


def _nearest_split(chain: list[Origin]) -> Place | None:
    """The first statement on the way back in which rows are taken out of more."""
    for stop in chain[1:]:
        statement = query.statement_at(stop.file, stop.line)
        value = getattr(statement, "value", None)
        for node in ast.walk(value) if isinstance(value, ast.expr) else ():
            split = isinstance(node, ast.Call) and (query.qualified(stop.file, node.func) or "").endswith(SPLITS)
            if split or (isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant)):
                return Place(stop.file.path, stop.line)
    return None


@dataclass(frozen=True)
class Drawn:
    """A call of ``random_split`` of whose parts only some are kept."""

    statement: ast.Assign
    call: ast.Call
    kept: frozenset[int]


def examine_source(project: Project) -> Iterator[Finding]:
    """One data set split twice at random, one part kept of each: only the parts of one split share no row."""
    for file in project.files:
        drawn = [one for node in file.nodes if (one := _drawn(file, node)) is not None]
        for first, second in itertools.combinations(sorted(drawn, key=lambda one: one.statement.lineno), 2):
            if not first.kept & second.kept and _alike(file, first, second) and not _same_order(file, first, second):
                yield Finding(
                    rule=RULE.id,
                    severity=Severity.WARNING,
                    message="twice",
                    values={"line": second.statement.lineno, "first_line": first.statement.lineno},
                    place=Place(file.path, second.statement.lineno),
                    related=(Place(file.path, first.statement.lineno),),
                    why="apart",
                    fix="split",
                    confidence=0.9,
                    ground="source",
                )


def _drawn(file: SourceFile, node: ast.AST) -> Drawn | None:
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.value, ast.Call):
        return None
    names = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else []
    if not all(isinstance(name, ast.Name) for name in names) or not (query.qualified(file, node.value.func) or "").endswith("random_split"):
        return None
    kept = frozenset(at for at, name in enumerate(names) if isinstance(name, ast.Name) and name.id.strip("_"))
    return Drawn(node, node.value, kept) if 0 < len(kept) < len(names) else None


def _alike(file: SourceFile, first: Drawn, second: Drawn) -> bool:
    """Both split the same: one name, bound once, into parts of the same sizes, in one block."""
    data = [query.argument(one.call, 0, "dataset") for one in (first, second)]
    sizes = [query.argument(one.call, 1, "lengths") for one in (first, second)]
    if not all(isinstance(one, ast.Name) for one in data) or any(one is None for one in sizes):
        return False
    same = [ast.dump(pair[0]) == ast.dump(pair[1]) for pair in (data, sizes) if pair[0] is not None and pair[1] is not None]
    name = data[0].id if isinstance(data[0], ast.Name) else ""
    between = range(first.statement.lineno + 1, second.statement.lineno)
    bound = any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) and n.lineno in between for n in file.nodes)
    return all(same) and not bound and _one_block(file, first.statement, second.statement)


def _one_block(file: SourceFile, first: ast.stmt, second: ast.stmt) -> bool:
    """Whether both run, one after the other: not in two branches."""
    blocks = [getattr(file.parents.get(first), name, None) for name in ("body", "orelse", "finalbody")]
    return any(isinstance(block, list) and first in block and second in block for block in blocks)


def _same_order(file: SourceFile, first: Drawn, second: Drawn) -> bool:
    """Whether both draw the same order, or may: from generators of the same seed, or after a seed was set anew."""
    generators = [query.argument(one.call, 2, "generator") for one in (first, second)]
    if generators[0] is not None and generators[1] is not None:
        seeded = all(isinstance(one, ast.Call) for one in generators)
        return not seeded or ast.dump(generators[0]) == ast.dump(generators[1])
    between = range(first.statement.lineno + 1, second.statement.lineno)
    return any(
        isinstance(node, ast.Call) and node.lineno in between and (query.qualified(file, node.func) or "").rpartition(".")[2] in SEEDS
        for node in file.nodes
    )


RULE = Rule(
    id="duplicate-leak",
    title="Validation rows are in the training set",
    severity=Severity.WARNING,
    needs=frozenset({"evaluated_rows"}),
    examine=examine,
    examine_source=examine_source,
)
