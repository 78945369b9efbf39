"""python-loop-over-elements: a Python loop issues hundreds of tiny operators a step where one operator on the whole tensor would do."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from doctorch.analysis.steps import StepAccount, step_account
from doctorch.findings import Finding, Place, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import related
from doctorch.source import query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

MIN_OPS = 200
"""Operators a step from one loop. A model of a hundred layers written out in torch's own modules issues fewer from one place."""
MAX_MEDIAN_NUMEL = 1024
"""Elements of the median result: an operator on so few costs its launch, some microseconds, whatever the size."""
MIN_SHARE = 0.5
"""Share of all operators of the step, of the time inside operators, and of the nodes of its graph if backward walks them."""
MIN_STEP_MS = 2.0
"""Time a step that the loop must take to be worth a word."""


@dataclass(frozen=True)
class LoopOps:
    """The operators of one loop, a step."""

    file: SourceFile
    loop: ast.AST
    lines: tuple[Fact, ...]
    ops: float
    op_ms: float
    nodes: float
    median_numel: float


def examine(run: Run) -> Iterator[Finding]:
    process = run.training[0] if run.training else None
    segment = process.fact("segment", "all") if process is not None else None
    account = step_account(process) if process is not None else None
    if process is None or segment is None or account is None:
        return
    project = project_of(run)
    for loop in _loops(project, process):
        share = loop.ops / max(1.0, float(segment.get("ops") or 0))
        time_share = loop.op_ms / max(1e-9, float(segment.get("op_ms") or 0))
        all_nodes = float(segment.get("nodes") or 0)
        node_share = loop.nodes / all_nodes if all_nodes and loop.nodes else share
        compute_ms = account.step_ms - account.wait_ms - account.optimizer_ms
        cost = compute_ms * min(time_share, 1.0)
        if loop.ops < MIN_OPS or loop.median_numel > MAX_MEDIAN_NUMEL or min(share, time_share, node_share) < MIN_SHARE:
            continue
        if cost < MIN_STEP_MS or _carries_state(loop):
            continue
        yield _finding(loop, share, cost, account)


def _finding(loop: LoopOps, share: float, cost: float, account: StepAccount) -> Finding:
    line = max(loop.lines, key=lambda fact: float(fact.get("ops") or 0))
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="loop",
        values={
            "ops": round(loop.ops),
            "share": min(share, 1.0),
            "numel": round(loop.median_numel),
            "cost": cost,
            "step": account.step_ms,
            "loop_line": getattr(loop.loop, "lineno", None),
        },
        place=Place(loop.file.path, line.line or 1),
        related=related(Place(loop.file.path, getattr(loop.loop, "lineno", 1))),
        why="launch",
        fix="vectorise",
        confidence=0.95,
    )


def _loops(project: Project, process: Process) -> Iterator[LoopOps]:
    """Operators by the outermost Python loop around them which is not the loop over batches."""
    training = _training_lines(process)
    groups: dict[tuple[str, ast.AST], list[Fact]] = defaultdict(list)
    for fact in process.facts("line_ops"):
        file = project.file(fact.file)
        if file is None or fact.line is None:
            continue
        loop = _outermost_loop(file, fact.line, training)
        if loop is not None:
            groups[file.path, loop].append(fact)
    for (path, loop), facts in groups.items():
        file = project.file(path)
        if file is None:
            continue
        ops = sum(float(fact.get("ops") or 0) for fact in facts)
        weighted = sorted((float(fact.get("median_numel") or 0), float(fact.get("ops") or 0)) for fact in facts)
        yield LoopOps(
            file=file,
            loop=loop,
            lines=tuple(facts),
            ops=ops,
            op_ms=sum(float(fact.get("op_ms") or 0) for fact in facts),
            nodes=sum(float(fact.get("nodes") or 0) for fact in facts),
            median_numel=_weighted_median(weighted, ops),
        )


def _weighted_median(pairs: list[tuple[float, float]], total: float) -> float:
    seen = 0.0
    for value, weight in pairs:
        seen += weight
        if seen >= total / 2:
            return value
    return 0.0


def _training_lines(process: Process) -> set[tuple[str, int]]:
    """Lines that belong to the loop over batches: what runs backward, steps, and draws batches."""
    lines = {(fact.file, fact.line) for fact in process.facts("backward")}
    lines |= {(fact.file, fact.line) for fact in process.facts("loader")}
    for optimizer in process.facts("optimizer"):
        for name in ("step_site", "backward_site", "zero_site"):
            site = optimizer.get(name) or {}
            lines.add((site.get("file"), site.get("line")))
    return {(file, line) for file, line in lines if file is not None and line is not None}


def _outermost_loop(file: SourceFile, line: int, training: set[tuple[str, int]]) -> ast.AST | None:
    """The outermost loop or comprehension of the same function around a line, loops over batches excepted."""
    own = [
        loop
        for loop in query.loops_around(file, line)
        if not any(path == file.path and query.spans(loop, other) for path, other in training)
    ]
    if own:
        return own[-1]
    statement = query.statement_at(file, line)
    if statement is None or isinstance(statement, query.Function | query.Loop | ast.ClassDef):
        return None
    inside = [node for node in ast.walk(statement) if isinstance(node, query.Comprehension) and query.spans(node, line)]
    return inside[0] if inside else None


def _carries_state(loop: LoopOps) -> bool:
    """Whether a turn of the loop needs the result of the one before, as in a recurrence over time or a chain of layers: such a loop
    cannot be replaced by one operator. A running sum or product, or a list that is appended to, can."""
    if not isinstance(loop.loop, query.Loop):
        return False
    loops = [node for node in ast.walk(loop.loop) if isinstance(node, query.Loop)]
    return any(_carried_names(one) for one in loops)


def _carried_names(loop: query.Loop) -> set[str]:
    """Names that a loop's body reads before it assigns them in the same turn, and assigns later, other than by accumulating."""
    carried: set[str] = set()
    assigned: set[str] = set()
    pending: set[str] = set()  # read before any assignment in this turn
    if isinstance(loop, ast.For | ast.AsyncFor):
        assigned |= {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    for statement in loop.body:
        for node in _in_order(statement):
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = {inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)}
                read = {inner.id for inner in ast.walk(node.value) if isinstance(inner, ast.Name)} if node.value is not None else set()
                if _accumulates(node, names):
                    assigned_now: set[str] = set()
                    read -= names
                else:
                    assigned_now = names
                pending |= read - assigned
                carried |= assigned_now & pending - assigned
                assigned |= assigned_now
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in assigned:
                pending.add(node.id)
    return carried


def _in_order(statement: ast.stmt) -> Iterator[ast.AST]:
    """Assignments as wholes and names read elsewhere, in the order of the text."""
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        yield statement
        return
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield from _in_order(child)
        else:
            yield from (node for node in ast.walk(child) if isinstance(node, ast.Name))


def _accumulates(node: ast.Assign | ast.AnnAssign | ast.AugAssign, names: set[str]) -> bool:
    """``total += x`` and ``total = total + x``, ``best = torch.maximum(best, x)`` and ``rows = torch.cat([rows, x])`` alike."""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.Add | ast.Sub | ast.Mult)
    value = node.value
    if len(names) != 1 or value is None:
        return False
    name = next(iter(names))
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub | ast.Mult):
        sides = [side for side in (value.left, value.right) if isinstance(side, ast.Name) and side.id == name]
        mentions = sum(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(value))
        return len(sides) == 1 and mentions == 1
    if isinstance(value, ast.Call):
        reducing = (query.dotted(value.func) or "").rpartition(".")[2] in (
            "maximum",
            "minimum",
            "max",
            "min",
            "cat",
            "concat",
            "add",
            "logaddexp",
        )
        direct = [inner for arg in value.args for inner in (arg.elts if isinstance(arg, ast.List | ast.Tuple) else [arg])]
        return reducing and any(isinstance(inner, ast.Name) and inner.id == name for inner in direct)
    return False


RULE = Rule(
    id="python-loop-over-elements",
    title="A Python loop over the elements of a tensor",
    severity=Severity.WARNING,
    needs=frozenset({"segment", "line_ops"}),
    examine=examine,
)
