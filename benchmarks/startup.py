"""How long a person waits for ``doctorch --help``."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median


def main(repeats: int = 10) -> None:
    """Print median and least."""
    for words, promised in ((["--help"], "promised < 0.3"), (["--version"], "")):
        times = []
        for _ in range(repeats):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-m", "doctorch", *words], stdout=subprocess.DEVNULL, check=True)
            times.append(time.perf_counter() - began)
        print(f"doctorch {words[0]:12} {median(times):8.3f} s median {min(times):8.3f} s least of {repeats} {promised and f'({promised})'}")


if __name__ == "__main__":
    main()
