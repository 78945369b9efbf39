"""zero-init: successive layers start at zero, so that no gradient reaches them, or all of their units stay the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from doctorch.analysis.trouble import trouble
from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_model import alike
from doctorch.rules.learning_model.layers import Layer, layers, names_of, process_of
from doctorch.rules.shared import related

MIN_LOOKS = 3
"""Steps at which weight and gradient must have been zero: a zero layer behind a random one has a gradient from the second step on (the
zero convolutions of ControlNet, the second matrix of LoRA from the first)."""
MIN_STEP = 2
SAME = 1e-6
"""Deviation over the samples, relative to the size of the values, under which a layer is given the same for all of them."""
EXPLAINS = (
    "loss-plateau", "dead-relu", "vanishing-gradients", "init-scale", "lr-too-low", "input-scale-small", "class-imbalance",
    "labels-misaligned", "constant-init",
)  # fmt: skip


def examine(run: Run) -> Iterator[Finding]:
    process = process_of(run)
    if process is None:
        return
    found = layers(process)
    blocked = [layer for layer in found if _blocked(layer)]
    start = [layer for layer in found if layer.grads and layer.grads[0].step == 0 and layer.grads[0].w_max == 0]
    if blocked and any(layer.is_fed for layer in blocked):
        zero = [layer for layer in start if layer in blocked or set(layer.behind) & {one.key for one in blocked}]
        if _successive(zero):
            yield _finding(zero, blocked, "blocked", "products")
            return
        silent = [layer for layer in blocked if layer.is_fed and _never_above(layer)]
        if silent:
            yield _finding(silent, silent, "silent", "relu")
            return
    untold = [layer for layer in start if _untold(layer, start)]
    seen = trouble(process) if untold else None
    if seen is not None and seen.kind in ("guess", "stuck"):
        yield _finding(start, untold, "untold", "same-input", {"level": seen.last, "steps": seen.steps})
        return
    same = [layer for layer in start if alike.stays(layer, found, from_zero=True)]
    if same and _successive(start):
        yield _finding(start, same, "same", "copies")


def _blocked(layer: Layer) -> bool:
    """Weight and gradient were zero whenever they were looked at."""
    grads = layer.grads
    return (
        layer.optimizer is not None
        and len(grads) >= MIN_LOOKS
        and grads[-1].step >= MIN_STEP
        and all(look.w_max == 0 and look.g_max == 0 for look in grads)
    )


def _successive(zero: Sequence[Layer]) -> bool:
    """Whether one of the layers lies behind another."""
    keys = {layer.key for layer in zero}
    return any(keys & set(layer.behind) for layer in zero)


def _untold(layer: Layer, start: Sequence[Layer]) -> bool:
    """Whether what the layer was given first was the same for all samples, since layers before it began at zero: where something leads
    around those (a residual branch), it is not."""
    first = layer.looks[0] if layer.looks else None
    if layer.optimizer is None or first is None or first.step != 0 or not {one.key for one in start} & set(layer.behind):
        return False
    return first.in_within <= SAME * max(first.in_std, abs(first.in_mean))


def _never_above(layer: Layer) -> bool:
    """Whether a ReLU right behind the layer gave nothing but zeros."""
    activation = layer.activation
    looks = activation.get("looks") or ()
    return activation.get("kind") == "relu" and len(looks) >= 2 and all(dead == units for _, units, dead in looks)


def _finding(
    zero: Sequence[Layer], stuck: Sequence[Layer], message: str, why: str, more: Mapping[str, Value] | None = None
) -> Finding:  # fmt: skip
    last = max(layer.grads[-1].step for layer in stuck)
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values={**names_of(zero), "stuck": len(stuck), "looks": max(len(layer.grads) for layer in stuck), "step": last, **(more or {})},
        place=zero[0].made,
        related=related(*(layer.built for layer in zero), *(layer.filled for layer in zero)),
        why=why,
        fix="random",
        explains=EXPLAINS,
        ground="values",
        confidence=0.85 if message == "untold" else 1.0,
        certain_now=message == "blocked",
    )


RULE = Rule(
    id="zero-init",
    title="Layers start at zero",
    severity=Severity.ERROR,
    needs=frozenset({"layer"}),
    examine=examine,
)
