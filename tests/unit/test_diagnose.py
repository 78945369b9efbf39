"""From findings to a diagnosis: order, causes, ignoring, failures of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
import scenarios
from records_builder import RecordBuilder

from doctorch import diagnose as module
from doctorch.config import Config
from doctorch.diagnose import certain_now, diagnose
from doctorch.findings import Finding, Place, Severity
from doctorch.records.reader import Run
from doctorch.rules import registry
from doctorch.rules.api import Rule
from doctorch.rules.registry import Entry

Findings = Callable[[Run], Iterable[Finding]]


def rule(rule_id: str, examine: Findings, area: str = "learning_loss", **more: object) -> Entry:
    return Entry(Rule(id=rule_id, title=rule_id, severity=Severity.ERROR, examine=examine, **more), area, Path("x.py"))  # type: ignore[arg-type]


def finding(rule_id: str, line: int | None = 1, severity: Severity = Severity.ERROR, **more: object) -> Finding:
    place = Place("/nowhere/train.py", line) if line is not None else None
    return Finding(rule_id, severity, "message", place=place, **more)  # type: ignore[arg-type]


@pytest.fixture
def with_rules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., module.Diagnosis]:
    """Diagnose an empty run by these rules only."""

    run = RecordBuilder(tmp_path).run()

    def apply(*entries: Entry) -> module.Diagnosis:
        monkeypatch.setattr(registry, "rules", lambda: {entry.rule.id: entry for entry in entries})
        return diagnose(run, config=Config())

    return apply


def ids(diagnosis: module.Diagnosis) -> list[str]:
    return [found.finding.rule for found in diagnosis.findings]


def test_worst_then_most_certain_then_upstream_first(with_rules: Callable[..., module.Diagnosis]) -> None:
    diagnosis = with_rules(
        rule("advice", lambda run: [finding("advice", severity=Severity.ADVICE)]),
        rule("warning", lambda run: [finding("warning", severity=Severity.WARNING)]),
        rule("unsure", lambda run: [finding("unsure", confidence=0.5)]),
        rule("loss", lambda run: [finding("loss")]),
        rule("graph", lambda run: [finding("graph")], area="learning_graph"),
    )
    assert ids(diagnosis) == ["graph", "loss", "unsure", "warning", "advice"]
    assert diagnosis.worst is Severity.ERROR


def test_effects_stand_under_their_cause(with_rules: Callable[..., module.Diagnosis]) -> None:
    diagnosis = with_rules(
        rule("effect", lambda run: [finding("effect", explains=("symptom",))], area="indices"),
        rule("cause", lambda run: [finding("cause", explains=("effect",))], area="learning_update"),
        rule("other", lambda run: [finding("other")], area="learning_update"),
        rule("symptom", lambda run: [finding("symptom", severity=Severity.WARNING)], symptom=True),
    )
    assert ids(diagnosis) == ["cause", "effect", "symptom", "other"]
    cause, effect, symptom, other = diagnosis.findings
    assert (cause.explained_by, effect.explained_by, symptom.explained_by, other.explained_by) == (None, cause.id, effect.id, None)
    assert diagnosis.causes == (cause, other)


def test_two_that_explain_each_other_do_not_vanish(with_rules: Callable[..., module.Diagnosis]) -> None:
    diagnosis = with_rules(
        rule("a", lambda run: [finding("a", explains=("b",))]),
        rule("b", lambda run: [finding("b", explains=("a",))]),
    )
    assert len(diagnosis.causes) == 1
    assert len(diagnosis.findings) == 2


def test_a_doubtful_symptom_is_shown_under_a_cause_only(with_rules: Callable[..., module.Diagnosis]) -> None:
    symptom = rule("symptom", lambda run: [finding("symptom", confidence=0.5)], symptom=True)
    assert ids(with_rules(symptom)) == []
    assert ids(with_rules(symptom, rule("cause", lambda run: [finding("cause", explains=("symptom",))]))) == ["cause", "symptom"]


def test_the_same_at_several_lines_is_said_once(with_rules: Callable[..., module.Diagnosis]) -> None:
    diagnosis = with_rules(
        rule("a", lambda run: [finding("a", 9), finding("a", 5), finding("a", 5), replace(finding("a", 7), message="else")])
    )
    first, second = diagnosis.findings
    assert first.finding.place == Place("/nowhere/train.py", 5)
    assert first.also == (Place("/nowhere/train.py", 9),)
    assert second.finding.message == "else"


def test_at_most_three_pieces_of_advice(with_rules: Callable[..., module.Diagnosis]) -> None:
    many = [rule(f"a{i}", lambda run, i=i: [finding(f"a{i}", severity=Severity.ADVICE)]) for i in range(5)]  # type: ignore[misc]
    diagnosis = with_rules(*many)
    assert len(diagnosis.findings) == 3
    assert diagnosis.hidden_advice == 2


def test_a_rule_that_fails_takes_no_other_with_it(with_rules: Callable[..., module.Diagnosis]) -> None:
    def broken(run: Run) -> Iterable[Finding]:
        yield finding("broken")
        raise ZeroDivisionError("oh")

    diagnosis = with_rules(rule("broken", broken), rule("good", lambda run: [finding("good")]))
    assert ids(diagnosis) == ["good"]
    (failure,) = diagnosis.failures
    assert failure.rule == "broken"
    assert "ZeroDivisionError: oh" in failure.text


def test_an_edit_that_fails_leaves_the_finding(with_rules: Callable[..., module.Diagnosis]) -> None:
    def broken(found: Finding, project: object) -> None:
        raise ZeroDivisionError

    diagnosis = with_rules(rule("a", lambda run: [finding("a")], edit=broken))
    assert ids(diagnosis) == ["a"]
    assert diagnosis.findings[0].edit is None
    assert len(diagnosis.failures) == 1


def test_missing_facts_are_named(with_rules: Callable[..., module.Diagnosis]) -> None:
    diagnosis = with_rules(rule("a", lambda run: [finding("a")], needs=frozenset({"loader", "segment"})))
    assert diagnosis.examined == ()
    assert diagnosis.not_examined == (module.NotExamined("a", ("loader", "segment")),)


@pytest.mark.parametrize(
    ("comment", "ignored"),
    [
        ("  # doctorch: ignore[missing-zero-grad]", True),
        ("  # doctorch: ignore[x, missing-zero-grad] on purpose", True),
        ("  # doctorch: ignore", True),
        ("  # doctorch: ignore[double-softmax]", False),
        ("  # doctorch: ignored", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("above", [False, True])
def test_comments(comment: str, ignored: bool, above: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = f"    {comment.strip()}\n    loss.backward()" if above else f"    loss.backward(){comment}"
    monkeypatch.setattr(scenarios, "LOOP", scenarios.LOOP.replace("    loss.backward()", new))
    diagnosis = diagnose(scenarios.never_cleared(tmp_path).run(), config=Config())
    assert (ids(diagnosis) == []) is ignored
    assert diagnosis.ignored == int(ignored)


def test_a_comment_on_the_code_line_above_is_for_that_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        scenarios, "LOOP", scenarios.LOOP.replace("loss = criterion(out, y)", "loss = criterion(out, y)  # doctorch: ignore")
    )
    assert ids(diagnose(scenarios.never_cleared(tmp_path).run(), config=Config())) == ["missing-zero-grad"]


def test_configuration_is_found_upward_of_the_script(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.doctorch]\nignore = ["missing-zero-grad", "no-such-rule"]\n')
    inner = tmp_path / "src" / "deep"
    inner.mkdir(parents=True)
    diagnosis = diagnose(scenarios.never_cleared(inner).run())
    assert ids(diagnosis) == []
    assert diagnosis.ignored == 1
    assert any("no-such-rule" in problem for problem in diagnosis.problems)


def test_fingerprints_outlive_moves_and_spacing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    first = diagnose(scenarios.never_cleared(tmp_path / "a").run()).findings[0]
    monkeypatch.setattr(scenarios, "LOOP", "\n\n" + scenarios.LOOP.replace("loss.backward()", "loss.backward( )"))
    second = diagnose(scenarios.never_cleared(tmp_path / "b").run()).findings[0]
    assert first.fingerprint == second.fingerprint
    assert first.finding.place != second.finding.place


def test_certain_now(tmp_path: Path) -> None:
    (found,) = certain_now(scenarios.never_cleared(tmp_path).run())
    assert found.rule == "missing-zero-grad"


def test_a_record_without_processes(tmp_path: Path) -> None:
    record = RecordBuilder(tmp_path)
    (record.folder / "process-1-0.sqlite").unlink()
    diagnosis = diagnose(record.run())
    assert diagnosis.findings == ()
    assert diagnosis.run is not None
    assert not diagnosis.run.torch_imported
