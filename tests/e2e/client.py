"""The tests' side of ``server.py``."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
SERVER = Path(__file__).with_name("server.py")
TIMEOUT_S = 180.0
"""Only so that a script that hangs does not hang the suite."""


@dataclass(frozen=True)
class Ran:
    """How a script ended."""

    code: int | None
    """Exit code; None when it died of a signal."""
    signal: int | None
    seconds: float
    stdout: bytes
    stderr: bytes
    folder: Path
    """Working directory of the script."""
    record: Path | None
    """The run folder; None for a plain run."""

    @property
    def said(self) -> str:
        """What it printed, for the message of a failed test."""
        return f"--- stdout\n{self.stdout.decode(errors='replace')}--- stderr\n{self.stderr.decode(errors='replace')}"


class Server:
    """Starts the process with the first script and keeps it until ``close``. One request at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[str] | None = None
        self._numbers = itertools.count()

    def _started(self) -> subprocess.Popen[str]:
        process = self._process
        if process is None or process.poll() is not None:
            environment = dict(os.environ)
            environment["PYTHONPATH"] = os.pathsep.join(p for p in (str(REPOSITORY / "src"), environment.get("PYTHONPATH", "")) if p)
            environment["OMP_NUM_THREADS"] = "1"
            process = subprocess.Popen(
                [sys.executable, str(SERVER)], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
            )
            assert process.stdout is not None
            if "ready" not in process.stdout.readline():
                raise RuntimeError("the end-to-end server did not start")
            self._process = process
        return process

    def run(
        self,
        script: Path,
        *args: str,
        observe: bool = True,
        steps: int | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        tracer: Path | None = None,
    ) -> Ran:
        """Run a script, observed or plainly.

        Raises:
            TimeoutError: it was still running after ``TIMEOUT_S``.
        """
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        script = script.resolve()
        folder = self.folder / f"{next(self._numbers):04d}-{script.stem}"
        work = cwd if cwd is not None else folder / "work"
        work.mkdir(parents=True, exist_ok=True)
        folder.mkdir(exist_ok=True)
        record = folder / "record"
        command = [str(script), *args]
        if observe:
            record.mkdir()
            self._manifest(record, command, script, work)
        request = {
            "script": str(script),
            "args": list(args),
            "cwd": str(work),
            "stdout": str(folder / "stdout"),
            "stderr": str(folder / "stderr"),
            "settings": {"run_dir": str(record), "steps": steps, "probes": True} if observe else None,
            "env": dict(env or {}),
            "timeout": TIMEOUT_S,
            "tracer": str(tracer) if tracer is not None else None,
        }
        print(json.dumps(request), file=process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(process.stdout.readline())
        ran = Ran(
            answer["code"],
            answer["signal"],
            answer["seconds"],
            (folder / "stdout").read_bytes(),
            (folder / "stderr").read_bytes(),
            work,
            record if observe else None,
        )
        if observe:
            self._manifest(record, command, script, work, ran)
        if answer["timed_out"]:
            raise TimeoutError(f"{script} was still running after {TIMEOUT_S:.0f} s\n{ran.said}")
        return ran

    def _manifest(self, record: Path, command: Sequence[str], script: Path, cwd: Path, ran: Ran | None = None) -> None:
        """As the parent of ``doctorch run`` writes it."""
        manifest: dict[str, Any] = {
            "schema": 1,
            "command": ["python", *command],
            "script": str(script),
            "argv": list(command[1:]),
            "cwd": str(cwd),
            "started": time.time(),
            "ended": None,
        }
        if ran is not None:
            manifest |= {"exit_code": ran.code, "signal": ran.signal, "ended": time.time(), "seconds": ran.seconds, "oom_killed": False}
        (record / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait(30)
            self._process = None
