"""lr-too-low: updates far too small to matter, shown by the same steps at higher rates."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from statistics import median

from doctorch.analysis.probes import ArmResult
from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_update import rates
from doctorch.rules.learning_update.rates import Rates
from doctorch.rules.settings import rate_line

MIN_FACTOR = 10.0
MOVES = 0.005
"""Share of its loss that a hundred steps on one batch must not exceed: at such a pace a tenth of the loss takes thousands of steps."""
SCHEDULED = 0.5
"""A rate below this share of the one that the optimizer was built with is a schedule's doing: a warm-up that is still under way, or a
schedule that has ended (scheduler-kills-lr)."""
STILL_UP = 0.9
"""The run itself must end above this share of its start: a rate that got there after all, by a warm-up or with patience, is no fault."""
AT_ONCE = 0.15
"""Share of the loss by which the next steps at the better rate must end lower than the same steps at the script's own."""
NOTHING = 1e-5
"""Size of an update relative to the weights under which ten thousand steps are needed to change a tenth of them."""
STILL, ORDINARY = 1e-8, 1e-4
"""Sizes relative to the weights: an update under the first moves nothing that float32 can tell; a gradient above the second is no
vanished one."""
WELL_BELOW = 0.7
"""Share of where the script's own rate ends on one batch under which a higher one must end."""
BY_HEART, SOON = 0.9, 0.05
"""Where a higher rate took this share off the loss of the batch that the script's own leaves as it is, so much is enough: a transformer
takes more than thirty steps to get going."""
EXPLAINS = ("loss-plateau", "vanishing-gradients")


def examine(run: Run) -> Iterator[Finding]:
    seen = rates.examined(run)
    if seen is None or not seen.level > STILL_UP * seen.first:
        return
    own = seen.arm(seen.own)
    plain = seen.arm(seen.ladder)
    if own is None or plain is None or abs(own.fall) > MOVES or not own.finite or seen.rate < SCHEDULED * seen.built:
        return
    # Already the next rung must help, or what helps further up is no matter of the rate: a large step out of a dead or flat region.
    raised = [arm for arm in seen.own if arm.factor >= MIN_FACTOR and arm.falls]
    enough = SOON if any(arm.fall >= BY_HEART for arm in raised) else AT_ONCE
    further = [arm for arm in seen.ladder if arm.factor >= MIN_FACTOR and arm.last < (1 - enough) * plain.last]
    share = _update_share(seen)
    if raised and further and _rises_steadily(seen.ladder):
        better, message = min(further, key=lambda arm: arm.last), "ladder"
    elif share is not None and share < NOTHING and (heart := _by_heart(seen, raised, own)) is not None:
        better, plain, message = heart, own, "heart"
    elif share is not None and share < STILL and _has_gradient(seen):
        better, message = own, "still"  # no experiment is needed where nothing moves at all
    else:
        return
    values: dict[str, Value] = {
        "share": share,
        "lr": seen.rate,
        "optimizer": str(seen.optimizer.get("cls") or "the optimizer"),
        "steps": seen.steps,
        "first": seen.first,
        "level": seen.level,
        "turns": better.turns,
        "factor": better.factor,
        "better_lr": seen.rate * better.factor,
        "start": plain.first,
        "better": better.last,
        "own": plain.last,
    }
    yield Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values=values,
        place=rate_line(run, seen.optimizer),
        why="small",
        fix="raise-much" if message == "still" else "raise",
        proof={"heart": "batch", "ladder": "copies"}.get(message),
        explains=EXPLAINS,
        confidence=0.9,
    )


def _by_heart(seen: Rates, raised: Sequence[ArmResult], own: ArmResult) -> ArmResult | None:
    """The best of the higher rates on one batch, where that learns it: what takes more steps than the ladder has is seen there."""
    best = min(raised, key=lambda arm: arm.last, default=None)
    return best if best is not None and best.last <= WELL_BELOW * own.last and _rises_steadily(seen.own) else None


def _has_gradient(seen: Rates) -> bool:
    """Whether a gradient of an ordinary size reached the weights, relative to them."""
    sizes = seen.process.fact("update", seen.optimizer.key)
    shares = [float(row[2]) / float(row[1]) for row in (sizes.get("samples") if sizes is not None else None) or () if row[2] and row[1]]
    return bool(shares) and median(shares) > ORDINARY


def _update_share(seen: Rates) -> float | None:
    """Size of a typical update relative to the weights, where it was measured."""
    sizes = seen.process.fact("update", seen.optimizer.key)
    shares = [
        float(row[4]) / float(row[1])
        for row in (sizes.get("samples") if sizes is not None else None) or ()
        if row[4] is not None and row[1]
    ]
    return median(shares) if shares else None


def _rises_steadily(side: Sequence[ArmResult]) -> bool:
    """Whether each higher rate ends at least as low as the one before, up to the best: what too small a rate looks like.

    Where the rate is not what is wrong, a thousand times of it stumbles about.
    """
    rungs = sorted((arm for arm in side if arm.factor >= 1), key=lambda arm: arm.factor)
    best = min(range(len(rungs)), key=lambda i: rungs[i].last if rungs[i].finite else float("inf"))
    return all(later.last <= earlier.last * 1.01 for earlier, later in itertools.pairwise(rungs[: best + 1]))


RULE = Rule(
    id="lr-too-low",
    title="The learning rate is far too small",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer"}),
    examine=examine,
)
