"""The exception that ended a run, also one that a worker of a loader passed on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from doctorch.findings import Place
from doctorch.records.reader import Fact, Run
from doctorch.rules.shared import place_of
from doctorch.source.project import Project

_PASSED_ON = re.compile(r"Caught (\w+) in DataLoader worker")
_FRAME = re.compile(r'^\s*File "(.+)", line (\d+), in ', re.M)


@dataclass(frozen=True)
class Failure:
    """What ended a process."""

    type: str
    text: str
    """The exception's own text; of one that a worker passed on the last line of its traceback."""
    place: Place | None
    """The innermost line of the user's."""
    fact: Fact


def failures(run: Run, project: Project) -> Iterator[Failure]:
    """The exceptions that ended the training processes."""
    for fact in run.main_facts("exception"):
        message = str(fact.get("message") or "")
        passed_on = _PASSED_ON.search(message)
        if passed_on is None:
            yield Failure(str(fact.get("type") or ""), message, place_of(fact), fact)
            continue
        known = {file.path for file in project.files}
        frames = [Place(path, int(line)) for path, line in _FRAME.findall(message) if path in known]
        last = message.rstrip().splitlines()[-1]
        yield Failure(passed_on[1], last.partition(": ")[2] or last, frames[-1] if frames else place_of(fact), fact)
