"""Looks at a growing record as seldom as is useful."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

LOOK_S = 2.0
"""How often a changed record is read: well below what a person notices, well above what reading costs."""
MOST_SHARE = 0.02
"""Reading takes at most this share of the time; it competes with the training for the cores."""


class Growth:
    """Calls ``read`` when the record has changed and the time has come."""

    def __init__(self, folder: Path, read: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._read = read
        self._clock = clock
        self._signature: tuple[tuple[str, int, int], ...] = ()
        self._next = clock() + LOOK_S

    def look(self) -> bool:
        """Read the record if that is due. Returns whether it was read."""
        now = self._clock()
        if now < self._next:
            return False
        self._next = now + LOOK_S
        signature = self._state()
        if not signature or signature == self._signature:
            return False
        self._signature = signature
        self._read()
        after = self._clock()
        self._next = after + max(LOOK_S, (after - now) / MOST_SHARE)
        return True

    def _state(self) -> tuple[tuple[str, int, int], ...]:
        """Size and time of each file of the record, its write-ahead log included."""
        found = []
        try:
            for path in self._folder.glob("process-*.sqlite*"):
                if not path.name.endswith("-shm"):
                    status = path.stat()
                    found.append((path.name, status.st_size, status.st_mtime_ns))
        except OSError:
            return ()  # files come and go while it is written
        return tuple(sorted(found))
