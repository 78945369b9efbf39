"""The order of calls inside a turn of the loop."""

from __future__ import annotations

import itertools
from typing import Any

from torch.optim.optimizer import Optimizer

from doctorch.observe.clipping import Clipping
from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site, here
from doctorch.observe.schedules import Schedules

MAX_CALLS = 600
"""Calls noted of one turn; longer ones are cut."""
MAX_SHOWN = 40
MAX_PATTERNS = 40


def order(letters: list[str]) -> dict[str, Any]:
    """What the order of calls says: ``backwards``; ``cleared_between``, pairs of backwards with a clearing between them;
    ``from_forwards``, each backward has a forward of its own and nothing is cleared after the last; ``forward_last``, a model was called
    after the last backward; ``clipped_late``, gradients were clipped, but only before the first backward of the turn;
    ``clipped_scaled``, they were clipped while still scaled; ``scheduled_first``, a scheduler stepped between backward and step."""
    places = [at for at, letter in enumerate(letters) if letter == "B"]
    pairs = list(itertools.pairwise(places))
    last = max((at for at, letter in enumerate(letters) if letter in "Bb"), default=-1)
    forwards = [at for at, letter in enumerate(letters) if letter == "F"]
    clips = [at for at, letter in enumerate(letters) if letter == "C"]
    scaled = "G" in letters
    return {
        "backwards": len(places),
        "cleared_between": sum("Z" in letters[one:other] for one, other in pairs),
        "from_forwards": all("F" in letters[one:other] for one, other in pairs) and "Z" not in letters[places[-1] :] if places else False,
        "forward_last": bool(forwards) and forwards[-1] > last,
        "clipped_late": bool(clips) and bool(places) and clips[-1] < places[0],
        "clipped_scaled": scaled and bool(clips) and not any(letter == "U" for letter in letters[: clips[0]]),
        "scheduled_first": bool(places) and "L" in letters[places[-1] :],
    }


class TurnWatcher(Watcher):
    """Counts the patterns in which backward, clearing, clipping and stepping follow each other.

    A pattern is a text of letters: F a model is called with gradients on (several in a row are one), B backward, b backward inside the
    optimizer's step, Z gradients cleared, C gradients clipped, U unscaled, G a GradScaler is asked to step, S the optimizer steps,
    L a scheduler steps.
    """

    def install(self) -> None:
        events = self.session.events
        self.calls: list[tuple[str, Site | None]] = []
        self.complete = False
        """The calls since the last step were all seen: the turn before was followed too."""
        self.grads_set = False
        """Gradients were replaced or changed between the last backward and the step, by no call that is known."""
        self.schedules = Schedules(self.session, self.note)
        self.clipping = Clipping(self.session, self.note)
        events.root_call.append(self._forward)
        events.backward_begins.append(lambda loss, site: self.note("b" if self.session.in_optimizer else "B", site))
        events.cleared.append(self._cleared)
        events.before_step.append(self._before_step)
        events.after_step.append(self._stepped)
        self.schedules.install()
        self.clipping.install()
        events.turn.append(self._turn)

    def reset(self) -> None:
        self.calls.clear()
        self.complete = self.grads_set = False
        self.schedules.reset()
        self.clipping.reset()

    def note(self, letter: str, site: Site | None) -> None:
        """One more call of this turn."""
        if len(self.calls) < MAX_CALLS:
            self.calls.append((letter, site))

    def _forward(self, module: Any, args: Any, kwargs: Any) -> None:
        # Handlers run without grad mode; the wrapper has noted what the caller's was.
        if self.session.grad_at_call and (not self.calls or self.calls[-1][0] != "F"):
            self.note("F", None)

    def _cleared(self, target: Any, site: Site | None) -> None:
        self.note("Z", site)

    def _before_step(self, optimizer: Optimizer, watch: Any) -> None:
        if not watch.written or not watch.sample:
            return
        now, seen = watch.grads(), watch.seen
        if now == seen:
            return
        # Clipping and unscaling change a gradient in place; another tensor in its stead is the script's doing.
        since = "".join(letter for letter, _ in itertools.takewhile(lambda call: call[0] not in "Bb", reversed(self.calls)))
        replaced = any(one and other and one[0] != other[0] for one, other in zip(now, seen, strict=False))
        self.grads_set |= replaced or not any(letter in since for letter in "CUGZ")

    def _stepped(self, optimizer: Any, watch: Any, site: Site | None) -> None:
        key = watch.key
        self.note(f"S{key}" if key != "0" else "S", site or here(2))

    def _turn(self, number: int) -> None:
        session = self.session
        self.schedules.rates(number)
        if not session.full and not self.calls:
            self.complete = False
            return
        if self.complete or number == 1:
            self._count(number)
        self.calls.clear()
        self.grads_set = False
        self.complete = session.full

    def _count(self, number: int) -> None:
        letters = [letter for letter, _ in self.calls]
        if not any(letter.startswith("S") for letter in letters):
            return  # an update by hand: each backward ends a turn, and what follows it comes too late only in appearance
        pattern = " ".join(letters[:MAX_SHOWN]) + (f" … {len(letters)}" if len(letters) > MAX_SHOWN else "")
        recorder = self.session.recorder
        if recorder.number_of("turn") >= MAX_PATTERNS and ("turn", pattern) not in recorder.writer.entries:
            return
        entry = recorder.fact(
            "turn", pattern, None, lambda: {"pattern": pattern, "first": number, "sites": {}, "grads_set": False, **order(letters)}
        )
        entry.count += 1
        data = entry.data
        data["count"] = entry.count
        data["grads_set"] |= self.grads_set
        for letter, site in self.calls:
            if site is not None:
                data["sites"].setdefault(letter, site.as_data)
        data["backward_sites"] = len({site.key for letter, site in self.calls if letter == "B" and site is not None})
        recorder.touch(entry)
