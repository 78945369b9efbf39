"""What all commands say and write in the same way."""

from __future__ import annotations

import enum
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

USAGE = 2
"""Exit code for a command line or an input that cannot be used."""
FOUND = 3
"""Exit code when ``--fail-on`` is met."""


class FailOn(str, enum.Enum):
    """From which severity on a finding makes the command fail."""

    error = "error"
    warning = "warning"


def note(sentence: str) -> None:
    """One line of ours on stderr."""
    try:
        print(f"doctorch: {sentence}", file=sys.stderr, flush=True)
    except OSError:
        pass  # stderr was closed; there is nobody to tell


def empty_answer(*problems: str) -> dict[str, Any]:
    """The JSON answer where nothing could be examined."""
    from doctorch.report.json import empty

    return {**empty(), "problems": list(problems)}


def write_answer(path: Path | None, answer: dict[str, Any]) -> bool:
    """Write the JSON answer where one is asked for. False, and one sentence, where it cannot be written."""
    if path is None:
        return True
    from doctorch.launch.files import write_json

    try:
        write_json(path, answer)
    except OSError as error:
        note(f"{path} cannot be written ({error.strerror or error}).")
        return False
    return True


def refuse(sentence: str, json_file: Path | None = None) -> typer.Exit:
    """One sentence, the JSON answer if one is asked for, and the exit to raise."""
    return refuse_all((sentence,), json_file)


def refuse_all(sentences: Sequence[str], json_file: Path | None = None) -> typer.Exit:
    """As :func:`refuse`, with several sentences."""
    for sentence in sentences:
        note(sentence)
    write_answer(json_file, empty_answer(*sentences))
    return typer.Exit(USAGE)


def fails(severities: list[str], fail_on: FailOn | None) -> bool:
    """Whether findings of these severities meet ``--fail-on``."""
    if fail_on is None:
        return False
    return any(severity == "error" or (fail_on is FailOn.warning and severity == "warning") for severity in severities)
