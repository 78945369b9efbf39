"""no-grad-forward: the training forward, or a part of it that should learn, runs with gradients turned off."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from doctorch.analysis import tensors
from doctorch.findings import Edit, Finding, Place, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

EXPLAINS = ("loss-plateau", "graph-broken", "graph-broken-partial", "module-unused", "zero-grad-before-step", "lr-too-low")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        uses = [fact for fact in process.facts("no_grad_use") if fact.get("to_loss")]
        params = {param.key: param for param in tensors.parameters(process)}
        silent = {key for key, param in params.items() if _never_learns(param)}
        groups: dict[Place | None, list[Fact]] = {}
        for use in uses:
            keys = {str(key) for key in use.get("params") or ()}
            # Every parameter of the line must be one that never got a gradient in any way: a policy that is rolled out without
            # gradients and trained with them, or a moving average, is read here too.
            if keys and keys <= silent:
                groups.setdefault(_switch(project_of(run), process, use, params), []).append(use)
        for place, lines in groups.items():
            yield _finding(process, place, lines, params)
        if not groups and (finding := _left_off(project_of(run), process)) is not None:
            yield finding


def _left_off(project: Project, process: Process) -> Finding | None:
    """backward failed for want of a graph, and the text turns gradients off around the calls that led to it, or for good."""
    failed = [fact for fact in process.facts("backward") if fact.get("failed") and "does not require grad" in str(fact.get("error") or "")]
    if not failed or not any(param.get("requires_grad") and tensors.in_optimizer(param) for param in process.facts("param")):
        return None
    calls = [site_place(module.get("call_site")) for module in process.facts("module")]
    calls += [place_of(loss) for loss in process.facts("loss_call")]
    for place in dict.fromkeys(calls):
        file = project.file(place.file) if place is not None else None
        line = query.gradless_line(file, place.line) if file is not None and place is not None else None
        if file is not None and line is not None:
            return _left_off_finding(failed[0], Place(file.path, line))
    if not failed[0].get("failed_grad_off", 1):
        return None  # gradients were on again when backward was called
    for file in project.files:
        switches = [node.lineno for node in file.nodes if isinstance(node, ast.Expr) and query.gradless(file, node.value)]
        if switches and not any(name in file.text for name in ("set_grad_enabled(True)", "enable_grad")):
            return _left_off_finding(failed[0], Place(file.path, switches[0]))
    return None


def _left_off_finding(backward: Fact, place: Place) -> Finding:
    earlier = backward.count - int(backward.get("failed") or 0)
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="left-off" if earlier > 0 else "off",
        values={"line": backward.line, "earlier": earlier},
        place=place,
        related=related(place_of(backward)),
        why="no-graph",
        fix="outside",
        explains=EXPLAINS,
        confidence=0.9,
        ground="error",
        certain_now=True,
    )


MIN_STEPS = 12
"""Steps of the optimizer that holds them: a part may be trained only now and then (five critic steps, then the generator)."""


def _never_learns(param: Fact) -> bool:
    used = param.get("used_nograd") and not param.get("used_grad")
    got = param.get("got_grad") or param.get("reached") or param.get("had_grad")
    if not used or got or not tensors.in_optimizer(param):
        return False
    optimizer = param.process.fact("optimizer", str(param.get("optimizer")))
    return optimizer is not None and int(optimizer.get("steps") or 0) >= MIN_STEPS


def _switch(project: Project, process: Process, use: Fact, params: dict[str, Fact]) -> Place | None:
    """Where gradients are turned off: the with statement or decorator around the operator, or around the call of its module."""
    roots = {str(params[str(key)].get("root")) for key in use.get("params") or () if str(key) in params}
    calls = [site_place(module.get("call_site")) for module in process.facts("module") if module.key in roots]
    for place in (place_of(use), *calls):
        file = project.file(place.file) if place else None
        if file is None or place is None:
            continue
        line = query.gradless_line(file, place.line) or _global_switch(file, place.line)
        if line is not None:
            return Place(file.path, line)
    return place_of(use)


def _global_switch(file: SourceFile, before: int) -> int | None:
    """The line of a statement ``torch.set_grad_enabled(False)`` above a line."""
    lines = [
        node.lineno for node in file.nodes if isinstance(node, ast.Expr) and query.gradless(file, node.value) and node.lineno <= before
    ]
    return max(lines, default=None)


def _finding(process: Process, place: Place | None, lines: Sequence[Fact], params: dict[str, Fact]) -> Finding:
    keys = list(dict.fromkeys(str(key) for use in lines for key in use.get("params") or ()))
    held = [params[key] for key in keys]
    trainable = [param for param in params.values() if tensors.in_optimizer(param)]
    roots = {str(param.get("root")) for param in held}
    loaded = any(module.get("loaded") for module in process.facts("module") if module.key in roots)
    all_of_them = len(held) >= len(trainable)
    # Loaded weights or modules in eval mode beside a part that trains: features of a fixed backbone, whose optimizer merely got
    # everything that parameters() returns.
    fixed = not all_of_them and (loaded or not any(use.get("training_mode", True) for use in lines))
    mode = "inference_mode" if any(use.get("inference_mode") for use in lines) else "no_grad"
    return Finding(
        rule=RULE.id,
        severity=Severity.ADVICE if fixed else Severity.ERROR,
        message="all" if all_of_them else "part",
        values={
            "tensors": len(held),
            "held": len(trainable),
            "names": tensors.module_names(held),
            "mode": mode,
            "segments": max(int(use.get("segments") or use.get("to_loss") or 1) for use in lines),
        },
        place=place,
        related=related(*(place_of(use) for use in lines)),
        why="no-graph",
        fix="outside",
        explains=EXPLAINS,
        ground="graph",
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Take the with statement away and its body out of it, or the decorator."""
    file = project.file(finding.place.file) if finding.place else None
    found = query.gradless_node(file, finding.place.line) if file is not None and finding.place is not None else None
    if file is None or found is None:
        return None
    node, switch = found
    if isinstance(node, ast.With) and len(node.items) == 1:
        return edits.make(file, [edits.unwrap_block(node)], safe=False, summary=f"without line {node.lineno}, its block moved out")
    if isinstance(node, query.Function):
        return edits.make(file, [edits.remove_decorator(switch)], safe=False, summary=f"without line {switch.lineno}")
    return None


RULE = Rule(
    id="no-grad-forward",
    title="The training forward runs with gradients turned off",
    severity=Severity.ERROR,
    needs=frozenset({"param", "backward"}),
    examine=examine,
    edit=edit,
)
