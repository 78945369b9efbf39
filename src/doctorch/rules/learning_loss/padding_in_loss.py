"""padding-in-loss: the loss counts the padding of the targets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.analysis.packages import package_at
from doctorch.findings import Edit, Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_data.sources import batch_line
from doctorch.rules.shared import place_of
from doctorch.source import edits, flow, query
from doctorch.source.project import Project, project_of

MIN_LOOKS = 2
MIN_ROWS = 8
SHARE = 1 / 3
"""Share of the targets that are padding. Below that the rest still outweighs it by far."""
PADDED_ROWS = 0.5
"""Share of the rows that end in it."""
EXPLAINS = ("class-imbalance", "loss-plateau")
FUNCTIONS = ("torch.nn.functional.cross_entropy", "torch.nn.functional.nll_loss")
MODULES = ("torch.nn.CrossEntropyLoss", "torch.nn.NLLLoss")


def examine(run: Run) -> Iterator[Finding]:
    for fact in run.main_facts("loss_call"):
        padding = fact.get("padding")
        if not padding or not fact.get("train_count") or int(padding["looks"]) < MIN_LOOKS or int(padding["rows"]) < MIN_ROWS:
            continue
        targets, pads = int(padding["targets"]), int(padding["pads"])
        if pads < SHARE * targets or int(padding["padded_rows"]) < PADDED_ROWS * int(padding["rows"]):
            continue
        place = place_of(fact)
        if package_at(fact.process, place) is not None:
            place = batch_line(project_of(run), fact.process) or place
        yield Finding(
            rule=RULE.id,
            severity=Severity.WARNING,
            message="counted",
            values={
                "pads": pads,
                "targets": targets,
                "share": pads / targets,
                "id": int(padding["id"]),
                "rows": int(padding["rows"]),
                "padded_rows": int(padding["padded_rows"]),
                "ignore_index": fact.get("ignore_index"),
                "function": str(fact["function"]),
            },
            place=place,
            why="easy",
            fix="ignore",
            explains=EXPLAINS,
            confidence=0.9,
            ground="values",
        )


def edit(finding: Finding, project: Project) -> Edit | None:
    """``ignore_index`` where the loss is called or constructed."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None:
        return None
    for call in query.calls_at(file, finding.place.line):
        if query.qualified(file, call.func) in FUNCTIONS:
            return edits.make(file, [edits.set_keyword(call, "ignore_index", str(finding.values["id"]))], safe=False)
        module = flow.module_of(project, file, call.func)
        if module is not None and isinstance(module.node, ast.Call) and query.qualified(module.file, module.node.func) in MODULES:
            change = edits.set_keyword(module.node, "ignore_index", str(finding.values["id"]))
            return edits.make(module.file, [change], safe=False)
    return None


RULE = Rule(
    id="padding-in-loss",
    title="The loss counts padding",
    severity=Severity.WARNING,
    needs=frozenset({"loss_call"}),
    examine=examine,
    edit=edit,
)
