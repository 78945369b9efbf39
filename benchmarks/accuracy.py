"""``make accuracy``: one cold run of each rule's first sick and first look-alike script, through the real command.

The test suite runs all scripts in forks of a process that has torch loaded; this makes sure that a fresh process sees the same.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RULES = Path(__file__).resolve().parents[1] / "tests" / "rules"


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


def main() -> int:
    """Print a line a script; 1 when one is wrong."""
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
    print(f"{wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
