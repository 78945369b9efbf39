"""labels-misaligned: each label belongs to another sample."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from doctorch.analysis import batches, probes, signals
from doctorch.analysis.signals import Signal
from doctorch.analysis.trouble import Trouble, trouble
from doctorch.findings import Edit, Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_data.sources import input_expression, target_expression
from doctorch.rules.shared import place_of
from doctorch.source import edits, pairing, query
from doctorch.source.files import SourceFile
from doctorch.source.pairing import Torn
from doctorch.source.project import Project, project_of

MAJORITY = 0.85
"""Share of the labels from which a class is nearly all there is (as in ``class-imbalance``)."""
HARD = 0.6
"""Confidence where nothing predicts the labels and the text shows no wrong order: it may be a hard task, as parity is."""
EXPLAINS = ("loss-plateau", "lr-too-low", "class-imbalance", "overfitting", "vanishing-gradients")


def examine(run: Run) -> Iterator[Finding]:
    process = run.training[0] if run.training else None
    if process is None:
        return
    project = project_of(run)
    seen, signal = trouble(process), signals.of(process)
    if signal is not None and not signal.none:
        if signal.certain:
            return  # the labels can be told from the inputs
        signal = None  # or perhaps it was chance: the experiment says neither
    stuck = seen if seen is not None and seen.kind in ("guess", "stuck") else None
    found = next(_pairs(project, process), None)
    loss = batches.only_target(process)
    if found is None and signal is not None and loss is not None and process.facts("package_call"):
        # A package calls the user's step, and the text does not show with what: then the pairs that it makes are all there is.
        found = next(((torn, loss) for torn, _ in _made(project, listed=True) if torn.sure), None)
    if found is not None:
        torn, loss = found
        # What the labels say was asked at one step; of a loss that was not in use then it says nothing.
        asked = signal if signal is not None and loss.step_first <= signal.at_step <= loss.step_last else None
        # A wrong order that the text is not sure of needs that nothing was found.
        if asked is not None or (torn.sure and stuck is not None):
            yield _finding(torn, loss, stuck, asked)
    elif signal is not None and stuck is not None and stuck.kind == "guess" and probes.learns_one_batch(process) and not _rare(process):
        yield _without_a_line(process, stuck, signal)


def _rare(process: Process) -> bool:
    """Whether nearly all labels are of one class: of the few others no reader learns much from so many samples."""
    target = batches.only_target(process)
    labels = (target.get("labels") if target is not None else None) or {}
    return bool(labels) and max(labels.values()) >= MAJORITY * sum(labels.values())


def _pairs(project: Project, process: Process) -> Iterator[tuple[Torn, Fact]]:
    """Inputs and targets of the training steps that the text shows in different orders."""
    for given in process.facts("input"):
        if given.get("phase") != "train":
            continue
        x = input_expression(project, given)
        if x is None:
            continue
        for loss in batches.targets(process):
            if not batches.together(given, loss):
                continue
            y = target_expression(project, loss)
            if y is not None and y[0] is x[0] and (torn := pairing.torn(project, x[0], x[1], y[1])) is not None:
                yield torn, loss


def _finding(torn: Torn, loss: Fact, seen: Trouble | None, signal: Signal | None) -> Finding:
    values: dict[str, Value] = {"line": torn.reorder.line, "loss_line": loss.line}
    if seen is not None:
        values |= {"first": seen.first, "last": seen.last, "steps": seen.steps}
    if signal is not None:
        values |= {"samples": signal.samples, "score": signal.score, "chance": signal.chance, "z": signal.z}
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=_message(torn),
        values=values,
        place=Place(torn.reorder.file.path, torn.reorder.line),
        related=tuple(place for place in (place_of(loss),) if place is not None),
        why="stays" if seen is not None else "torn",
        fix="one-order",
        proof="signal" if signal is not None else None,
        explains=EXPLAINS,
        confidence=0.95 if torn.sure else 0.9,
    )


def _message(torn: Torn) -> str:
    return "both" if torn.both else "inputs" if torn.by_input else "labels"


def _without_a_line(process: Process, seen: Trouble, signal: Signal) -> Finding:
    loss = batches.only_target(process)
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="no-signal",
        values={
            "samples": signal.samples, "score": signal.score, "chance": signal.chance, "z": signal.z,
            "first": seen.first, "last": seen.last, "steps": seen.steps,
        },
        place=place_of(loss) if loss is not None else None,
        why="hard",
        fix="compare",
        explains=EXPLAINS[:1],
        confidence=HARD,
    )  # fmt: skip


def examine_source(project: Project) -> Iterable[Finding]:
    """Pairs that the text makes of two things in different random orders."""
    for torn, used in _made(project):
        if torn.sure:
            yield Finding(
                rule=RULE.id,
                severity=Severity.ERROR,
                message=_message(torn),
                values={"line": torn.reorder.line, "loss_line": used.line},
                place=Place(torn.reorder.file.path, torn.reorder.line),
                related=(used,),
                why="torn",
                fix="one-order",
                explains=EXPLAINS,
                confidence=0.9,
                ground="source",
            )


def _made(project: Project, listed: bool = False) -> Iterator[tuple[Torn, Place]]:
    """What tears apart the pairs that the text makes, and where it makes them. ``listed``: also those of list comprehensions, which may be
    pairs of another kind."""
    for file in project.files:
        for x, y, paths in (*_made_pairs(file), *(_listed_pairs(file) if listed else ())):
            torn = pairing.torn(project, file, x, y, *paths)
            if torn is not None:
                yield torn, Place(file.path, x.lineno)


Paths = tuple[tuple[int, ...], tuple[int, ...]]


def _made_pairs(file: SourceFile) -> Iterator[tuple[ast.expr, ast.expr, Paths]]:
    for node in file.nodes:
        if isinstance(node, ast.Call) and len(node.args) == 2:
            name = query.qualified(file, node.func) or ""
            if name.endswith("TensorDataset"):
                yield node.args[0], node.args[1], ((), ())
        elif isinstance(node, ast.ClassDef):
            method = query.methods(node).get("__getitem__")
            for inner in query.in_scope(method) if method is not None else ():
                if isinstance(inner, ast.Return) and isinstance(inner.value, ast.Tuple) and len(inner.value.elts) == 2:
                    yield inner.value.elts[0], inner.value.elts[1], ((), ())
                elif isinstance(inner, ast.Return) and isinstance(inner.value, ast.Dict) and len(inner.value.values) == 2:
                    yield inner.value.values[0], inner.value.values[1], ((), ())


def _listed_pairs(file: SourceFile) -> Iterator[tuple[ast.expr, ast.expr, Paths]]:
    for node in file.nodes:
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            parts = node.elt.values if isinstance(node.elt, ast.Dict) else node.elt.elts if isinstance(node.elt, ast.Tuple) else []
            if len(parts) == 2:
                yield parts[0], parts[1], ((), ())


def edit(finding: Finding, project: Project) -> Edit | None:
    """Index the other side with the same order, where both are names of one scope: ``x = x[order]`` gets ``y = y[order]`` after it."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None or finding.message == "both":
        return None
    statement = query.statement_at(file, finding.place.line)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name):
        return None
    value, name = statement.value, statement.targets[0].id
    if not (isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) and value.value.id == name):
        return None
    if not isinstance(value.slice, ast.Name):
        return None
    partner = _partner(file, name, finding.message == "inputs")
    if partner is None:
        return None
    return edits.make(file, [edits.insert_after(statement, f"{partner} = {partner}[{value.slice.id}]")], safe=False)


def _partner(file: SourceFile, name: str, by_input: bool) -> str | None:
    """The name that is paired with another in all TensorDatasets that hold it."""
    found = set()
    for node in file.nodes:
        if isinstance(node, ast.Call) and len(node.args) == 2 and (query.qualified(file, node.func) or "").endswith("TensorDataset"):
            roots = [arg.value if isinstance(arg, ast.Subscript) else arg for arg in node.args]
            names = [root.id if isinstance(root, ast.Name) else None for root in roots]
            mine, other = (names[0], names[1]) if by_input else (names[1], names[0])
            if mine == name:
                found.add(other)
    return found.pop() if len(found) == 1 else None


RULE = Rule(
    id="labels-misaligned",
    title="The labels belong to other samples",
    severity=Severity.ERROR,
    needs=frozenset({"input", "target"}),
    examine=examine,
    examine_source=examine_source,
    edit=edit,
)
