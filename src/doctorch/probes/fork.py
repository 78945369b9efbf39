"""Copies of the training on which some steps are run and thrown away: forked processes that run the script's own loop on.

:func:`run` is called between two steps. In the parent it waits for the copies and returns what they reported. In each copy it
returns too: the copy goes back into the script's loop, changed as its :class:`Arm` says, and ends itself after some turns.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import select
import signal
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from doctorch.observe.recorder import now
from doctorch.probes import seal, workers

if TYPE_CHECKING:
    from doctorch.observe.session import Session

MAX_TEXT = 200_000
"""Bytes taken from one copy."""
GRACE_S = 5.0
"""On top of the time that the turns should take: a copy-on-write process is slow at first."""


class NotAfforded(Exception):
    """The time that is left does not suffice for an experiment."""


@dataclass(frozen=True)
class Arm:
    """One way to run on."""

    name: str
    turns: int
    prepare: Callable[[Copy], None] | None = None
    """Called in the copy, before the script goes on; may change the training and register handlers on ``copy.session.events``."""


@dataclass
class Outcome:
    """What became of one copy."""

    name: str
    losses: list[float] = field(default_factory=list)
    """The loss of each turn that was completed."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What the arm itself reported, by name."""
    failure: str | None = None
    """Why it ended early, where it said so."""

    @property
    def complete(self) -> bool:
        """Whether all turns were made."""
        return bool(self.facts.get("complete"))


class Copy:
    """In the copy: the training that runs on, and the pipe through which it reports."""

    def __init__(self, session: Session, arm: Arm, pipe: int) -> None:
        self.session = session
        self.arm = arm
        self.pipe = pipe
        self.turn = 0
        """Turns completed in the copy."""
        self.pid = os.getpid()
        self.last: Callable[[], None] | None = None
        """Called when the script comes to its end before the last turn."""

    def report(self, **facts: Any) -> None:
        """Send facts to the parent; numbers, texts, lists and dicts of them."""
        text = json.dumps(facts, default=str) + "\n"
        data = text.encode()
        while data:
            data = data[os.write(self.pipe, data) :]

    def end(self, **facts: Any) -> None:
        """Leave at once."""
        try:
            self.report(**facts)
        finally:
            _exit(0)

    def script_ended(self) -> None:
        """The script came to its end. An interpreter takes seconds to come down after many imports: leave at once."""
        try:
            if self.last is not None:
                self.last()
        except Exception as error:
            self.end(failure=f"{type(error).__name__}: {error}")
        self.end()

    def turn_done(self, number: int) -> None:
        """A turn of the loop is complete."""
        self.turn += 1
        self.report(loss=self.session.loss)
        if self.turn >= self.arm.turns:
            self.end(complete=True)


_exit = os._exit
"""As torch was imported: our own wrapper writes the record first."""
_copies: list[Copy] = []


def in_copy() -> Copy | None:
    """The copy that this process is, or None in the training itself."""
    return _copies[0] if _copies else None


def run(session: Session, arms: Sequence[Arm], seconds: float, at_once: int = 1) -> list[Outcome] | None:
    """Run the arms, each in a copy of this process, and return their outcomes in order. None in a copy: it must return to the script.

    ``seconds``: time for all of them; a copy that is not done by then is ended. ``at_once``: copies that run side by side.
    The caller has asked :func:`seal.why_not` before.
    """
    outcomes = [Outcome(arm.name) for arm in arms]
    deadline = time.monotonic() + seconds
    waiting = list(range(len(arms)))
    running: dict[int, tuple[int, int, bytes]] = {}  # descriptor: arm, pid, text so far
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    try:
        while waiting or running:
            while waiting and len(running) < at_once and time.monotonic() < deadline:
                index = waiting.pop(0)
                started = _start(session, arms[index], blocked)
                if started is None:
                    return None
                reader, pid = started
                running[reader] = (index, pid, b"")
            if waiting and time.monotonic() >= deadline:
                for index in waiting:
                    outcomes[index].failure = "no time was left"
                waiting.clear()
            _collect(running, outcomes, deadline)
    finally:
        if not _copies:
            for reader, (_, pid, _) in running.items():
                _reap(pid, kill=True)
                os.close(reader)
            while signal.sigtimedwait({signal.SIGCHLD}, 0) is not None:
                pass  # our children's; a handler of the script's is not to hear of them
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    return outcomes


def _start(session: Session, arm: Arm, mask: set[signal.Signals] | Any) -> tuple[int, int] | None:
    reader, writer = os.pipe()
    session.probing = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12: «multi-threaded, fork may deadlock»
            pid = os.fork()
    finally:
        session.probing = False
    if pid:
        os.close(writer)
        return reader, pid
    try:
        os.close(reader)
        gc.disable()  # finalizers are the parent's affair
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        copy = Copy(session, arm, writer)
        _copies.append(copy)
        session.as_copy()
        workers.take_over()
        seal.seal(writer)
        session.events.turn.append(copy.turn_done)
        atexit.register(copy.script_ended)
        if arm.prepare is not None:
            arm.prepare(copy)
        copy.report(started=now())
    except BaseException as error:
        try:
            os.write(writer, (json.dumps({"failure": f"{type(error).__name__}: {error}"}) + "\n").encode())
        finally:
            _exit(1)
    return None


def _collect(running: dict[int, tuple[int, int, bytes]], outcomes: list[Outcome], deadline: float) -> None:
    if not running:
        return
    left = deadline - time.monotonic()
    ready, _, _ = select.select(list(running), [], [], max(0.0, left))
    if not ready:  # out of time
        for reader, (index, pid, text) in list(running.items()):
            _take(outcomes[index], text)
            outcomes[index].failure = outcomes[index].failure or "it took too long"
            _reap(pid, kill=True)
            os.close(reader)
            del running[reader]
        return
    for reader in ready:
        index, pid, text = running[reader]
        data = os.read(reader, 65536)
        if data and len(text) < MAX_TEXT:
            running[reader] = (index, pid, text + data)
            continue
        _take(outcomes[index], text)
        _reap(pid, kill=True)
        os.close(reader)
        del running[reader]


def _take(outcome: Outcome, text: bytes) -> None:
    for line in text.decode(errors="replace").splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue  # the end of what a killed copy wrote
        loss = found.pop("loss", None)
        if loss is not None:
            outcome.losses.append(float(loss))
        failure = found.pop("failure", None)
        if failure is not None:
            outcome.failure = str(failure)
        outcome.facts.update(found)


def _reap(pid: int, kill: bool) -> None:
    if kill:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        pass  # somebody else waits for all children


def params_finite(parameters: Sequence[torch.Tensor]) -> bool:
    """Whether all values are finite. Reads them: for copies and for moments when the training is in trouble anyway."""
    with torch.no_grad():
        return all(bool(torch.isfinite(p.detach()).all()) for p in parameters)
