"""frozen-by-mistake: requires_grad is off on what should learn."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.analysis import tensors
from doctorch.findings import Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source import query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

MIN_SHARE = 0.5
"""Share of a model's weights that must be frozen: fixed tables and filters of an otherwise learning model stay below it."""
EXPLAINS = ("loss-plateau", "graph-broken", "lr-too-low", "optimizer-missing-params", "vanishing-gradients")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        for module in process.facts("module"):
            if (finding := _of(project_of(run), process, module)) is not None:
                yield finding


def _of(project: Project, process: Process, module: Fact) -> Finding | None:
    # Weights that came from somewhere are frozen for a reason; so are those of a model that only judges or teaches.
    if module.get("loaded") or module.get("pretrained") or not module.get("train_grad_calls", module.get("train_calls")):
        return None
    params = [p for p in process.facts("param") if str(p.get("root")) == module.key and p.get("is_parameter") and p.get("registered")]
    frozen = [p for p in params if not p.get("requires_grad") and not p.get("had_grad") and _is_weight(p)]
    learning = [p for p in params if p.get("requires_grad")]
    share = tensors.numel(frozen) / max(1, tensors.numel(params))
    if not frozen or share < MIN_SHARE or not (learning or _meant_to_train(process)):
        return None
    lines = _freezing_lines(project)
    place = lines[0] if lines else None
    if place is None:
        return None  # frozen by a library, which knows why
    values: dict[str, Value] = {
        "module": str(module.get("cls") or "the model"),
        "frozen": len(frozen),
        "tensors": len(params),
        "share": share,
        "names": tensors.module_names(frozen),
        "left": tensors.module_names(learning) if learning else "nothing",
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="part" if learning else "all",
        values=values,
        place=place,
        related=related(*lines[1:], site_place(module.get("call_site")), place_of(module)),
        why="random",
        fix="unfreeze",
        explains=EXPLAINS,
        confidence=0.9,
    )


def _is_weight(param: Fact) -> bool:
    """A matrix or filter of a layer, not a table, a scale or a constant that is kept as a parameter."""
    return (
        len(param.get("shape") or ()) >= 2 and str(param.get("name") or "").rpartition(".")[2].startswith("weight") and param["numel"] > 1
    )


def _meant_to_train(process: Process) -> bool:
    return bool(process.facts("backward"))


def _freezing_lines(project: Project) -> list[Place]:
    """Lines of the project that turn requires_grad off, in order."""
    return [
        Place(file.path, node.lineno)
        for file in project.files
        for node in file.nodes
        if isinstance(node, ast.stmt) and _freezes(file, node)
    ]


def _freezes(file: SourceFile, node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        targets = [target for target in node.targets if isinstance(target, ast.Attribute) and target.attr == "requires_grad"]
        return bool(targets) and not (isinstance(node.value, ast.Constant) and node.value.value is True)
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_":
        value = query.argument(call, 0, "requires_grad")
        return isinstance(value, ast.Constant) and value.value is False
    return False


RULE = Rule(
    id="frozen-by-mistake",
    title="What should learn is frozen",
    severity=Severity.ERROR,
    needs=frozenset({"module", "param"}),
    examine=examine,
)
