"""Imports go one way: observe → records → analysis → rules → diagnose → fixes → report → commands."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "doctorch"

SHARED = {"findings", "__init__"}
"""Vocabulary that everybody may use."""

MAY_IMPORT = {
    "findings": set(),
    "records": set(),
    "observe": {"records"},
    "probes": {"records", "observe"},
    "analysis": {"records"},
    "source": {"records"},
    "rules": {"records", "analysis", "source"},
    "config": set(),
    "diagnose": {"records", "analysis", "source", "rules", "config"},
    "fixes": {"records", "analysis", "source", "rules", "config", "diagnose"},
    "report": {"records", "analysis", "source", "rules", "config", "diagnose", "fixes"},
    "launch": {"records"},
    "demos": set(),
    "commands": {"records", "analysis", "source", "rules", "config", "diagnose", "fixes", "report", "launch", "demos"},
    "cli": {"commands"},
    "__main__": {"cli"},
}

FILES = sorted(SOURCE.rglob("*.py"))


def part_of(path: Path) -> str:
    """The first name below ``doctorch``: a package or a module."""
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of each import, absolute."""
    package = ["doctorch", *path.relative_to(SOURCE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module == "doctorch":
                for alias in node.names:
                    yield node.lineno, f"doctorch.{alias.name}"
            else:
                yield node.lineno, module


def test_every_part_has_its_place() -> None:
    assert FILES
    assert {part_of(path) for path in FILES} - {"__init__"} <= MAY_IMPORT.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_direction(path: Path) -> None:
    part = part_of(path)
    if part == "__init__":
        return
    wrong = []
    for line, name in imported(path):
        words = name.split(".")
        if words[0] != "doctorch" or len(words) == 1:
            continue
        target = words[1] if (SOURCE / words[1]).is_dir() or (SOURCE / f"{words[1]}.py").is_file() else "__init__"
        if target != part and target not in MAY_IMPORT[part] | SHARED:
            wrong.append(f"{path.name}:{line}: {part} imports {target}")
    assert not wrong


def test_the_check_itself_sees_imports() -> None:
    names = {name for _, name in imported(SOURCE / "launch" / "session.py")}
    assert {"os", "doctorch.launch.child", "doctorch"} & names == {"os", "doctorch.launch.child"} | ({"doctorch"} & names)


@pytest.mark.parametrize(
    "path", [path for path in FILES if part_of(path) not in ("observe", "probes", "demos")], ids=lambda path: str(path.relative_to(SOURCE))
)
def test_torch_is_imported_by_observers_only(path: Path) -> None:
    assert not [line for line, name in imported(path) if name.split(".")[0] == "torch"]


def test_the_parent_imports_no_torch() -> None:
    """Also not through a package that we use."""
    modules = [
        ".".join(["doctorch", *path.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__")
        for path in FILES
        if part_of(path) not in ("observe", "probes", "demos", "__main__")
    ]
    code = f"import importlib, sys\nfor name in {modules!r}: importlib.import_module(name)\nprint('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
