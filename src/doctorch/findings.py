"""The vocabulary that rules, diagnose, fixes and reports share: findings and edits.

Everything here is plain data. A finding names a message by id and carries the numbers; the sentences are made in
``doctorch.report`` from the messages of the rule's page.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

Value = str | int | float | bool | None


class Severity(enum.IntEnum):
    """How bad a fault is. Smaller is worse, so that findings sort by it."""

    ERROR = 0
    WARNING = 1
    ADVICE = 2

    @property
    def label(self) -> str:
        """Lower-case name, as it stands in JSON."""
        return self.name.lower()


@dataclass(frozen=True)
class Place:
    """A line of the user's source. ``line`` is 1-based."""

    file: str
    line: int


@dataclass(frozen=True)
class Replacement:
    """Replace the text from (start_line, start_column) up to (end_line, end_column); lines are 1-based, columns 0-based."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True)
class Edit:
    """A repair of one file, as data."""

    file: str
    digest: str
    """SHA-256 of the file's bytes for which the edit was made; it is refused on any other."""
    replacements: tuple[Replacement, ...]
    safe: bool
    """True: changes only what the fault is about. False: suggested, a person should look."""
    summary: str
    """The line as it would read after the edit, for the report's ``fix`` line."""


@dataclass(frozen=True)
class Finding:
    """One fault found, with the evidence."""

    rule: str
    severity: Severity
    message: str
    """Id of the sentence, a key of the messages on the rule's page."""
    values: Mapping[str, Value] = field(default_factory=dict)
    """Every number or name that the sentence shows."""
    place: Place | None = None
    related: tuple[Place, ...] = ()
    """Further lines that belong to the fault (the call that used it, where it was built)."""
    why: str | None = None
    """Id of the sentence that explains the mechanism."""
    fix: str | None = None
    """Id of the sentence that says what to change."""
    proof: str | None = None
    """Id of the sentence that tells what an experiment on a copy of the training showed."""
    explains: tuple[str, ...] = ()
    """Rule ids of symptoms or consequences that the evidence of this finding accounts for."""
    confidence: float = 1.0
    """0 to 1: how sure the evidence makes it."""
    ground: str = "measured"
    """What the confidence rests on: ``measured``, ``graph``, ``values``, ``source``, ``error``."""
    certain_now: bool = False
    """True: cannot be otherwise whatever the run does next, so it may be said while the run goes on."""
