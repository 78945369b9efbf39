"""relu-on-output: the last activation cannot give what the targets ask for, or its outputs have died."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from doctorch.findings import Edit, Finding, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_loss import activations
from doctorch.rules.shared import place_of, related
from doctorch.source.project import Project, project_of

MIN_LOOKS = 2
MIN_TARGETS = 20
MIN_SHARE = 0.9
"""Share of the calls looked at at which the activation stands right behind the loss."""
BEYOND = 0.05
"""Share of the targets beyond the range. A few outliers, or noise around the end of the range, are no fault of the activation."""
DEAD_LOOKS = 3
"""Looks at which all outputs were exactly zero."""
DIFFERENCES = frozenset(("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"))
SOFTMAX = ("softmax", "log_softmax")
EXPLAINS = (
    "dead-relu", "loss-plateau", "vanishing-gradients", "saturated-activations", "lr-too-low", "lr-too-high", "input-scale-large",
    "zero-init", "class-imbalance",
)  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """What is wrong, in words of the page."""

    message: str
    why: str
    values: dict[str, Value]
    severity: Severity = Severity.ERROR


def examine(run: Run) -> Iterator[Finding]:
    project = project_of(run)
    for fact in run.main_facts("loss_call"):
        calls, looked = int(fact.get("activation_calls") or 0), int(fact.get("looked") or 0)
        if fact.get("train_count") and looked >= MIN_LOOKS and calls >= MIN_SHARE * looked and fact.get("activation"):
            fault = _of_call(fact)
            if fault is not None:
                yield _finding(project, fact, str(fact.get("function")), fault)
    for fact in run.main_facts("loss_term"):
        # Factors that are zero somewhere may mask just those targets.
        masked = (fact.get("factors") or [None])[0] == 0
        if fact.get("head") in ("square", "absolute") and not fact.get("sampled") and not masked and fact.get("activation"):
            fault = _beyond(fact)
            if fault is not None:
                yield _finding(project, fact, "the difference", fault)


def _of_call(fact: Fact) -> Fault | None:
    function, kind = str(fact.get("function")), str(fact["activation"])
    if function in DIFFERENCES and fact.get("reduction") != "none" and kind != "log_softmax":
        return _beyond(fact) or _dead(fact, needs_targets=True)
    if kind in SOFTMAX or kind == "logsigmoid":
        return None
    if function == "binary_cross_entropy_with_logits" and kind not in ("sigmoid", "hardsigmoid"):
        return _half(fact, kind)
    if function == "cross_entropy":
        return _dead(fact, needs_targets=False) or _squeezed(fact, kind)
    return None


def _beyond(fact: Fact) -> Fault | None:
    targets, beyond = int(fact.get("reach_targets") or 0), int(fact.get("beyond") or 0)
    if int(fact.get("reach_looks") or 0) < MIN_LOOKS or targets < MIN_TARGETS or beyond < BEYOND * targets:
        return None
    low, high = fact.get("low"), fact.get("high")
    values: dict[str, Value] = {
        "targets": targets,
        "beyond": beyond,
        "share": beyond / targets,
        "least": fact.get("target_min"),
        "largest": fact.get("target_max"),
        "range": f"below {low:g}" if high is None else f"above {high:g}" if low is None else f"outside {low:g} to {high:g}",
    }
    if low is not None and high is None and fact.get("outputs") and fact.get("output_zeros") == fact.get("outputs"):
        return Fault("beyond-dead", "no-gradient", values | {"outputs": int(fact["outputs"])})
    return Fault("beyond", "range", values)


def _dead(fact: Fact, *, needs_targets: bool) -> Fault | None:
    """All outputs are exactly zero at every look but the first ones, and the targets are not."""
    looks = int(fact.get("looked") or 0)
    dead = int(fact.get("all_zero_looks") or 0)
    if fact.get("activation") != "relu" or dead < max(DEAD_LOOKS, looks / 2):
        return None
    if needs_targets and not (float(fact.get("target_max") or 0.0) > 0.0):
        return None
    return Fault("dead", "no-gradient", {"looks": looks, "dead": dead, "outputs": int(fact.get("outputs") or 0)})


def _half(fact: Fact, kind: str) -> Fault | None:
    """Scores that cannot be negative give probabilities of at least a half; those of tanh lie between 0.27 and 0.73."""
    targets = fact.get("targets") or {}
    elements, below = int(targets.get("elements") or 0), int(targets.get("below_half") or 0)
    low, high, least = fact.get("low"), fact.get("high"), fact.get("output_min")
    if elements < MIN_TARGETS or low is None or least is None or float(least) < float(low) - 1e-3:
        return None
    values: dict[str, Value] = {"targets": elements, "zeros": below, "share": below / elements, "least": least}
    if low >= 0 and below >= BEYOND * elements:
        return Fault("half", "half-why", values)
    if kind == "tanh" and high is not None:
        return Fault("squeezed-binary", "squeezed-binary-why", values)
    return None


def _squeezed(fact: Fact, kind: str) -> Fault | None:
    """Scores within a narrow range keep cross-entropy from its minimum."""
    low, high, classes = fact.get("low"), fact.get("high"), int(fact.get("n_classes") or 0)
    if low is None or high is None or high - low > 2.0 or classes < 2 or kind == "clamp":
        return None
    least, largest = fact.get("output_min"), fact.get("output_max")
    if least is None or largest is None or least < low - 1e-3 or largest > high + 1e-3:
        return None
    values: dict[str, Value] = {
        "low": low,
        "high": high,
        "classes": classes,
        "floor": math.log1p((classes - 1) * math.exp(low - high)),
        "outputs": int(fact.get("outputs") or 0),
    }
    return Fault("squeezed", "squeezed-why", values)


def _finding(project: Project, fact: Fact, function: str, fault: Fault) -> Finding:
    kind = str(fact["activation"])
    loss = place_of(fact)
    place = activations.place(project, fact, fact.get("activation_site"), kind) or loss
    values = {"kind": kind, "function": function, "loss_line": fact.line} | fault.values
    return Finding(
        rule=RULE.id,
        severity=fault.severity,
        message=fault.message,
        values=values,
        place=place,
        related=related(loss),
        why=fault.why,
        fix="remove",
        explains=EXPLAINS,
        confidence=0.95,
        ground="values",
        certain_now=fault.message not in ("dead",),
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """The activation's input in its place."""
    return activations.removed(project, finding.place, str(finding.values["kind"]))


RULE = Rule(
    id="relu-on-output",
    title="The last activation cannot reach the targets",
    severity=Severity.ERROR,
    needs=frozenset({"backward"}),
    examine=examine,
    edit=edit,
)
