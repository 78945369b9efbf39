"""Finds the rules: every module below ``doctorch.rules.<area>`` that defines ``RULE``. Nothing has to be listed anywhere."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import doctorch.rules
from doctorch.rules.api import Rule
from doctorch.rules.pages import Page, read_page

DEFAULT_LANGUAGE = "en"


@dataclass(frozen=True)
class Entry:
    """A rule and where it lives."""

    rule: Rule
    area: str
    """The folder: ``learning_loss``, ``speed_input``, …"""
    file: Path

    def page_path(self, language: str = DEFAULT_LANGUAGE) -> Path:
        """The page in a language, or in English where there is none in that language."""
        path = self.file.with_name(f"{self.file.stem}.{language}.md")
        return path if path.exists() else self.file.with_name(f"{self.file.stem}.{DEFAULT_LANGUAGE}.md")


@cache
def rules() -> Mapping[str, Entry]:
    """All rules by id, in order of area and id."""
    found: dict[str, Entry] = {}
    for area in sorted(pkgutil.iter_modules(doctorch.rules.__path__), key=lambda module: module.name):
        if not area.ispkg:
            continue
        package = importlib.import_module(f"doctorch.rules.{area.name}")
        for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda module: module.name):
            loaded = importlib.import_module(f"doctorch.rules.{area.name}.{module.name}")
            rule = getattr(loaded, "RULE", None)
            if rule is None:
                continue  # shared by the rules of an area
            if rule.id in found:
                raise ValueError(f"two rules have the id {rule.id}: {found[rule.id].file} and {loaded.__file__}")
            found[rule.id] = Entry(rule, area.name, Path(str(loaded.__file__)))
    return found


@cache
def page(rule_id: str, language: str = DEFAULT_LANGUAGE) -> Page:
    """The page of a rule. KeyError for an unknown id."""
    return read_page(rules()[rule_id].page_path(language))
