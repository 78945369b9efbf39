"""The child: started as plain Python would start it, watched until it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from doctorch.launch.oom import difference, oom_kills
from doctorch.launch.signals import TERMINAL, Inbox, Witness, die_with_parent
from doctorch.launch.target import Interpreter, Target

SETTINGS_VARIABLE = "DOCTORCH_SETTINGS"
PYTHONPATH_VARIABLE = "DOCTORCH_PYTHONPATH"
ROOT_VARIABLE = "DOCTORCH_ROOT"

INTERRUPT_PATIENCE_S = 3.0
"""A repeated Ctrl-C gets this long to work in the child by itself before a stronger signal follows."""
STOP_PATIENCE_S = 10.0
"""How long the child may take after each signal of ours to stop; a script may save a checkpoint then."""

_ROOT = Path(__file__).resolve().parents[2]
BOOT = _ROOT / "doctorch" / "observe" / "boot"


@dataclass(frozen=True)
class Outcome:
    """How the child ended."""

    code: int | None
    """Exit code, None when it died of a signal."""
    signal: int | None
    seconds: float
    max_rss: int | None = None
    """Highest resident memory of the child, bytes."""
    oom_kills: Mapping[str, int] = field(default_factory=dict)
    """Kills by the kernel's out-of-memory killer while it ran, in its memory group and on the host."""
    interrupts: int = 0
    """Ctrl-C pressed so often."""
    stopped: str | None = None
    """Why doctorch itself stopped it, or None."""

    @property
    def failed(self) -> bool:
        """Whether it ended in anything but exit code 0."""
        return self.code != 0

    @property
    def oom_killed(self) -> bool:
        """Whether it died as the kernel kills when memory runs out, while the kernel counted such a kill as near to it as it tells."""
        return self.signal == _kill_signal() and self.oom_kills.get("cgroup", self.oom_kills.get("host", 0)) > 0

    def as_dict(self) -> dict[str, Any]:
        """As it stands in the manifest."""
        name = None
        if self.signal is not None:
            try:
                name = signal.Signals(self.signal).name
            except ValueError:
                name = f"SIG{self.signal}"
        return {
            "exit_code": self.code,
            "signal": self.signal,
            "signal_name": name,
            "ended": time.time(),
            "seconds": round(self.seconds, 3),
            "max_rss": self.max_rss,
            "oom_kills": dict(self.oom_kills),
            "oom_killed": self.oom_killed,
            "interrupts": self.interrupts,
            "stopped": self.stopped,
        }


def child_environment(environ: Mapping[str, str], settings: Mapping[str, Any] | None) -> dict[str, str]:
    """The child's environment: the parent's, and for an observed child what ``observe/boot/sitecustomize.py`` reads and removes."""
    environment = dict(environ)
    if settings is None:
        return environment
    own = environment.get("PYTHONPATH")
    if own is not None:
        environment[PYTHONPATH_VARIABLE] = own
    # An empty part of PYTHONPATH would mean the working directory.
    environment["PYTHONPATH"] = str(BOOT) + (os.pathsep + own if own else "")
    environment[SETTINGS_VARIABLE] = json.dumps(dict(settings))
    environment[ROOT_VARIABLE] = str(_ROOT)
    return environment


class Child:
    """One child process, from its start to its end."""

    def __init__(self, target: Target, interpreter: Interpreter, settings: Mapping[str, Any] | None) -> None:
        self.command = [interpreter.executable, *interpreter.flags, *target.words]
        self.environment = child_environment(os.environ, settings)
        self.pid = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._stops: list[tuple[float, int]] = []
        self._stop_reason: str | None = None
        self._interrupts = 0
        self._witness: Witness | None = None

    def run(self, inbox: Inbox, started: Callable[[int], None], tick: Callable[[], None], tick_s: float) -> Outcome:
        """Start the child, call ``started`` with its number and then ``tick`` every ``tick_s`` seconds, and wait for its end.

        ``inbox`` must be open, and should stay so until all is said.

        Raises:
            OSError: it cannot be started.
        """
        self._witness = Witness(inbox.watched)
        try:
            kills, began = oom_kills(), time.monotonic()
            self._start()
            inbox.block()
            started(self.pid)
            usage, status = self._wait(inbox, tick, tick_s)
        finally:
            self._witness.close()
            inbox.child_ended()
        return Outcome(
            code=status if status >= 0 else None,
            signal=-status if status < 0 else None,
            seconds=time.monotonic() - began,
            max_rss=usage,
            oom_kills=difference(kills, oom_kills()),
            interrupts=self._interrupts,
            stopped=self._stop_reason,
        )

    def stop(self, reason: str) -> None:
        """Ask the child to stop, as Ctrl-C would, and insist later."""
        if self._stop_reason is None:
            self._stop_reason = reason
            now = time.monotonic()
            self._stops += [(now + i * STOP_PATIENCE_S, number) for i, number in enumerate((signal.SIGINT, signal.SIGTERM, _kill_signal()))]

    def _start(self) -> None:
        parent = os.getpid()
        options: dict[str, Any] = {}
        # Some launchers ignore SIGCHLD. Here that would lose how the child ended; the child inherits it as it is.
        ignored = hasattr(signal, "SIGCHLD") and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
        if ignored:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)

        def prepare() -> None:
            if ignored:
                signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            die_with_parent(parent)

        if sys.platform == "linux" or ignored:
            options["preexec_fn"] = prepare
        # What the shell left open for the script stays open; Python's own descriptors close by themselves.
        self._process = subprocess.Popen(self.command, env=self.environment, close_fds=os.name != "posix", **options)
        self.pid = self._process.pid

    def _wait(self, inbox: Inbox, tick: Callable[[], None], tick_s: float) -> tuple[int | None, int]:
        """The child's highest resident memory in bytes, where known, and its status as subprocess gives it."""
        next_tick = time.monotonic() + tick_s
        while True:
            ended = self._reap()
            if ended is not None:
                return ended
            now = time.monotonic()
            if now >= next_tick:
                tick()
                next_tick = time.monotonic() + tick_s
                continue
            due = min([at for at, _ in self._stops] + [next_tick])
            number = inbox.next(max(0.0, due - now))
            if number is not None:
                self._pass_on(number)
            self._insist()

    def _reap(self) -> tuple[int | None, int] | None:
        process = self._process
        assert process is not None
        if not hasattr(os, "wait4"):
            status = process.poll()
            return None if status is None else (None, status)
        try:
            pid, raw, usage = os.wait4(self.pid, os.WNOHANG)
        except InterruptedError:
            return None
        if pid == 0:
            return None
        process.returncode = os.waitstatus_to_exitcode(raw)  # Popen must not wait for it again
        # Linux counts KiB, macOS bytes.
        return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024), process.returncode

    def _pass_on(self, number: int) -> None:
        """Give the child a signal that came here, unless it got it too."""
        name = signal.Signals(number).name
        witness = self._witness
        if witness is not None and witness.available:
            shared = witness.saw(number)
        else:
            shared = name in TERMINAL and _in_foreground()
        if not shared:
            self._send(number)
        if number == signal.SIGINT:
            self._interrupts += 1
            self._plan_escalation()

    def _plan_escalation(self) -> None:
        """The second Ctrl-C is followed by SIGTERM, the third by SIGKILL, when the child does not react to them by itself."""
        if self._interrupts > 1:
            stronger = int(signal.SIGTERM) if self._interrupts == 2 else _kill_signal()
            planned = max([time.monotonic(), *(at for at, _ in self._stops)])
            self._stops.append((planned + INTERRUPT_PATIENCE_S, stronger))

    def _insist(self) -> None:
        now = time.monotonic()
        for at, number in [stop for stop in self._stops if stop[0] <= now]:
            self._stops.remove((at, number))
            self._send(number)

    def _send(self, number: int) -> None:
        if self._process is not None and self._process.returncode is None:
            try:
                os.kill(self.pid, number)
            except OSError:
                pass  # it has just ended, or changed its user


def _kill_signal() -> int:
    return int(getattr(signal, "SIGKILL", signal.SIGTERM))


def _in_foreground() -> bool:
    """Whether a terminal's Ctrl-C goes to this process group."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except (OSError, AttributeError):
        return False
