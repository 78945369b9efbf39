"""lr-too-low: updates far too small to matter, shown by the same steps at higher rates."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_update import rates
from doctorch.rules.learning_update.rates import Rates
from doctorch.rules.shared import place_of

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
    further = [arm for arm in seen.ladder if arm.factor >= MIN_FACTOR and arm.last < (1 - AT_ONCE) * plain.last]
    if not raised or not further or not _rises_steadily(seen):
        return
    better = min(further, key=lambda arm: arm.last)
    values: dict[str, Value] = {
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
        message="ladder",
        values=values,
        place=place_of(seen.optimizer),
        why="small",
        fix="raise",
        proof="copies",
        explains=EXPLAINS,
        confidence=0.9,
    )


def _rises_steadily(seen: Rates) -> bool:
    """Whether each higher rate ends at least as low as the one before, up to the best: what too small a rate looks like.

    Where the rate is not what is wrong, a thousand times of it stumbles about.
    """
    rungs = [arm for arm in seen.ladder if arm.factor >= 1]
    best = min(range(len(rungs)), key=lambda i: rungs[i].last if rungs[i].finite else float("inf"))
    return all(later.last <= earlier.last * 1.01 for earlier, later in itertools.pairwise(rungs[: best + 1]))


RULE = Rule(
    id="lr-too-low",
    title="The learning rate is far too small",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer"}),
    examine=examine,
)
