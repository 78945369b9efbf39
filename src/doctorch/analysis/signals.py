"""What simple readers made of the labels, on a copy of the training."""

from __future__ import annotations

from dataclasses import dataclass

from doctorch.analysis import probes
from doctorch.records.reader import Process

NO_SIGNAL_Z = 3.0
"""Standard deviations of what shuffled targets give above which simple readers have found something."""
CERTAIN_Z = 6.0
"""… and above which it is no chance: twenty shuffles give the deviation within a sixth, and the best of four readers is taken."""
MIN_SAMPLES = 300
"""Samples from which «nothing is found» means something: half of them are held out."""


@dataclass(frozen=True)
class Signal:
    """Scores of the readers over all samples, and within windows of consecutive steps."""

    at_step: int
    samples: int
    score: float
    chance: float
    z: float
    nearby_z: float
    """Within windows of consecutive steps; 0 where that was not tried."""

    @property
    def none(self) -> bool:
        """Nothing predicts the labels, neither of all samples nor of those of a few consecutive steps."""
        return self.samples >= MIN_SAMPLES and self.z < NO_SIGNAL_Z and self.nearby_z < NO_SIGNAL_Z

    @property
    def certain(self) -> bool:
        """Something predicts the labels, and not by chance."""
        return self.z >= CERTAIN_Z or self.nearby_z >= CERTAIN_Z

    @property
    def tasks_change(self) -> bool:
        """The labels of a few consecutive steps can be told from their inputs, much less those of all: each few steps have a task of their
        own, as in meta-learning, and no model without memory of the task gets below a guess."""
        return self.nearby_z >= CERTAIN_Z and self.z < self.nearby_z / 2


def of(process: Process) -> Signal | None:
    """The experiment's answer, or None where it was not made or found no answer."""
    tried = probes.probe(process, "label-signal")
    if tried is None or tried.data.get("z") is None:
        return None
    data = tried.data
    return Signal(
        tried.at_step,
        int(data["samples"]),
        float(data["score"]),
        float(data["chance"]),
        float(data["z"]),
        float(data.get("nearby_z") or 0.0),
    )
