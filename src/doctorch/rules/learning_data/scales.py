"""What the two rules on the scale of inputs share: the scale, what became of the training, and what the experiment showed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from doctorch.analysis import batches, probes
from doctorch.analysis.losses import course, losses
from doctorch.analysis.trouble import Trouble
from doctorch.findings import Value
from doctorch.records.reader import Fact, Process

BETTER = 0.85
"""Share of the loss without rescaling that the loss with it must end under to be better: well outside the noise of thirty steps."""

BLOWN_UP = 10.0
"""Multiple of the first loss with rescaled inputs at which the loss of the same fresh model without is the doing of the scale."""
STILL_UP = 0.5
"""Share of its start above which a loss is far from learned."""
FAR = 0.3
"""Share of the run's own end under which the rescaled steps must end for the difference to be one in kind."""
OUTLIERS = 3.0
"""Multiple of a typical batch's root mean square from which that of all batches together is the work of a few rows."""


@dataclass(frozen=True)
class Scale:
    """The numbers that a model is given."""

    fact: Fact
    mean: float
    std: float
    rms: float
    """Root of the mean square over all features."""
    largest: float
    """The greatest root mean square of a feature."""
    spread: float
    """Typical deviation of a feature over the samples of a batch."""
    constant: bool
    """All samples of each batch that was read are the same."""
    batches: int


def scales(process: Process) -> list[Scale]:
    """The floating-point inputs of training, those that pass through a trained model's door."""
    found = []
    for fact in batches.inputs(process):
        module = next((one for one in process.facts("module") if one.key == fact.get("root")), None)
        if module is None or not module.get("n_trainable"):
            continue
        mean, std = float(fact["mean"]), float(fact["std"])
        features = [(float(one[0]), float(one[1])) for one in fact.get("features") or ()]
        last = fact.get("recent") or ()
        recent = [float(one[3]) for one in last if one[3] >= 0]
        # A typical batch, not all of them: one absurd row shall not speak for the rest.
        rms = median(math.hypot(one[1], one[2]) for one in last) if last else math.hypot(mean, std)
        largest = max((math.hypot(*one) for one in features), default=rms)
        compared = int(fact.get("compared") or 0)
        found.append(
            Scale(
                fact=fact,
                mean=mean,
                std=std,
                rms=rms,
                largest=largest if math.hypot(mean, std) <= OUTLIERS * rms else rms,
                spread=median(recent) if recent else std,
                constant=compared > 0 and int(fact.get("equal_rows") or 0) == compared,
                batches=int(fact["checked"]),
            )
        )
    return found


@dataclass(frozen=True)
class Rescaling:
    """The same steps with inputs of mean 0 and deviation 1."""

    turns: int
    plain: float
    plain_first: float
    rescaled: float
    rescaled_first: float

    @property
    def helps(self) -> bool:
        """The loss falls with rescaled inputs, and ends clearly lower than without."""
        # Where the first loss is many times higher for the scale alone, the rescaled steps need not have come far at the script's rate.
        enough = 1.0 if self.plain_first > BLOWN_UP * self.rescaled_first > 0 else BETTER
        if not math.isfinite(self.rescaled) or self.rescaled > enough * self.rescaled_first:
            return False
        return not math.isfinite(self.plain) or self.rescaled < BETTER * self.plain


def rescaling(process: Process) -> Rescaling | None:
    """What the experiment showed, or None where it was not made."""
    tried = probes.probe(process, "rescaled")
    control, other = (tried.arms.get(name) if tried is not None else None for name in ("control", "rescaled"))
    if control is None or other is None:
        return None
    return Rescaling(other.turns, control.last, control.first, other.last, other.first)


def slow(process: Process, tried: Rescaling | None) -> Trouble | None:
    """A training that falls, but ends after all its steps far above where the few rescaled ones did."""
    seen = course(losses(process))
    if seen is None or tried is None or not tried.helps or seen.first <= 0:
        return None
    if seen.level < STILL_UP * seen.first or tried.rescaled > FAR * seen.level:
        return None
    return Trouble("slow", seen.first, seen.level, seen.n)


def level(process: Process) -> Trouble | None:
    """Where the loss began and where it is, for a training that suffers in some other way than by its course alone."""
    seen = course(losses(process))
    return Trouble("level", seen.first, seen.level, seen.n) if seen is not None else None


def values(scale: Scale, seen: Trouble, tried: Rescaling | None) -> dict[str, Value]:
    """The numbers of a finding."""
    low, high = float(scale.fact["min"]), float(scale.fact["max"])
    found: dict[str, Value] = {
        "mean": scale.mean, "std": scale.std, "min": low, "max": high, "spread": scale.spread, "largest": scale.largest,
        "batches": scale.batches, "rows": int(scale.fact.get("rows") or 0), "first": seen.first, "last": seen.last, "steps": seen.steps,
        "features": int(scale.fact.get("n_features") or 1),
    }  # fmt: skip
    if tried is not None:
        found |= {
            "turns": tried.turns, "plain": tried.plain, "plain_first": tried.plain_first,
            "rescaled": tried.rescaled, "rescaled_first": tried.rescaled_first,
        }  # fmt: skip
    return found
