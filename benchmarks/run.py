"""``make bench``: all figures, measured here and now."""

from __future__ import annotations

import os
import platform

import overhead
import record_size
import startup


def main() -> None:
    """Print everything."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{platform.machine()}, {os.cpu_count()} CPUs, load {load:.1f} before the start, Python {platform.python_version()}\n")
    overhead.main()
    print()
    startup.main()
    print()
    record_size.main()


if __name__ == "__main__":
    main()
