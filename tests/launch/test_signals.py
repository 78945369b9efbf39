"""Signals reach the script as they would without doctorch: once each."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from launchbench import Bench

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what is promised on Linux")

HANGS_S = 600
"""After which a process is taken to hang: far beyond what the slowest machine needs."""
LISTEN = """
import os, signal, sys
watched = {signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGINT}
signal.pthread_sigmask(signal.SIG_BLOCK, watched)
print("ready", os.getpid(), os.getppid(), flush=True)
first = signal.sigwaitinfo(watched)
# A second one, passed on besides, would come within the time that the parent waits for its witness.
second = signal.sigtimedwait(watched, 0.5)
print(*[signal.Signals(info.si_signo).name for info in (first, second) if info is not None])
sys.exit(6)
"""


class Started:
    """A watched script that has said it is ready."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stdout is not None
        words = process.stdout.readline().split()
        assert words[0] == b"ready", words
        self.child, self.parent = int(words[1]), int(words[2])

    def rest(self) -> tuple[int, bytes, bytes]:
        out, err = self.process.communicate(timeout=HANGS_S)
        return self.process.returncode, out, err


@pytest.fixture
def start(bench: Bench) -> Iterator[Callable[..., Started]]:
    processes: list[subprocess.Popen[bytes]] = []

    def begin(script: str, *options: str, **how: object) -> Started:
        words = [sys.executable, "-m", "doctorch", "run", *(options or ("-q",)), bench.script(script)]
        process = subprocess.Popen(words, cwd=bench.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)  # type: ignore[call-overload]
        processes.append(process)
        return Started(process)

    yield begin
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGINT"])
def test_a_signal_to_the_parent_alone_is_passed_on_once(start: Callable[..., Started], name: str) -> None:
    started = start(LISTEN)
    os.kill(started.parent, getattr(signal, name))
    assert started.rest() == (6, name.encode() + b"\n", b"")


@pytest.mark.parametrize("name", ["SIGTERM", "SIGUSR1", "SIGINT"])
def test_a_signal_to_the_whole_group_arrives_once(start: Callable[..., Started], name: str) -> None:
    started = start(LISTEN, start_new_session=True)
    os.killpg(started.process.pid, getattr(signal, name))
    assert started.rest() == (6, name.encode() + b"\n", b"")


def test_termination_is_repeated_and_diagnosed(bench: Bench, start: Callable[..., Started]) -> None:
    script = "import os, signal; print('ready', os.getpid(), os.getppid(), flush=True); signal.pause()"
    started = start(script, "--json", "out.json")
    os.kill(started.parent, signal.SIGTERM)
    code, out, err = started.rest()
    assert (code, out) == (-signal.SIGTERM, b"")
    assert b"doctorch" in err
    assert bench.json()["run"]["signal"] == signal.SIGTERM


def test_a_killed_parent_leaves_no_orphan(start: Callable[..., Started]) -> None:
    started = start("import os, signal; print('ready', os.getpid(), os.getppid(), flush=True); signal.pause()")
    family = psutil.Process(started.parent).children(recursive=True)
    assert started.child in [process.pid for process in family]
    os.kill(started.parent, signal.SIGKILL)
    _, alive = psutil.wait_procs(family, timeout=HANGS_S)
    assert not alive


def test_a_killed_child_is_diagnosed(bench: Bench, start: Callable[..., Started]) -> None:
    started = start("import os, signal; print('ready', os.getpid(), os.getppid(), flush=True); signal.pause()", "--json", "out.json")
    os.kill(started.child, signal.SIGKILL)
    code, _, err = started.rest()
    assert code == -signal.SIGKILL
    assert b"SIGKILL" in err
    assert bench.json()["run"]["signal"] == signal.SIGKILL


def test_ignored_signals_stay_ignored(bench: Bench) -> None:
    """As under nohup, or in the background of a script."""
    name = bench.script(
        "from signal import *; print([getsignal(s) for s in (SIGHUP, SIGINT, SIGQUIT, SIGCHLD, SIGPIPE)])",
    )

    def ignore() -> None:
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_IGN)

    plain = bench.plain(name, preexec_fn=ignore)
    assert plain.stdout.count(b"SIG_IGN") == 5
    assert bench.watched("-q", name, preexec_fn=ignore).stdout == plain.stdout
    assert bench.watched("-q", name).stdout == bench.plain(name).stdout


def test_no_signal_is_blocked_in_the_script(bench: Bench) -> None:
    name = bench.script("import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, []))")
    assert bench.watched("-q", name).stdout == b"set()\n"


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    ours, theirs = pty.openpty()
    yield ours, theirs
    os.close(ours)
    os.close(theirs)


def on_terminal(theirs: int) -> Callable[[], None]:
    """Make the terminal the controlling one of a new session, as a shell's."""

    def prepare() -> None:
        import fcntl
        import termios

        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    return prepare


def not_taken(pid: int, number: int) -> bool:
    """Whether a signal still waits to be taken by a process."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return any(int(line.split()[1], 16) >> (number - 1) & 1 for line in lines if line.startswith(("SigPnd", "ShdPnd")))


@pytest.mark.parametrize(
    ("script", "presses", "code"),
    [
        ("READY; signal.pause()", 1, -signal.SIGINT),
        ("try:\n  READY; signal.pause()\nexcept KeyboardInterrupt:\n  print('saved'); sys.exit(8)", 1, 8),
    ],
    ids=["not caught", "caught"],
)
def test_ctrl_c_in_a_terminal(bench: Bench, terminal: tuple[int, int], script: str, presses: int, code: int) -> None:
    ours, theirs = terminal
    head = "import os, signal, sys\n"
    script = script.replace("READY", "print('ready', os.getpid(), os.getppid(), flush=True)")
    words = [sys.executable, "-m", "doctorch", "run", "--json", "out.json", bench.script(head + script)]
    process = subprocess.Popen(
        words, cwd=bench.folder, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=on_terminal(theirs)
    )
    started = Started(process)
    for _ in range(presses):
        os.write(ours, b"\x03")
    got, out, err = started.rest()
    assert got == code
    assert (out == b"saved\n") == (code == 8)
    assert err.count(b"KeyboardInterrupt") == (0 if code == 8 else 1)
    assert b"doctorch" in err
    assert bench.json()["findings"] == []
    assert bench.manifest["interrupts"] == 1


def test_a_hang_that_takes_no_interrupt_is_ended_by_pressing_on(bench: Bench, terminal: tuple[int, int]) -> None:
    """The second Ctrl-C is followed by SIGTERM and the third by SIGKILL, each after some seconds for the script itself."""
    ours, theirs = terminal
    script = "\n".join(
        [
            "import os, signal",
            "signal.signal(signal.SIGINT, lambda *a: print('int', flush=True))",
            "signal.signal(signal.SIGTERM, lambda *a: print('term', flush=True))",
            "print('ready', os.getpid(), os.getppid(), flush=True)",
            "while True: signal.pause()",
        ]
    )
    words = [sys.executable, "-m", "doctorch", "run", "-q", bench.script(script)]
    process = subprocess.Popen(
        words, cwd=bench.folder, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=on_terminal(theirs)
    )
    started = Started(process)
    assert process.stdout is not None
    heard = []
    for _ in range(3):
        os.write(ours, b"\x03")
        heard.append(process.stdout.readline())
        # Signals of one kind do not queue: pressed again at once, two would be one.
        while not_taken(started.parent, signal.SIGINT):
            time.sleep(0.005)
    code, out, _ = started.rest()
    assert (code, [*heard, out]) == (-signal.SIGKILL, [b"int\n"] * 3 + [b"term\n"])
