"""custom-backward-stale-tensor: a custom backward reads tensors that a later call has overwritten."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.findings import Finding, Place, Severity, Value
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_graph.custom import Checked, checked
from doctorch.rules.shared import related
from doctorch.source import query

EXPLAINS = ("custom-backward-wrong-formula", "inplace-modifies-saved", "loss-plateau", "loss-diverges", "lr-too-low", "lr-too-high")


def examine(run: Run) -> Iterator[Finding]:
    for one in checked(run):
        if one.data.get("stale"):
            yield _finding(one)


def _finding(one: Checked) -> Finding:
    # Called once before each backward, its gradients are right in this run.
    together = int(one.data.get("together") or 2)
    alone = together < 2
    kept = _kept(one)
    held = ", ".join(str(name) for name in one.data.get("holds") or ())
    values: dict[str, Value] = {"name": one.name, "held": f"ctx.{held}" if held else "something outside ctx", "calls": together}
    return Finding(
        rule=RULE.id,
        severity=Severity.ADVICE if alone else Severity.ERROR,
        message="alone" if alone else "differs",
        values=values,
        place=kept or one.backward,
        related=related(one.backward),
        why="overwritten",
        fix="save",
        explains=() if alone else EXPLAINS,
    )


def _kept(one: Checked) -> Place | None:
    """Where the forward keeps the tensor: the first assignment to an attribute of its context that the check found there."""
    if one.cls is None:
        return None
    file, cls = one.cls
    names = set(one.data.get("holds") or ())
    for name in ("forward", "setup_context"):
        method = query.methods(cls).get(name)
        for node in query.in_scope(method) if method is not None else ():
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Attribute) and t.attr in names for t in node.targets):
                return Place(file.path, node.lineno)
    return None


RULE = Rule(
    id="custom-backward-stale-tensor",
    title="A custom backward reads what a later call has overwritten",
    severity=Severity.ERROR,
    needs=frozenset({"function", "probe"}),
    examine=examine,
)
