"""custom-backward-missing-grad-output: a custom backward does not multiply by what comes from above."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.findings import Edit, Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_graph.custom import Checked, checked
from doctorch.source import edits, query
from doctorch.source.project import Project

EXPLAINS = (
    "custom-backward-wrong-formula", "loss-plateau", "loss-diverges", "vanishing-gradients", "exploding-gradients", "lr-too-low",
    "lr-too-high", "dead-relu",
)  # fmt: skip


def examine(run: Run) -> Iterator[Finding]:
    for one in checked(run):
        if one.data.get("ignores_grad_output"):
            yield _finding(one)


def _finding(one: Checked) -> Finding:
    indices = [int(index) for index in one.data.get("ignored") or (0,)]
    # A loss that nothing scales gets the number 1 from above: the gradient is right as long as nobody scales the loss.
    unit = bool(one.data.get("unit"))
    harmless = unit or one.deliberate
    inputs = list(one.data.get("inputs") or ())
    alike = [given.get("shape") for given in inputs] == [one.data.get("shape")]
    return Finding(
        rule=RULE.id,
        severity=Severity.ADVICE if harmless else Severity.ERROR,
        message="unit" if unit else "same",
        values={"name": one.name, "inputs": ", ".join(one.argument(index) for index in indices), "n": len(indices), "alike": alike},
        place=one.backward,
        why="chain",
        fix="multiply",
        explains=() if harmless else EXPLAINS,
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Multiply what the only return gives, where that is one gradient and has the shape of the output."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None or not finding.values.get("alike"):
        return None
    statement = query.statement_at(file, finding.place.line)
    method = query.function_at(file, finding.place.line)
    if not isinstance(statement, ast.Return) or method is None or len(method.args.args) != 2:
        return None
    value = statement.value
    if value is None or isinstance(value, ast.Tuple):
        return None
    plain = isinstance(value, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
    text = f"{method.args.args[1].arg} * {{value}}" if plain else f"{method.args.args[1].arg} * ({{value}})"
    return edits.make(file, [edits.replace_node(file, value, text, value=value)], safe=False)


RULE = Rule(
    id="custom-backward-missing-grad-output",
    title="A custom backward ignores grad_output",
    severity=Severity.ERROR,
    needs=frozenset({"function", "probe"}),
    examine=examine,
    edit=edit,
)
