"""unshuffled-data: batches hold one class each, since the data lies sorted and is not shuffled."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.analysis import batches
from doctorch.analysis.losses import entropy
from doctorch.findings import Edit, Finding, Place, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_data.sources import input_chain
from doctorch.rules.shared import place_of, related, site_place
from doctorch.source import edits, query
from doctorch.source.project import Project, project_of

MIN_TURNS = 10
MIN_ROWS = 4
"""Labels of a step: of fewer the entropy says little."""
MIN_ENTROPY = 0.3
"""Nats that the labels of the whole must have: with less there is hardly anything to shuffle."""
SORTED = 0.25
"""Share of the entropy of random batches under which batches are of one class: two classes of ten would still have 0.3."""


def examine(run: Run) -> Iterator[Finding]:
    process = run.training[0] if run.training else None
    fact = batches.only_target(process) if process is not None else None
    if process is None or fact is None or not fact.get("turns"):
        return
    labels, turns, rows = fact.get("labels") or {}, int(fact["turns"]), float(fact["turn_rows"])
    whole = entropy(labels.values())
    if turns < MIN_TURNS or rows < MIN_ROWS or whole < MIN_ENTROPY or sum(bool(o.get("steps")) for o in process.facts("optimizer")) > 1:
        return
    expected = batches.expected_entropy(labels, rows)
    if float(fact["turn_entropy"]) > SORTED * expected:
        return
    loader = _loader(process)
    if loader is not None and loader.get("shuffles"):
        return
    place, others = _places(project_of(run), process, fact, loader)
    yield Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="loader" if loader is not None else "loop",
        values={
            "entropy": float(fact["turn_entropy"]), "expected": expected, "turns": turns, "rows": rows, "classes": len(labels),
            "whole": whole,
        },
        place=place,
        related=others,
        why="drift",
        fix="shuffle" if loader is not None else "order",
        explains=("loss-plateau", "lr-too-high", "loss-diverges", "overfitting"),
        confidence=0.95,
    )  # fmt: skip


def _loader(process: Process) -> Fact | None:
    keys = {fact.get("loader") for fact in process.facts("input") if fact.get("phase") == "train" and fact.get("loader") is not None}
    return process.fact("loader", str(keys.pop())) if len(keys) == 1 else None


def _places(project: Project, process: Process, fact: Fact, loader: Fact | None) -> tuple[Place | None, tuple[Place, ...]]:
    if loader is not None:
        built = site_place(loader.get("built_site"))
        return built or place_of(loader), related(place_of(loader) if built else None)
    given = next((one for one in process.facts("input") if one.get("phase") == "train"), None)
    chain = input_chain(project, given) if given is not None else []
    stop = next((one for one in chain[1:] if query.statement_at(one.file, one.line) is not None), None)
    if stop is None:
        return place_of(fact), ()
    return Place(stop.file.path, stop.line), related(place_of(fact))


def edit(finding: Finding, project: Project) -> Edit | None:
    """``shuffle=True`` at the loader."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None or finding.message != "loader":
        return None
    calls = [c for c in query.calls_at(file, finding.place.line) if (query.qualified(file, c.func) or "").endswith("DataLoader")]
    if len(calls) != 1 or any(k.arg in ("sampler", "batch_sampler") for k in calls[0].keywords) or len(calls[0].args) > 2:
        return None
    return edits.make(file, [edits.set_keyword(calls[0], "shuffle", "True")], safe=False)


RULE = Rule(
    id="unshuffled-data",
    title="Batches hold one class each",
    severity=Severity.WARNING,
    needs=frozenset({"target"}),
    examine=examine,
    edit=edit,
)
