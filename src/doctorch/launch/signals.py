"""Signals of the parent: received without effect, and told apart by whether the child got them too."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import struct
import sys
import time
from collections.abc import Iterator
from types import FrameType

TERMINAL = ("SIGINT", "SIGQUIT")
"""What a terminal sends to all processes in the foreground."""
FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")

_PR_SET_PDEATHSIG = 1
_WITNESS_RECORD = struct.Struct("=id")
_ROUND_S = 0.01
"""More than the kernel takes to signal all processes of a group."""
_ANSWER_S = 5.0
"""How long the witness may take to answer on a machine that is out of breath; then the signal is passed on."""
_FRESH_S = 10.0
"""An older record belongs to an older signal (of two equal ones sent at once, a process may see one or two)."""


def watched_signals() -> set[int]:
    """The signals to handle here. One that was ignored when the process began stays ignored, here and in the child (nohup, ``&``)."""
    numbers = {int(getattr(signal, name)) for name in (*TERMINAL, *FORWARDED) if hasattr(signal, name)}
    return {number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN}


class Inbox:
    """Collects signals while it is open. Handlers are Python functions and never SIG_IGN, which a child would inherit."""

    def __init__(self) -> None:
        self.watched = watched_signals()
        self._arrived: list[int] = []
        self._blocked = False
        self._late: int | None = None

    @contextlib.contextmanager
    def open(self) -> Iterator[Inbox]:
        """Handlers are in place inside, the earlier ones are back afterwards."""
        before = {number: signal.signal(number, self._note) for number in self.watched}
        try:
            yield self
        finally:
            self.unblock()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._late is None:
            self._arrived.append(number)
            return
        # The diagnosis goes on after the signal that ended the child and one more: launchers and impatient people send it twice.
        self._late += 1
        if self._late > 1 and number != signal.SIGQUIT:
            raise KeyboardInterrupt

    def child_ended(self) -> None:
        """From now on a first signal is ignored, a second one raises KeyboardInterrupt."""
        self._late = 0
        self.unblock()

    def block(self) -> None:
        """From now on signals wait until :meth:`next` takes them. Only after the child was started: it would inherit the mask."""
        if hasattr(signal, "sigtimedwait"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {*self.watched, signal.SIGCHLD})
            self._blocked = True

    def unblock(self) -> None:
        """Back to handlers."""
        if self._blocked:
            self._blocked = False
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {*self.watched, signal.SIGCHLD})

    def next(self, timeout: float) -> int | None:
        """The next signal, or None when a child changed its state or ``timeout`` seconds are over."""
        if self._arrived:
            return self._arrived.pop(0)
        if self._blocked and sys.platform != "darwin" and sys.platform != "win32":
            info = signal.sigtimedwait({*self.watched, signal.SIGCHLD}, timeout)
            return None if info is None or info.si_signo == signal.SIGCHLD else info.si_signo
        # No such call (macOS, Windows): look often enough that nobody notices.
        time.sleep(min(timeout, 0.02))
        return self._arrived.pop(0) if self._arrived else None


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process when ``parent`` is gone (Linux). For use between fork and exec."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)


_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None  # loaded before any fork


class Witness:
    """A process in our process group that waits for the same signals, so that one sent to the whole group is known as such.

    A launcher (torchrun, ``timeout``, a batch system) may signal the parent alone or its whole group. In the second case the child has
    got the signal already, and must not get it twice: its handler may save a checkpoint.
    """

    def __init__(self, watched: set[int]) -> None:
        self._reader: int | None = None
        self._pid: int | None = None
        self._seen: list[tuple[int, float]] = []
        self._carried: set[int] = set()
        if not hasattr(signal, "sigwaitinfo") or not hasattr(os, "fork"):
            return
        parent = os.getpid()
        reader, writer = os.pipe()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {*watched, signal.SIGRTMIN})
        try:
            pid = os.fork()
            if pid == 0:
                _bear_witness(writer, watched, parent)
            self._reader, self._pid = reader, pid
            os.set_blocking(reader, False)
        except OSError:
            os.close(reader)  # no more processes allowed: every signal is forwarded
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            os.close(writer)

    @property
    def available(self) -> bool:
        """Whether there is a witness on this platform."""
        return self._reader is not None

    def saw(self, number: int) -> bool:
        """Whether the signal that has just arrived here went to the whole group."""
        shared = self._match(number) or self._asked(number) or number in self._carried
        self._carried.discard(number)
        # Sent twice in quick succession, the witness may have got one signal where this process gets two.
        if shared and number in signal.sigpending():
            self._carried.add(number)
        return shared

    def _asked(self, number: int) -> bool:
        """Whether the witness, asked for all that it got so far, tells of the signal.

        It takes signals in order of their numbers, and a real-time one comes last: what it was sent before is told before.
        """
        if self._pid is None or self._reader is None:
            return False
        time.sleep(_ROUND_S)
        until = time.monotonic() + _ANSWER_S
        try:
            os.kill(self._pid, signal.SIGRTMIN)
        except OSError:
            return False
        while self._reader is not None and not self._match(signal.SIGRTMIN) and (left := until - time.monotonic()) > 0:
            select.select([self._reader], [], [], left)
        return self._match(number)

    def _match(self, number: int) -> bool:
        """Take one record of the signal, if there is a fresh one."""
        self._read()
        now = time.monotonic()
        self._seen = [(seen, at) for seen, at in self._seen if now - at < _FRESH_S]
        match = next((record for record in self._seen if record[0] == number), None)
        if match is not None:
            self._seen.remove(match)
        return match is not None

    def _read(self) -> None:
        if self._reader is None:
            return
        try:
            data = os.read(self._reader, 4096)
        except BlockingIOError:
            return
        if not data:  # it is gone
            os.close(self._reader)
            self._reader = None
            return
        self._seen += [(int(number), float(at)) for number, at in _WITNESS_RECORD.iter_unpack(data)]

    def close(self) -> None:
        """End the process."""
        if self._pid is not None:
            with contextlib.suppress(OSError):
                os.kill(self._pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.waitpid(self._pid, 0)
            self._pid = None
        if self._reader is not None:
            os.close(self._reader)
            self._reader = None


def _bear_witness(writer: int, watched: set[int], parent: int) -> None:
    """The witness's life; never returns."""
    try:
        die_with_parent(parent)
        # It must not hold the user's pipes open, nor anything else.
        os.closerange(0, writer)
        os.closerange(writer + 1, min(os.sysconf("SC_OPEN_MAX"), 65536))
        while sys.platform != "darwin" and sys.platform != "win32":
            info = signal.sigwaitinfo({*watched, signal.SIGRTMIN})
            os.write(writer, _WITNESS_RECORD.pack(info.si_signo, time.monotonic()))
    finally:
        os._exit(0)


def repeat_death(number: int) -> None:
    """Die of the signal that the child died of, without a core file of our own. Returns only where the signal does not kill."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    sys.stdout.flush()
    sys.stderr.flush()
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)  # not allowed, and not needed, for SIGKILL
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
