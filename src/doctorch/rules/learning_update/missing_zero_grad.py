"""missing-zero-grad: gradients of earlier steps are still there when the next backward adds to them."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence

from doctorch.analysis import probes
from doctorch.findings import Edit, Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_update.stepping import Step, step_of, steps_at
from doctorch.rules.shared import call_of, place_of, related, site_place
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

MIN_STALE_STEPS = 3
"""One or two stale steps happen where a loop starts anew; three in a row of steps are how the loop is written."""
MIN_STALE_SHARE = 0.5
"""Share of the steps that were decided. Gradient accumulation clears once a step and has none; a loop that never clears has all but
the first, one that clears once an epoch nearly all."""
CLEARING_WORDS = ("zero_grad", ".grad", "set_to_none", "autograd")
"""A text with one of these may clear gradients in some way."""
EXPLAINS = ("loss-diverges", "exploding-gradients", "loss-plateau", "lr-too-high")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        never: list[Fact] = []
        seldom: list[Fact] = []
        for optimizer in process.facts("optimizer"):
            if _is_stale(optimizer):
                (seldom if optimizer.get("zero_grads") else never).append(optimizer)
        for group in (never, seldom):
            if group:
                yield _finding(project_of(run), process, sorted(group, key=lambda one: -int(one["stale_steps"])))


def _proof(process: Process) -> dict[str, Value]:
    """What the same steps gave with gradients cleared, where they were tried and gave more."""
    tried = probes.probe(process, "cleared")
    control, cleared = (tried.arms.get(name) if tried is not None else None for name in ("control", "cleared"))
    if control is None or cleared is None or not cleared.last < control.last:
        return {}
    return {"turns": cleared.turns, "start": control.first, "kept": control.last, "cleared": cleared.last}


def _is_stale(optimizer: Fact) -> bool:
    stale, checked = int(optimizer.get("stale_steps") or 0), int(optimizer.get("stale_checked") or 0)
    return stale >= MIN_STALE_STEPS and stale >= MIN_STALE_SHARE * checked and bool(optimizer.get("stale_nonzero"))


def _finding(project: Project, process: Process, optimizers: Sequence[Fact]) -> Finding:
    """One finding for the optimizers whose gradients are left over in the same way; the first speaks for them."""
    first = optimizers[0]
    stale, checked, clears = (int(first.get(name) or 0) for name in ("stale_steps", "stale_checked", "zero_grads"))
    backward = site_place(first.get("backward_site"))
    steps = [site_place(one.get("step_site")) for one in optimizers]
    proof = _proof(process)
    values: dict[str, Value] = {
        **proof,
        "stale": stale,
        "checked": checked,
        "clears": clears,
        "optimizer": str(first.get("cls") or "the optimizer"),
        "names": ", ".join(dict.fromkeys(_name(project, process, one) for one in optimizers)),
        # Both count the steps that were followed, not all.
        "per_step": round(int(first.get("backwards") or 0) / max(1, checked)),
    }
    alone = len(process.facts("optimizer")) == 1
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=("seldom" if clears else "never") + ("" if alone else "-of"),
        values=values,
        place=backward or steps[0] or place_of(first),
        related=related(*steps, site_place(first.get("zero_site")), *(place_of(one) for one in optimizers)),
        why="accumulates",
        fix="clear",
        proof="copies" if proof else None,
        explains=EXPLAINS,
        certain_now=not clears and stale >= 10,
    )


def _name(project: Project, process: Process, optimizer: Fact) -> str:
    """The optimizer as the text writes it, else its class and where it was built."""
    step = step_of(project, process, optimizer)
    if step is not None:
        return step.name
    built = place_of(optimizer)
    return f"the {optimizer.get('cls') or 'optimizer'}" + (f" built at line {built.line}" if built is not None else "")


def edit(finding: Finding, project: Project) -> Edit | None:
    """Insert ``zero_grad()`` before backward, or after the step where one step takes several backwards."""
    if finding.place is None:
        return None
    file = project.file(finding.place.file)
    if file is None:
        return None
    lines = dict.fromkeys(place.line for place in (*finding.related, finding.place) if place.file == file.path)
    steps = [step for line in lines for step in steps_at(file, line)]
    backward = _backward_at(file, finding.place.line)
    several = int(str(finding.values.get("per_step") or 1)) > 1
    changes, summaries, safe = [], [], finding.message.startswith("never")
    for name in str(finding.values["names"]).split(", "):
        step = next((step for step in steps if step.name == name), None)
        made = _clearing(step, backward, several=several) if step is not None and backward is not None else None
        if made is None:
            return None
        change, where, same_block = made
        changes.append(change)
        summaries.append(f"{name}.zero_grad()  ({where})")
        safe = safe and same_block
    return edits.make(file, changes, safe=safe, summary="; ".join(summaries))


def _clearing(step: Step, backward: ast.stmt, *, several: bool) -> tuple[edits.Change, str, bool] | None:
    """The change, where it is made in words, and whether backward and step stand in one block; None where no place is right."""
    file, text = step.file, f"{step.name}.zero_grad()"
    stepping = query.statement_of(file, step.call)
    if stepping is None or _in_own_scope(file, step.call, stepping):
        return None
    before = edits.insert_before(backward, text), f"before line {backward.lineno}"
    same_block = stepping in query.block_of(file, backward)
    if same_block and not several and backward is not stepping:
        return *before, True
    if not step.has_closure and not isinstance(stepping, query.Leaving):
        return edits.insert_after(stepping, text), f"after line {stepping.lineno}", same_block
    # Nothing runs after the step, or it runs backward itself: clear before backward, where the optimizer is known by that name.
    known = query.scope_of(file, stepping) in (file.tree, *file.ancestors(backward))
    return (*before, same_block) if known and not several and backward is not stepping else None


def _backward_at(file: SourceFile, line: int) -> ast.stmt | None:
    """The statement that runs backward on a line; of several on one line, the first."""
    calls = [call for call in query.calls_at(file, line) if isinstance(call.func, ast.Attribute) and call.func.attr == "backward"]
    return query.statement_of(file, calls[0]) if calls else query.statement_at(file, line)


def _in_own_scope(file: SourceFile, node: ast.AST, statement: ast.stmt) -> bool:
    """Whether a node stands in a lambda or comprehension of its statement, whose names the statements around do not know."""
    inner = itertools.takewhile(lambda one: one is not statement, file.ancestors(node))
    return any(isinstance(one, ast.Lambda | query.Comprehension) for one in inner)


def examine_source(project: Project) -> Iterable[Finding]:
    """A loop that runs backward and step on a torch optimizer, in a project that never mentions clearing in any form."""
    for file in project.files:
        if any(word in one.text for one in project.connected(file) for word in CLEARING_WORDS):
            continue
        for loop in file.nodes:
            if not isinstance(loop, query.Loop):
                continue
            backward = next((s for s in loop.body if call_of(s, "backward")), None)
            steps = [s for s in loop.body if _steps_torch_optimizer(file, s)]
            if backward is not None and steps and loop.body.index(backward) < loop.body.index(steps[0]):
                yield Finding(
                    rule=RULE.id,
                    severity=Severity.ERROR,
                    message="source",
                    values={"step_line": steps[0].lineno, "names": ", ".join(_names(file, steps)), "per_step": 1},
                    place=Place(file.path, backward.lineno),
                    related=related(*(Place(file.path, step.lineno) for step in steps)),
                    why="accumulates",
                    fix="clear",
                    explains=EXPLAINS,
                    confidence=0.9,
                    ground="source",
                )


def _names(file: SourceFile, steps: Sequence[ast.stmt]) -> list[str]:
    """The optimizers that statements step, each once."""
    calls = [call for step in steps if (call := call_of(step, "step")) is not None]
    return list(dict.fromkeys(file.segment(call.func.value) for call in calls if isinstance(call.func, ast.Attribute)))


def _steps_torch_optimizer(file: SourceFile, statement: ast.stmt) -> bool:
    call = call_of(statement, "step")
    if call is None or not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
        return False
    name = call.func.value.id
    values = [value for scope in (query.scope_of(file, statement), file.tree) for value in query.assigned_values(scope, name)]
    made = [query.qualified(file, value.func) or "" for value in values if isinstance(value, ast.Call)]
    return any(one.startswith("torch.optim.") for one in made) and not any(".lr_scheduler." in one for one in made)


RULE = Rule(
    id="missing-zero-grad",
    title="Gradients are never cleared",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer"}),
    examine=examine,
    examine_source=examine_source,
    edit=edit,
)
