"""python-loop-over-elements: a Python loop issues hundreds of tiny operators a step where one operator on the whole tensor would do."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from doctorch.analysis.steps import StepAccount, step_account
from doctorch.findings import Finding, Place, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import related
from doctorch.source import flow, query
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


MIN_TURNS = 50
"""Operators a step on a loop's own lines before the operators of a function that it calls are counted as the loop's: an evaluation over
batches that calls the same function does not run inside a training step."""
OVER_PARAMETERS = ("parameters", "named_parameters", "param_groups", "buffers", "state_dict", "modules")
"""A loop over these updates or inspects weights, one tensor a turn, as it must."""


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
    ops_of = {(fact.file, fact.line): float(fact.get("ops") or 0) for fact in process.facts("line_ops") if fact.file and fact.line}
    finder = LoopFinder(project, _training_lines(process), ops_of)
    groups: dict[tuple[SourceFile, ast.AST], list[Fact]] = defaultdict(list)
    for fact in process.facts("line_ops"):
        file = project.file(fact.file)
        found = finder.find(file, fact.line) if file is not None and fact.line is not None else None
        if found is not None:
            groups[found].append(fact)
    for (file, loop), facts in groups.items():
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


class LoopFinder:
    """Finds the Python loop that a line is repeated by: one around it, or one around a call of its function."""

    def __init__(self, project: Project, training: set[tuple[str, int]], ops_of: Mapping[tuple[str, int], float]) -> None:
        self.project = project
        self.training = training
        self.ops_of = ops_of
        self._of_function: dict[query.Function, tuple[SourceFile, ast.AST] | None] = {}

    def find(self, file: SourceFile, line: int) -> tuple[SourceFile, ast.AST] | None:
        """The outermost loop or comprehension, loops over batches and over parameters excepted, and its file."""
        own = [loop for loop in query.loops_around(file, line) if self._over_elements(file, loop)]
        function = query.function_at(file, line)
        outside = self._around_calls(file, function) if function is not None else None
        if outside is not None:
            return outside
        if own:
            return file, own[-1]
        statement = query.statement_at(file, line)
        if statement is None or isinstance(statement, query.Function | query.Loop | ast.ClassDef):
            return None
        inside = [node for node in ast.walk(statement) if isinstance(node, query.Comprehension) and query.spans(node, line)]
        return (file, inside[0]) if inside and self._over_elements(file, inside[0]) else None

    def _over_elements(self, file: SourceFile, loop: ast.AST) -> bool:
        if any(path == file.path and query.spans(loop, line) for path, line in self.training):
            return False
        sources = [loop.iter] if isinstance(loop, ast.For | ast.AsyncFor) else [one.iter for one in getattr(loop, "generators", [])]
        return not any(isinstance(node, ast.Attribute) and node.attr in OVER_PARAMETERS for one in sources for node in ast.walk(one))

    def _around_calls(self, file: SourceFile, function: query.Function) -> tuple[SourceFile, ast.AST] | None:
        """The loop around a call of a function of the project, or around one of its callers."""
        if function in self._of_function:
            return self._of_function[function]
        self._of_function[function] = None  # what calls itself does not loop
        if any(path == file.path and query.spans(function, line) for path, line in self.training):
            return None  # a loop around the training itself, over epochs
        for caller in self.project.connected(file):
            for call in caller.nodes:
                if isinstance(call, ast.Call) and self._calls(caller, call, file, function):
                    found = self.find(caller, call.lineno)
                    if found is not None and self._turns(*found):
                        self._of_function[function] = found
                        return found
        return None

    def _turns(self, file: SourceFile, loop: ast.AST) -> bool:
        """Whether the loop itself ran in the steps that were looked at, many times: its own lines index or slice at every turn."""
        inside = sum(ops for (path, line), ops in self.ops_of.items() if path == file.path and query.spans(loop, line))
        return inside >= MIN_TURNS

    def _calls(self, caller: SourceFile, call: ast.Call, file: SourceFile, function: query.Function) -> bool:
        """Whether a call is one of the function: by its name, or of the module whose forward it is."""
        name = (query.dotted(call.func) or "").rpartition(".")[2]
        if function.name != "forward":
            return name == function.name
        if name == "forward":
            return False  # of which class, the text does not say
        module = flow.module_of(self.project, caller, call.func)
        own = flow.class_of(self.project, module.file, module.node) if module is not None and isinstance(module.node, ast.Call) else None
        return own is not None and function in own[1].body


DRAWS = frozenset({"sample", "rsample", "multinomial"})
"""A loop that draws plays something out: what it draws decides what comes next, as in a roll-out or a text that is generated."""


def _carries_state(loop: LoopOps) -> bool:
    """Whether a turn of the loop needs the result of the one before, as in a recurrence over time or a chain of layers: such a loop
    cannot be replaced by one operator. A running sum or product, or a list that is appended to, can."""
    if not isinstance(loop.loop, query.Loop):
        return False
    if any(isinstance(node, ast.Attribute) and node.attr in DRAWS for node in ast.walk(loop.loop)):
        return True
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
                names = {name for target in targets for name in _stored(target)}
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


def _stored(target: ast.expr) -> set[str]:
    """The names that an assignment changes: of ``rows[i]`` and ``state.h`` the object, not the index."""
    if isinstance(target, ast.Tuple | ast.List):
        return {name for inner in target.elts for name in _stored(inner)}
    while isinstance(target, ast.Subscript | ast.Attribute | ast.Starred):
        target = target.value
    return {target.id} if isinstance(target, ast.Name) else set()


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
    target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
    if len(names) != 1 or value is None:
        return False
    name = next(iter(names))
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub | ast.Mult):
        # The target itself, a name or ``inbox[i]``, on one side, and nothing of it on the other.
        sides = [side for side in (value.left, value.right) if ast.unparse(side) == ast.unparse(target)]
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
