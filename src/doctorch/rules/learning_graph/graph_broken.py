"""graph-broken: parameters take part in the forward, but no path leads from the loss back to any of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from doctorch.analysis import tensors
from doctorch.analysis.packages import package_at
from doctorch.findings import Edit, Finding, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, shape_text, site_place
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project

NO_GRAPH = ("does not require grad", "does not have a grad_fn")
"""What backward says of a loss without a graph."""
DETACHING = ("detach", "detach_")
OUT_OF_TORCH = ("numpy", "tolist", "item", "__array__")
"""Methods that make something of a tensor which autograd does not know."""
NUMBERS = ("float", "int", "bool", "complex", "list", "str")
"""Functions of Python that do the same."""
WITHOUT_GRADIENT = ("argmax", "argmin", "round", "floor", "ceil", "sign", "bincount", "eq", "gt", "lt", "ge", "le", "ne", "topk-indices")
EXPLAINS = ("loss-plateau", "zero-grad-before-step", "lr-too-low", "missing-step", "module-unused")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        if not _learnable(process):
            continue
        failed = [fact for fact in process.facts("backward") if _has_no_graph(fact)]
        if failed and (not _trained(process) or _ended_by(process, failed[0])):
            yield _finding(process, failed[0])
        elif not _trained(process):
            looked_at = [fact for fact in process.facts("backward") if fact.get("deep") and not fact.get("failed")]
            if looked_at:
                yield _finding(process, looked_at[0])


def _learnable(process: Process) -> bool:
    """Whether parameters that could learn were read with gradients on; else no-grad-forward or frozen-by-mistake say what is wrong."""
    return any(param.get("used_grad") for param in _parameters(process))


def _parameters(process: Process) -> list[Fact]:
    """What is meant to learn: registered parameters and what an optimizer holds, not any tensor that somebody made require grad."""
    return [param for param in tensors.parameters(process) if param.get("registered") or tensors.in_optimizer(param)]


def _trained(process: Process) -> bool:
    """Whether some backward reached a parameter, or some optimizer saw a gradient."""
    if any(param.get("reached") or param.get("got_grad") for param in _parameters(process)):
        return True
    return any(optimizer.get("grad_steps") for optimizer in process.facts("optimizer"))


def _has_no_graph(backward: Fact) -> bool:
    return bool(backward.get("failed")) and any(text in str(backward.get("error") or "") for text in NO_GRAPH)


def _ended_by(process: Process, backward: Fact) -> bool:
    """Whether the failing backward is what ended the script."""
    return any(error.file == backward.file and error.line == backward.line for error in process.facts("exception"))


def _finding(process: Process, backward: Fact) -> Finding:
    leaf = _new_leaf(process)
    cut = _last_cut(process.facts("graph_cut"), leaf)
    used = sum(1 for param in _parameters(process) if param.get("used_grad"))
    failed = bool(backward.get("failed"))
    op = str(cut.get("op") or "") if cut is not None else ""
    if leaf is not None:
        message = "new-leaf"
    elif cut is not None:
        message = "cut-raised" if failed else "cut"
    else:
        message = "no-path-raised" if failed else "no-path"
    why = "detach" if op in DETACHING else "rounds" if op in WITHOUT_GRADIENT else "leaves" if op else "independent"
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values={
            "used": used,
            "backwards": backward.count,
            "deep": int(backward.get("deep") or 0),
            "op": spoken(op) or "a new tensor",
            "line": backward.line,
            "shape": shape_text(leaf.get("shape")) if leaf is not None else None,
        },
        place=(place_of(cut) if cut is not None else site_place(leaf.get("used_site")) if leaf is not None else None) or place_of(backward),
        related=related(place_of(backward), site_place(leaf.get("used_site")) if leaf is not None else None),
        why="own-graph" if leaf is not None else why,
        fix="keep-detach"
        if op in DETACHING and leaf is None
        else "smooth"
        if op in WITHOUT_GRADIENT
        else "keep"
        if op or leaf
        else "depend",
        explains=EXPLAINS,
        ground="graph",
        certain_now=failed or int(backward.get("deep") or 0) >= 3,
    )


def _new_leaf(process: Process) -> Fact | None:
    """A tensor that requires grad, is made anew in every step and is all that backward reaches."""
    for param in tensors.parameters(process):
        unknown = (
            not param.get("registered") and not param.get("is_parameter") and not tensors.in_optimizer(param) and not param.get("holder")
        )
        if unknown and param.get("reached") and int(param.get("used") or 0) <= 1:
            return param
    return None


def _last_cut(cuts: Sequence[Fact], leaf: Fact | None) -> Fact | None:
    """The cut nearest to the loss. Where the values left torch and came back as a new leaf, the last one above the leaf's use: those
    below are numbers taken out for logging."""
    own = [cut for cut in cuts if package_at(cut.process, place_of(cut)) is None]
    known = [cut for cut in own if cut.get("to_loss") or cut.get("last_before_loss")]
    if not known and own and len(own) < len(cuts):
        return max(own, key=lambda cut: (cut.file or "", cut.line or 0))  # a package comes between: the last that the script does itself
    known = known or [cut for cut in cuts if cut.get("to_loss") or cut.get("last_before_loss")]
    if not known and leaf is not None:
        site = leaf.get("used_site") or {}
        above = [cut for cut in cuts if cut.file == site.get("file") and cut.line is not None and cut.line <= int(site.get("line") or 0)]
        return max(above, key=lambda cut: cut.line or 0, default=None)
    return max(known, key=lambda cut: (int(cut.get("last_before_loss") or 0), int(cut.get("to_loss") or 0)), default=None)


def spoken(op: str) -> str:
    """An operator's name as the user would write it."""
    return {"round-to-int": "a conversion to integers", "no_grad": "no_grad", "_local_scalar_dense": "item"}.get(op, op)


def edit(finding: Finding, project: Project) -> Edit | None:
    """Remove ``.detach()`` or ``.data`` where the line has exactly one of them."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None or finding.values.get("op") not in DETACHING or finding.message == "new-leaf":
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
    if any(_leaves_torch(file, value) for value in (old, *_later_uses(file, statement, old))):
        return None  # numpy refuses a tensor that requires grad, and what left torch has no gradient either way
    return edits.make(file, [edits.replace_node(file, old, "{tensor}", tensor=new)], safe=False)


def _leaves_torch(file: SourceFile, node: ast.expr) -> bool:
    """Whether the value of an expression goes to numpy or becomes a Python number in the same expression: ``….cpu().numpy()``,
    ``np.asarray(…)``, ``float(…)``."""
    inner: ast.AST = node
    for outer in file.ancestors(node):
        if isinstance(outer, ast.stmt):
            return False
        if isinstance(outer, ast.Attribute) and outer.attr in OUT_OF_TORCH:
            return True
        if isinstance(outer, ast.Call) and outer.func is not inner:
            name = query.qualified(file, outer.func) or ""
            if name.startswith("numpy.") or name in NUMBERS:
                return True
        inner = outer
    return False


def _later_uses(file: SourceFile, statement: ast.stmt, value: ast.expr) -> Iterator[ast.expr]:
    """The places in the same scope that read the name to which a statement assigns the value or what methods make of it."""
    whole = value
    while isinstance(parent := file.parents.get(whole), ast.Attribute | ast.Call) and whole in (
        getattr(parent, "value", None),
        getattr(parent, "func", None),
    ):
        whole = parent
    if not isinstance(statement, ast.Assign) or statement.value is not whole:
        return
    names = {target.id for target in statement.targets if isinstance(target, ast.Name)}
    for node in query.in_scope(query.scope_of(file, statement)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
            yield node


RULE = Rule(
    id="graph-broken",
    title="No path from the loss to any parameter",
    severity=Severity.ERROR,
    needs=frozenset({"backward", "param"}),
    examine=examine,
    edit=edit,
)
