"""What the probes can see of the training while it runs: the course of the loss, and the facts so far."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from typing import TYPE_CHECKING

from doctorch.observe.events import fire

if TYPE_CHECKING:
    from doctorch.observe.session import Session
    from doctorch.records.writer import Entry

MIN_STEPS_STUCK = 60
"""Steps before «it does not fall» is taken for a symptom; a fifth of them make each end of the comparison."""
FALLEN = 0.05
"""A loss that lost less than this share of its start has not fallen. A probe costs time only, so the bound is generous."""
AT_GUESS = 0.03
"""Relative distance under what a guess gives, and under the fifth before, within which the loss is taken to stay there."""
MIN_TARGETS = 100
"""Targets seen from which their spread is known well enough for that."""
RISEN = 1.5
"""A loss at this multiple of its start has risen. Noise of small batches stays below it over a median of five."""


class View:
    """A look at a moment of the training."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.losses = list(session.losses)
        self.steps = session.recorder.steps
        fire(session, session.events.asked)

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
        # The least of the first: the very first step can throw the loss up.
        first, last = min(self.losses[:2]), statistics.median(self.losses[-5:])
        return first > 0 and last > RISEN * first

    @property
    def stuck(self) -> bool:
        """The loss has not fallen over the steps so far, or only to what a guess without the inputs gives."""
        return self.flat or self.guessing

    @property
    def guessing(self) -> bool:
        """The loss stays at the entropy of the labels or the variance of the targets, wherever it began."""
        n = len(self.losses)
        reference = self._guess() if n >= MIN_STEPS_STUCK and all(map(math.isfinite, self.losses)) else None
        if reference is None:
            return False
        fifth = n // 5
        before, last = statistics.fmean(self.losses[-2 * fifth : -fifth]), statistics.fmean(self.losses[-fifth:])
        # Above a guess after that many steps is no way to learn either, whatever it comes down from.
        return last > (1 - AT_GUESS) * reference and (last > (1 - AT_GUESS) * before or n >= 2 * MIN_STEPS_STUCK)

    def _guess(self) -> float | None:
        found = [entry.data for entry in self.facts("target") if entry.data.get("phase") == "train"]
        calls = {entry.key: entry.data for entry in self.facts("loss_call")}
        call = calls.get(found[0]["loss_call"]) if len(found) == 1 else None
        if call is None or found[0].get("weighted") or call.get("reduction", "mean") != "mean" or call.get("label_smoothing"):
            return None
        if call["function"] == "mse_loss":
            return float(found[0]["target_var"]) if found[0].get("target_n", 0) >= MIN_TARGETS else None
        if call["function"].startswith("binary_cross_entropy") and call.get("target_checks"):
            share = call["target_mean_sum"] / call["target_checks"]
            return -sum(p * math.log(p) for p in (share, 1 - share) if p > 0) or None
        counts = [n for label, n in (call.get("label_counts") or {}).items() if n > 0 and label != str(call.get("ignore_index"))]
        total = sum(counts)
        return -sum(n / total * math.log(n / total) for n in counts) or None if total >= MIN_TARGETS else None

    @property
    def flat(self) -> bool:
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
