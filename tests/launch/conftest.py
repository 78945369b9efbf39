"""The bench for the tests of the launch."""

from __future__ import annotations

from pathlib import Path

import pytest
from launchbench import Bench


@pytest.fixture
def bench(request: pytest.FixtureRequest, tmp_path: Path, pytestconfig: pytest.Config) -> Bench:
    """A folder of its own for each test. Parents run under coverage in the modules that say MEASURED: it takes them a second each."""
    measuring = pytestconfig.pluginmanager.hasplugin("_cov") and bool(getattr(pytestconfig.option, "cov_source", None))
    return Bench(tmp_path, measured=measuring and getattr(request.module, "MEASURED", False))
