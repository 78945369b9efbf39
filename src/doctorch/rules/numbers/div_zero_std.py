"""div-zero-std: a division by zero."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.findings import Finding, Place, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.numbers.finding import EXPLAINS, operator_finding
from doctorch.rules.numbers.first import First, arithmetic, first
from doctorch.source.project import Project, project_of


def examine(run: Run) -> Iterator[Finding]:
    found = arithmetic(run)
    if found is not None and not found.half and found.family == "division":
        yield _finding(found)
    else:
        yield from _of_columns(run)


def _of_columns(run: Run) -> Iterator[Finding]:
    """A column of the data is NaN in every row, and the text divides by a standard deviation at one place."""
    found = first(run)
    if found is None or not found.batch.get("whole_column"):
        return
    places = list(_divisions(project_of(run)))
    if len(places) != 1:
        return
    batch = found.batch
    yield Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="column",
        values={"column": int(batch["column"]), "part": int(batch["part"]) + 1, "value": batch["value"], "step": found.step + 1},
        place=places[0],
        why="mechanism",
        fix="guard",
        explains=("nan-in-data", "bad-data-row", *EXPLAINS),
        confidence=0.85,
        ground="values",
    )


def _divisions(project: Project) -> Iterator[Place]:
    """Where something is divided by a standard deviation to which nothing is added."""
    for file in project.files:
        names = {
            target.id
            for node in file.nodes
            if isinstance(node, ast.Assign) and _is_deviation(node.value)
            for part in node.targets
            for target in ast.walk(part)
            if isinstance(target, ast.Name)
        }
        for node in file.nodes:
            if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
                divisor = node.right if isinstance(node, ast.BinOp) else node.value
                if _is_deviation(divisor) or (isinstance(divisor, ast.Name) and divisor.id in names):
                    yield Place(file.path, node.lineno)


def _is_deviation(node: ast.expr) -> bool:
    name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
    return name in ("std", "std_mean")


def _finding(found: First) -> Finding:
    if found.masked:
        return operator_finding(RULE, found, "masked", "no-weight", "keep-one")
    if found.without_values:
        return operator_finding(RULE, found, "nothing", "no-elements", "skip")
    if found.one_value:
        return operator_finding(RULE, found, "single", "one-value", "biased")
    return operator_finding(RULE, found)


RULE = Rule(
    id="div-zero-std",
    title="A division by zero",
    severity=Severity.ERROR,
    needs=frozenset({"backward"}),
    examine=examine,
)
