"""graph-broken: parameters take part in the forward, but no path leads from the loss back to any of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from doctorch.analysis import tensors
from doctorch.findings import Edit, Finding, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related
from doctorch.source import edits, query
from doctorch.source.project import Project

NO_GRAPH = ("does not require grad", "does not have a grad_fn")
"""What backward says of a loss without a graph."""
DETACHING = ("detach", "detach_")
WITHOUT_GRADIENT = ("argmax", "argmin", "round", "floor", "ceil", "sign", "bincount", "eq", "gt", "lt", "ge", "le", "ne", "topk-indices")
EXPLAINS = ("loss-plateau", "zero-grad-before-step", "lr-too-low", "missing-step", "module-unused")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        if not _learnable(process) or _some_gradient(process):
            continue
        broken = [fact for fact in process.facts("backward") if _is_broken(fact)]
        if broken:
            yield _finding(process, broken[0])


def _learnable(process: Process) -> bool:
    """Whether parameters that could learn were read with gradients on; else no-grad-forward or frozen-by-mistake say what is wrong."""
    return any(param.get("used_grad") for param in tensors.parameters(process))


def _some_gradient(process: Process) -> bool:
    """Whether anything was trained at all: some backward reached a parameter or some optimizer saw a gradient."""
    if any(fact.get("reached_max") for fact in process.facts("backward")):
        return True
    return any(optimizer.get("grad_steps") for optimizer in process.facts("optimizer"))


def _is_broken(backward: Fact) -> bool:
    if backward.get("failed"):
        return any(text in str(backward.get("error") or "") for text in NO_GRAPH)
    return bool(backward.get("deep")) and backward.get("reached_none") == backward.get("deep")


def _finding(process: Process, backward: Fact) -> Finding:
    cut = _last_cut(process.facts("graph_cut"))
    used = max((int(fact.get("used_max") or 0) for fact in process.facts("backward")), default=0)
    used = used or sum(1 for param in tensors.parameters(process) if param.get("used_grad"))
    failed = bool(backward.get("failed"))
    op = str(cut.get("op") or "") if cut is not None else ""
    message = ("cut-raised" if failed else "cut") if cut is not None else ("no-path-raised" if failed else "no-path")
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values={
            "used": used,
            "backwards": backward.count,
            "deep": int(backward.get("deep") or 0),
            "op": _spoken(op),
            "line": backward.line,
        },
        place=(place_of(cut) if cut is not None else None) or place_of(backward),
        related=related(place_of(backward)),
        why="detach" if op in DETACHING else "rounds" if op in WITHOUT_GRADIENT else "leaves" if op else "independent",
        fix="keep-detach" if op in DETACHING else "smooth" if op in WITHOUT_GRADIENT else "keep" if op else "depend",
        explains=EXPLAINS,
        ground="graph",
        certain_now=failed or int(backward.get("deep") or 0) >= 3,
    )


def _last_cut(cuts: Sequence[Fact]) -> Fact | None:
    """The cut nearest to the loss."""
    known = [cut for cut in cuts if cut.get("to_loss") or cut.get("last_before_loss")]
    return max(known, key=lambda cut: (int(cut.get("last_before_loss") or 0), int(cut.get("to_loss") or 0)), default=None)


def _spoken(op: str) -> str:
    """An operator's name as the user would write it."""
    return {"round-to-int": "a conversion to integers", "no_grad": "no_grad", "_local_scalar_dense": "item"}.get(op, op)


def edit(finding: Finding, project: Project) -> Edit | None:
    """Remove ``.detach()`` or ``.data`` where the line has exactly one of them."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None or finding.values.get("op") not in DETACHING:
        return None
    statement = query.statement_at(file, finding.place.line)
    if statement is None or isinstance(statement, query.Function | query.Loop | ast.ClassDef):
        return None
    found: list[tuple[ast.expr, ast.expr]] = []
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "detach" and not node.args:
            found.append((node, node.func.value))
        elif isinstance(node, ast.Attribute) and node.attr == "data" and isinstance(node.ctx, ast.Load):
            found.append((node, node.value))
    if len(found) != 1:
        return None
    old, new = found[0]
    return edits.make(file, [edits.replace_node(file, old, file.segment(new))], safe=False)


RULE = Rule(
    id="graph-broken",
    title="No path from the loss to any parameter",
    severity=Severity.ERROR,
    needs=frozenset({"backward", "param"}),
    examine=examine,
    edit=edit,
)
