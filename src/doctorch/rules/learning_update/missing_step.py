"""missing-step: backward writes gradients, and the optimizer that holds the weights never steps."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from doctorch.findings import Edit, Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_update.names import names_of, step_call, uncalled_step
from doctorch.rules.shared import call_of, place_of, related, site_place
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

MIN_BACKWARDS = 10
"""Backwards without a step. Accumulation makes a step every few backwards; a text without any step is sure with fewer."""
MIN_UNREACHED = 64
"""Backwards after which a step that stands in the text, but was not reached, is taken to be out of reach: accumulation over more
micro-batches than that is rare."""
EXPLAINS = ("loss-plateau", "lr-too-low", "missing-zero-grad", "zero-grad-before-step")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        if any(scaler.get("asked") for scaler in process.facts("scaler")):
            continue  # steps were asked for: what is skipped is skipped for its gradients
        for optimizer in process.facts("optimizer"):
            if (finding := _of(run, process, optimizer)) is not None:
                yield finding


def _of(run: Run, process: Process, optimizer: Fact) -> Finding | None:
    looked = optimizer.get("unstepped") or {}
    backwards = int(optimizer.get("backwards") or 0)
    # The weights are as they were: nothing else moves them, no update by hand and no other optimizer.
    if optimizer.get("steps") or backwards < MIN_BACKWARDS or int(looked.get("backwards") or 0) < MIN_BACKWARDS or looked.get("moved"):
        return None
    project = project_of(run)
    others = [one for one in process.facts("optimizer") if one.get("steps")]
    backward, built = site_place(optimizer.get("backward_site")), place_of(optimizer)
    names = names_of(project, built)
    if others and not names:
        return None
    bare = [name.rpartition(".")[2] for name in names]
    # It may be stepped by another name; only those of optimizers that did step are known to be others.
    taken = [name for one in others for name in names_of(project, place_of(one))]
    step = step_call(project.files, [*names, *bare, *(f"self.{name}" for name in bare)], taken)
    if step is not None and (others or backwards < MIN_UNREACHED or (process.meta.get("ended") or {}).get("how") == "exception"):
        return None  # the part of the script that steps it may be still to come
    bare_step = uncalled_step(project.files) if step is None and not others else None
    uncalled = Place(bare_step[0].path, bare_step[1].lineno) if bare_step is not None else None
    message = "unreached" if step is not None else "uncalled" if uncalled is not None else "never"
    values: dict[str, Value] = {
        "backwards": backwards,
        "optimizer": str(optimizer.get("cls") or "optimizer"),
        "name": names[0] if names else "optimizer",
        "step_line": step.line if step is not None else None,
        "unmoved": int(looked["backwards"]),
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values=values,
        place=uncalled or backward or built,
        related=related(step, backward, built, site_place(optimizer.get("zero_site"))),
        why="grads-only",
        fix={"unreached": "reach", "uncalled": "call", "never": "add"}[message],
        explains=EXPLAINS,
        confidence=0.9 if step is not None else 1.0,
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Step right after backward, where the optimizer is known by the name under which it was built."""
    file = project.file(finding.place.file) if finding.place else None
    statement = query.statement_at(file, finding.place.line) if file is not None and finding.place is not None else None
    if file is None or statement is None:
        return None
    if finding.message == "uncalled" and isinstance(statement, ast.Expr):
        return edits.make(file, [edits.replace_node(file, statement.value, "{step}()", step=statement.value)], safe=True)
    name = str(finding.values["name"])
    if finding.message == "unreached" or call_of(statement, "backward") is None or not _known(file, statement, name):
        return None
    return edits.make(file, [edits.insert_after(statement, f"{name}.step()")], safe=True)


def _known(file: SourceFile, statement: ast.stmt, name: str) -> bool:
    """Whether statements of the same scope use the name already."""
    scope = query.scope_of(file, statement)
    return any(query.dotted(node) == name for node in query.in_scope(scope) if isinstance(node, ast.Name | ast.Attribute))


def examine_source(project: Project) -> Iterable[Finding]:
    """A loop that clears the gradients of a torch optimizer and runs backward, in a project in which nothing steps at all."""
    for file in project.files:
        if any(".step" in one.text for one in project.connected(file)):
            continue
        for loop in file.nodes:
            if isinstance(loop, query.Loop):
                backward = next((s for s in loop.body if call_of(s, "backward")), None)
                cleared = next((name for s in loop.body if (name := _clears_torch_optimizer(file, s)) is not None), None)
                if backward is not None and cleared is not None:
                    yield Finding(
                        rule=RULE.id,
                        severity=Severity.ERROR,
                        message="source",
                        values={"name": cleared},
                        place=Place(file.path, backward.lineno),
                        why="grads-only",
                        fix="add",
                        explains=EXPLAINS,
                        confidence=0.95,
                        ground="source",
                    )


def _clears_torch_optimizer(file: SourceFile, statement: ast.stmt) -> str | None:
    call = call_of(statement, "zero_grad")
    if call is None or not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
        return None
    name = call.func.value.id
    made = [value for scope in (query.scope_of(file, statement), file.tree) for value in query.assigned_values(scope, name)]
    torch_made = any(isinstance(v, ast.Call) and (query.qualified(file, v.func) or "").startswith("torch.optim.") for v in made)
    return name if torch_made else None


RULE = Rule(
    id="missing-step",
    title="The optimizer never steps",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer", "backward"}),
    examine=examine,
    examine_source=examine_source,
    edit=edit,
)
