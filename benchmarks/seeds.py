"""The scripts of the tests with other random numbers: what hangs on the luck of one seed?

    python benchmarks/seeds.py [OFFSET ...]      every seed of tests/rules, tests/healthy and tests/founding plus each offset (default 1717)

A sick script may turn out healthy with other numbers, and a healthy one may really fail to learn: each failure is to be looked at.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("rules", "healthy", "founding")
SEED = re.compile(r"\b(manual_seed|default_rng)\((\d+)\)")
JUDGED = "no_alarm or peace or sick_is or each_way or silence"
"""The tests that judge a script, by words in their names."""


def shifted(folder: Path, offset: int) -> int:
    """A copy of the tests with other seeds; how many scripts were changed."""
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    changed = 0
    for name in FOLDERS:
        for path in (folder / "tests" / name).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            other = SEED.sub(lambda match: f"{match[1]}({match[2]} + {offset})", text)
            if other != text:
                path.write_text(other, encoding="utf-8")
                changed += 1
    return changed


def main() -> int:
    """Print what pytest says, for each offset; 1 when something failed."""
    failed = 0
    for offset in [int(word) for word in sys.argv[1:]] or [1717]:
        with tempfile.TemporaryDirectory() as name:
            changed = shifted(Path(name), offset)
            print(f"seeds + {offset}: {changed} scripts changed", flush=True)
            command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "--tb=no", "-k", JUDGED]
            done = subprocess.run([*command, *(f"tests/{one}" for one in FOLDERS)], cwd=name, check=False)
            failed += done.returncode != 0
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
