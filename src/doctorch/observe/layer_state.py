"""What the watcher of layers knows of each weight, and of the values on their way from one to the next."""

from __future__ import annotations

import weakref
from typing import Any

from doctorch.observe.lines import Site
from doctorch.observe.params import Param


class Activation:
    """What is applied to the output of a layer, right behind it."""

    __slots__ = ("data", "since", "looks")

    def __init__(self, op: str, kind: str, site: Site | None) -> None:
        self.data: dict[str, Any] = {
            "op": op,
            "kind": kind,
            "site": site.as_data if site is not None else None,
            "feeds": False,
            "looks": [],
        }
        self.since: list[int | None] = []
        """For each unit looked at the first of the looks since which it was never above zero."""
        self.looks = 0

    def saw_units(self, step: int, alive: list[bool]) -> None:
        """A look: which units were above zero anywhere in the batch."""
        if len(self.since) != len(alive):
            self.since = [None] * len(alive)
            self.looks = 0
        self.since = [None if lives else (step if known is None else known) for known, lives in zip(self.since, alive, strict=True)]
        self.looks += 1


class Layer:
    """One weight."""

    __slots__ = ("param", "bias", "entry", "unit_dim", "groups", "module", "activation", "since", "seen", "uses")

    def __init__(self, param: Param, unit_dim: int, groups: int, entry: Any) -> None:
        self.param = param
        self.bias: Param | None = None
        self.entry = entry
        self.unit_dim = unit_dim
        self.groups = groups
        self.activation: Activation | None = None
        self.since: list[int | None] = []
        """For each unit looked at the first of the looks since which no gradient reached it."""
        self.seen = -1
        """Deep segment in which its output was last looked at."""
        self.uses = 0


class Trace:
    """A value on its way: the layer that made it, if only bias, norm or change of shape came since; activations behind it."""

    __slots__ = ("ref", "layer", "unit_dim", "activations")

    def __init__(self, ref: weakref.ref[Any], layer: Layer | None, unit_dim: int, activations: tuple[Activation, ...]) -> None:
        self.ref = ref
        self.layer = layer
        self.unit_dim = unit_dim
        self.activations = activations


def histogram(since: list[int | None]) -> dict[str, int]:
    """How many units fell silent at each look."""
    counts: dict[str, int] = {}
    for step in since:
        if step is not None:
            counts[str(step)] = counts.get(str(step), 0) + 1
    return counts
