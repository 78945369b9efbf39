"""Parameters, the modules that hold them and the optimizers that move them, joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from doctorch.records.reader import Fact, Process

NAMED_PREFIXES = 3
"""How many module names a sentence shows before it says «and n more»."""


def parameters(process: Process) -> list[Fact]:
    """The facts of kind ``param`` that require a gradient."""
    return [param for param in process.facts("param") if param.get("requires_grad", True)]


def in_optimizer(param: Fact) -> bool:
    """Whether an optimizer holds the tensor."""
    return param.get("optimizer") is not None


def numel(params: Iterable[Fact]) -> int:
    """Number of elements of all tensors."""
    return sum(int(param.get("numel") or 0) for param in params)


def module_names(params: Sequence[Fact]) -> str:
    """What a person calls a set of parameters: their modules, shortened to the level at which a few names cover them all."""
    names = [str(param["name"]) for param in params if param.get("name")]
    if not names:
        return "unnamed tensors"
    for depth in (3, 2, 1):
        prefixes = Counter(".".join(name.split(".")[:-1][:depth]) or name for name in names)
        if len(prefixes) <= NAMED_PREFIXES or depth == 1:
            shown = list(prefixes)[:NAMED_PREFIXES]
            rest = len(prefixes) - len(shown)
            return ", ".join(shown) + (f" and {rest} more" if rest else "")
    raise AssertionError("unreachable")


def optimizer_line(process: Process, key: str | int | None) -> Fact | None:
    """The optimizer fact of a key; of None, the only optimizer or the one with the most parameters."""
    optimizers = process.facts("optimizer")
    if key is not None:
        return next((o for o in optimizers if o.key == str(key)), None)
    return max(optimizers, key=lambda o: int(o.get("n_params") or 0), default=None)
