"""graph-broken-partial: one term of the loss, or one branch of the model, is cut off; the parameters behind it never get a gradient."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from doctorch.analysis import tensors
from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_graph.graph_broken import spoken
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source import query
from doctorch.source.project import Project, project_of

MIN_SEGMENTS = 2
"""Looks at which the parameters were used and not reached: a part that learns now and then is reached at others."""
KEYS_NAMED = 20
"""Parameters that the record names behind one cut."""
EXPLAINS = ("module-unused", "loss-plateau", "optimizer-missing-params")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        cut_off = [param for param in tensors.parameters(process) if _never_reached(param)]
        if not cut_off or not any(int(backward.get("reached_max") or 0) for backward in process.facts("backward")):
            continue
        for cut in sorted(process.facts("graph_cut"), key=lambda fact: _order(project_of(run), fact)):
            behind = [param for param in cut_off if param.key in (cut.get("params") or ())]
            if behind and cut.get("op") != "no_grad" and _is_every_time(cut):
                yield _finding(cut, _with_siblings(cut_off, behind))
                cut_off = [param for param in cut_off if param not in behind]


def _order(project: Project, cut: Fact) -> tuple[bool, bool, str, int]:
    """Cuts whose values went on into the loss come first, those that are only printed or kept in a list last."""
    file = project.file(cut.file) if cut.file else None
    statement = query.statement_at(file, cut.line) if file is not None and cut.line else None
    return not cut.get("to_loss"), _only_shown(statement), cut.file or "", cut.line or 0


def _only_shown(statement: ast.stmt | None) -> bool:
    """Whether what a statement makes is a call's own affair (print, append, a progress bar) or added to a running sum."""
    return isinstance(statement, ast.Expr | ast.AugAssign | ast.Assert | ast.With | ast.If)


def _with_siblings(cut_off: Sequence[Fact], behind: Sequence[Fact]) -> list[Fact]:
    """The parameters behind a cut. The record names twenty of them; of more, those of the same modules are told too."""
    if len(behind) < KEYS_NAMED:
        return list(behind)
    owners = {str(param.get("name")).split(".")[0] for param in behind}
    return [param for param in cut_off if param in behind or str(param.get("name")).split(".")[0] in owners]


def _never_reached(param: Fact) -> bool:
    """An optimizer holds it, the forward uses it with gradients on, and no loss ever reached it."""
    used = int(param.get("used_grad") or 0) >= MIN_SEGMENTS and bool(param.get("is_parameter"))
    if param.get("moved"):  # by hand: a codebook that follows an average, a prototype
        return False
    return used and tensors.in_optimizer(param) and not param.get("reached") and not param.get("got_grad") and not param.get("had_grad")


def _is_every_time(cut: Fact) -> bool:
    return int(cut.get("segments") or cut.count) >= MIN_SEGMENTS


def _finding(cut: Fact, behind: Sequence[Fact]) -> Finding:
    values: dict[str, Value] = {
        "op": spoken(str(cut.get("op"))),
        "names": tensors.module_names(behind),
        "tensors": len(behind),
        "numel": tensors.numel(behind),
        "looks": max(int(param["used_grad"]) for param in behind),
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="term",
        values=values,
        place=place_of(cut),
        related=related(*(site_place(param.get("used_site")) for param in behind)),
        why="number",
        fix="keep",
        explains=EXPLAINS,
        confidence=0.95,
        ground="graph",
    )


RULE = Rule(
    id="graph-broken-partial",
    title="A part of the loss is cut off from the model",
    severity=Severity.ERROR,
    needs=frozenset({"param", "backward"}),
    examine=examine,
)
