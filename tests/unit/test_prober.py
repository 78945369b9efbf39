"""What an experiment that there is no time for leaves behind."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from doctorch.probes import experiments, fork
from doctorch.probes.fork import Arm, NotAfforded, Outcome
from doctorch.probes.prober import Prober

SLOW = SimpleNamespace(step_seconds=lambda: 1.0, stuck=True, steps=60)


@pytest.fixture
def prober(monkeypatch: pytest.MonkeyPatch) -> Prober:
    made = object.__new__(Prober)
    made.left_s = 2.0
    made.refused = None
    monkeypatch.setattr(made, "_why_not", lambda: None, raising=False)
    return made


def test_too_slow_a_step_is_said(prober: Prober) -> None:
    with pytest.raises(NotAfforded, match=r"2\.0 s are left for experiments, and a step takes 1 s"):
        prober.copies([Arm("x1", 30)], SLOW)  # type: ignore[arg-type]


def test_an_experiment_without_time_counts_as_not_made(prober: Prober, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[dict[str, Any]] = []
    monkeypatch.setattr(prober, "write", lambda name, view, data: written.append(data), raising=False)
    prober._make(experiments.LabelSignal(), SLOW)  # type: ignore[arg-type]
    assert [data["made"] for data in written] == [False]
    assert "a step takes 1 s" in written[0]["why_not"]


def test_what_the_first_stage_told_is_kept(prober: Prober, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(session: Any, arms: list[Arm], limit: float, at_once: int) -> list[Outcome]:
        prober.left_s = 1.0
        return [Outcome(arm.name, [2.0] * arm.turns) for arm in arms]

    prober.session = SimpleNamespace()  # type: ignore[assignment]
    prober.left_s = 100.0
    monkeypatch.setattr(fork, "run", run)
    found = experiments._staged(
        prober,
        SimpleNamespace(step_seconds=lambda: 0.1),  # type: ignore[arg-type]
        [Arm("x1", 30)],
        lambda seen: [Arm("x10", 30)],
    )
    assert found is not None
    assert list(found["arms"]) == ["x1"]
