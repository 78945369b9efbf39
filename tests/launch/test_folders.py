"""Run folders, manifests and small files."""

from __future__ import annotations

import math
import os
import stat
from pathlib import Path

import pytest
from launchbench import Bench

from doctorch.launch import oom
from doctorch.launch.child import Outcome
from doctorch.launch.files import read_json, write_json, write_text
from doctorch.launch.folder import make_folder, newest_folder
from doctorch.launch.growth import LOOK_S, Growth
from doctorch.launch.target import Interpreter, Target, UsageError, interpreter_flags

MEASURED = True
TARGET = Target("some/train me.py", False)


def test_the_default_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = make_folder(None, TARGET, None), make_folder(None, TARGET, None)
    assert first is not None
    assert second is not None
    assert first.path != second.path
    assert first.path.parent == tmp_path / ".doctorch"
    assert "-train_me-" in first.path.name
    assert (tmp_path / ".doctorch" / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_git_ignores_the_records(bench: Bench) -> None:
    bench.command(["git", "init", "-q"])
    bench.watched("-q", bench.script("pass"))
    bench.watched("-q", "--record", "rec", bench.script("pass"))
    assert bench.command(["git", "status", "--porcelain"]).stdout == b"?? train.py\n"


def test_a_given_folder(bench: Bench) -> None:
    name = bench.script("pass")
    assert bench.watched("-q", "--record", "a/rec", name).code == 0
    assert (bench.folder / "a/rec/manifest.json").exists()
    (bench.folder / "a/rec/process-1-0.sqlite").write_text("of the earlier run", encoding="utf-8")
    assert bench.watched("-q", "--record", "a/rec", name).code == 0
    assert not (bench.folder / "a/rec/process-1-0.sqlite").exists()
    assert not (bench.folder / ".doctorch").exists()


def test_a_given_folder_with_other_files_is_refused(bench: Bench) -> None:
    (bench.folder / "mine").mkdir()
    (bench.folder / "mine" / "results.csv").write_text("1", encoding="utf-8")
    name = bench.script("print('ran')")
    for place in ("mine", "mine/results.csv"):
        done = bench.watched("--record", place, name)
        assert (done.code, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert (bench.folder / "mine" / "results.csv").read_text(encoding="utf-8") == "1"


def test_the_manifest_holds_no_secrets(bench: Bench) -> None:
    bench.watched("-q", bench.script("pass"), env={"API_TOKEN": "hush-hush", "OMP_NUM_THREADS": "1"})
    (record,) = bench.records
    text = (record / "manifest.json").read_text(encoding="utf-8")
    assert "hush-hush" not in text
    assert bench.manifest["environment"]["OMP_NUM_THREADS"] == "1"


def test_the_newest_folder(tmp_path: Path) -> None:
    assert newest_folder(tmp_path) is None
    for name, started in (("20250101T000000Z-b-1", 1.0), ("20250102T000000Z-a-2", 2.0), ("20250102T000000Z-a-1", 3.0)):
        (tmp_path / ".doctorch" / name).mkdir(parents=True)
        write_json(tmp_path / ".doctorch" / name / "manifest.json", {"started": started})
    (tmp_path / ".doctorch" / "99").mkdir()
    newest = newest_folder(tmp_path)
    assert newest is not None
    assert newest.name == "20250102T000000Z-a-1"


def test_files_are_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"x": math.nan, "y": [1, math.inf], "z": Path("p")})
    assert read_json(path) == {"x": None, "y": [1, None], "z": "p"}

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="No space"):
        write_text(path, "new")
    assert read_json(path) is not None
    assert list(tmp_path.iterdir()) == [path]


def test_written_files_have_the_usual_permissions(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "a", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "real").read_text(encoding="utf-8") == "new"
    assert (tmp_path / "link").is_symlink()


def test_read_json_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("{", encoding="utf-8")
    assert read_json(tmp_path / "bad") is None
    assert read_json(tmp_path / "missing") is None


@pytest.mark.parametrize(
    ("line", "flags"),
    [
        ("python train.py -u", ()),
        ("python -u -X dev -m doctorch run", ("-u", "-X", "dev")),
        ("python -Xdev -Werror -um doctorch -O", ("-Xdev", "-Werror", "-u")),
        ("python -W error::UserWarning -OO script", ("-W", "error::UserWarning", "-OO")),
        ("python -uX importtime tool", ("-uX", "importtime")),
        ("python --check-hash-based-pycs always -c code -u", ("--check-hash-based-pycs", "always")),
        ("python -", ()),
        ("python", ()),
    ],
)
def test_interpreter_flags(line: str, flags: tuple[str, ...]) -> None:
    assert interpreter_flags(line.split()) == flags


@pytest.mark.parametrize(
    ("flags", "blind"),
    [
        ((), None),
        (("-u",), None),
        (("-I",), "-I"),
        (("-uE",), "-E"),
        (("-WIgnore",), None),
        (("-X", "frozen_modules"), None),
        (("-S",), "-S"),
    ],
)
def test_what_makes_an_interpreter_blind(flags: tuple[str, ...], blind: str | None) -> None:
    assert Interpreter("python", flags).blind_flag == blind


def test_names_for_folders() -> None:
    assert Target("a.b.train", True).stem == "train"
    assert Target("-", False).stem == "run"
    assert Target("dir/übung (1).py", False).stem == "bung_1"
    with pytest.raises(UsageError):
        Target("nothere.py", False).check()


def test_growth_is_read_when_something_changed_and_seldom_enough(tmp_path: Path) -> None:
    now = [0.0]
    reads: list[float] = []

    def read() -> None:
        reads.append(now[0])
        now[0] += 1.0  # a slow reading

    growth = Growth(tmp_path, read, lambda: now[0])
    record = tmp_path / "process-1-0.sqlite"
    record.write_bytes(b"1")
    assert not growth.look()  # too early
    now[0] = LOOK_S
    assert growth.look()
    now[0] += 10
    record.write_bytes(b"12")
    assert not growth.look()  # reading took a second: not again for most of a minute
    now[0] += 60
    assert growth.look()
    now[0] += 600
    assert not growth.look()  # nothing new
    (tmp_path / "process-1-0.sqlite-wal").write_bytes(b"1")
    now[0] += LOOK_S
    assert growth.look()
    assert len(reads) == 3


def test_oom_counters(tmp_path: Path) -> None:
    events = tmp_path / "memory.events"
    events.write_text("low 0\noom 3\noom_kill 2\n", encoding="ascii")
    assert oom._count(events) == 2
    assert oom._count(tmp_path / "missing") is None
    assert oom.difference({"cgroup": 1, "host": 4}, {"cgroup": 3}) == {"cgroup": 2}


@pytest.mark.parametrize(
    ("number", "kills", "expected"),
    [
        (9, {"cgroup": 1, "host": 1}, True),
        (9, {"cgroup": 0, "host": 1}, False),  # somebody else's
        (9, {"host": 1}, True),
        (9, {}, False),
        (15, {"cgroup": 1}, False),
    ],
)
def test_when_the_kernel_killed_it(number: int, kills: dict[str, int], expected: bool) -> None:
    assert Outcome(None, number, 1.0, oom_kills=kills).oom_killed is expected
