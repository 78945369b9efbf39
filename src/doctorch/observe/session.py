"""What the observers of one process share: the accumulators of the current step, and when to look deep."""

from __future__ import annotations

import math
import sys
import weakref
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any

import torch

from doctorch.observe import values
from doctorch.observe.deep import MODE_NS, Tape
from doctorch.observe.events import Events
from doctorch.observe.params import ParamTable
from doctorch.observe.recorder import NAN, Recorder, now

if TYPE_CHECKING:
    from doctorch.observe.origins import Origins

DEEP_FIRST = 2
"""Segments always looked at: the first, which most crashes never leave, and one more, in which everything is warm."""
DEEP_MORE = (8, 64, 256, 1024, 4096, 16384)
"""Later segments looked at, when the time allows: faults that begin later are seen, at a falling rate."""
DEEP_SHARE = 0.015
"""Share of the loop's time that later deep looks may take."""
DEEP_ALLOWANCE_NS = 3_000_000
"""Granted on top, so that short runs get more than the first looks."""
LOSS = 8
"""Place of the loss in a row of the current process."""
MAX_CALLS = 64
MAX_CALL_OPS = 20_000
"""Calls of models, and operators, after which a segment without a backward is taken for an evaluation or a roll-out: a forward
that calls the model for each sample has many calls too, but not as many operators (a third of a second of looking)."""
NEW_SITE_SEGMENTS = 2
"""Deep looks granted to a backward call that was not seen before (a second loss, a generator's step, a second training)."""
NEW_SITE_SHARE = 0.1
"""Share of the loop's time up to which they are granted."""


HISTORY = 4096
"""Losses remembered, for the probes that look at their course while the training runs."""
LEAP, LEAP_EVERY = 1000.0, 8
"""A loss a thousand times above the largest of the last eight steps has leapt: no learning rate does that in one step."""
FULL_FIRST = 24
FULL_EVERY = 32
FULL_RUN = 2
LOOK_EVERY = 16
"""The first steps are followed call by call, later two in a row of every 32: two, since a fault of order (gradients
left over) shows only against the step before."""


class Session:
    """State of one training process."""

    def __init__(self, recorder: Recorder, events: Events | None = None) -> None:
        self.recorder = recorder
        self.events = events or Events()
        self.module_stack: list[torch.nn.Module] = []
        """Modules whose call is under way, outermost first; kept in deep segments only."""
        self.grad_at_call = True
        """Whether grad mode was on where the last model was called."""
        self._names: dict[int, tuple[weakref.ref[torch.nn.Module], str]] = {}
        self.thread = recorder.main_ident
        """The thread that trains: the one observed. Others are left alone, since autograd writes gradients outside the GIL."""
        self.claimed = False
        self.other_threads = False
        self.params = ParamTable(recorder)
        self.origins: Origins | None = None
        """Where parameters were made, once that is watched."""
        self.tape = self._new_tape()
        self.pushed = False
        self.deep = True
        """Whether the current segment (up to the next backward) is looked at operator by operator."""
        self.deep_allowed = True
        self.light = False
        """Neither this step is followed nor this segment looked at deeply: wrappers take the shortest way."""
        self.full = True
        """Whether the current step's calls are followed one by one; else only times and the loss are taken."""
        limit = recorder.settings.get("steps")
        self.step_limit = int(limit) if limit else sys.maxsize
        self.segments = 0
        self.deep_segments = 0
        self.calls = 0
        """Calls of models in the current segment while the mode was on."""
        self.deep_ns = 0
        self.site_looks: dict[str, int] = {}
        self.granted = 0
        self.in_optimizer = False
        self.in_loader = False
        # the current step
        self.step_began = 0
        self.wait_ns = self.forward_ns = self.backward_ns = self.optimizer_ns = self.watch_ns = 0
        self.forward_began = self.forward_wait_ns = 0
        self.backwards = 0
        self.last_loader: Any = None
        """Watch of the loader that gave a batch last."""
        self.last_loader_step = -1
        """Number of steps that were done then."""
        self.next_look = 0
        """Step from which a pass without gradients is followed call by call again."""
        self.loss = NAN
        self._keep = 1
        self._rows: list[list[float]] = []
        """Closed steps that are not handed to the writer yet."""
        self._pending_loss: list[list[float] | None] | None = None
        self.roots: dict[int, Any] = {}
        self.optimizers: dict[int, Any] = {}
        """Watches of the optimizers, by id."""
        # probes
        self.losses: list[float] = []
        """The loss of each of the first steps."""
        self.wake_at = sys.maxsize
        """Step after which the probes want to be asked."""
        self.on_wake: Callable[[], None] | None = None
        self.on_odd: Callable[[str, torch.Tensor | None], None] | None = None
        """Asked when a loss or a gradient stops being a number, or a loss leaps: ``forward``, ``backward`` or ``leap``."""
        self.odd_above = math.inf
        """A loss that is not below this is odd."""
        self.batches = recorder.batches
        """The last batches that loaders gave."""
        self.probing = False
        """A copy of the process is being made for an experiment."""
        self.copy = False
        """This process is such a copy."""
        recorder.writer.providers.append(self._release_rows)

    def _new_tape(self) -> Tape:
        tape = Tape(self.recorder, self.params)
        tape.on_operator = self.events.operator
        return tape

    def name_of(self, module: torch.nn.Module) -> str | None:
        """Dotted name of a module within the model that was called, ``""`` for the model itself; None for one of no known model."""
        known = self._names.get(id(module))
        if known is None or known[0]() is not module:
            for ref in list(self.roots.values()):
                root = ref.module()
                if root is not None:
                    for name, part in root.named_modules():
                        self._names[id(part)] = (weakref.ref(part), name)
            known = self._names.get(id(module))
        return known[1] if known is not None and known[0]() is module else None

    def claim(self) -> bool:
        """A backward begins: whether it is in the thread that is observed. The first to run one is that thread."""
        ident = get_ident()
        if ident != self.thread:
            if self.claimed:
                self.other_threads = True
                return False
            self._move_to(ident)
        self.claimed = True
        return True

    def _move_to(self, ident: int) -> None:
        self.thread = self.recorder.main_ident = ident
        if self.pushed:  # by a forward in the first thread, whose stack of modes only that thread can change
            self.tape.off = True
            self.tape = self._new_tape()
            self.pushed = False

    # ---- time

    def event(self, at: int) -> None:
        """Something of the training happened at that time."""
        recorder = self.recorder
        recorder.last_event = at
        if not recorder.loop_started:
            recorder.loop_started = self.step_began = at

    def watch(self, ns: int) -> None:
        """Add to what watching cost."""
        self.watch_ns += ns
        self.recorder.watch_ns += ns

    def forward(self) -> None:
        """A module or loss was called: the forward of this step has begun."""
        if not self.forward_began:
            at = now()
            self.forward_began = at
            self.tape.in_forward = True
            if not self.recorder.loop_started:
                self.event(at)
            self.recorder.last_event = at

    def look_at_pass(self) -> None:
        """A light step begins with a model called without gradients: a validation, most likely. It is followed call by call; not each one
        where every step begins so (a roll-out, a teacher)."""
        self.next_look = self.recorder.steps + LOOK_EVERY
        self.full = True
        self.light = False

    def loss_later(self, loss: torch.Tensor) -> None:
        """The loss lies on an accelerator: its value reaches the step's row some steps later."""
        self.loss = NAN
        holder: list[list[float] | None] = [None]
        self._pending_loss = holder

        def use(found: list[float]) -> None:
            row = holder[0]
            if row is not None:
                row[LOSS] = found[0]

        values.read_later(self.recorder, [loss], use)

    def step_done(self, at: int) -> None:
        """A turn of the loop ended: put down its row, in nanoseconds; the writer thread makes it into milliseconds."""
        recorder = self.recorder
        row = [self.step_began, at, self.wait_ns, self.forward_ns, self.backward_ns, self.optimizer_ns, self.watch_ns, self.backwards]
        row.append(self.loss)  # type: ignore[arg-type]
        if self._pending_loss is not None:
            self._pending_loss[0] = row  # type: ignore[assignment]
            self._pending_loss = None
            self._keep = values.LAG + 1
        self._rows.append(row)  # type: ignore[arg-type]
        steps = recorder.steps = recorder.steps + 1
        self.full = self.deep or self.copy or steps < FULL_FIRST or steps % FULL_EVERY < FULL_RUN
        self.light = not self.full
        self._begin_step(at)
        if values.waiting():
            values.settle(recorder)
        try:
            for handler in self.events.turn:
                handler(steps)
        except Exception:
            recorder.failed()
        if steps <= HISTORY:
            self.losses.append(self.loss)
            if not steps % LEAP_EVERY:
                self.odd_above = LEAP * (1.0 + max(map(abs, self.losses[-LEAP_EVERY:])))
            if steps >= self.wake_at:
                self._wake()

    def _wake(self) -> None:
        """Between two steps: the probes look whether an experiment is called for. What it takes counts to no step."""
        recorder = self.recorder
        began = now()
        self.wake_at = sys.maxsize
        recorder.paused = True
        try:
            if self.on_wake is not None:
                self.on_wake()
        except Exception:
            recorder.failed()
        recorder.paused = False
        ended = now()
        recorder.paused_ns += ended - began
        recorder.last_event = ended
        if not self.copy:
            self._begin_step(ended)

    def odd(self, kind: str, loss: torch.Tensor | None = None) -> None:
        """Something stopped being a number: while the training stands still, find out what."""
        recorder = self.recorder
        if self.on_odd is None or self.copy:
            return
        began = now()
        recorder.paused = True
        try:
            self.on_odd(kind, loss)
        except Exception:
            recorder.failed()
        recorder.paused = False
        took = now() - began
        recorder.paused_ns += took
        self.step_began += took
        if self.forward_began:
            self.forward_began += took

    def as_copy(self) -> None:
        """This process is a copy made for an experiment: it follows every step, records nothing and ends by itself."""
        self.copy = self.full = True
        self.light = self.deep = self.deep_allowed = False
        self.step_limit = self.wake_at = sys.maxsize

    def amend_step(self, at: int) -> None:
        """The step just closed was only the first part of a turn: join what came since."""
        if not self._rows:
            return
        row = self._rows[-1]
        row[1] = at
        since = (self.wait_ns, self.forward_ns, self.backward_ns, self.optimizer_ns, self.watch_ns, self.backwards)
        for column, value in enumerate(since, 2):
            row[column] += value
        self._begin_step(at)

    def _begin_step(self, at: int) -> None:
        self.step_began = at
        self.wait_ns = self.forward_ns = self.backward_ns = self.optimizer_ns = self.watch_ns = 0
        self.forward_began = self.forward_wait_ns = 0
        self.backwards = 0

    def _release_rows(self) -> None:
        """On the writer thread: hand over finished rows. The newest may still be amended, those that wait for their loss stay too."""
        self._release(self._keep)

    def _release(self, keep: int) -> None:
        rows = self._rows
        began_record = self.recorder.writer.began
        while len(rows) > keep:
            began, ended, wait, forward, backward, optimizer, watch, backwards, loss = rows.pop(0)
            ms = (ended - began) / 1e6
            parts = (wait / 1e6, forward / 1e6, backward / 1e6, optimizer / 1e6, watch / 1e6)
            self.recorder.writer.pending.append(((began - began_record) / 1e9, ms, ms, *parts, float(backwards), loss, loss, loss))

    def release_all(self) -> None:
        """At the end of the process."""
        self._release(0)

    # ---- deep looks

    def pause(self) -> bool:
        """Take the mode off; returns whether it was on."""
        if not self.pushed:
            return False
        stack = torch.utils._python_dispatch._get_current_dispatch_mode_stack()
        if not stack or stack[-1] is not self.tape:
            return False  # a mode of the user's lies above it; ours ends when that one has
        self.tape.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        self.pushed = False
        return True

    def resume(self) -> None:
        """Put the mode on again."""
        if self.pushed or not self.deep or not self.deep_allowed or self.in_loader:
            return
        if torch._C._len_torch_dispatch_stack() or torch.utils._python_dispatch._get_current_dispatch_mode_stack():
            return
        if torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None or _capturing():
            return
        self.tape.__enter__()  # type: ignore[no-untyped-call]
        self.pushed = True

    def no_deep(self, why: str) -> None:
        """Something is in use that a dispatch mode would change: no more deep looks in this process."""
        if self.deep_allowed:
            self.pause()
            self.deep_allowed = False
            self.deep = False
            self.light = not self.full
            self.recorder.note(f"deep-off: {why}")

    def count_call(self) -> None:
        """A model is called while the mode is on. Many calls without a backward are an evaluation or a roll-out: enough was seen."""
        self.calls += 1
        if (self.calls > MAX_CALLS and self.tape.count > MAX_CALL_OPS) or self.tape.off:
            self.pause()
            self.deep = False

    def segment_ended(self) -> None:
        """After each backward: decide whether the next segment is deep."""
        self.segments += 1
        if self.light and not self.granted and self.segments not in DEEP_MORE:
            return
        self.calls = 0
        self.tape.in_forward = False
        if self.deep:
            self.deep_segments += 1
            spent = self.tape.spent + self.tape.count * MODE_NS
            self.deep_ns += spent
            self.watch(spent)
            self.recorder.writer.meta["deep_segments"] = self.deep_segments
        self.deep = self.deep_allowed and self._want_deep()
        self.light = not (self.full or self.deep)
        if self.deep:
            self.tape.clear()

    def saw_site(self, key: str, deep: bool) -> None:
        """A backward call at that place; one that was not seen before is granted a few deep looks of its own."""
        if key not in self.site_looks:
            self.site_looks[key] = 0
            if self.segments:
                self.granted = NEW_SITE_SEGMENTS * len(self.site_looks)
        self.site_looks[key] += deep

    def _want_deep(self) -> bool:
        if self.segments < DEEP_FIRST:
            return True
        if self.granted:
            self.granted -= 1
            return self.deep_ns < 8 * DEEP_ALLOWANCE_NS + NEW_SITE_SHARE * (now() - self.recorder.loop_started)
        if self.segments not in DEEP_MORE:
            return False
        return self.deep_ns < DEEP_ALLOWANCE_NS + DEEP_SHARE * (now() - self.recorder.loop_started)


def _capturing() -> bool:
    cuda = sys.modules.get("torch.cuda")
    return bool(cuda is not None and cuda.is_initialized() and cuda.is_current_stream_capturing())
