"""Small files written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any


def write_text(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old one or the new one, never a part.

    What is no regular file (``/dev/stdout``, a pipe) is written to as it is.

    Raises:
        OSError: the folder is missing, not writable, or the disk is full; then the old file is still there.
    """
    if path.exists() and not path.is_file():
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return
    # The target of a link is replaced, not the link.
    path = Path(os.path.realpath(path))
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files that only the owner reads; this one gets what the user's umask gives others.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass  # already gone
        raise


def write_json(path: Path, value: Any) -> None:
    """:func:`write_text` of a JSON value. Numbers that JSON lacks (NaN, infinity) become null."""
    write_text(path, json.dumps(_plain(value), indent=1, ensure_ascii=False) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)


def read_json(path: Path) -> Any:
    """The value in a JSON file, or None where the file is missing or no JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
