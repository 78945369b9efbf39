"""One watched run, from the command line to the record and the way the child ended."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import doctorch
from doctorch.launch.child import Child, Outcome
from doctorch.launch.folder import RunFolder, make_folder
from doctorch.launch.group import Group, Meeting, find_group
from doctorch.launch.signals import Inbox
from doctorch.launch.target import Interpreter, Target

TICK_S = 0.5


@dataclass(frozen=True)
class Wishes:
    """What the user asked of the watching."""

    record: Path | None = None
    steps: int | None = None
    probe_seconds: float = 60.0
    """Time that the training may wait for experiments on copies of it; 0 for none."""


@dataclass
class Session:
    """What there is after the child ended."""

    outcome: Outcome
    folder: RunFolder | None
    group: Group | None
    problems: list[str] = field(default_factory=list)
    """What went wrong on our side, one sentence each."""

    @property
    def speaks(self) -> bool:
        """Whether this parent prints and writes for the whole run."""
        return self.group is None or self.group.is_first


class Watch:
    """What happens while the child runs. The default does nothing."""

    def begin(self, folder: Path, stop: Callable[[str], None], speaks: bool) -> None:
        """The child was started; ``stop(reason)`` makes it stop."""

    def tick(self) -> None:
        """Called every half second or so."""

    def end(self) -> None:
        """The child has ended."""


def watch(target: Target, interpreter: Interpreter, wishes: Wishes, inbox: Inbox, observer: Watch) -> Session:
    """Run ``target`` as a child and record it, whatever stands in the way of recording.

    Raises:
        UsageError: the folder that was asked for cannot be meant.
        OSError: the interpreter cannot be started.
    """
    group = find_group(os.environ)
    problems: list[str] = []
    folder = make_folder(wishes.record, target, group)
    if folder is None:
        problems.append("no writable folder was found for the record, so the script runs unobserved.")
    elif folder.problem is not None:
        problems.append(folder.problem)
    if interpreter.blind_flag is not None:
        problems.append(f"Python was started with {interpreter.blind_flag}, which keeps observers out: the script runs unobserved.")

    options: dict[str, Any] = {"steps": wishes.steps, "probes": wishes.probe_seconds > 0, "probe_seconds": wishes.probe_seconds}
    meeting = _begin(folder, target, interpreter, options, group, problems)
    child = Child(target, interpreter, _settings(folder, interpreter, wishes))
    speaks = group is None or group.is_first

    def started(pid: int) -> None:
        if folder is not None:
            folder.manifest["child_pid"] = pid
            _noted(problems, lambda: _arrive(folder, meeting, pid))
            observer.begin(folder.path, child.stop, speaks)

    outcome = child.run(inbox, started, observer.tick, TICK_S)
    observer.end()
    if folder is not None:
        _finish(folder, meeting, outcome, problems)
    return Session(outcome, folder, group, problems)


def _settings(folder: RunFolder | None, interpreter: Interpreter, wishes: Wishes) -> dict[str, Any] | None:
    """What ``doctorch.observe.install`` is called with in the child; None where nothing can be observed."""
    if folder is None or interpreter.blind_flag is not None:
        return None
    return {
        "run_dir": str(folder.path.absolute()),
        "steps": wishes.steps,
        "probes": wishes.probe_seconds > 0,
        "probe_seconds": wishes.probe_seconds,
        "parent_pid": os.getpid(),
        "doctorch": doctorch.__version__,
    }


def _begin(
    folder: RunFolder | None, target: Target, interpreter: Interpreter, options: dict[str, Any], group: Group | None, problems: list[str]
) -> Meeting | None:
    if folder is None:
        return None
    if group is None or group.is_first:
        _noted(problems, lambda: folder.begin(target, interpreter, options, group))
    return Meeting(folder.path, group) if group is not None else None


def _arrive(folder: RunFolder, meeting: Meeting | None, pid: int) -> None:
    if meeting is not None:
        meeting.arrive(pid)
    if meeting is None or meeting.group.is_first:
        folder.save()


def _finish(folder: RunFolder, meeting: Meeting | None, outcome: Outcome, problems: list[str]) -> None:
    """Say how the child ended; the first of a group waits for the others and collects what they say."""
    if meeting is not None:
        _noted(problems, lambda: meeting.leave(outcome.as_dict()))
        if not meeting.group.is_first:
            return
        missing = meeting.wait_for_others(failed=outcome.failed)
        folder.manifest["ranks"] = meeting.outcomes()
        folder.manifest["ranks_missing"] = missing
    folder.manifest |= outcome.as_dict()
    _noted(problems, folder.save)


def _noted(problems: list[str], action: Callable[[], None]) -> None:
    """Run what may fail without harm to the run, and keep the sentence to say, once."""
    try:
        action()
    except OSError as error:
        sentence = f"the record is incomplete: {error.strerror or error}."
        if sentence not in problems:
            problems.append(sentence)
