"""lr-too-high: a step raises the loss on its own batch, shown by the same batch at lower rates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from doctorch.analysis import probes
from doctorch.analysis.probes import ArmResult
from doctorch.analysis.trouble import trouble
from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_update import rates
from doctorch.rules.learning_update.rates import Rates
from doctorch.rules.numbers.first import arithmetic
from doctorch.rules.settings import rate_line

STILL_UP = 0.9
"""The run itself must end above this share of its start."""
WELL_BELOW = 0.5
"""A lower rate must end at less than this share of where the script's own rate ends on the same batch."""
MAX_OWN_FALL = 0.15
"""What the script's own rate may gain on one batch in a hundred steps: the frequencies of its labels, which the last bias learns whatever
happens to the rest."""
JUMP = 3.0
"""After one step the loss of the same batch is this multiple: then what the arm gains later it gains from the wreckage."""
CLIMBS = 1.5
"""From a fresh start the script's own steps took the loss above this multiple of where it began …"""
HOLDS = 1.0
"""… and those at a lower rate did not take it above this."""
FIXED = ("cross_entropy", "nll_loss")
"""Losses against labels, which stay what they are: one against values that the model itself tells may well rise while it learns."""
EARLY, THROWN, HALF = 20, 10.0, 0.5
"""Steps at the start, the multiple of its first value to which the loss is thrown up in them, and the share above which it then stays."""
SPREAD_INPUT, OFFSET_INPUT = 10.0, 10.0
"""Inputs with such a deviation, or a mean of so many deviations, make any usual rate too high: then they are the cause."""
EXPLAINS = (
    "loss-plateau", "loss-diverges", "dead-relu", "exploding-gradients", "saturated-activations", "vanishing-gradients", "exp-overflow",
    "log-zero", "fp16-overflow", "batchnorm-eval-mismatch",
)  # fmt: skip


def examine(run: Run) -> Iterator[Finding]:
    seen = rates.examined(run)
    if seen is None or (seen.level <= STILL_UP * seen.first and not _guesses(seen) and not _thrown(seen)):
        return  # so written that a loss that is no number goes on
    found = _better(seen.fresh) or _better(seen.own)
    climbs = found is None
    found = found or _climbs(seen)
    if found is None or _input_to_blame(seen) or (arithmetic(run) is not None and rates.fell_until_it_broke(seen.process)):
        return
    own, better = found
    second = own.extra.get("second")
    finite = own.finite and math.isfinite(own.last)
    values: dict[str, Value] = {
        "lr": seen.rate,
        "optimizer": str(seen.optimizer.get("cls") or "the optimizer"),
        "steps": seen.steps,
        "first": seen.first,
        "level": seen.level if math.isfinite(seen.level) else "no number any more",
        "turns": better.turns,
        "better_lr": seen.rate * better.factor,
        "start": own.first,
        "second": float(second) if second is not None else own.last,
        "better": better.last,
        "own": own.last if finite else "no number any more",
    }
    jumps = second is not None and not float(second) <= own.first
    yield Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="climbs" if climbs else "jumps" if jumps else "stays",
        values=values,
        place=rate_line(run, seen.optimizer),
        why="large",
        fix="lower",
        proof="next" if climbs else "fresh" if own.name.startswith("fresh") else "copies",
        explains=EXPLAINS,
        confidence=0.9,
    )


def _guesses(seen: Rates) -> bool:
    """Whether the loss ends no lower than a guess without the inputs, wherever it began."""
    found = trouble(seen.process)
    return found is not None and found.kind == "guess"


def _thrown(seen: Rates) -> bool:
    """Whether the first steps threw the loss far up, and it has not come back to where a training gets in that time."""
    early = [value for value in list(seen.process.steps["loss"])[:EARLY] if math.isfinite(value)]
    return bool(early) and max(early) > THROWN * abs(early[0]) and seen.level > HALF * seen.first


def _better(side: Sequence[ArmResult]) -> tuple[ArmResult, ArmResult] | None:
    """The script's rate and the best lower one, where the first fails on a batch that the second learns."""
    own = next((arm for arm in side if arm.factor == 1), None)
    if own is None or (own.fall >= MAX_OWN_FALL and not _jumps(own)):
        return None
    lower = probes.best([arm for arm in side if arm.factor < 1 and arm.falls])
    if lower is None or (math.isfinite(own.last) and lower.last > WELL_BELOW * own.last):
        return None
    return own, lower


def _climbs(seen: Rates) -> tuple[ArmResult, ArmResult] | None:
    """The script's rate and the best lower one, where from a fresh start the script's own steps drive the loss up at the first only."""
    calls = [call for call in seen.process.facts("loss_call") if call.get("train_count")]
    if not calls or any(call.get("function") not in FIXED or "int" not in str(call.get("target_dtype")) for call in calls):
        return None
    own = next((arm for arm in seen.fresh_ladder if arm.factor == 1), None)
    lower = probes.best([arm for arm in seen.fresh_ladder if arm.factor < 1 and arm.last <= HOLDS * arm.first])
    if own is None or lower is None or own.first <= 0 or (math.isfinite(own.last) and own.last < CLIMBS * own.first):
        return None
    return own, lower


def _jumps(arm: ArmResult) -> bool:
    """Whether one step threw the loss of its own batch far up."""
    second = arm.extra.get("second")
    return second is not None and not float(second) <= JUMP * abs(arm.first)


def _input_to_blame(seen: Rates) -> bool:
    """Whether inputs of an ordinary scale would have made the rate a good one."""
    rescaled = probes.probe(seen.process, "rescaled")
    arm = rescaled.arms.get("rescaled") if rescaled is not None else None
    scale = arm.extra.get("scale") if arm is not None else None
    if arm is None or not scale:
        return False
    mean, deviation = abs(float(scale[0])), float(scale[1])
    return (deviation > SPREAD_INPUT or mean > OFFSET_INPUT * max(deviation, 1e-12)) and arm.falls


RULE = Rule(
    id="lr-too-high",
    title="The learning rate is too large",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer"}),
    examine=examine,
)
