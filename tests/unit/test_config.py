"""[tool.doctorch] in pyproject.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctorch import config


def write(folder: Path, text: str) -> config.Config:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return config.load(folder)


def test_ignore(tmp_path: Path) -> None:
    loaded = write(tmp_path, '[tool.doctorch]\nignore = ["a", "b"]\n')
    assert loaded.ignore == {"a", "b"}
    assert loaded.problems == ()


def test_the_nearest_table_counts(tmp_path: Path) -> None:
    write(tmp_path, '[tool.doctorch]\nignore = ["outer"]\n')
    inner = tmp_path / "inner"
    inner.mkdir()
    assert write(inner, "[project]\nname = 'x'\n").ignore == {"outer"}
    assert write(inner, '[tool.doctorch]\nignore = ["inner"]\n').ignore == {"inner"}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[tool.doctorch\n", "no valid TOML"),
        ("[tool]\ndoctorch = 1\n", "must be a table"),
        ('[tool.doctorch]\nignore = "a"\n', "list of rule ids"),
        ("[tool.doctorch]\nignroe = []\n", "no setting «ignroe»"),
    ],
)
def test_problems_are_said(text: str, word: str, tmp_path: Path) -> None:
    loaded = write(tmp_path, text)
    assert loaded.ignore == frozenset()
    assert any(word in problem for problem in loaded.problems)


def test_without_a_toml_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "_toml_module", lambda: None)
    assert any("tomli" in problem for problem in write(tmp_path, "[tool.doctorch]\n").problems)


def test_no_file(tmp_path: Path) -> None:
    assert config.load(tmp_path / "nowhere" / "train.py").ignore == frozenset()
