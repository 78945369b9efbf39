"""The ``[tool.doctorch]`` table of the project's pyproject.toml."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Config:
    """What the project asks for. ``problems`` are sentences for the user about a file that could not be used as it stands."""

    path: Path | None = None
    ignore: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()


KNOWN_KEYS = frozenset({"ignore"})


def load(start: str | Path) -> Config:
    """The configuration for a script or folder: that of the nearest pyproject.toml upward which has a ``[tool.doctorch]`` table."""
    place = Path(start).resolve()
    for folder in (place, *place.parents):
        path = folder / "pyproject.toml"
        if not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            return Config(path, problems=(f"{path} cannot be read ({error}); its [tool.doctorch] is not applied.",))
        if "tool.doctorch" in text.replace(" ", "") or "[tool]" in text:
            config = _parse(path, text)
            if config is not None:
                return config
    return Config()


def _parse(path: Path, text: str) -> Config | None:
    """The table, or None where the file has none."""
    toml = _toml_module()
    if toml is None:
        return Config(path, problems=(f"{path} is not applied: on Python 3.10 it takes the package tomli to read it.",))
    try:
        tool = toml.loads(text).get("tool", {})
    except ValueError as error:
        return Config(path, problems=(f"{path} is no valid TOML ({error}); its [tool.doctorch] is not applied.",))
    if not isinstance(tool, dict) or "doctorch" not in tool:
        return None
    table = tool["doctorch"]
    if not isinstance(table, dict):
        return Config(path, problems=(f'{path}: tool.doctorch must be a table, for example [tool.doctorch] with ignore = ["rule-id"].',))
    problems = [f"{path}: [tool.doctorch] has no setting «{key}»." for key in sorted(set(table) - KNOWN_KEYS)]
    ignore = table.get("ignore", [])
    if not isinstance(ignore, list) or not all(isinstance(entry, str) for entry in ignore):
        problems.append(f"{path}: ignore in [tool.doctorch] must be a list of rule ids; it is not applied.")
        ignore = []
    return Config(path, frozenset(ignore), tuple(problems))


def _toml_module() -> Any:
    for name in ("tomllib", "tomli"):  # tomllib came with Python 3.11
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None
