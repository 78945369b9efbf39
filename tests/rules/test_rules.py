"""Each rule against its scripts, end to end: run, observed, diagnosed.

``tests/rules/<rule id>/`` holds scripts named ``sick_*``, ``healthy_*`` and ``lookalike_*``. What a script says of itself in comments, and
what is asked of the answer, stands in ``e2e/scripts.py``.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from e2e.client import Server
from e2e.scripts import Script, assert_found, assert_silent, is_advice, of_kind, run, scripts_in

from doctorch.rules import registry

SCRIPTS = scripts_in(Path(__file__).parent)


@pytest.mark.parametrize("script", of_kind(SCRIPTS, "sick"))
def test_sick_is_found_on_its_line(server: Server, script: Script) -> None:
    assert_found(run(server, script))


@pytest.mark.parametrize("script", of_kind(SCRIPTS, "healthy", "lookalike"))
def test_healthy_and_lookalike_are_left_in_peace(server: Server, script: Script) -> None:
    assert_silent(run(server, script))


@pytest.mark.parametrize("rule", sorted(registry.rules()))
def test_every_rule_has_its_scripts(rule: str) -> None:
    mine = [script for script in SCRIPTS if script.rule == rule]
    count = Counter(script.kind for script in mine)
    assert count["sick"] >= 2, f"{rule} has {count['sick']} sick scripts, and the fault comes in more than one shape"
    assert count["healthy"] >= 1, f"{rule} has no healthy script"
    assert count["lookalike"] >= 1, f"{rule} has no script that only looks like the fault"
    for script in mine:
        if script.kind == "sick":
            assert script.marks.get(rule), f"{script.name} marks no line"
        else:
            assert not script.marks, f"{script.name} is not sick and marks lines"


def test_every_folder_is_a_rule() -> None:
    assert {script.rule for script in SCRIPTS} <= set(registry.rules())
    known = set(registry.rules())
    for script in SCRIPTS:
        assert set(script.marks) <= known, f"{script.name} marks an unknown rule"


def first_sick() -> list[object]:
    """One sick script a rule: not of those that are found by what time is spent on, which a tracer changes."""
    chosen: dict[str, Script] = {}
    for script in SCRIPTS:
        if script.kind == "sick" and not registry.rules()[script.rule].rule.needs & {"loader_line", "line_ops"}:
            chosen.setdefault(script.rule, script)
    return [pytest.param(script, id=script.name) for script in chosen.values()]


@pytest.mark.parametrize("script", first_sick())
def test_the_same_is_found_under_a_tracer(server: Server, script: Script, coverage_file: Path) -> None:
    """Someone may run a training under coverage, as this suite does to see which lines of the observers run."""
    case = run(server, script, tracer=coverage_file)
    loud = case.diagnosis.findings if is_advice(script.rule) else case.loud
    assert script.rule in {found.finding.rule for found in loud} | script.ids("accepts"), case.said
