"""``doctorch demo``: three sick scripts, watched one after the other."""

from __future__ import annotations

import typer


def demo() -> None:
    """Watch three small sick trainings, as a first look at what doctorch says."""
    import os
    import subprocess
    import sys
    import tempfile
    from pathlib import Path

    from doctorch import demos

    scripts = Path(demos.__file__).parent
    # In a folder of its own, which stays: the scripts are there to be mended, and their records to be looked at.
    folder = Path(tempfile.mkdtemp(prefix="doctorch-demo-"))
    source_root = str(scripts.parents[1])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [source_root, os.environ.get("PYTHONPATH")]))}
    for number, (name, story) in enumerate(demos.STORIES.items(), start=1):
        (folder / name).write_bytes((scripts / name).read_bytes())
        print(f"\n{number}. {story}\n\n   $ doctorch run {name}\n", flush=True)
        ended = subprocess.run([sys.executable, "-m", "doctorch", "run", name], cwd=folder, env=environment, check=False)
        if ended.returncode < 0 or ended.returncode == 130:
            raise typer.Exit(130)
    print(f"\nThe scripts and their records are in {folder}. Now yours: doctorch run train.py")
