"""Sentences from message ids and values: the one place where numbers become words.

A template of a rule's page names values in braces. Formats, besides Python's own (``{loss:.3f}``):

    {n:count}            12,800
    {n:count step}       1 step, 640 steps        {n:count batch/batches} where the plural is not «s»
    {share:%}            71 %, 0.6 %
    {t:ms}               milliseconds as 340 ms, 2.4 s or 0.05 ms
    {size:bytes}         12.5 MiB
    {x}                  numbers with at most four significant digits, texts as they are
"""

from __future__ import annotations

import math
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from doctorch.findings import Finding, Value
from doctorch.rules import registry
from doctorch.source.project import Project

TIED = "\u00a0"
"""Between a number and its unit, so that no line breaks there; :func:`untied` makes a plain space of it."""


def untied(text: str) -> str:
    """The text with plain spaces."""
    return text.replace(TIED, " ")


@dataclass(frozen=True)
class Sentences:
    """What a person reads of one finding."""

    message: str
    why: str | None
    fix: str | None
    proof: str | None


def sentences(finding: Finding, project: Project | None = None, language: str = registry.DEFAULT_LANGUAGE) -> Sentences:
    """The sentences of a finding; with a project, lines of a notebook are named as those of its cells.

    KeyError when its rule's page lacks a message or the finding lacks a value.
    """
    messages = registry.page(finding.rule, language).messages
    values = {name: _shown(finding, name, value, project) for name, value in finding.values.items()}

    def say(message_id: str | None) -> str | None:
        return None if message_id is None else fill(messages[message_id], values)

    return Sentences(fill(messages[finding.message], values), say(finding.why), say(finding.fix), say(finding.proof))


def _shown(finding: Finding, name: str, value: Value, project: Project | None) -> Value:
    """A value as it is shown: ``line`` and ``…_line`` are lines of the finding's file, or of that of a related place with this line."""
    if project is None or not isinstance(value, int) or not (name == "line" or name.endswith("_line")):
        return value
    place = next((one for one in finding.related if one.line == value), finding.place)
    file = project.file(place.file) if place is not None else None
    return file.line_label(value) if file is not None and file.is_notebook else value


def fill(template: str, values: Mapping[str, Value]) -> str:
    """A template with its values. KeyError for a value that is not there."""
    return _Filler().vformat(template, (), values)


def names(template: str) -> set[str]:
    """The values that a template names."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


class _Filler(string.Formatter):
    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return kwargs[str(key)]

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec.startswith("count"):
            return _count(value, format_spec[5:].strip())
        if format_spec == "%":
            return percent(float(value))
        if format_spec == "ms":
            return milliseconds(float(value))
        if format_spec == "bytes":
            return binary_size(float(value))
        if format_spec:
            return format(value, format_spec)
        return _plain(value)


def _count(value: Any, noun: str) -> str:
    number = f"{value:,}" if isinstance(value, int) else _plain(value)
    if not noun:
        return number
    one, _, many = noun.partition("/")
    return f"{number}{TIED}{one if value == 1 else many or one + 's'}"


def _plain(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "unknown" if value is None else str(value)
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if not math.isfinite(value):
        return str(value)
    return f"{value:.4g}" if 1e-3 <= abs(value) < 1e5 or value == 0 else f"{value:.2e}"


def percent(share: float) -> str:
    """``0.714`` gives ``71 %``; below 1 % one decimal."""
    value = 100 * share
    return f"{value:.1f}{TIED}%" if 0 < abs(value) < 1 else f"{value:.0f}{TIED}%"


def milliseconds(value: float) -> str:
    """A time in ms, or in seconds from 2 s on."""
    if abs(value) >= 2000:
        return f"{value / 1000:.1f}{TIED}s" if value < 100_000 else f"{value / 1000:,.0f}{TIED}s"
    return f"{value:.0f}{TIED}ms" if abs(value) >= 10 else f"{value:.1f}{TIED}ms" if abs(value) >= 1 else f"{value:.2f}{TIED}ms"


def binary_size(value: float) -> str:
    """Bytes in binary units."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(value) < 1024 or unit == "GiB":
            return f"{value:.0f}{TIED}{unit}" if unit == "B" else f"{value:.1f}{TIED}{unit}"
        value /= 1024
    raise AssertionError("unreachable")
