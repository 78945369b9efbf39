"""The moments of a training that observers can ask to be told of, each with what is true then.

An observer is a :class:`Watcher`; it appends its handlers to the lists of ``session.events``. Handlers run in the observed
thread, without grad mode, while the deep look lets their own operators pass. They must not keep tensors (weak references
only), must not draw random numbers, and must not read a value of an accelerator (``values.read_later`` does). What they
raise is recorded and goes no further.

A *followed* moment comes on the steps that are followed call by call and in deep segments (``session.full or session.deep``):
the first 24 steps, two in a row of every 32, and the deep ones. A *deep* moment comes in deep segments only, while the mode
is on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from doctorch.observe.recorder import now

if TYPE_CHECKING:
    from doctorch.observe.session import Session

Handlers = list[Callable[..., None]]
CLOSE_STEPS = 8
"""Steps from which every second one is looked at; the two of a followed pair are alike to those who count values."""
FIRST_LOOKS = 80
"""Costly looks of an observer granted in any run, however loaded the machine is."""
SHARE = 0.004
"""Share of the loop's time granted to later ones."""


class Events:
    """Lists of handlers, by moment."""

    def __init__(self) -> None:
        self.root_call: Handlers = []
        """Followed. A model is called from outside any other module: ``(module, args, kwargs)``."""
        self.root_return: Handlers = []
        """Followed. It returned: ``(module, args, kwargs, output)``; not called when it raised."""
        self.module_call: Handlers = []
        """Deep. Any module is called, roots and nested ones: ``(module, args, kwargs)``. ``session.module_stack`` holds the
        modules around it, itself last; ``session.name_of(module)`` its dotted name."""
        self.module_return: Handlers = []
        """Deep. It returned: ``(module, args, kwargs, output)``."""
        self.operator: Handlers = []
        """Deep. An aten operator of the forward is done: ``(name, args, kwargs, out, site)``; below autograd."""
        self.loss_call: Handlers = []
        """Followed. A function of ``observe.losses.LOSSES`` is called: ``(name, value, bound, site, entry)``: the input, all
        arguments by name, the user's line, and the entry of the fact ``loss_call``."""
        self.loss_return: Handlers = []
        """Followed. It returned: ``(name, result, bound, site)``."""
        self.backward_begins: Handlers = []
        """Followed. ``(loss, site)``: the first tensor that backward is called on (or None) and the user's line. The graph is whole."""
        self.backward_ended: Handlers = []
        """Followed. ``(loss, site, failure)``: gradients are written; ``failure`` is the exception or None."""
        self.cleared: Handlers = []
        """On followed steps. ``zero_grad`` was called: ``(target, site)``, target an optimizer or a module."""
        self.before_step: Handlers = []
        """Followed. ``(optimizer, watch)``: an optimizer is about to step (outermost only)."""
        self.after_step: Handlers = []
        """Followed. ``(optimizer, watch, site)``: it has stepped; comes before ``turn``. The site is None but for early and deep steps."""
        self.turn: Handlers = []
        """Every step, light ones too (must cost well below a microsecond): ``(number)``: a turn of the loop is complete."""
        self.asked: Handlers = []
        """The facts are about to be read while the training runs: ``()``. For those who keep counters of their own until they publish."""
        self.loaded: Handlers = []
        """``load_state_dict`` of a module has returned: ``(module)``."""
        self.batch: Handlers = []
        """On followed steps. A loader of the main process gave a batch: ``(watch, loader, batch)``."""


class Watcher:
    """An observer with state of its own. :meth:`install` appends its handlers; :meth:`reset` empties its state after a fork."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.looks = 0
        self.spent_ns = 0
        """What the costly part of this observer took so far; it keeps count itself."""

    def affords(self) -> bool:
        """Whether the costly part may be done once more: reading values of whole batches, on every followed step, would make steps of a
        millisecond 5 % longer."""
        steps = self.session.recorder.steps
        if steps >= CLOSE_STEPS and steps % 2:
            return False
        self.looks += 1
        began = self.session.recorder.loop_started
        return self.looks <= FIRST_LOOKS or self.spent_ns < (SHARE * (now() - began) if began else 0.0)

    def install(self) -> None:
        """Append the handlers and put wrappers in place. Called once."""
        raise NotImplementedError

    def publish(self) -> None:
        """Bring counters into facts. Called on the writer thread, about once a second and at the end."""

    def reset(self) -> None:
        """Forget everything: this is now a forked child with a record of its own."""


def fire(session: Session, handlers: Handlers, *what: Any) -> None:
    """Tell all who asked. Never raises."""
    tape = session.tape
    muted, tape.muted = tape.muted, True
    grad = torch.is_grad_enabled()
    if grad:
        torch._C._set_grad_enabled(False)  # what torch.no_grad does, at a tenth of its price
    try:
        for handler in handlers:
            try:
                handler(*what)
            except Exception:
                session.recorder.failed()
    finally:
        if grad:
            torch._C._set_grad_enabled(True)
        tape.muted = muted
