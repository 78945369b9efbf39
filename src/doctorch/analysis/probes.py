"""What the experiments on copies of the training showed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from doctorch.records.reader import Process

FALLS = 0.15
"""Share of its start by which a loss must fall on an arm to be called falling: well above what the noise of batches makes of a mean
over a fifth of thirty steps."""
STAYS = 0.05
"""… and below which it is called staying."""


@dataclass(frozen=True)
class ArmResult:
    """One arm of an experiment."""

    name: str
    turns: int
    first: float
    last: float
    """Mean loss of the last fifth; NaN where the loss stopped being finite."""
    finite: bool
    extra: Mapping[str, Any]

    @property
    def fall(self) -> float:
        """Share of its start that the loss lost; negative when it rose, minus infinity when it stopped being a number."""
        if not math.isfinite(self.last) or not math.isfinite(self.first) or self.first == 0:
            return -math.inf
        return (self.first - self.last) / abs(self.first)

    @property
    def falls(self) -> bool:
        return self.fall >= FALLS

    @property
    def stays(self) -> bool:
        """It does not fall."""
        return self.fall < STAYS

    @property
    def factor(self) -> float:
        """The factor of the learning rate that its name states; 1 for other arms."""
        _, _, text = self.name.rpartition("x")
        try:
            return float(text)
        except ValueError:
            return 1.0


@dataclass(frozen=True)
class Probe:
    """An experiment that was made."""

    name: str
    at_step: int
    seconds: float
    arms: Mapping[str, ArmResult]
    """Arms that made at least ``MIN_TURNS`` turns."""
    data: Mapping[str, Any]

    def side(self, prefix: str) -> list[ArmResult]:
        """Arms whose name is the prefix and a factor: ``""`` for ``x10``, ``"fresh "`` for ``fresh x10``; by factor."""
        found = [arm for name, arm in self.arms.items() if name.startswith(f"{prefix}x") and name[len(prefix) + 1 :][:1].isdigit()]
        return sorted(found, key=lambda arm: arm.factor)


MIN_TURNS = 8


def probe(process: Process, name: str) -> Probe | None:
    """The experiment of that name, or None where it was not called for or could not be made."""
    fact = next((fact for fact in process.facts("probe") if fact.key == name), None)
    if fact is None or not fact.get("made"):
        return None
    arms = {}
    for arm, data in (fact.get("arms") or {}).items():
        turns, first = int(data.get("turns") or 0), data.get("first")
        if turns < MIN_TURNS or first is None:
            continue
        last = data.get("last")
        arms[arm] = ArmResult(arm, turns, float(first), float(last) if last is not None else math.nan, bool(data.get("finite")), data)
    return Probe(name, int(fact.get("at_step") or 0), float(fact.get("seconds") or 0.0), arms, fact.data)


def best(arms: list[ArmResult]) -> ArmResult | None:
    """The arm whose loss ended lowest."""
    return min((arm for arm in arms if math.isfinite(arm.last)), key=lambda arm: arm.last, default=None)


def learns_one_batch(process: Process) -> bool:
    """Whether one batch could be learned by heart at about the script's own rate: model, loss and optimizer work."""
    tried = probe(process, "one-batch")
    return tried is not None and any(arm.falls for arm in tried.arms.values() if 0.1 <= arm.factor <= 10)
