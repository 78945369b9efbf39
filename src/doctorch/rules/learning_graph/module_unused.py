"""module-unused: a module that an optimizer holds never ran in training, or nothing came of what it gave."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from doctorch.analysis import tensors
from doctorch.findings import Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of
from doctorch.source import query
from doctorch.source.project import Project, project_of

MIN_STEPS = 24
"""Steps of the optimizer in all of which the parameters had no gradient: experts, dropped layers and tasks take turns."""
MIN_LOOKS = 2
"""Forward passes looked at operator by operator."""


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        looks = int(process.meta.get("deep_segments") or 0)
        idle = [param for param in tensors.parameters(process) if _is_idle(process, param)]
        if looks < MIN_LOOKS or not idle or not any(param.get("had_grad") for param in process.facts("param")):
            continue
        for dropped in (False, True):
            groups: dict[tuple[str, str], list[Fact]] = {}
            for param in idle:
                if bool(param.get("used")) == dropped:
                    groups.setdefault(_group(process, param), []).append(param)
            for (root, name), params in groups.items():
                yield _finding(run, process, root, name, params, looks, dropped)


def _is_idle(process: Process, param: Fact) -> bool:
    """Registered, held by an optimizer that made its steps, and without a gradient in each of them."""
    if not param.get("registered") or not tensors.in_optimizer(param) or not param.get("name"):
        return False
    if param.get("had_grad") or param.get("got_grad") or param.get("reached") or param.get("used_nograd") or param.get("moved"):
        return False
    optimizer = process.fact("optimizer", str(param.get("optimizer")))
    return optimizer is not None and int(optimizer.get("steps") or 0) >= MIN_STEPS


def _group(process: Process, param: Fact) -> tuple[str, str]:
    """The root, and the outermost module all of whose parameters are as idle: else the module that holds it."""
    root, name = str(param.get("root")), str(param["name"])
    parts = name.split(".")[:-1]
    own = [other for other in tensors.parameters(process) if str(other.get("root")) == root and other.get("name")]
    for depth in range(1, len(parts) + 1):
        prefix = ".".join(parts[:depth])
        inside = [other for other in own if str(other["name"]).startswith(prefix + ".")]
        if all(_is_idle(process, other) and bool(other.get("used")) == bool(param.get("used")) for other in inside):
            return root, prefix
    return root, ".".join(parts) or name


def _finding(run: Run, process: Process, root: str, name: str, params: Sequence[Fact], looks: int, dropped: bool) -> Finding:
    optimizer = process.fact("optimizer", str(params[0].get("optimizer")))
    values: dict[str, Value] = {
        "module": name,
        "tensors": len(params),
        "numel": tensors.numel(params),
        "looks": max(int(param.get("used") or 0) for param in params) if dropped else looks,
        "steps": int(optimizer.get("steps") or 0) if optimizer is not None else 0,
    }
    model = process.fact("module", root)
    return Finding(
        rule=RULE.id,
        severity=Severity.ADVICE,
        message="dropped" if dropped else "never",
        values=values,
        place=_built(project_of(run), model, name) or (place_of(model) if model is not None else None),
        fix="use" if dropped else "call",
        ground="graph",
    )


def _built(project: Project, model: Fact | None, name: str) -> Place | None:
    """The line that assigns the module in its owner's class, as far as the classes of the script's lead."""
    sites = (model.get("class_sites") or {}) if model is not None else {}
    found: Place | None = None
    owner = str(model.get("qualname") or "").rpartition(".")[2] if model is not None else ""
    for attribute in name.split("."):
        site = next((site for cls, site in sites.items() if cls.rpartition(".")[2] == owner), None)
        file = project.file(site["file"]) if site else None
        cls = query.classes(file).get(owner) if file is not None else None
        assigned = query.attribute_assignments(cls, attribute) if cls is not None else []
        if file is None or not assigned:
            break
        found = Place(file.path, assigned[0].lineno)
        value = assigned[0].value
        owner = (query.dotted(value.func) or "").rpartition(".")[2] if isinstance(value, ast.Call) else ""
    return found


RULE = Rule(
    id="module-unused",
    title="A module takes no part in the training",
    severity=Severity.ADVICE,
    needs=frozenset({"param", "optimizer"}),
    examine=examine,
)
