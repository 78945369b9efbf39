"""label-out-of-range: a class label that the output has no unit for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.findings import Edit, Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules import settings
from doctorch.rules.api import Rule
from doctorch.rules.indices import tables
from doctorch.rules.indices.tables import BadIndex
from doctorch.source import edits, flow, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

LOSS_NAMES = ("CrossEntropyLoss", "NLLLoss", "cross_entropy", "nll_loss")


def examine(run: Run) -> Iterator[Finding]:
    for bad in tables.bad_indices(run, tables.LOSSES):
        kind = _kind(bad)
        if kind is None:
            continue
        counted = tables.counted(bad)
        yield Finding(
            rule=RULE.id,
            severity=Severity.ERROR,
            message="blanks" if kind == "blank" else ("counted" if counted else "bounds") if bad.size is not None else "error-only",
            values=tables.shown(bad) | {"kind": kind, "blank": bad.fact.get("blank") if bad.fact is not None else None},
            place=tables.own_line(run, project_of(run), bad, settings.CLASSES),
            why=kind,
            fix=f"fix-{kind}",
            ground="values" if bad.fact is not None else "error",
            certain_now=True,
        )


def _kind(bad: BadIndex) -> str | None:
    """What the bad labels most likely are."""
    blank = bad.fact.get("blank") if bad.fact is not None else None
    if blank is not None and blank in bad.values:
        return "blank"
    if len(bad.values) == 1 and bad.values[0] < 0:
        return "padding"
    if bad.below:
        return "negative"
    if bad.size is None:
        return "beyond" if bad.values else None
    if not bad.above:
        return None
    smallest = min(bad.labels, default=bad.low)
    if bad.high == bad.size:
        return "one-based" if smallest is not None and smallest >= 1 else "extra-class"
    return "void" if len(bad.values) == 1 else "beyond"


def edit(finding: Finding, project: Project) -> Edit | None:
    """Tell the loss to ignore the padding value, or shift labels that begin at 1."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None:
        return None
    call = _loss_call(project, file, finding.place.line)
    if call is None:
        return None
    kind = finding.values.get("kind")
    if kind in ("padding", "void"):
        return _ignore(project, file, call, str(finding.values["value"]))
    target = query.argument(call, 1, "target")
    if kind == "one-based" and target is not None:
        return edits.make(file, [edits.replace_node(file, target, "{target} - 1", target=target)], safe=False)
    return None


def _loss_call(project: Project, file: SourceFile, line: int) -> ast.Call | None:
    """The call of the loss on a line."""
    for call in query.calls_at(file, line):
        made = flow.module_of(project, file, call.func)
        named = made.node.func if made is not None and isinstance(made.node, ast.Call) else call.func
        if (query.dotted(named) or "").endswith(LOSS_NAMES):
            return call
    return None


def _ignore(project: Project, file: SourceFile, call: ast.Call, value: str) -> Edit | None:
    """``ignore_index`` where the loss is made."""
    made = flow.module_of(project, file, call.func)
    where, target = (made.file, made.node) if made is not None else (file, call)
    if not isinstance(target, ast.Call) or any(keyword.arg in ("ignore_index", None) for keyword in target.keywords):
        return None
    return edits.make(where, [edits.set_keyword(target, "ignore_index", value)], safe=False)


RULE = Rule(
    id="label-out-of-range",
    title="Class label out of range",
    severity=Severity.ERROR,
    examine=examine,
    edit=edit,
)
