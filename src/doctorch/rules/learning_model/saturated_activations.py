"""saturated-activations: hidden sigmoids or tanhs lie in their flat region, where hardly any gradient passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from doctorch.analysis.trouble import trouble
from doctorch.findings import Finding, Severity
from doctorch.records.reader import Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_model.layers import EARLY, Layer, fall, layers, process_of
from doctorch.rules.shared import related, site_place

FLAT = 0.1
"""Mean slope, relative to the largest, under which a hidden layer is saturated. Sums of deviation 1 give 0.6 with tanh and 0.8 with
sigmoid; sums of deviation 10 give 0.1 and 0.25."""
FLATTER = 0.05
"""… where it became so during the training."""
MIN_LOOKS = 2
WELL = 0.8
"""Where the loss lost more than this share, the flat layer did no harm: what is behind it learned from what it gives."""
BADLY = 0.5
LARGE_INPUT = 10.0
KNEE = {"tanh": 2.0, "sigmoid": 4.0}
EXPLAINS = ("loss-plateau", "vanishing-gradients", "lr-too-low", "class-imbalance", "labels-misaligned")


def examine(run: Run) -> Iterator[Finding]:
    process = process_of(run)
    fallen = fall(process) if process is not None else None
    seen = trouble(process) if process is not None else None
    guesses = seen is not None and seen.kind == "guess"  # wherever it fell from
    if process is None or fallen is None or (fallen > WELL and not guesses):
        return
    start = [layer for layer in _hidden(process) if _flat_from_the_start(layer)]
    harmed = seen is not None
    if start:
        yield _finding(start, "start", Severity.ERROR if harmed or fallen < BADLY else Severity.WARNING)
        return
    later = [layer for layer in _hidden(process) if _flat_later(layer)]
    if later and harmed:
        yield _finding(later, "later", Severity.WARNING)


def flattened_by_inputs(process: Process) -> Layer | None:
    """The first layer, where what the model is given is so large that it was in its flat region from the first step on, and the training
    suffers: for the rule on the inputs, which is the cause."""
    fallen = fall(process)
    if fallen is None or fallen > WELL:
        return None
    flat = [layer for layer in _hidden(process) if _flat_from_the_start(layer)]
    first = min(flat, key=lambda one: one.depth, default=None)
    return first if first is not None and first.depth == min(one.depth for one in layers(process)) and _by_inputs(first) else None


def _hidden(process: Process) -> list[Layer]:
    return [layer for layer in layers(process) if layer.activation.get("kind") in KNEE and layer.activation.get("feeds")]


def _looks(layer: Layer) -> Sequence[Any]:
    return layer.activation.get("looks") or ()


def _flat_from_the_start(layer: Layer) -> bool:
    looks = _looks(layer)
    return len(looks) >= MIN_LOOKS and looks[0][0] <= EARLY and all(look[1] < FLAT for look in looks)


def _flat_later(layer: Layer) -> bool:
    looks = _looks(layer)
    return len(looks) > MIN_LOOKS and all(look[1] < FLATTER for look in looks[-MIN_LOOKS:])


def _by_inputs(layer: Layer) -> bool:
    """Whether it is what the layer is given that makes its sums large, and not how its weights were filled."""
    seen = layer.looks[0] if layer.looks else None
    return seen is not None and layer.filled is None and max(seen.in_std, abs(seen.in_mean)) >= LARGE_INPUT


def _finding(found: Sequence[Layer], message: str, severity: Severity) -> Finding:
    layer = min(found, key=lambda one: one.depth)
    look, kind = _looks(layer)[-1 if message == "later" else 0], str(layer.activation["kind"])
    seen = layer.looks[-1 if message == "later" else 0] if layer.looks else None
    inputs = message == "start" and _by_inputs(layer)
    biased = message == "start" and layer.bias_filled is not None and seen is not None and abs(seen.out_mean) > KNEE[kind] > seen.out_std
    applied = site_place(layer.activation.get("site"))
    return Finding(
        rule=RULE.id,
        severity=severity,
        message=message,
        values={
            "layer": layer.name,
            "layers": len(found),
            "kind": kind,
            "beyond": look[2],
            "knee": KNEE[kind],
            "slope": look[1],
            "step": look[0],
            "out_std": seen.out_std if seen else None,
            "in_std": seen.in_std if seen else None,
            "in_mean": seen.in_mean if seen else None,
            "out_mean": seen.out_mean if seen else None,
        },
        place=layer.bias_filled if biased else layer.made,
        related=related(layer.built, applied),
        why="plain" if seen is None else "biased" if biased else "inputs" if inputs else "sums",
        fix="no-bias" if biased else "inputs-fix" if inputs else "smaller",
        explains=EXPLAINS,
        confidence=0.9,
        ground="values",
    )


RULE = Rule(
    id="saturated-activations",
    title="Hidden activations in their flat region",
    severity=Severity.ERROR,
    needs=frozenset({"layer"}),
    examine=examine,
)
