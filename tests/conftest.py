"""What all tests share: the end-to-end server, one for each worker of pytest-xdist."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from e2e.client import Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Runs scripts in forks of a process that has torch loaded."""
    started = Server(tmp_path_factory.mktemp("e2e"))
    yield started
    started.close()


@pytest.fixture(scope="session")
def coverage_file(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where forks that run under coverage put their data: beside that of this run, where it is measured, so that both are joined."""
    if pytestconfig.pluginmanager.hasplugin("_cov") and getattr(pytestconfig.option, "cov_source", None):
        return Path(os.environ.get("COVERAGE_FILE", pytestconfig.rootpath / ".coverage"))
    return tmp_path_factory.mktemp("coverage") / ".coverage"
