"""Scripts that say of themselves what is wrong with them, run end to end and compared with what was said of them.

A script is named ``sick_*``, ``healthy_*`` or ``lookalike_*``. A sick script must get its rule, as error or warning, on a marked line,
before anything else, and nothing else unasked; the others must get no error and no warning at all.

In a sick script:
    # <- rule-id[, rule-id]        at the end of each line that a right answer may name
    # rule: rule-id                what it is about, where its folder does not say it
    # accepts: rule-id, …          says the same rightly
    # allows: rule-id, …           is true besides; may be said, beside it or under it
    # expects-under: rule-id, …    a symptom that must stand under it
In any script:
    # exits: 1                     its exit code, 0 where nothing is said
    # args: --epochs 2             its arguments
    # needs: pandas                packages without which it cannot run
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
from e2e.client import Ran, Server

from doctorch.diagnose import Diagnosed, Diagnosis, diagnose
from doctorch.findings import Severity
from doctorch.records.reader import Run
from doctorch.rules import registry

MARK = re.compile(r"#\s*<-\s*([\w\s,-]+?)\s*$")
HEADER = re.compile(r"^# (rule|accepts|allows|expects-under|exits|args|needs): (.+)$", re.M)


@dataclass(frozen=True)
class Script:
    """A script and what it says of itself in comments."""

    path: Path

    @property
    def rule(self) -> str:
        return self.headers.get("rule", self.path.parent.name)

    @property
    def kind(self) -> str:
        return self.path.name.partition("_")[0]

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def headers(self) -> dict[str, str]:
        return {match[1]: match[2].strip() for match in HEADER.finditer(self.text)}

    def ids(self, header: str) -> set[str]:
        return {word for word in re.split(r"[,\s]+", self.headers.get(header, "")) if word}

    @cached_property
    def marks(self) -> dict[str, set[int]]:
        """Lines by rule."""
        found: dict[str, set[int]] = {}
        for number, line in enumerate(self.text.splitlines(), 1):
            if match := MARK.search(line):
                for rule in match[1].replace(",", " ").split():
                    found.setdefault(rule, set()).add(number)
        return found

    @property
    def missing(self) -> list[str]:
        """Packages that it needs and that are not installed."""
        return [package for package in sorted(self.ids("needs")) if importlib.util.find_spec(package) is None]


def scripts_in(folder: Path) -> list[Script]:
    """All scripts one level below a folder."""
    return [Script(path) for path in sorted(folder.glob("*/*.py")) if re.match("(sick|healthy|lookalike)_", path.name)]


@dataclass(frozen=True)
class Case:
    """A script that ran, and what was said of it."""

    script: Script
    ran: Ran
    diagnosis: Diagnosis

    @property
    def loud(self) -> list[Diagnosed]:
        """Errors and warnings in the order in which they are shown."""
        return [found for found in self.diagnosis.findings if found.finding.severity <= Severity.WARNING]

    @property
    def said(self) -> str:
        """All that a failing test should show."""
        lines = [f"{self.script.path}:"]
        for found in self.diagnosis.findings:
            finding, place = found.finding, found.finding.place
            under = f" under {found.explained_by}" if found.explained_by else ""
            lines.append(f"  {found.id} {finding.severity.label} {finding.rule} line {place.line if place else None}{under}")
            lines.append(f"     {finding.message} {dict(finding.values)}")
        lines.append("  nothing was found" if not self.diagnosis.findings else "")
        lines += [f"  not examined: {entry.rule}, no {', '.join(entry.missing)}" for entry in self.diagnosis.not_examined]
        return "\n".join([*lines, self.ran.said])


def run(server: Server, script: Script, tracer: Path | None = None) -> Case:
    """Run a script under observation and diagnose it; it ends as it says, and nothing of doctorch's own failed."""
    if script.missing:
        pytest.skip(f"unchecked: {', '.join(script.missing)} is not installed")
    ran = server.run(script.path, *script.headers.get("args", "").split(), tracer=tracer)
    assert ran.record is not None
    record = Run(ran.record)
    try:
        case = Case(script, ran, diagnose(record))
    finally:
        record.close()
    assert ran.code == int(script.headers.get("exits", "0")), f"exit code {ran.code}\n{case.said}"
    assert not case.diagnosis.failures, "\n".join(failure.text for failure in case.diagnosis.failures)
    assert case.diagnosis.run is not None
    assert not case.diagnosis.run.failures, "\n".join(case.diagnosis.run.failures)
    return case


def is_advice(rule: str) -> bool:
    """Whether a rule never says more than advice, which is then what its scripts are about."""
    known = registry.rules().get(rule)
    return known is not None and known.rule.severity is Severity.ADVICE


def assert_found(case: Case) -> None:
    """A sick script: its rule comes first, on a marked line, and nothing is said besides that is not true too."""
    script = case.script
    right = {script.rule, *script.ids("accepts")}
    allowed = right | script.ids("allows")

    loud = case.diagnosis.findings if is_advice(script.rule) else case.loud
    hits = [found for found in loud if found.finding.rule in right]
    assert hits, f"{script.rule} was not found\n{case.said}"
    causes = [found for found in case.loud if found.explained_by is None]
    first = next((found for found in causes if found.finding.rule not in script.ids("allows")), None)
    assert first is None or first.finding.rule in right, f"{first.finding.rule} comes first\n{case.said}"
    place = hits[0].finding.place
    assert place is not None, f"no line is named\n{case.said}"
    marked = script.marks[script.rule]
    assert Path(place.file) == script.path, f"{place.file} is named\n{case.said}"
    assert place.line in marked, f"line {place.line} is named, right are {sorted(marked)}\n{case.said}"

    for found in causes:
        rule, where = found.finding.rule, found.finding.place
        known = rule in allowed or (where is not None and where.line in script.marks.get(rule, ()))
        assert known, f"{rule} is said besides\n{case.said}"
    for symptom in sorted(script.ids("expects-under")):
        under = [found for found in case.loud if found.finding.rule == symptom and found.explained_by in {hit.id for hit in hits}]
        assert under, f"{symptom} does not stand under it\n{case.said}"


def assert_silent(case: Case) -> None:
    """A healthy one: no error, no warning."""
    script = case.script
    assert not case.loud, case.said
    assert not is_advice(script.rule) or script.rule not in {found.finding.rule for found in case.diagnosis.findings}, case.said


def of_kind(scripts: list[Script], *kinds: str) -> list[object]:
    """Those of some kinds, as parameters of a test."""
    return [pytest.param(script, id=script.name) for script in scripts if script.kind in kinds]
