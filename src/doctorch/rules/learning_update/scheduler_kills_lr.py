"""scheduler-kills-lr: a schedule drives the rate to almost nothing long before the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from doctorch.analysis.losses import share_left
from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, site_place

MIN_STEPS = 40
DEAD = 0.0009
"""Share of its highest value below which a rate does nothing worth its time; three decays by ten stay above it. Cosine schedules that end
at 0 pass it in the last 2 % of their steps, an exponential one that ends there only at its end."""
DEAD_SHARE = 0.4
"""Share of all steps made below it."""
PER_STEP = 0.5
"""Steps of a scheduler for each of the optimizer's, above which it goes by steps. A ReduceLROnPlateau that does so takes the noise of
single batches for a plateau; by epochs it follows what the loss really does."""
CONVERGED, COME_DOWN = 0.1, 0.5
"""Share of its first value below which the loss has been brought before: then a rate of nothing costs nothing. The second is for a
schedule that is stepped by epochs, as schedules are meant to be: it may be a slow end that was wanted."""
MIN_SHOWN, FIRST_SHOWN, STEADY = 4, 6, 0.75
"""Values that a ReduceLROnPlateau was shown, those looked at (before the rate dies, and with it all movement), and the share of them
that must be better than all before in the mode that it does not look for."""
EXPLAINS = ("lr-too-low", "loss-plateau")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        for scheduler in process.facts("scheduler"):
            optimizer = process.fact("optimizer", scheduler.get("optimizer") or "")
            if optimizer is not None and (finding := _of(process, scheduler, optimizer)) is not None:
                yield finding


def _of(process: Process, scheduler: Fact, optimizer: Fact) -> Finding | None:
    trace = [(int(step), float(rate)) for step, rate in optimizer.get("rate_trace") or ()]
    total = int(optimizer.get("steps") or 0)
    per_step = int(scheduler.get("steps") or 0) / max(1, total)
    on_plateau = scheduler.get("cls") == "ReduceLROnPlateau"
    backwards = on_plateau and _looks_the_wrong_way(scheduler)
    if total < MIN_STEPS or not trace or (on_plateau and per_step < PER_STEP and not backwards):
        return None
    peak = max(rate for _, rate in trace)
    died = _died(trace, peak)
    if died is None or total - died < DEAD_SHARE * total:
        return None
    left = share_left(process)
    if left is not None and left < (CONVERGED if per_step > PER_STEP or backwards else COME_DOWN):
        return None
    shown = [float(value) for value in scheduler.get("metrics") or ()]
    values: dict[str, Value] = {
        "cls": str(scheduler.get("cls")),
        "peak": peak,
        "last": trace[-1][1],
        "step": died,
        "steps": total,
        "share": (total - died) / total,
        "calls": int(scheduler.get("steps") or 0),
        "mode": _mode(scheduler),
        "shown_first": shown[0] if shown else None,
        "shown_last": shown[-1] if shown else None,
    }
    stepped = site_place(scheduler.get("step_site"))
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="fell",
        values=values,
        place=place_of(scheduler) or stepped,
        related=related(stepped, place_of(optimizer)),
        why="backwards" if backwards else "noise" if on_plateau else "every-step" if per_step > 0.9 else "too-fast",
        fix="mode" if backwards else "per-epoch" if per_step > 0.9 else "slower",
        explains=EXPLAINS,
        confidence=0.95,
    )


def _mode(scheduler: Fact) -> str:
    """What a ReduceLROnPlateau takes for better: ``min`` or ``max``."""
    worse = (scheduler.get("settings") or {}).get("mode_worse")
    return "max" if worse is not None and float(worse) < 0 else "min"


def _looks_the_wrong_way(scheduler: Fact) -> bool:
    """Whether what a ReduceLROnPlateau was shown got better in the other mode nearly each time, and in its own never after the first."""
    shown = [float(value) for value in scheduler.get("metrics") or ()][:FIRST_SHOWN]
    if len(shown) < MIN_SHOWN:
        return False
    sign = 1 if _mode(scheduler) == "min" else -1
    own, other = (_improvements([factor * value for value in shown]) for factor in (sign, -sign))
    return own == 0 and other >= STEADY * (len(shown) - 1)


def _improvements(values: Sequence[float]) -> int:
    """How often a value is below all before it."""
    best, found = values[0], 0
    for value in values[1:]:
        if value < best:
            best, found = value, found + 1
    return found


def _died(trace: Sequence[tuple[int, float]], peak: float) -> int | None:
    """The step from which the rate stays below the bound."""
    died = None
    for step, rate in trace:
        if rate >= DEAD * peak:
            died = None
        elif died is None:
            died = step
    return died


RULE = Rule(
    id="scheduler-kills-lr",
    title="The schedule drives the learning rate to nothing",
    severity=Severity.ERROR,
    needs=frozenset({"scheduler", "optimizer"}),
    examine=examine,
)
