"""What is to be run, and how the interpreter is called for it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


class UsageError(Exception):
    """The command line asks for something that cannot be done. The text is one sentence for the user."""


@dataclass(frozen=True)
class Target:
    """A script (``python train.py …``) or a module (``python -m train …``) with its arguments."""

    name: str
    is_module: bool
    args: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words that follow the interpreter and its flags."""
        return (*(("-m",) if self.is_module else ()), self.name, *self.args)

    @property
    def stem(self) -> str:
        """A short name for folders."""
        stem = self.name.rpartition(".")[2] if self.is_module else Path(self.name).stem
        return re.sub(r"[^A-Za-z0-9_.+-]+", "_", stem).strip("._-")[:40] or "run"

    def check(self) -> None:
        """Raise :class:`UsageError` for a script that is not there. A module is looked up by the interpreter itself."""
        if self.is_module or self.name == "-":
            return
        path = Path(self.name)
        if not path.exists():
            beside = f" (looked in {os.getcwd()})" if not path.is_absolute() else ""
            raise UsageError(f"there is no script {self.name}{beside}.")
        if path.is_dir() and not (path / "__main__.py").exists():
            raise UsageError(f"{self.name} is a folder without a __main__.py; give the training script in it.")
        if not os.access(path, os.R_OK):
            raise UsageError(f"{self.name} cannot be read; check its permissions.")


@dataclass(frozen=True)
class Interpreter:
    """The interpreter of the child and its own options (``-u``, ``-X dev``, ``-W error`` …)."""

    executable: str
    flags: tuple[str, ...] = ()

    @property
    def blind_flag(self) -> str | None:
        """The option that keeps the interpreter from reading PYTHONPATH or ``sitecustomize``, so that nothing is observed; or None."""
        for word in self.flags:
            if word.startswith("-") and not word.startswith("--"):
                for letter in word[1:]:
                    if letter in "WX":
                        break
                    if letter in "EIS":
                        return f"-{letter}"
        return None


def interpreter_flags(orig_argv: Sequence[str]) -> tuple[str, ...]:
    """The interpreter's own options in a command line such as ``sys.orig_argv``: all before the script, ``-m`` or ``-c``."""
    flags: list[str] = []
    words = iter(orig_argv[1:])
    for word in words:
        if word in ("-", "--") or not word.startswith("-"):
            break
        if word.startswith("--"):
            flags.append(word)
            if word == "--check-hash-based-pycs":
                flags.extend([value for value in [next(words, None)] if value is not None])
            continue
        for at, letter in enumerate(word[1:], start=1):
            if letter in "cm":
                if at > 1:  # -um module: the letters before it are options
                    flags.append(word[:at])
                return tuple(flags)
            if letter in "WX":
                flags.append(word)
                if at == len(word) - 1:
                    flags.extend([value for value in [next(words, None)] if value is not None])
                break
        else:
            flags.append(word)
    return tuple(flags)


def this_interpreter() -> Interpreter:
    """The interpreter that runs doctorch, with the options it was given."""
    return Interpreter(sys.executable, interpreter_flags(sys.orig_argv))
