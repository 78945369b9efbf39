"""Experiments on copies of the training, made between two steps when a symptom asks for them.

Each looks cheaply at what was seen so far, says whether it is called for, runs some steps in copies of the process that are
thrown away, and writes a fact of kind ``probe`` like any observer. What cannot be made safely and silently is written down as
not made, with the reason. The training itself is left as it was, to the last bit: it only waits.
"""

from __future__ import annotations

from typing import Any


def install(observer: Any) -> None:
    """Let the observers of this process ask for experiments."""
    from doctorch.probes.prober import Prober

    Prober(observer.session)
