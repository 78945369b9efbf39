"""exploding-gradients: gradients grow towards the data or over the steps, and the training breaks on it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from doctorch.analysis.trouble import Trouble, trouble
from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_model.layers import EARLY, Gradient, Layer, is_game, layers, process_of
from doctorch.rules.shared import place_of, related

LARGE = 1e3
"""Gradient of a layer over that of the last, per weight, before the first updates."""
GROWN = 1e4
"""Gradient of the whole model over its first, at a later step."""
MIN_DEPTH = 3
MANY_USES = 4
"""Uses of a weight in one forward from which it is one of a recurrence."""
SYMPTOMS = ("loss-diverges", "loss-plateau")
EXPLAINS = (*SYMPTOMS, "exp-overflow", "fp16-overflow")
BROKEN = ("not-finite", "grows")


@dataclass(frozen=True)
class Growth:
    """The layer whose gradient is by far the largest, and the last one."""

    layer: Layer
    look: Gradient
    last: Layer
    last_look: Gradient

    @property
    def ratio(self) -> float:
        return self.look.g_rms / self.last_look.g_rms


def examine(run: Run) -> Iterator[Finding]:
    process = process_of(run)
    if process is None or not process.facts("layer") or is_game(process):
        return
    seen = trouble(process)
    if seen is None:
        return
    found = [layer for layer in layers(process) if layer.optimizer is not None and layer.grads]
    growth = _growth(found)
    longest = max(found, key=_in_sequence, default=None)
    if longest is not None and _in_sequence(longest) >= LARGE:
        yield _by_length(longest, seen)
    elif growth is not None:
        yield _by_layer(growth, seen)
    elif seen.kind in BROKEN and not process.facts("clip"):
        finding = _by_step(found, process, seen)
        if finding is not None:
            yield finding


def _growth(found: Sequence[Layer]) -> Growth | None:
    early = [(layer, layer.grads[0]) for layer in found if layer.grads[0].step <= EARLY and math.isfinite(layer.grads[0].g_rms)]
    if len(early) < 2:
        return None
    last, last_look = max(early, key=lambda pair: pair[0].depth)
    worst, look = max(early, key=lambda pair: pair[1].g_rms)
    if last_look.g_rms <= 0 or look.g_rms < LARGE * last_look.g_rms:
        return None
    if last.depth - worst.depth < MIN_DEPTH:
        return None
    return Growth(worst, look, last, last_look)


def _in_sequence(layer: Layer) -> float:
    """The factor by which the sums of a recurrent weight grow over a sequence; what goes forth so comes back so."""
    sizes = [size for _, size in layer.fact.get("sequence") or ()]
    if int(layer.fact.get("uses") or 1) < MANY_USES or len(sizes) < 2 or not sizes[0] > 0:
        return 0.0
    return float(sizes[-1] / sizes[0]) if math.isfinite(sizes[-1]) else math.inf


def _by_length(layer: Layer, seen: Trouble) -> Finding:
    (first_use, first), (last_use, last) = layer.fact["sequence"][0], layer.fact["sequence"][-1]
    factor = (last / first) ** (1 / (last_use - first_use))
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="length" if math.isfinite(last) else "length-broken",
        values={
            "layer": layer.name,
            "first": first,
            "last": last if math.isfinite(last) else None,
            "first_use": first_use,
            "last_use": last_use,
            "factor": factor if math.isfinite(factor) else None,
            "uses": int(layer.fact["uses"]),
            "trouble": seen.kind,
        },
        place=layer.made,
        related=related(layer.built, place_of(layer.fact)),
        why="length-why",
        fix="clip",
        explains=(*EXPLAINS, "lr-too-high", "dead-relu", "init-scale"),
        confidence=0.85,
        ground="values",
    )


def _by_layer(growth: Growth, seen: Trouble) -> Finding:
    layer = growth.layer
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="depth",
        values={
            "layer": layer.name,
            "last_layer": growth.last.name,
            "size": growth.look.g_rms,
            "last": growth.last_look.g_rms,
            "ratio": growth.ratio,
            "layers": growth.last.depth - layer.depth + 1,
            "trouble": seen.kind,
        },
        place=layer.made,
        related=related(layer.built, place_of(layer.fact)),
        why="depth-why",
        fix="scale",
        explains=(*EXPLAINS, "lr-too-high"),
        confidence=0.85,
        ground="values",
    )


def _by_step(found: Sequence[Layer], process: Process, seen: Trouble) -> Finding | None:
    totals = _totals(found)
    if not totals or totals[0][1] <= 0:
        return None
    first = totals[0]
    grown = next(((step, size) for step, size in totals if not math.isfinite(size) or size >= GROWN * first[1]), None)
    if grown is None:
        return None
    finite = math.isfinite(grown[1])
    values: dict[str, Value] = {"first": first[1], "size": grown[1] if finite else None, "step": grown[0], "trouble": seen.kind}
    place = max(process.facts("backward"), key=lambda fact: fact.count, default=None)
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="steps" if finite else "steps-broken",
        values=values,
        place=place_of(place) if place is not None else None,
        why="steps-why",
        fix="clip",
        explains=EXPLAINS if finite else SYMPTOMS,  # one that is no number comes from the operator that made it so
        confidence=0.8,
        ground="values",
    )


def _totals(found: Sequence[Layer]) -> list[tuple[int, float]]:
    """The norm of all gradients together, by step."""
    squares: dict[int, float] = {}
    for layer in found:
        numel = math.prod(layer.fact.get("shape") or (1,))
        for look in layer.grads:
            squares[look.step] = squares.get(look.step, 0.0) + numel * look.g_rms**2
    return [(step, math.sqrt(square)) for step, square in sorted(squares.items())]


RULE = Rule(
    id="exploding-gradients",
    title="Gradients explode",
    severity=Severity.WARNING,
    needs=frozenset({"layer"}),
    examine=examine,
)
