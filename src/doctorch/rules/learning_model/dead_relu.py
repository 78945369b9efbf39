"""dead-relu: units that were not above zero for any sample, so that nothing passes and no gradient comes back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from doctorch.findings import Finding, Place, Severity
from doctorch.records.reader import Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_model.layers import EARLY, Layer, fall, followed_by, layers, process_of
from doctorch.rules.shared import related, site_place

MIN_LOOKS = 3
"""Looks at the gradients, the latest ones, at which nothing reached the units."""
MOST = 0.8
"""Share of a layer's units that must be dead where others live: under L1 penalties and in wide layers half of the units may rest."""
MIN_UNITS = 8
"""Units of a layer of which such a share means anything."""
LARGE_INPUT = 10.0
LITTLE_FALL = 0.3
"""Where others live, and the loss has fallen by more than this share, the layer is called sparse, not sick."""
EXPLAINS = ("loss-plateau", "vanishing-gradients", "lr-too-low", "class-imbalance", "labels-misaligned")


@dataclass(frozen=True)
class Dead:
    """Units of a layer that are dead at the latest looks."""

    layer: Layer
    dead: int
    units: int
    last_alive: int | None
    """Step of the last look at which fewer were dead; None where it was so from the start."""
    first_dead: int

    @property
    def share(self) -> float:
        return self.dead / self.units


def examine(run: Run) -> Iterator[Finding]:
    process = process_of(run)
    if process is None:
        return
    found = layers(process)
    dead = [one for layer in found if (one := _dead(layer, found)) is not None]
    whole = [one for one in dead if one.share == 1]
    if whole:
        # The first layer that died silences all behind it: of equals the one nearest to the data.
        first = min(whole, key=lambda one: (one.first_dead, one.layer.depth))
        yield _finding(first, whole, process, Severity.ERROR)
        return
    fallen = fall(process)
    most = [one for one in dead if one.share >= MOST and one.units >= MIN_UNITS]
    if most and fallen is not None and fallen < LITTLE_FALL:
        yield _finding(max(most, key=lambda one: one.share), most, process, Severity.WARNING)


def killed_by_inputs(process: Process) -> Layer | None:
    """The first layer, where what the model is given is so large that the first steps silenced all of its units: for the rule on the
    inputs, which is the cause."""
    found = layers(process)
    dead = [one for layer in found if (one := _dead(layer, found)) is not None and one.share == 1]
    first = min(dead, key=lambda one: one.layer.depth, default=None)
    if first is None or first.first_dead > EARLY or first.layer.depth != min(layer.depth for layer in found):
        return None
    seen = first.layer.looks[0] if first.layer.looks else None
    large = seen is not None and first.layer.filled is None and max(seen.in_std, abs(seen.in_mean)) >= LARGE_INPUT
    return first.layer if large else None


def _dead(layer: Layer, all_layers: Sequence[Layer]) -> Dead | None:
    activation = layer.activation
    if activation.get("kind") != "relu" or not activation.get("feeds") or layer.optimizer is None:
        return None
    grads = layer.grads
    late = grads[-MIN_LOOKS:]
    if len(late) < MIN_LOOKS:
        return None
    looks: Sequence[Any] = activation.get("looks") or ()
    units = late[-1].units
    without = min(look.units_without for look in late)
    if without == units and (_all_dead_seen(looks) or _next_gets_nothing(layer, all_layers)):
        alive = [look.step for look in grads if look.units_without < units or look.g_max > 0]
        dead = without
    else:
        seen = [count for _, _, count in looks[-2:]]
        dead = min(without, *seen) if len(seen) == 2 and looks[-1][1] == units else 0
        alive = [look.step for look in grads if look.units_without < dead]
    if not dead:
        return None
    last_alive = alive[-1] if alive else None
    first_dead = next((look.step for look in grads if last_alive is None or look.step > last_alive), grads[-1].step)
    return Dead(layer, dead, units, last_alive, first_dead)


def _all_dead_seen(looks: Sequence[Any]) -> bool:
    """Whether the latest looks at the outputs found none above zero."""
    return len(looks) >= 2 and all(dead == units for _, units, dead in looks[-2:])


def _next_gets_nothing(layer: Layer, all_layers: Sequence[Layer]) -> bool:
    """Whether the weight of the next layer has no gradient although its bias has one: then its input was zero for all samples."""
    following = followed_by(layer, all_layers)
    nearest = [other for other in following if other.depth == following[0].depth] if following else []
    for other in nearest:
        late = other.grads[-MIN_LOOKS:]
        if other.fact.get("bias") and len(late) == MIN_LOOKS and all(g.g_max == 0 and g.units_without < g.units for g in late):
            return True
    return False


def _finding(first: Dead, dead: Sequence[Dead], process: Process, severity: Severity) -> Finding:
    layer = first.layer
    start = first.last_alive is None
    message = ("all" if first.share == 1 else "most") + ("-start" if start else "-later")
    looks = layer.looks
    applied = site_place(layer.activation.get("site"))
    return Finding(
        rule=RULE.id,
        severity=severity,
        message=message,
        values={
            "layer": layer.name,
            "dead": first.dead,
            "units": first.units,
            "layers": len(dead),
            "alive_step": first.last_alive,
            "dead_step": first.first_dead,
            "last_step": layer.grads[-1].step,
            "out_mean": looks[-1].out_mean if looks else None,
            "out_std": looks[-1].out_std if looks else None,
        },
        place=_place(layer, start, applied),
        related=related(layer.built, applied),
        why="silent" if looks else "silent-plain",
        fix="start" if start else "later",
        explains=EXPLAINS,
        confidence=0.9 if first.share == 1 else 0.8,
        ground="values",
    )


def _place(layer: Layer, start: bool, applied: Place | None) -> Place | None:
    """From the start: the line that gave the layer its values. Later: the layer itself."""
    if start:
        return layer.bias_filled or layer.made
    return layer.built or applied


RULE = Rule(
    id="dead-relu",
    title="ReLU units that no sample switches on",
    severity=Severity.ERROR,
    needs=frozenset({"layer"}),
    examine=examine,
)
