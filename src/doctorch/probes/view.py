"""What the probes can see of the training while it runs: the course of the loss, and the facts so far."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from doctorch.observe.session import Session
    from doctorch.records.writer import Entry

MIN_STEPS_STUCK = 60
"""Steps before «it does not fall» is taken for a symptom; a fifth of them make each end of the comparison."""
FALLEN = 0.05
"""A loss that lost less than this share of its start has not fallen. A probe costs time only, so the bound is generous."""
RISEN = 1.5
"""A loss at this multiple of its start has risen. Noise of small batches stays below it over a median of five."""


class View:
    """A look at a moment of the training."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.losses = list(session.losses)
        self.steps = session.recorder.steps

    def facts(self, kind: str) -> Iterator[Entry]:
        """The facts of a kind, as they are now."""
        for (of, _), entry in list(self.session.recorder.writer.entries.items()):
            if of == kind:
                yield entry

    @property
    def finite(self) -> bool:
        """Whether the last loss is finite."""
        return bool(self.losses) and math.isfinite(self.losses[-1])

    @property
    def broken(self) -> bool:
        """Losses that were finite are so no more."""
        return len(self.losses) > 1 and math.isfinite(self.losses[0]) and not self.finite

    @property
    def risen(self) -> bool:
        """The loss is well above where it began, or is no number any more."""
        if len(self.losses) < 8 or not all(map(math.isfinite, self.losses[:3])):
            return False
        if self.broken:
            return True
        first, last = statistics.median(self.losses[:2]), statistics.median(self.losses[-5:])
        return first > 0 and last > RISEN * first

    @property
    def stuck(self) -> bool:
        """The loss has not fallen over the steps so far."""
        n = len(self.losses)
        if n < MIN_STEPS_STUCK or not all(map(math.isfinite, self.losses)):
            return False
        fifth = n // 5
        # The first steps at too high a rate can blow the loss up: then it falls from there back to where it began.
        first, last = min(self.losses[0], statistics.fmean(self.losses[:fifth])), statistics.fmean(self.losses[-fifth:])
        return first > 0 and last > (1 - FALLEN) * first

    def step_seconds(self) -> float:
        """A typical step, seconds."""
        recorder = self.session.recorder
        return max(0.0, (recorder.last_event - recorder.loop_started - recorder.paused_ns) / 1e9 / max(1, self.steps))
