"""grad-clip-too-small: clipping removes nearly all of every update."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from doctorch.analysis.losses import share_left
from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.settings import CLIP, own_line
from doctorch.rules.shared import place_of, related
from doctorch.source.project import project_of

MIN_CHECKED = 5
ALWAYS = 0.95
"""Share of the calls that clipped."""
KEPT = 0.05
"""Mean share of the gradient that clipping left."""
SMALL = 5e-4
"""Change of the weights by a step, relative to their norm, below which thousands of steps are needed to go anywhere. A recipe of a fixed
norm has a rate to match and moves them by more."""
STUCK = 0.9
"""The loss must not have come down."""
EXPLAINS = ("lr-too-low", "loss-plateau", "vanishing-gradients")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        left = share_left(process)
        stepped = [fact for fact in process.facts("optimizer") if fact.get("steps")]
        if left is None or left <= STUCK or len(stepped) != 1:
            continue
        for clip in process.facts("clip"):
            if (finding := _of(run, process, clip, stepped[0], left)) is not None:
                yield finding


def _of(run: Run, process: Process, clip: Fact, optimizer: Fact, left: float) -> Finding | None:
    checked, clipped = int(clip.get("checked") or 0), int(clip.get("clipped") or 0)
    if checked < MIN_CHECKED or clipped < ALWAYS * checked:
        return None
    kept = float(clip.get("ratio_sum") or 0.0) / checked
    moves = _moves(process, optimizer, float(clip.get("limit") or 0.0))
    # Without the clipping the steps would have been large enough: so it, and not the rate, is what makes them small.
    if kept > KEPT or moves is None or moves > SMALL or moves / max(kept, 1e-12) < SMALL:
        return None
    values: dict[str, Value] = {
        "function": str(clip.get("function")),
        "limit": float(clip.get("limit") or 0.0),
        "clipped": clipped,
        "checked": checked,
        "kept": kept,
        "norm": float(clip.get("norm_last") or 0.0),
        "moves": moves,
        "optimizer": str(optimizer.get("cls") or "optimizer"),
        "left": left,
        "steps": process.n_steps,
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="norm" if clip.get("function") == "clip_grad_norm_" else "value",
        values=values,
        place=own_line(project_of(run), process, place_of(clip), CLIP, [float(clip.get("limit") or 0.0)]),
        related=related(place_of(optimizer)),
        why="moves",
        fix="raise",
        explains=EXPLAINS,
        confidence=0.9,
    )


def _moves(process: Process, optimizer: Fact, limit: float) -> float | None:
    """The relative change of the weights by a step: measured, or on an accelerator computed for plain SGD."""
    sizes = process.fact("update", optimizer.key)
    samples = [sample for sample in (sizes.get("samples") or () if sizes is not None else ()) if sample[1]]
    measured = [update / weight for _, weight, _, _, update in samples if update is not None]
    if measured:
        return float(median(measured))
    rates = [float(group.get("lr") or 0.0) for group in optimizer.get("groups") or ()]
    if optimizer.get("cls") != "SGD" or not samples or not rates:
        return None
    momentum = max(float(group.get("momentum") or 0.0) for group in optimizer["groups"])
    return max(rates) * limit / (1 - min(momentum, 0.99)) / float(samples[0][1])


RULE = Rule(
    id="grad-clip-too-small",
    title="Clipping removes nearly all of every update",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer", "clip"}),
    examine=examine,
)
