"""future-leak: a language model sees the token that it is asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.findings import Finding, Place, Severity
from doctorch.records.reader import Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_data.shifts import Ahead, Shift, ahead, shifts
from doctorch.rules.shared import place_of, related
from doctorch.source import query
from doctorch.source.project import Project, project_of

RECURRENT = ("nn.LSTM", "nn.GRU", "nn.RNN")


def examine(run: Run) -> Iterator[Finding]:
    project = project_of(run)
    for process in run.training:
        for shift in shifts(process):
            seen = ahead(process, shift) if shift.offset == 1 else None
            if seen is not None and seen.always:
                yield _finding(project, process, shift, seen)
                break


def _finding(project: Project, process: Process, shift: Shift, seen: Ahead) -> Finding:
    open_ones = [fact for fact in process.facts("attention") if fact.get("square") and not fact.get("causal")]
    length = seen.length
    attention = next((fact for fact in open_ones if fact["length"] in (length, length - 1)), None)
    both = _both_ways(project) if attention is None else None
    place = place_of(attention) if attention is not None else both or place_of(shift.fact)
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="moves",
        values={
            "share": shift.share(1),
            "positions": int(shift.fact["positions"]["1"]),
            "change": min(seen.previous),
            "changed": len(seen.previous),
        },
        place=place,
        related=related(place_of(shift.fact)),
        why="attention" if attention is not None else "backwards" if both is not None else "open",
        fix="mask" if attention is not None else "one-way" if both is not None else "hide",
        explains=("overfitting", "missing-eval-mode"),
        ground="measured",
        certain_now=True,
    )


def _both_ways(project: Project) -> Place | None:
    """The line that makes a recurrent layer that reads the sequence backwards too."""
    for file in project.files:
        for node in file.nodes:
            if isinstance(node, ast.Call) and (query.qualified(file, node.func) or "").endswith(RECURRENT):
                both = query.argument(node, 99, "bidirectional")
                if isinstance(both, ast.Constant) and both.value is True:
                    return Place(file.path, node.lineno)
    return None


RULE = Rule(
    id="future-leak",
    title="The model sees the token that it shall predict",
    severity=Severity.ERROR,
    needs=frozenset({"loss_call"}),
    examine=examine,
)
