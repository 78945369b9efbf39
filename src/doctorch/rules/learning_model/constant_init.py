"""constant-init: all units of a layer start with the same weights and get the same gradient, so they stay copies of one unit."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_model import alike
from doctorch.rules.learning_model.layers import layers, names_of, process_of
from doctorch.rules.shared import related

EXPLAINS = ("loss-plateau", "saturated-activations", "vanishing-gradients", "init-scale", "lr-too-low", "exploding-gradients", "dead-relu")


def examine(run: Run) -> Iterator[Finding]:
    process = process_of(run)
    if process is None:
        return
    found = layers(process)
    same = [layer for layer in found if alike.stays(layer, found, from_zero=False)]
    if not same:
        return
    first = same[0]
    yield Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="same",
        values={
            **names_of(same),
            "units": first.units,
            "all_units": sum(layer.units for layer in same),
            "looks": len(first.grads),
            "step": first.grads[-1].step,
            "value": first.grads[0].w_max,
        },
        place=first.made,
        related=related(*(layer.built for layer in same), *(layer.filled for layer in same)),
        why="copies",
        fix="random",
        explains=EXPLAINS,
        ground="values",
    )


RULE = Rule(
    id="constant-init",
    title="Units of a layer start equal and stay equal",
    severity=Severity.ERROR,
    needs=frozenset({"layer"}),
    examine=examine,
)
