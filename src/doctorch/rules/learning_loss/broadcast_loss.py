"""broadcast-loss: output (N, 1) and target (N,) broadcast to (N, N), and the loss compares every output with every target."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence

from doctorch.findings import Edit, Finding, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, shape_text
from doctorch.source import edits, flow, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

MIN_CALLS = 2
"""A single call may be an accident of a last batch."""
MIN_SHARE = 0.5
"""Share of the calls at the line: a loss that broadcasts by mistake does so at every batch."""
EXPLAINS = ("loss-plateau", "lr-too-low", "dead-relu")


def examine(run: Run) -> Iterator[Finding]:
    for fact in run.main_facts("loss_call"):
        example = fact.get("broadcast_example")
        broadcast = int(fact.get("broadcast") or 0)
        if example and broadcast >= min(MIN_CALLS, fact.count) and broadcast >= MIN_SHARE * fact.count and _by_mistake(example):
            yield _finding(fact, example, "loss", str(fact.get("function")), bool(fact.get("train_count")))
    for fact in run.main_facts("implicit_broadcast"):
        example = fact.get("shapes")
        if example and fact.get("to_loss") and _by_mistake(example) and not _axis_asked_for(project_of(run), fact):
            yield _finding(fact, example, "operator", str(fact.get("op")), True)


def _by_mistake(shapes: Sequence[Sequence[int]]) -> bool:
    """Whether two shapes are the same but for dimensions of size 1, and their result is larger than both.

    Other broadcasts (a scalar or a per-channel target, all pairs of two sets of different size) may be meant.
    """
    first, second, result = shapes
    same = [size for size in first if size != 1] == [size for size in second if size != 1]
    return same and math.prod(result) > math.prod(first) > 1


def _axis_asked_for(project: Project, fact: Fact) -> bool:
    """Whether an operand of the arithmetic on the line is given its extra axis right there, by ``unsqueeze`` or ``[:, None]``: then all
    pairs are meant."""
    file = project.file(fact.file)
    statement = query.statement_at(file, fact.line) if file is not None and fact.line is not None else None
    if file is None or statement is None:
        return False
    operands = [side for node in ast.walk(statement) if isinstance(node, ast.BinOp) for side in (node.left, node.right)]
    values = [value for side in operands if isinstance(side, ast.Name) for value in flow.values_of(file, side)]
    return any(_adds_axis(node) for expr in (*operands, *values) for node in ast.walk(expr))


def _adds_axis(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in ("unsqueeze", "newaxis")
    if isinstance(node, ast.Subscript):
        index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return any(isinstance(one, ast.Constant) and one.value is None for one in index)
    return False


def _finding(fact: Fact, shapes: Sequence[Sequence[int]], message: str, function: str, training: bool) -> Finding:
    first, second, result = shapes
    values: dict[str, Value] = {
        "input": shape_text(first),
        "target": shape_text(second),
        "result": shape_text(result),
        "n": math.prod(first),
        "pairs": math.prod(result),
        "function": function,
        "calls": fact.count,
        "input_ndim": len(first),
        "target_ndim": len(second),
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR if training else Severity.WARNING,
        message=message if training else "evaluation",
        values=values,
        place=place_of(fact),
        why="pairs",
        fix="same-shape",
        explains=EXPLAINS,
        certain_now=training,
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Squeeze the operand that has one dimension more, at the call of the loss."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None:
        return None
    operands = _operands(file, finding.place.line, str(finding.values.get("function")))
    if operands is None:
        return None
    more = int(str(finding.values["input_ndim"])) - int(str(finding.values["target_ndim"]))
    shape = str(finding.values["input"] if more > 0 else finding.values["target"])
    if abs(more) != 1 or not shape.endswith(" 1)"):
        return None
    longer = operands[0] if more > 0 else operands[1]
    return edits.make(file, [edits.replace_node(file, longer, "{operand}.squeeze(-1)", operand=longer)], safe=True)


def _operands(file: SourceFile, line: int, function: str) -> tuple[ast.expr, ast.expr] | None:
    """The two operands of the loss call or the arithmetic on a line, where only one thing on it can be meant."""
    calls = [call for call in query.calls_at(file, line) if len(call.args) >= 2 and not any(isinstance(a, ast.Starred) for a in call.args)]
    named = [call for call in calls if (query.dotted(call.func) or "").rpartition(".")[2] == function]
    chosen = named or calls
    if len(chosen) == 1:
        return chosen[0].args[0], chosen[0].args[1]
    statement = query.statement_at(file, line)
    if chosen or statement is None:
        return None
    arithmetic = [node for node in ast.walk(statement) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)]
    return (arithmetic[0].left, arithmetic[0].right) if len(arithmetic) == 1 and function == "sub" else None


RULE = Rule(
    id="broadcast-loss",
    title="Output and target broadcast against each other",
    severity=Severity.ERROR,
    needs=frozenset({"backward"}),
    examine=examine,
    edit=edit,
)
