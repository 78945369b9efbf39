"""hidden-state-not-reset: a recurrent model begins each batch with the state of the batch before, whose sequences are others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source import query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

MIN_CARRIED = 3
MOST = 0.5
"""Share of the calls looked at that begin with an older state; a state cleared at each epoch is carried by nearly all others."""
CONTINUED = 0.6
"""Share of the rows that begin with the token with which the row of the step before ended: 1 where a text is read on, about one over
the size of the vocabulary where it is not."""
MIN_COMPARED = 3
SHUFFLES = ("randperm", "permutation", "sample")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        for fact in process.facts("state"):
            carried = int(fact.get("carried") or 0)
            if carried >= MIN_CARRIED and carried >= MOST * int(fact.get("calls") or 0) and (why := _unrelated(run, fact)):
                yield _finding(process, fact, why)
                return


def _unrelated(run: Run, fact: Fact) -> str | None:
    """Why the sequences of a step do not go on those of the step before, or None where they may."""
    compared = int(fact.get("compared") or 0)
    if compared >= MIN_COMPARED:
        return "tokens" if float(fact["continued"]) < CONTINUED * compared else None
    if int(fact.get("shuffled") or 0) >= MOST * int(fact["carried"]):
        return "shuffled"
    if not fact.get("ordered") and _picked_at_random(project_of(run), fact):
        return "picked"
    return None


def _picked_at_random(project: Project, fact: Fact) -> bool:
    """Whether a loop around the call takes its samples in an order that was drawn."""
    place = place_of(fact)
    file = project.file(place.file) if place is not None else None
    if file is None or place is None:
        return False
    drawn = {name for node in file.nodes for name in _drawn(file, node)}
    for loop in query.loops_around(file, place.line):
        places: list[ast.AST] = [loop.iter] if isinstance(loop, ast.For | ast.AsyncFor) else []
        places += [node.slice for part in loop.body for node in ast.walk(part) if isinstance(node, ast.Subscript)]
        places += [
            node.value
            for part in loop.body
            for node in ast.walk(part)
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
        ]
        if any(isinstance(node, ast.Name) and node.id in drawn for one in places for node in ast.walk(one)):
            return True
        if any(_is_draw(file, node) for one in places for node in ast.walk(one)):
            return True
    return False


def _drawn(file: SourceFile, node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assign) and any(_is_draw(file, part) for part in ast.walk(node.value)):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _is_draw(file: SourceFile, node: ast.AST) -> bool:
    name = query.qualified(file, node.func) if isinstance(node, ast.Call) else None
    return name is not None and "random" in name.replace("randperm", "random") and name.rpartition(".")[2] in SHUFFLES


def _finding(process: Process, fact: Fact, why: str) -> Finding:
    place = place_of(fact)
    read = site_place(fact.get("read_site"))
    loader = max(process.facts("loader"), key=lambda one: one.count, default=None) if why == "shuffled" else None
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message=why,
        values={
            "carried": int(fact["carried"]),
            "calls": int(fact["calls"]),
            "name": f"self.{fact['attribute']}" if fact.get("attribute") else "an argument",
            "share": float(fact.get("continued") or 0.0) / max(1, int(fact.get("compared") or 0)),
            "line": (loader.line or 0) if loader is not None else 0,
        },
        place=read or place,
        related=related(place, place_of(loader) if loader is not None else None),
        why="leak",
        fix="reset",
        explains=("loss-plateau", "overfitting"),
        confidence=0.9,
    )


RULE = Rule(
    id="hidden-state-not-reset",
    title="The state of unrelated sequences is carried on",
    severity=Severity.WARNING,
    needs=frozenset({"module"}),
    examine=examine,
)
