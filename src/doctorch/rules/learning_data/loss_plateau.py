"""loss-plateau: the loss stays at a value that says «nothing learned», a symptom."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from doctorch.analysis import batches, probes, signals
from doctorch.analysis.losses import Course, course, label_entropy, losses
from doctorch.analysis.steps import backwards_per_step
from doctorch.analysis.trouble import guess
from doctorch.findings import Finding, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of

MIN_STEPS = 50
"""Steps before «it does not fall» means anything."""
NEAR = 0.02
"""Relative distance from a known value within which the level is called that value."""
FALLEN = 0.03
"""Under a cause, a loss may have fallen by this share of its start and still be called stuck."""
PRIOR_FALL = 0.06
"""From its start to the level of the labels' entropy a loss may fall this much. One that fell further has learned at least the
frequencies, which for text without memory is all there is."""
CONSTANT = 1e-6
"""Relative spread of a loss that is the same to float32's last digits at every step."""
UNDER_A_CAUSE = 0.5
"""Confidence where the loss falls a little, or lies near a known value without being on it: worth a line under a cause that is known,
not a word by itself."""


YOUNG = 200
"""Steps under which a loss at a guess is no news where experiments have shown that the labels can be told from the inputs and that one
batch is learned."""
MIN_STEPS_VALUES = 100
"""Steps of a regression before its mean alone is said to be all it has learned: it may come by way of it."""
VALUES_NEAR = 0.02
"""Relative distance from the variance of the targets; a model that explains more than so little of it has learned something."""
MIN_TARGETS = 200
SWING = 0.2
"""Spread relative to the level above which a loss written by hand is not at a known value but swings about."""


@dataclass(frozen=True)
class Reference:
    """A value at which a loss stays when nothing is learned."""

    value: float
    message: str
    name: str
    error: float = 0.0
    """Standard error of the value, where it is estimated from a sample."""


def examine(run: Run) -> Iterator[Finding]:
    process = run.training[0] if run.training else None
    if process is None:
        return
    seen = course(losses(process))
    if seen is None or seen.n < MIN_STEPS or seen.level <= 0:
        return
    place = max(process.facts("backward"), key=lambda fact: fact.count, default=None)
    facts = [fact for fact in process.facts("loss_call") if fact.get("train_count")]
    if not facts and place is not None:  # a loss of detached values, on which backward runs all the same
        facts = [fact for fact in process.facts("loss_call") if 2 * fact.count >= place.count]
    loss_line = facts[0] if len(facts) == 1 else None
    if seen.spread <= CONSTANT * abs(seen.level) and abs(seen.first - seen.level) <= CONSTANT * abs(seen.level):
        yield _finding(loss_line or place, seen, Reference(seen.level, "constant", "constant"), 1.0)
        return
    signal = signals.of(process)
    if signal is not None and signal.tasks_change:
        return  # each few steps have a task of their own: only a model that has seen some of it gets below a guess
    if len(facts) != 1:
        yield from _of_several(process, facts, place, seen)
        return
    if seen.n >= MIN_STEPS_VALUES and facts[0].get("function") == "mse_loss":
        yield from _at_variance(process, facts[0], seen)
    reference = _nearest(_references(process, facts[0]), seen.level)
    if reference is None:
        return
    tolerance = NEAR * reference.value + 2 * reference.error
    if abs(seen.level - reference.value) > tolerance:
        return
    below = seen.lowest < reference.value - tolerance
    fallen = 1 - seen.level / seen.first if seen.first > 0 else 0.0
    begun = signal is not None and not signal.none and probes.learns_one_batch(process)
    if seen.n < YOUNG and (begun or _warms_up(process)):
        yield _finding(facts[0], seen, reference, UNDER_A_CAUSE)  # all that learning takes is there: it may just have begun
    elif not below and not seen.still_falls and (reference.message != "prior" or fallen <= PRIOR_FALL):
        yield _finding(facts[0], seen, reference, 0.9)
    elif fallen <= FALLEN:
        yield _finding(facts[0], seen, reference, UNDER_A_CAUSE)


def _warms_up(process: Process) -> bool:
    """Whether the learning rate still rises at the end, and is above twice what it began with."""
    for optimizer in _stepping(process):
        trace = [(int(step), float(rate)) for step, rate in optimizer.get("rate_trace") or ()]
        if len(trace) > 2 and trace[-1][1] > 2 * trace[0][1] and trace[-1][0] >= 0.9 * process.n_steps:
            return all(later[1] >= earlier[1] for earlier, later in itertools.pairwise(trace))
    return False


def _of_several(process: Process, facts: list[Fact], place: Fact | None, seen: Course) -> Iterator[Finding]:
    """The sum of several losses over classes, each at a uniform guess; or a loss written by hand, of which only the answers are known."""
    found: list[Reference] = []
    if facts and place is not None:
        each = [next((one for one in _references(process, fact) if one.message in ("uniform", "coin")), None) for fact in facts]
        every = all(2 * fact.count >= max(other.count for other in facts) for fact in facts)
        if every and all(one is not None for one in each):
            known = [one for one in each if one is not None]
            found.append(Reference(sum(one.value for one in known), "sum", " + ".join(one.name for one in known)))
    elif not facts:
        answers = [fact for fact in process.facts("output") if fact.get("phase") == "train"]
        shape = answers[0].get("shape") or [] if len(answers) == 1 else []
        if len(shape) == 2 and shape[1] >= 2 and len(_stepping(process)) == 1:
            found.append(Reference(math.log(shape[1]), "by-hand", f"ln {shape[1]}"))
    reference = _nearest(found, seen.level)
    if reference is None or abs(seen.level - reference.value) > NEAR * reference.value:
        return
    still = not seen.still_falls and seen.lowest >= (1 - NEAR) * reference.value and seen.spread < SWING * seen.level
    yield _finding(place, seen, reference, (0.85 if reference.message == "sum" else 0.8) if still else UNDER_A_CAUSE)


def _at_variance(process: Process, fact: Fact, seen: Course) -> Iterator[Finding]:
    """A squared error that stays at the variance of the targets: what their mean alone gives."""
    target = batches.only_target(process)
    variance = guess(process)
    if target is None or variance is None or float(target.get("target_n") or 0) < MIN_TARGETS or len(_stepping(process)) != 1:
        return
    # Of so few batches the level itself is known within its standard error only.
    error = seen.spread / math.sqrt(seen.n / 2)
    if (
        abs(seen.level - variance) > VALUES_NEAR * variance + 2 * error
        or seen.still_falls
        or seen.lowest < (1 - 4 * VALUES_NEAR) * variance
    ):
        return
    yield _finding(fact, seen, Reference(variance, "variance", "the variance of the targets"), 0.85)


def _stepping(process: Process) -> list[Fact]:
    return [fact for fact in process.facts("optimizer") if fact.get("steps")]


def _references(process: Process, fact: Fact) -> list[Reference]:
    function, classes = str(fact.get("function")), int(fact.get("n_classes") or 0)
    if fact.get("reduction", "mean") != "mean" or fact.get("weighted"):
        return []
    found = []
    if function in ("cross_entropy", "nll_loss") and classes >= 2:
        found.append(Reference(math.log(classes), "uniform", f"ln {classes}"))
        if not fact.get("label_smoothing"):
            prior, error = label_entropy(fact.get("label_counts") or {}, fact.get("ignore_index"))
            # Where the classes are equally frequent the prior says no more than ln n; a prior near 0 is a set of one class.
            if 0.05 < prior < (1 - NEAR) * math.log(classes):
                found.append(Reference(prior, "prior", "the entropy of the labels", error))
    elif function in ("binary_cross_entropy", "binary_cross_entropy_with_logits"):
        found.append(Reference(math.log(2), "coin", "ln 2"))
    micro = backwards_per_step(process)
    if micro > 1:  # gradient accumulation divides the loss by the number of micro-batches
        found += [Reference(one.value / micro, one.message, f"{one.name} / {micro:g}") for one in list(found)]
    return found


def _nearest(references: list[Reference], level: float) -> Reference | None:
    return min(references, key=lambda one: abs(one.value - level), default=None)


def _finding(fact: Fact | None, seen: Course, reference: Reference, confidence: float) -> Finding:
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message=reference.message,
        values={
            "level": seen.level,
            "spread": seen.spread,
            "steps": seen.n,
            "reference": reference.value,
            "name": reference.name,
            "first": seen.first,
        },
        place=place_of(fact) if fact is not None else None,
        why=f"{reference.message}-why",
        fix="look",
        confidence=confidence,
    )


RULE = Rule(
    id="loss-plateau",
    title="The loss stays where nothing is learned",
    severity=Severity.WARNING,
    needs=frozenset({"backward"}),
    examine=examine,
    symptom=True,
)
