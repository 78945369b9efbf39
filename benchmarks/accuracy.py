"""``make accuracy``: which scripts each rule judges rightly, as a table in docs/accuracy.md, and one cold run of each rule.

The test suite runs every script of tests/rules and tests/healthy end to end, in forks of a process that has torch loaded; the table counts
its results. The cold runs make sure that a fresh process, started by the real command, sees the same.

    python benchmarks/accuracy.py                 run the scripts, write the table, then the cold runs
    python benchmarks/accuracy.py --from FILE     write the table from a JUnit file of an earlier run of the suite
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "tests" / "rules"
TABLE = ROOT / "docs" / "accuracy.md"
KINDS = ("sick", "healthy", "lookalike")
WAYS = "ln n: "
"""Before the names of the ways to a loss that stays at ln n (tests/founding)."""
WAY = re.compile(r"^test_each_way_is_told\[(.+)\]$")
CASE = re.compile(r"^(test_sick_is_found_on_its_line|test_healthy_and_lookalike_are_left_in_peace|test_no_alarm)\[(.+)\]$")


def results(junit: Path) -> dict[str, str]:
    """``right``, ``wrong`` or ``skipped`` by script: ``rule/sick_name``, or the name of a healthy program."""
    found: dict[str, str] = {}
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        match, way = CASE.match(case.get("name") or ""), WAY.match(case.get("name") or "")
        name = match[2] if match else WAYS + way[1] if way else None
        if name is not None:
            children = {child.tag for child in case}
            found[name] = "wrong" if children & {"failure", "error"} else "skipped" if "skipped" in children else "right"
    return found


def table(found: dict[str, str]) -> str:
    """The page."""
    counts: dict[str, dict[str, list[int]]] = defaultdict(lambda: {kind: [0, 0] for kind in KINDS})
    for name, how in found.items():
        rule, _, script = name.rpartition("/")
        kind = script.partition("_")[0]
        if rule and how != "skipped":
            counts[rule][kind][1] += 1
            counts[rule][kind][0] += how == "right"
    ways = [how for name, how in found.items() if name.startswith(WAYS)]
    programs = {name: how for name, how in found.items() if "/" not in name and not name.startswith(WAYS)}
    lines = [
        "# Accuracy",
        "",
        "Made by `make accuracy` from the scripts under tests/rules, tests/healthy and tests/founding, each run end to end.",
        "A sick script counts when its rule is the first error or warning, on a marked line, and nothing else unasked is said;",
        "a healthy script and a look-alike count when no error and no warning is said by any rule.",
        "",
        "| rule | sick, found | healthy, silent | look-alikes, silent |",
        "|---|---|---|---|",
    ]
    totals = {kind: [0, 0] for kind in KINDS}
    for rule in sorted(counts):
        cells = []
        for kind in KINDS:
            right, number = counts[rule][kind]
            totals[kind][0] += right
            totals[kind][1] += number
            cells.append(f"{right} of {number}")
        lines.append(f"| {rule} | {' | '.join(cells)} |")
    lines.append("| **all** | " + " | ".join(f"**{right} of {number}**" for right, number in totals.values()) + " |")
    alarms = [name for name, how in programs.items() if how == "wrong"]
    tried = sum(how != "skipped" for how in programs.values())
    lines += ["", f"Healthy programs as people write them (tests/healthy): {tried} tried, {len(alarms)} with an error or a warning."]
    told = sum(how == "right" for how in ways)
    lines += ["", f"Ways to a loss that stays at ln n, each with its line (tests/founding): {told} of {len(ways)} told."]
    wrong = sorted(name for name, how in found.items() if how == "wrong")
    lines += ["", "Wrong: " + (", ".join(wrong) if wrong else "none") + "."]
    skipped = sorted(name for name, how in found.items() if how == "skipped")
    lines += [
        "",
        "Not run, since a package is missing (`make test-frameworks` installs them and runs these): "
        + (", ".join(skipped) if skipped else "none")
        + ".",
        "",
    ]
    return "\n".join(lines)


def run_scripts() -> dict[str, str]:
    """Run the scripts through the test suite."""
    with tempfile.TemporaryDirectory() as folder:
        junit = Path(folder) / "junit.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "tests/rules", "tests/healthy", "tests/founding", f"--junitxml={junit}"]
        subprocess.run(command, cwd=ROOT, check=False)
        return results(junit)


def said(script: Path) -> list[dict[str, object]]:
    """What doctorch says of a script: errors and warnings."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        subprocess.run(
            [sys.executable, "-m", "doctorch", "run", "-q", "--json", str(out), str(script)], cwd=folder, capture_output=True, check=False
        )
        findings: list[dict[str, object]] = json.loads(out.read_text(encoding="utf-8"))["findings"]
    return [f for f in findings if f["severity"] in ("error", "warning")]


def right(script: Path, findings: list[dict[str, object]]) -> bool:
    """Whether the rule is named on a marked line (sick), or nothing at all is (look-alike)."""
    if not script.name.startswith("sick_"):
        return not findings
    text = script.read_text(encoding="utf-8")
    accepted = {script.parent.name, *re.findall(r"[\w-]+", " ".join(re.findall(r"^# accepts: (.+)$", text, re.M)))}
    lines = {number for number, line in enumerate(text.splitlines(), 1) if re.search(rf"# <- .*\b{script.parent.name}\b", line)}
    hits = [f for f in findings if f["rule"] in accepted]
    return bool(hits) and hits[0]["line"] in lines


def cold() -> int:
    """One cold run of each rule's first sick and first look-alike script: print a line a script, return how many are wrong."""
    wrong = 0
    for folder in sorted(path for path in RULES.iterdir() if path.is_dir()):
        for kind in ("sick", "lookalike"):
            script = min(folder.glob(f"{kind}_*.py"), default=None)
            if script is None:
                continue
            findings = said(script)
            good = right(script, findings)
            wrong += not good
            names = ", ".join(f"{f['rule']}@{f['line']}" for f in findings)
            print(f"{'ok   ' if good else 'WRONG'} {folder.name}/{script.name}: {names or 'nothing'}", flush=True)
    print(f"{wrong} wrong in cold runs")
    return wrong


def main() -> int:
    """Write the table; 1 when something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="junit", type=Path, help="a JUnit file of an earlier run of the suite; no cold runs are made")
    args = parser.parse_args()
    found = results(args.junit) if args.junit else run_scripts()
    TABLE.write_text(table(found), encoding="utf-8")
    print(TABLE)
    wrong = sum(how == "wrong" for how in found.values())
    if not args.junit:
        wrong += cold()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
