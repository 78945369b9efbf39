"""What a person and a program read."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
import scenarios
from records_builder import RecordBuilder

from doctorch.diagnose import Diagnosis, diagnose
from doctorch.report import json as as_json
from doctorch.report.messages import fill, milliseconds, percent, untied
from doctorch.report.terminal import render, show, wants_colour

DOCS = Path(__file__).resolve().parents[2] / "docs" / "json.md"


@pytest.fixture
def sick(tmp_path: Path) -> Diagnosis:
    record = scenarios.softmax_in_the_graph(tmp_path)
    record.steps(scenarios.around(1.386, 640, 0.003), forward_ms=4.0, backward_ms=3.0, optimizer_ms=1.0)
    record.fact("backward", "b", {"deep": 0}, at="loss.backward", count=640)
    return diagnose(record.run())


def test_the_layout(sick: Diagnosis, tmp_path: Path) -> None:
    text = render(sick, cwd=str(tmp_path))
    line = sick.findings[0].finding.place
    assert line is not None
    record_line = scenarios.LOOP.lstrip("\n").split("\n").index("    loss = criterion(out, y)") + 1
    assert text.split("\n")[:10] == [
        "doctorch " + "─" * 71,
        f"ERROR  double-softmax{f'train.py:{line.line}':>59}",
        f"       {line.line} │ h = F.softmax(self.fc(x), dim=1)",
        f"       Cross-entropy (line {record_line}) is given probabilities: all 160 rows read sum to",
        "       1.000 and come from this softmax.",
        "  why  cross_entropy applies log-softmax itself. On probabilities of 4 classes",
        "       the loss cannot fall below 0.744, and the gradients are small.",
        "  fix  Give cross_entropy the raw scores; apply softmax only where probabilities",
        "       are needed.",
        "       → h = self.fc(x)",
    ]
    assert f"   so  loss-plateau (train.py:{record_line}): 1.386 ± 0.002 over 640 steps is ln 4" in text
    assert re.search(r"Watched 640 steps, 1 process, 4\.2 s; watching cost 0\.6 %\. Record: run\n", text)


def test_eighty_columns(tmp_path: Path) -> None:
    for scenario in scenarios.SCENARIOS:
        folder = tmp_path / scenario.name
        folder.mkdir()
        for line in render(diagnose(scenario.build(folder).run()), cwd=str(folder)).split("\n"):
            assert len(line) <= 80, (scenario.name, line)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_width_of_the_terminal(sick: Diagnosis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    for columns, width in (("120", 80), ("60", 60), ("10", 40)):
        monkeypatch.setenv("COLUMNS", columns)
        stream, other = Terminal(), io.StringIO()
        show(sick, stream)
        show(sick, other)
        first = stream.getvalue().split("\n")[0]
        assert (first, "\x1b" in stream.getvalue()) == ("doctorch " + "─" * (width - 9), False)
        assert other.getvalue().startswith("doctorch " + "─" * 71 + "\n")  # no terminal: the environment does not matter


def test_a_long_path_stays_in_one_piece(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 20)
    folder.mkdir()
    record = RecordBuilder(folder).steps([1.0])
    lines = render(diagnose(record.run()), cwd="/elsewhere").split("\n")
    assert str(record.folder) in lines


def test_wide_characters_take_two_columns(tmp_path: Path) -> None:
    record = RecordBuilder(tmp_path, scenarios.LOOP, exit_code=1).steps([1.0])
    record.fact("exception", "last", {"type": "ValueError", "message": "训练 " * 30}, at="out = model")
    lines = render(diagnose(record.run()), cwd=str(record.home)).split("\n")
    assert max(len(line) + line.count("训练") * 2 for line in lines) <= 80


@pytest.mark.parametrize("reason", ["NO_COLOR", "TERM"])
def test_no_escape_codes_where_they_are_not_wanted(sick: Diagnosis, monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    coloured, plain = Terminal(), Terminal()
    show(sick, coloured)
    monkeypatch.setenv(reason, "dumb")
    show(sick, plain)
    assert "\x1b[1;31mERROR" in coloured.getvalue()
    assert "\x1b" not in plain.getvalue()


def test_colour_only_where_the_stream_takes_it(sick: Diagnosis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert not wants_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())
    plain, coloured = io.StringIO(), io.StringIO()
    show(sick, plain)
    show(sick, coloured, colour=True)
    assert "\x1b" not in plain.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.getvalue()) == plain.getvalue()


def test_a_stream_that_cannot_show_every_character(sick: Diagnosis) -> None:
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding="ascii")
    show(sick, stream)
    assert b"double-softmax" in buffer.getvalue()


def closing(record: RecordBuilder) -> str:
    return " ".join(render(diagnose(record.run()), cwd=str(record.home)).split())


def test_nothing_found(tmp_path: Path) -> None:
    record = scenarios.noise_floor(tmp_path)
    text = closing(record)
    assert re.search(r"Nothing wrong found: \d+ rules over 120 steps\.", text)
    assert "6 rules (no DataLoader was used)" in text
    assert "python-loop-over-elements (no step was looked at operator by operator)" in text


def test_before_torch_was_imported(tmp_path: Path) -> None:
    record = RecordBuilder(tmp_path, exit_code=1)
    (record.folder / "process-1-0.sqlite").unlink()
    text = closing(record)
    assert "ended before it imported torch" in text
    assert "Nothing wrong found" not in text


@pytest.mark.parametrize("broken", ["train.py", "net.py"])
def test_a_script_that_cannot_be_parsed(broken: str, tmp_path: Path) -> None:
    record = RecordBuilder(tmp_path, "import net\nimport torch\n", exit_code=1)
    (record.folder / "process-1-0.sqlite").unlink()
    (tmp_path / "net.py").write_text("x = 1\n")
    (tmp_path / broken).write_text("import net\ndef f(:\n    pass\n")
    assert f"nothing to watch: {broken} cannot be parsed: invalid syntax, line 2." in closing(record)


def test_never_trained(tmp_path: Path) -> None:
    record = RecordBuilder(tmp_path)
    record.meta(role="other")
    text = closing(record)
    assert "there was no training to watch" in " ".join(text.split())
    assert "Nothing wrong found" not in text


def test_killed(tmp_path: Path) -> None:
    record = RecordBuilder(tmp_path, exit_code=None, signal=9).steps([1.0] * 3)
    assert "The script was ended by SIGKILL after 3 steps." in closing(record)


def test_killed_by_the_kernel(tmp_path: Path) -> None:
    record = RecordBuilder(tmp_path, exit_code=None, signal=9, oom_killed=True).steps([1.0] * 3)
    assert "killed (SIGKILL) by the kernel's out-of-memory killer after 3 steps" in closing(record)


def test_hung(tmp_path: Path) -> None:
    record = RecordBuilder(tmp_path, scenarios.LOOP, exit_code=None, signal=2).steps([1.0])
    record.fact("stall", "last", {"seconds": 42.4, "stack": [], "inner": {"function": "wait"}}, at="out = model")
    assert f"nothing had happened for 42 s: it hung at train.py:{record.line('out = model')}, in wait." in closing(record)


def test_an_exception_is_named(tmp_path: Path) -> None:
    record = RecordBuilder(tmp_path, scenarios.LOOP, exit_code=1).steps([1.0])
    record.fact("exception", "last", {"type": "ValueError", "message": "bad thing\nmore"}, at="out = model")
    text = closing(record)
    assert f"The script ended with ValueError at train.py:{record.line('out = model')}: bad thing" in text
    assert re.search(r"None of the \d+ rules examined accounts for that\.", text)
    assert "Nothing wrong found" not in text


def test_own_failures_and_damage_are_said(tmp_path: Path) -> None:
    record = RecordBuilder(tmp_path).steps([1.0])
    record.meta(failures=["Traceback\nKeyError: 'x'"], notes=["deep-off: torch.compile"])
    (record.folder / "process-9-0.sqlite").write_bytes(b"no database, not at all, but long enough to be read as a page")
    text = closing(record)
    assert "KeyError: 'x'" in text
    assert "deep-off: torch.compile" in text
    assert "process-9-0.sqlite is not a readable record" in text


def documented() -> dict[str, set[str]]:
    """The keys of each table of docs/json.md by its heading."""
    tables: dict[str, set[str]] = {}
    heading = ""
    for line in DOCS.read_text(encoding="utf-8").split("\n"):
        if line.startswith("## "):
            heading = line[3:]
        elif (match := re.match(r"\| (\w+) \|", line)) and match.group(1) != "key":
            tables.setdefault(heading, set()).add(match.group(1))
    return tables


def test_json_is_as_documented(sick: Diagnosis, tmp_path: Path) -> None:
    tables = documented()
    made = json.loads(as_json.dumps(sick, cwd=str(tmp_path)))
    assert set(made) == tables["The object"] == set(as_json.empty())
    assert [set(found) for found in made["findings"]] == [tables["A finding"]] * 2
    assert set(made["findings"][0]["edit"]) == tables["An edit"]
    assert set(made["run"]) == tables["The run"]
    assert set(made["run"]["step"]) == tables["A step"]


def test_json_values(sick: Diagnosis, tmp_path: Path) -> None:
    made = json.loads(as_json.dumps(sick, cwd=str(tmp_path)))
    cause, effect = made["findings"]
    assert made["schema"] == 1
    assert (cause["rule"], cause["severity"], cause["file"], cause["explained_by"]) == ("double-softmax", "error", "train.py", None)
    assert (effect["rule"], effect["explained_by"]) == ("loss-plateau", cause["id"])
    assert cause["edit"]["diff"].startswith("--- a/train.py\n+++ b/train.py\n")
    assert "+        h = self.fc(x)\n" in cause["edit"]["diff"]
    assert made["run"]["steps"] == 640
    assert made["run"]["step"]["median_ms"] == pytest.approx(10.0)
    assert made["run"]["step"]["other_ms"] == pytest.approx(2.0)
    assert made["run"]["loss_first"] == pytest.approx(1.386)


def test_json_of_values_that_json_lacks(tmp_path: Path) -> None:
    record = scenarios.never_cleared(tmp_path).steps([1.0, float("inf"), float("nan")])
    made = json.loads(as_json.dumps(diagnose(record.run())))
    assert made["run"]["loss_first"] == 1.0
    assert made["run"]["loss_last"] is None


@pytest.mark.parametrize(
    ("template", "values", "text"),
    [
        ("{n:count step}", {"n": 1}, "1 step"),
        ("{n:count batch/batches}", {"n": 12800}, "12,800 batches"),
        ("{n:count}", {"n": 2.5}, "2.5"),
        ("{x}", {"x": 0.000123456}, "1.23e-04"),
        ("{x}", {"x": 1.38629}, "1.386"),
        ("{x}", {"x": 123456}, "123,456"),
        ("{x}", {"x": None}, "unknown"),
        ("{x}", {"x": float("nan")}, "nan"),
        ("{x:.3f}", {"x": 0.7437}, "0.744"),
        ("{x:%}", {"x": 0.714}, "71 %"),
        ("{x:ms}", {"x": 2400.0}, "2.4 s"),
        ("{x:bytes}", {"x": 13107200}, "12.5 MiB"),
        ("{x:bytes}", {"x": 100}, "100 B"),
    ],
)
def test_formats(template: str, values: dict[str, int | float | None], text: str) -> None:
    assert untied(fill(template, values)) == text


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError):
        fill("{x}", {})


def test_small_shares_and_times() -> None:
    assert untied(percent(0.0062)) == "0.6 %"
    assert [untied(milliseconds(value)) for value in (0.05, 3.14, 340.2)] == ["0.05 ms", "3.1 ms", "340 ms"]
