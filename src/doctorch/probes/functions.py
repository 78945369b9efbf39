"""In a copy: the backward of the script's custom autograd functions, on the inputs that they are given in the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from doctorch.observe import values
from doctorch.probes.derivative import examine

if TYPE_CHECKING:
    from doctorch.probes.fork import Copy

EITHER = ("ignores_grad_output", "stale", "deliberate")
"""What holds of a function where one of its checks found it."""


class Checker:
    """Stands before ``Function.apply``: the first call of each class of the script's, and of each pattern of inputs, is checked."""

    def __init__(self, copy: Copy) -> None:
        self.copy = copy
        self.found: dict[str, Any] = {}
        self.done: set[Any] = set()
        self.busy = False
        self.unit: dict[str, bool] = {}
        """By class: every gradient that came to it was the number 1."""
        self.together: dict[str, int] = {}
        """By class: most calls before one backward."""
        self.pending: dict[str, int] = {}
        """Calls by class since the last backward."""
        entries = list(copy.session.recorder.writer.entries.items())
        self.known = {entry.data["cls"] for (kind, _), entry in entries if kind == "function"}

    def call(self, original: Any, cls: Any, args: tuple[Any, ...]) -> Any:
        name = cls.__name__
        if self.busy or name not in self.known or not torch.is_grad_enabled() or not any(_learns(a) for a in args):
            return original(*args)
        self._count(name)
        # A layer at the bottom gets inputs that need no gradient; those further up get others.
        pattern = (name, *(_learns(a) for a in args))
        if pattern not in self.done:
            self.done.add(pattern)
            self.busy = True
            try:
                result = examine(original, args)
            except Exception as error:
                result = {"why_not": f"{type(error).__name__}: {error}"[:200]}
            finally:
                self.busy = False
            self.found[name] = merged(self.found.get(name), result)
        out = original(*args)
        self._follow(name, out)
        return out

    def results(self) -> dict[str, Any]:
        """What was found, by class."""
        for name in self.known - set(self.found):
            self.found[name] = {"why_not": "it was not called in the step that was looked at"}
        for name, found in self.found.items():
            found.update(unit=self.unit.get(name, False), together=self.together.get(name, 0))
        return self.found

    def _count(self, name: str) -> None:
        self.pending[name] = self.pending.get(name, 0) + 1
        self.together[name] = max(self.together.get(name, 0), self.pending[name])

    def _follow(self, name: str, out: Any) -> None:
        """Of a function that gives one number: whether the gradient that comes to it is 1, as to a loss. The copy's graph only."""
        if isinstance(out, torch.Tensor) and out.numel() == 1 and out.requires_grad:
            self.unit.setdefault(name, True)

            def look(grad: torch.Tensor) -> None:
                self.unit[name] = self.unit[name] and bool((grad == 1).all())

            out.register_hook(look)  # type: ignore[no-untyped-call]


def check(copy: Copy) -> None:
    """Take over ``Function.apply`` for one turn. Reports ``functions``: what :func:`examine` gave, by class."""
    function: Any = torch.autograd.Function
    descriptor = next(vars(base)["apply"] for base in function.__mro__ if "apply" in vars(base))
    checker = Checker(copy)

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        bound = descriptor.__get__(None, cls)
        return bound(*args, **kwargs) if kwargs else checker.call(bound, cls, args)

    function.apply = classmethod(apply)

    def turn(number: int) -> None:
        copy.end(complete=True, functions=checker.results())

    copy.session.events.turn.insert(0, turn)
    copy.session.events.backward_begins.append(lambda loss, site: checker.pending.clear())


def merged(one: dict[str, Any] | None, other: dict[str, Any]) -> dict[str, Any]:
    """What two checks of a function found together."""
    if one is None or "why_not" in one:
        return other
    if "why_not" in other:
        return one
    inputs = {given["index"]: given for given in (*one["inputs"], *other["inputs"])}
    for given in one["inputs"]:
        if given["error"] > inputs[given["index"]]["error"]:
            inputs[given["index"]] = given
    either = {name: bool(one.get(name) or other.get(name)) for name in EITHER}
    both = {name: sorted({*one[name], *other[name]}) for name in ("holds", "ignored")}
    return {**one, **other, "inputs": list(inputs.values()), **both, **either}


def _learns(value: Any) -> bool:
    """A tensor with values of its own, through which a gradient goes."""
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.requires_grad and values.readable(value.detach())
