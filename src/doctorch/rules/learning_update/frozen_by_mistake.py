"""frozen-by-mistake: requires_grad is off on what should learn."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from doctorch.analysis import tensors
from doctorch.analysis.losses import share_left
from doctorch.findings import Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source import query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

MIN_SHARE = 0.5
"""Share of a model's weights that must be frozen: fixed tables and filters of an otherwise learning model stay below it. The last layer
counts whatever its size: what lies before it has to learn through its random weights."""
STUCK = 0.6
"""Share of its first value above which the loss must have stayed. Random features under a trained layer (a reservoir, an adapter on a base
of any kind) are a way to learn, and do, where they are meant."""
MIN_CALLS = 3
"""A module that is called once prepares data and is no part of what trains."""
OTHER_ORIGINS = ("torch.load", "from_pretrained", "pretrained=", "weights=", ".copy_(", "safetensors")
"""Words in a text that may have brought trained weights in without load_state_dict."""
NO_GRADIENT = "does not require grad"
EXPLAINS = ("loss-plateau", "graph-broken", "lr-too-low", "lr-too-high", "optimizer-missing-params", "vanishing-gradients")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        project = project_of(run)
        for module in process.facts("module"):
            finding = _nothing_left(project, process, module) or _stuck(project, process, module)
            if finding is not None:
                yield finding


def _params(process: Process, module: Fact) -> list[Fact]:
    return [p for p in process.facts("param") if str(p.get("root")) == module.key and p.get("is_parameter") and p.get("registered")]


def _nothing_left(project: Project, process: Process, module: Fact) -> Finding | None:
    """Everything is frozen, and backward failed for want of anything that requires a gradient."""
    params = _params(process, module)
    failed = any(NO_GRADIENT in str(fact.get("error") or "") for fact in process.facts("backward"))
    others = [other for other in process.facts("module") if other.key != module.key and other.get("n_trainable")]
    if not failed or not params or others or any(p.get("requires_grad") for p in params):
        return None
    return _finding(project, module, params, params, "none")


def _stuck(project: Project, process: Process, module: Fact) -> Finding | None:
    """Weights that nothing was loaded into are frozen, and the loss does not come down."""
    # Weights that came from somewhere are frozen for a reason; so are those of a model that only judges or teaches.
    if (
        module.get("pretrained")
        or int(module.get("calls") or 0) < MIN_CALLS
        or not module.get("train_grad_calls", module.get("train_calls"))
    ):
        return None
    left = share_left(process)
    if left is None or left <= STUCK or _other_origin(project, process):
        return None
    params = _params(process, module)
    weights = [p for p in params if _is_weight(p)]
    frozen = [p for p in weights if not p.get("requires_grad") and not p.get("had_grad") and not p.get("loaded")]
    learning = [p for p in params if p.get("requires_grad")]
    share = tensors.numel(frozen) / max(1, tensors.numel(params))
    last = max(weights, key=lambda p: int(p.key), default=None)
    if not frozen or not (learning or process.facts("backward")):
        return None
    if (module.get("loaded") or share < MIN_SHARE) and (last not in frozen or not learning):
        return None
    return _finding(project, module, params, frozen, "part" if learning else "all")


def _other_origin(project: Project, process: Process) -> bool:
    """Whether weights may have come in by a way that is not observed."""
    return not process.facts("load") and any(word in file.text for file in project.files for word in OTHER_ORIGINS)


def _finding(project: Project, module: Fact, params: Sequence[Fact], frozen: Sequence[Fact], message: str) -> Finding | None:
    lines = _freezing_lines(project)
    if not lines:
        return None  # frozen by a library, which knows why
    learning = [p for p in params if p.get("requires_grad")]
    values: dict[str, Value] = {
        "module": str(module.get("cls") or "the model"),
        "frozen": len(frozen),
        "tensors": len(params),
        "share": tensors.numel(frozen) / max(1, tensors.numel(params)),
        "names": tensors.module_names(frozen),
        "left": tensors.module_names(learning) if learning else "nothing",
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values=values,
        place=lines[0],
        related=related(*lines[1:], site_place(module.get("call_site")), place_of(module)),
        why="nothing" if message == "none" else "random",
        fix="unfreeze",
        explains=EXPLAINS,
        confidence=1.0 if message == "none" else 0.9,
    )


def _is_weight(param: Fact) -> bool:
    """A matrix or filter of a layer, not a table, a scale or a constant that is kept as a parameter."""
    return (
        len(param.get("shape") or ()) >= 2 and str(param.get("name") or "").rpartition(".")[2].startswith("weight") and param["numel"] > 1
    )


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
