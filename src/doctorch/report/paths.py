"""How a path is shown."""

from __future__ import annotations

import os
from pathlib import Path


def shown_path(path: str, cwd: Path) -> str:
    """Relative to ``cwd`` when below it, else as it is. Links on the way to ``cwd`` are followed."""
    for base in dict.fromkeys((str(cwd), os.path.realpath(cwd))):
        for candidate in dict.fromkeys((path, os.path.realpath(path))):
            try:
                return str(Path(candidate).relative_to(base))
            except ValueError:
                continue
    return path
