"""What the rules on the health of layers share: the layers of the record in order of depth, and whether the training gets anywhere."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

from doctorch.analysis.losses import course, losses
from doctorch.findings import Place, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.shared import place_of, site_place
from doctorch.source import query
from doctorch.source.project import Project

EARLY = 3
"""Until this step of the optimizer the state of a layer is that of its initialisation, give or take an update or two."""


@dataclass(frozen=True)
class Forward:
    """Samples of a layer's input and output in one deep segment."""

    step: int
    in_mean: float
    in_std: float
    in_within: float
    out_mean: float
    out_std: float
    out_within: float


@dataclass(frozen=True)
class Gradient:
    """Weight and gradient of a layer before one step of its optimizer."""

    step: int
    w_rms: float
    w_max: float
    w_unlike: float
    g_rms: float
    g_max: float
    g_unlike: float
    units: int
    units_without: int

    @property
    def unreached(self) -> bool:
        """No gradient at all reached the layer."""
        return self.units_without == self.units and self.g_max == 0


@dataclass(frozen=True)
class Layer:
    """One weight of the record."""

    fact: Fact
    optimizer: str | None
    name: str

    @property
    def key(self) -> str:
        return self.fact.key

    @property
    def depth(self) -> int:
        return int(self.fact.get("depth") or 0)

    @property
    def units(self) -> int:
        return int(self.fact.get("units") or 0)

    @property
    def behind(self) -> Sequence[str]:
        return self.fact.get("behind") or ()

    @cached_property
    def looks(self) -> list[Forward]:
        return [Forward(*row) for row in self.fact.get("looks") or ()]

    @cached_property
    def grads(self) -> list[Gradient]:
        return [Gradient(*row) for row in self.fact.get("grads") or ()]

    @property
    def activation(self) -> dict[str, Any]:
        """What is applied right behind it; empty where nothing that is known."""
        return self.fact.get("activation") or {}

    @property
    def is_fed(self) -> bool:
        """Whether its input ever held anything but zeros."""
        return any(look.in_std > 0 or look.in_mean != 0 for look in self.looks)

    @property
    def built(self) -> Place | None:
        """The line that built the layer."""
        return site_place((self.fact.get("origin") or {}).get("built_site"))

    @property
    def filled(self) -> Place | None:
        """The user's line that initialised its weight; None for the layer's own initialisation."""
        return _own_fill(self.fact.get("origin"))

    @property
    def bias_filled(self) -> Place | None:
        """The user's line that initialised its bias."""
        return _own_fill((self.fact.get("bias") or {}).get("origin"))

    @property
    def made(self) -> Place | None:
        """The line that gave the weight its values, else that built it, else where it is used."""
        return self.filled or self.built or place_of(self.fact)


def _own_fill(origin: dict[str, Any] | None) -> Place | None:
    return site_place(origin.get("fill_site")) if origin and origin.get("fill_own") else None


def process_of(run: Run) -> Process | None:
    """The process that is judged."""
    return run.training[0] if run.training else None


def layers(process: Process) -> list[Layer]:
    """All layers, by depth and then in order of first use."""
    params = {fact.key: fact for fact in process.facts("param")}
    found = []
    for fact in process.facts("layer"):
        param = params.get(fact.key)
        if param is None or "units" not in fact.data:
            continue
        name = str(fact.get("name") or param.get("name") or (fact.get("origin") or {}).get("attribute") or "a hand-written weight")
        found.append(Layer(fact, param.get("optimizer"), name.removesuffix(".weight")))
    return sorted(found, key=lambda layer: (layer.depth, int(layer.fact.get("order") or 0)))


def followed_by(layer: Layer, all_layers: Sequence[Layer]) -> list[Layer]:
    """The layers whose input depends on this one, nearest first."""
    return [other for other in all_layers if layer.key in other.behind and other.depth > layer.depth]


def is_game(process: Process) -> bool:
    """Whether several optimizers step: then the losses are those of opponents or of parts, and their course says little."""
    return sum(bool(fact.get("steps")) for fact in process.facts("optimizer")) > 1


def fall(process: Process) -> float | None:
    """Share of its start that the loss lost by the second half of the run; None where there are too few losses to tell, or where they are
    those of a game. Minus infinity where it stopped being a number."""
    if is_game(process):
        return None
    values = losses(process)
    if values and not math.isfinite(values[-1]):
        return -math.inf
    seen = course(values)
    if seen is None or not seen.first:
        return None
    return (seen.first - seen.level) / abs(seen.first)


def chain(all_layers: Sequence[Layer]) -> list[Layer]:
    """The longest row of layers each of which depends on the one before, of those whose gradients were looked at."""
    known = [layer for layer in all_layers if layer.grads]
    best: dict[str, list[Layer]] = {}
    for layer in known:
        before = max((best[key] for key in layer.behind if key in best), key=len, default=[])
        best[layer.key] = [*before, layer]
    return max(best.values(), key=len, default=[])


def typical(values: Sequence[float]) -> float:
    """The median; 0 for none."""
    return median(values) if values else 0.0


def names_of(found: Sequence[Layer]) -> dict[str, Value]:
    """The layers' names as values of a finding: the first, how many, and how many besides the first."""
    return {"layer": found[0].name, "layers": len(found)}


WORDS = {"sigmoid": ("sigmoid", "Sigmoid"), "tanh": ("tanh", "Tanh"), "relu": ("relu", "ReLU")}


def activation_place(project: Project, layer: Layer) -> Place | None:
    """The line that applies the activation, if it names it; else the only line that builds one; else the line that built the layer."""
    activation = layer.activation
    words = WORDS.get(str(activation.get("kind")), ())
    applied = site_place(activation.get("site"))
    file = project.file(applied.file) if applied is not None else None
    if applied is not None and file is not None and any(word in file.line(applied.line) for word in words):
        return applied
    built = {
        Place(file.path, node.lineno)
        for file in project.files
        for node in file.nodes
        if isinstance(node, (ast.Attribute, ast.Name)) and (query.qualified(file, node) or "") in {f"torch.nn.{word}" for word in words}
    }
    return built.pop() if len(built) == 1 else layer.built or applied
