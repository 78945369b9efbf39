"""optimizer-stale-params: the optimizer holds tensors that are no longer in the model that runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from doctorch.analysis import tensors
from doctorch.findings import Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source import query
from doctorch.source.project import Project, project_of

MIN_STEPS = 3
MIN_DEEP = 2
"""Deep looks in which a parameter of the optimizer was not read by any operator."""
EXPLAINS = ("optimizer-missing-params", "loss-plateau", "lr-too-low", "vanishing-gradients", "zero-grad-before-step")


def stale(process: Process, optimizer: Fact) -> list[Fact]:
    """Parameters of an optimizer that are in no module that was called, that no operator has read and that never had a gradient."""
    return [
        param
        for param in tensors.parameters(process)
        if str(param.get("optimizer")) == optimizer.key
        and param.get("is_parameter")
        and param.get("root") is None
        and not param.get("used")
        and not param.get("had_grad")
        and not param.get("got_grad")
    ]


def left_out(process: Process) -> list[Fact]:
    """Parameters of the modules that run which get gradients and are in no optimizer."""
    return [
        param
        for param in tensors.parameters(process)
        if param.get("is_parameter") and param.get("registered") and param.get("root") is not None and param.get("got_grad")
        if not tensors.in_optimizer(param)
    ]


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        deep = sum(int(fact.get("deep") or 0) for fact in process.facts("backward"))
        if deep < MIN_DEEP:
            continue
        missing = left_out(process)
        for optimizer in process.facts("optimizer"):
            gone = stale(process, optimizer)
            # Tensors that nothing reads are harmless by themselves; that others learn in their place and are not held is the fault.
            if gone and missing and int(optimizer.get("steps") or 0) >= MIN_STEPS:
                yield _finding(project_of(run), process, optimizer, gone, missing)


def _finding(project: Project, process: Process, optimizer: Fact, gone: Sequence[Fact], missing: Sequence[Fact]) -> Finding:
    built = place_of(optimizer)
    module = process.fact("module", str(missing[0].get("root")))
    held = int(optimizer.get("n_params") or len(gone))
    replaced = _replacing_line(project, built, missing)
    values: dict[str, Value] = {
        "optimizer": str(optimizer.get("cls") or "optimizer"),
        "stale": len(gone),
        "held": held,
        "missing": len(missing),
        "names": tensors.module_names(missing),
        "module": str(module.get("cls") or "the model") if module is not None else "the model",
        "optimizer_line": built.line if built else 0,
        "replaced_line": replaced.line if replaced else None,
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="whole" if len(gone) >= held else "part",
        values=values,
        place=built,
        related=related(replaced, site_place(module.get("call_site")) if module is not None else None),
        why="replaced" if replaced is not None else "elsewhere",
        fix="after",
        explains=EXPLAINS,
        confidence=0.98,
    )


def _replacing_line(project: Project, built: Place | None, missing: Sequence[Fact]) -> Place | None:
    """The line of the optimizer's file on which the text assigns the layer that is left out, or what was assigned before, anew."""
    file = project.file(built.file) if built is not None else None
    if file is None or built is None:
        return None
    heads = {str(param.get("name") or "").split(".")[0] for param in missing}
    layers: list[int] = []
    models: list[int] = []
    before: set[str] = set()
    for node in sorted((one for one in file.nodes if isinstance(one, ast.Assign)), key=lambda one: one.lineno):
        in_init = getattr(query.function_at(file, node.lineno), "name", "") == "__init__"
        for target in node.targets:
            inner = target.value if isinstance(target, ast.Subscript) else target
            name = query.dotted(inner)
            if isinstance(inner, ast.Attribute) and inner.attr in heads and not (in_init and query.is_self_attribute(inner)):
                layers.append(node.lineno)
            elif name in before and node.lineno > built.line and isinstance(node.value, ast.Call):
                models.append(node.lineno)
            if name is not None and node.lineno < built.line:
                before.add(name)
    after = [line for line in layers if line > built.line] or layers or models
    return Place(file.path, after[0]) if after else None


RULE = Rule(
    id="optimizer-stale-params",
    title="The optimizer holds tensors that are no longer in the model",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer", "param", "module"}),
    examine=examine,
)
