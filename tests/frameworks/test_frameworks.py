"""Trainings written with Lightning, transformers' Trainer and accelerate: the same is found, on the user's own line.

``tests/frameworks/<framework>/`` holds scripts in the format of ``e2e/scripts.py``; the rule of a sick one stands in its header. Each is
skipped, and the skip says so, where its framework is not installed: ``make test-frameworks`` brings them.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from e2e.client import Ran, Server
from e2e.scripts import Script, assert_found, assert_silent, of_kind, run, scripts_in

from doctorch.records.reader import Run
from doctorch.rules import registry

SCRIPTS = scripts_in(Path(__file__).parent)
FRAMEWORKS = ("accelerate", "lightning", "transformers")


@pytest.mark.parametrize("script", of_kind(SCRIPTS, "sick"))
def test_sick_is_found_on_its_line(server: Server, script: Script) -> None:
    assert_found(run(server, script))


@pytest.mark.parametrize("script", of_kind(SCRIPTS, "healthy", "lookalike"))
def test_healthy_and_lookalike_are_left_in_peace(server: Server, script: Script) -> None:
    assert_silent(run(server, script))


def weights(ran: Ran) -> bytes:
    """What a script prints of its weights at the end; the rest holds times."""
    (line,) = (line for line in ran.stdout.splitlines() if line.startswith(b"weights"))
    return line


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_bit_for_bit(server: Server, framework: str) -> None:
    script = next(one for one in SCRIPTS if one.path.parent.name == framework and one.kind == "healthy" and 'print("weights"' in one.text)
    if script.missing:
        pytest.skip(f"unchecked: {', '.join(script.missing)} is not installed")
    plain, again, watched = (server.run(script.path, observe=observe) for observe in (False, False, True))
    assert plain.code == watched.code == 0, watched.said
    assert weights(plain) == weights(again), "two plain runs differ, so nothing can be said"
    assert weights(watched) == weights(plain)
    assert watched.record is not None
    record = Run(watched.record)
    assert record.main is not None
    assert record.main.n_steps >= 10
    assert record.main.meta["deep_segments"] >= 2, "no step was looked at closely, so nothing was tried"
    record.close()


def test_the_item_is_the_right_one(server: Server) -> None:
    """accelerate's loaders fetch a batch ahead: the item named is of the batch that was trained on."""
    case = run(server, Script(Path(__file__).parent / "transformers" / "sick_nan_in_data.py"))
    found = next(found.finding for found in case.loud if found.finding.rule == "nan-in-data")
    assert "111" in str(found.values), case.said


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_framework_has_its_scripts(framework: str) -> None:
    mine = [script for script in SCRIPTS if script.path.parent.name == framework]
    count = Counter(script.kind for script in mine)
    assert count["healthy"] >= 2
    assert len({script.rule for script in mine if script.kind == "sick"}) >= 4
    for script in mine:
        assert framework in script.ids("needs"), f"{script.name} does not say that it needs {framework}"
        assert set(script.marks) <= set(registry.rules()), f"{script.name} marks an unknown rule"
        if script.kind == "sick":
            assert script.marks.get(script.rule), f"{script.name} marks no line of {script.rule}"
        else:
            assert not script.marks, f"{script.name} is not sick and marks lines"
