"""What a rule is. One file per fault under ``doctorch/rules/<area>/`` defines a module-level ``RULE``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from doctorch.findings import Edit, Finding, Severity

if TYPE_CHECKING:
    from doctorch.records.reader import Run
    from doctorch.source.project import Project


@dataclass(frozen=True)
class Rule:
    """One fault: its identity and up to three functions, each only where it can be certain."""

    id: str
    title: str
    severity: Severity
    needs: frozenset[str] = frozenset()
    """Kinds of facts without which the rule was not examined (docs/records.md)."""
    examine: Callable[[Run], Iterable[Finding]] | None = None
    """Findings from what happened. Pure: reads the run, touches nothing."""
    examine_source: Callable[[Project], Iterable[Finding]] | None = None
    """Findings from the text alone, only where the text leaves no doubt."""
    edit: Callable[[Finding, Project], Edit | None] | None = None
    """The repair, where it is certain enough to be written."""
    symptom: bool = False
    """True for rules that name a symptom, which stands under its cause when one is known."""
