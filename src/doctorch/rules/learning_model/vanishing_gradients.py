"""vanishing-gradients: gradients fall geometrically from the last layer to the first, in a training that does not get anywhere."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from doctorch.analysis.trouble import trouble
from doctorch.findings import Finding, Place, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_model.layers import Layer, activation_place, chain, fall, layers, process_of, typical
from doctorch.rules.shared import related
from doctorch.source.project import Project, project_of

MIN_LAYERS = 4
MIN_LOOKS = 3
SMALL = 1e-3
"""Gradient of the first layer over that of the last, per weight. In nets that train they lie within a factor of about 30, whatever the
depth: what shrinks on the way back has grown on the way forth."""
STEADY = 0.75
"""Share of neighbours in the row of layers of which the one nearer to the data has the smaller gradient."""
USUALLY = 0.8
"""Share of the looks at which it must be so: now and then the last layer's gradient is near zero by chance."""
LITTLE_FALL = 0.15
FLAT = 0.1
SQUASHED = ("sigmoid", "tanh")
EXPLAINS = ("loss-plateau", "lr-too-low", "init-scale", "class-imbalance", "labels-misaligned")


def examine(run: Run) -> Iterator[Finding]:
    process = process_of(run)
    if process is None:
        return
    row = chain([layer for layer in layers(process) if layer.optimizer is not None])
    if len(row) < MIN_LAYERS or not _falls(row):
        return
    fallen = fall(process)
    if fallen is None or (fallen > LITTLE_FALL and trouble(process) is None):
        return
    yield _finding(row, project_of(run), fallen)


def _falls(row: Sequence[Layer]) -> bool:
    """Whether gradients fell towards the data at nearly all looks, and did so layer by layer."""
    by_step = [{look.step: look.g_rms for look in layer.grads} for layer in row]
    common = sorted(set(by_step[0]).intersection(*by_step[1:]))
    if len(common) < MIN_LOOKS:
        return False
    small = 0
    for step in common:
        sizes = [one[step] for one in by_step]
        if not all(math.isfinite(size) for size in sizes) or sizes[-1] <= 0:
            return False
        if all(size == 0 for size in sizes[:-1]):
            return False  # nothing at all comes through: dead or zero layers
        rising = sum(before < after for before, after in pairwise(sizes))
        small += sizes[0] <= SMALL * sizes[-1] and rising >= STEADY * (len(sizes) - 1)
    return small >= USUALLY * len(common)


def _finding(row: Sequence[Layer], project: Project, fallen: float) -> Finding:
    first, last = (typical([look.g_rms for look in layer.grads]) for layer in (row[0], row[-1]))
    kinds = {str(layer.activation.get("kind")) for layer in row[:-1]}
    kind = kinds.pop() if len(kinds) == 1 else ""
    ratio = last / first if first > 0 else math.inf
    slopes = [look[1] for layer in row if kind in SQUASHED for look in (layer.activation.get("looks") or ())]
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="falls" if math.isfinite(ratio) else "falls-to-zero",
        values={
            "layers": len(row),
            "first_layer": row[0].name,
            "last_layer": row[-1].name,
            "first": first,
            "last": last,
            "ratio": ratio if math.isfinite(ratio) else None,
            "factor": ratio ** (1 / (len(row) - 1)) if math.isfinite(ratio) else None,
            "kind": kind or None,
            "looks": len(row[0].grads),
            "fallen": fallen,
        },
        place=_place(row, project, kind),
        related=related(row[0].built, row[-1].built),
        why=kind if kind in SQUASHED and typical(slopes) >= FLAT else "shrinks",
        fix="relu" if kind in SQUASHED else "norm",
        explains=EXPLAINS,
        confidence=0.85,
        ground="values",
    )


def _place(row: Sequence[Layer], project: Project, kind: str) -> Place | None:
    filled = next((layer.filled for layer in row if layer.filled is not None), None)
    if kind in SQUASHED:
        return activation_place(project, row[0])
    return filled or row[0].built or row[0].made


RULE = Rule(
    id="vanishing-gradients",
    title="Gradients vanish on the way to the first layers",
    severity=Severity.WARNING,
    needs=frozenset({"layer"}),
    examine=examine,
)
