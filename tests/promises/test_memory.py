"""Promise 3: the peak of tensor memory is the same to the byte; the process takes at most 24 MiB more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from e2e.client import Server

SCRIPTS = Path(__file__).parent / "scripts"
PROCESS_MIB = 24


@pytest.mark.parametrize("name", ["memory_peak", "memory_peak_first"])
def test_tensors_to_the_byte(server: Server, name: str) -> None:
    script = SCRIPTS / f"{name}.py"
    plain = server.run(script, observe=False)
    assert plain.code == 0, plain.said
    assert int(plain.stdout.split()[0]) > 1_000_000, plain.said
    watched = server.run(script)
    assert watched.stdout.decode() == plain.stdout.decode()


def resident(command: list[str], folder: Path) -> int:
    """Highest resident memory of the script's process in bytes, as it says itself."""
    done = subprocess.run([*command, str(SCRIPTS / "resident.py")], cwd=folder, capture_output=True, check=True)
    return int(done.stdout) * 1024


def test_the_process_takes_little_more(tmp_path: Path) -> None:
    plain, watched = [], []
    for _ in range(2):  # the smaller of two: what the memory allocator happens to keep differs between runs
        plain.append(resident([sys.executable], tmp_path))
        watched.append(resident([sys.executable, "-m", "doctorch", "run", "-q"], tmp_path))
    extra = (min(watched) - min(plain)) / 2**20
    assert extra <= PROCESS_MIB, f"{extra:.1f} MiB more: plain {plain}, watched {watched}"
