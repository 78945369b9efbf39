"""Runs scripts with and without doctorch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ended:
    """What a shell would see of a command."""

    code: int
    stdout: bytes
    stderr: bytes


class Bench:
    """A folder with scripts, and commands run in it."""

    def __init__(self, folder: Path, measured: bool = False) -> None:
        self.folder = folder
        self.measured = measured
        """Whether the parents run under coverage, without a trace in their environment."""
        self.python = sys.executable

    def script(self, text: str, name: str = "train.py") -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def command(self, words: list[str], env: Mapping[str, str | None] | None = None, **options: Any) -> Ended:
        environment = {**os.environ, **{k: v for k, v in (env or {}).items() if v is not None}}
        for name in [name for name, value in (env or {}).items() if value is None]:
            environment.pop(name, None)
        options = {"stdin": subprocess.DEVNULL, "timeout": 120, **options}
        if "input" in options:
            del options["stdin"]
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, check=False, **options)
        return Ended(done.returncode, done.stdout, done.stderr)

    def plain(self, *words: str, flags: tuple[str, ...] = (), **options: Any) -> Ended:
        return self.command([sys.executable, *flags, *words], **options)

    def watched(self, *words: str, flags: tuple[str, ...] = (), **options: Any) -> Ended:
        return self.command([*self.start(*flags), "run", *words], **options)

    def doctorch(self, *words: str, **options: Any) -> Ended:
        return self.command([*self.start(), *words], **options)

    def start(self, *flags: str) -> list[str]:
        """The words that start doctorch."""
        coverage: list[str] = []
        if self.measured:
            coverage = [
                "-m",
                "coverage",
                "run",
                "--parallel-mode",
                f"--rcfile={ROOT / 'pyproject.toml'}",
                f"--data-file={ROOT / '.coverage'}",
            ]
        return [sys.executable, *flags, *coverage, "-m", "doctorch"]

    def json(self, name: str = "out.json") -> dict[str, Any]:
        value = json.loads((self.folder / name).read_text(encoding="utf-8"))
        assert isinstance(value, dict)
        return value

    @property
    def records(self) -> list[Path]:
        """The run folders, oldest name first."""
        home = self.folder / ".doctorch"
        return sorted(path for path in home.iterdir() if path.is_dir()) if home.is_dir() else []

    @property
    def manifest(self) -> dict[str, Any]:
        """That of the only run."""
        (record,) = self.records
        value = json.loads((record / "manifest.json").read_text(encoding="utf-8"))
        assert isinstance(value, dict)
        return value
