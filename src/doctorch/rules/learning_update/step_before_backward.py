"""step-before-backward: the optimizer steps before the backward of its own forward."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.findings import Edit, Finding, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_update.turns import MIN_TURNS, call_site, turns, usual
from doctorch.rules.shared import call_of, related
from doctorch.source import edits, query
from doctorch.source.project import Project

EXPLAINS = ("zero-grad-before-step", "loss-plateau", "lr-too-low", "lr-too-high", "loss-diverges", "missing-step", "inplace-modifies-saved")
FAILURE = "modified by an inplace operation"


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        optimizers = [fact for fact in process.facts("optimizer") if fact.get("steps")]
        first = next((fact for fact in turns(process) if fact.get("first") == 1), None)
        # The very first step had no backward at all before it, and ever since the last thing before a step is a forward.
        if len(optimizers) != 1 or first is None or first.get("backwards"):
            continue
        # With more than one layer the backward fails at once: the step has changed weights that it needs.
        failed = any(FAILURE in str(fact.get("error") or "") for fact in process.facts("backward"))
        found = usual(process, lambda fact: bool(fact.get("forward_last")), 1 if failed else MIN_TURNS)
        if found is not None:
            yield _finding(optimizers[0], *found)


def _finding(optimizer: Fact, fact: Fact, number: int, total: int) -> Finding:
    step, backward, clear = (call_site(fact, letter) for letter in ("S", "B", "Z"))
    words = str(fact.get("pattern") or "").split()
    cleared = "B" in words and "Z" in words[words.index("B") :]
    values: dict[str, Value] = {
        "steps": number,
        "checked": total,
        "step_line": step.line if step else 0,
        "backward_line": backward.line if backward else 0,
        "clear_line": clear.line if clear else 0,
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="none" if cleared else "previous",
        values=values,
        place=step,
        related=related(backward, clear),
        why="none-why" if cleared else "previous-why",
        fix="move",
        explains=EXPLAINS,
        certain_now=number >= 10,
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Move the step behind the backward of the same block."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None:
        return None
    step = query.statement_at(file, finding.place.line)
    line = finding.values.get("backward_line")
    backward = query.statement_at(file, line) if isinstance(line, int) and line else None
    if not isinstance(step, ast.Expr) or not isinstance(backward, ast.Expr) or call_of(step, "step") is None:
        return None
    block = query.block_of(file, step)
    if backward not in block or block.index(backward) < block.index(step):
        return None
    return edits.make(file, [edits.move_before(backward, step)], safe=True)


RULE = Rule(
    id="step-before-backward",
    title="The optimizer steps before backward",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer", "turn"}),
    examine=examine,
    edit=edit,
)
