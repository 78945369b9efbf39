"""Healthy trainings as people write them: no error, no warning, and at most three pieces of advice."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from e2e.client import Server

from doctorch.diagnose import diagnose
from doctorch.findings import Severity
from doctorch.records.reader import Run

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
AT_LEAST = 40


def test_there_are_many() -> None:
    assert len(PROGRAMS) >= AT_LEAST


@pytest.mark.parametrize("script", PROGRAMS, ids=lambda script: script.stem)
def test_no_alarm(server: Server, script: Path) -> None:
    needed = re.findall(r"^import (torchvision|transformers|lightning|accelerate)", script.read_text(encoding="utf-8"), re.M)
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed")
    ran = server.run(script)
    assert ran.code == 0, ran.said
    assert ran.record is not None
    run = Run(ran.record)
    try:
        assert [text for process in run.processes for text in process.meta["failures"]] == []
        diagnosis = diagnose(run)
        assert not diagnosis.failures
        said = [found.finding for found in diagnosis.findings]
        loud = [(one.rule, one.place, dict(one.values)) for one in said if one.severity < Severity.ADVICE]
        assert loud == [], ran.said
    finally:
        run.close()
