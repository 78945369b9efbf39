"""Lines of the script that call torch through an installed package: ``trainer.fit(model)``, ``accelerator.backward(loss)``."""

from __future__ import annotations

from doctorch.findings import Place
from doctorch.records.reader import Process


def package_at(process: Process, place: Place | None) -> str | None:
    """The package that a line calls on its way to torch; None for a line that calls torch itself."""
    if place is None:
        return None
    fact = process.fact("package_call", f"{place.file}:{place.line}")
    return str(fact.get("package")) if fact is not None else None
