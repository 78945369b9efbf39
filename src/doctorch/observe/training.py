"""The turn of the training loop: backward, optimizer step, clearing of gradients; and where a step begins and ends."""

from __future__ import annotations

import functools
import math
import sys
from threading import get_ident
from types import FrameType
from typing import Any

import torch
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from doctorch.observe import graph, values
from doctorch.observe.events import fire
from doctorch.observe.lines import Site, here
from doctorch.observe.optimizers import OptimizerWatch
from doctorch.observe.recorder import NAN, now
from doctorch.observe.session import Session
from doctorch.observe.wrap import put

LIGHT_NS = 12_000
"""Watching cost of a light step outside the parts that are timed (wrappers and hooks; overhead benchmark)."""
NEGATIVE_INFINITY = -math.inf


class TrainingObserver:
    """Wraps backward, optimizer construction and clearing; hooks optimizer steps."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.optimizers: dict[int, OptimizerWatch] = session.optimizers
        self.backward_depth = 0
        self.stepping: list[int] = []
        """Ids of the optimizers inside whose step we are; some wrap another."""
        self.anchor: OptimizerWatch | None = None
        self.since_anchor: set[str] = set()
        self.step_began = 0
        self.built = 0

    # ---- installation

    def publish(self) -> None:
        """On the writer thread."""
        for watch in list(self.optimizers.values()):
            watch.publish()

    def install(self) -> None:
        """Put the hooks in place. Called once, before any user code after ``import torch``."""
        self.session.recorder.writer.providers.append(self.publish)
        self._wrap_backward()
        self._wrap_optimizer()
        register_optimizer_step_pre_hook(self._before_step)
        register_optimizer_step_post_hook(self._after_step)

    def _wrap_backward(self) -> None:
        original = torch.autograd.backward
        session = self.session
        compiling = torch.compiler.is_compiling

        @functools.wraps(original)
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            if compiling() or (self.backward_depth and get_ident() == session.thread) or not session.claim():
                return original(tensors, *args, **kwargs)
            result = self._run_backward(original, tensors, args, kwargs)
            if not self.built and self._step_done(now()):  # a hand-written update without an optimizer: each backward is a step
                raise SystemExit(0)
            return result

        put(torch.autograd, "backward", backward)
        original_grad = torch.autograd.grad

        @functools.wraps(original_grad)
        def grad(outputs: Any, *args: Any, **kwargs: Any) -> Any:
            if compiling() or self.backward_depth or get_ident() != session.thread:
                return original_grad(outputs, *args, **kwargs)
            # A gradient taken as a value (penalties, meta-learning): no deep look, and no step of training by itself.
            popped = self.session.pause()
            self.backward_depth += 1
            try:
                return original_grad(outputs, *args, **kwargs)
            finally:
                self.backward_depth -= 1
                if popped:
                    self.session.resume()

        put(torch.autograd, "grad", grad)

    def _run_backward(self, original: Any, tensors: Any, args: Any, kwargs: Any) -> Any:
        session = self.session
        if session.light:
            return self._light_backward(original, tensors, args, kwargs)
        began = now()
        paused = session.recorder.paused_ns
        popped = session.pause()
        state: Any = None
        site: Site | None = None
        try:
            site = here(2)
            state = self._backward_begins(tensors, _retained(args, kwargs), site, popped, began)
        except Exception:
            session.recorder.failed()
        self.backward_depth += 1
        entered = now()
        session.watch(entered - began - (session.recorder.paused_ns - paused))
        failure: BaseException | None = None
        try:
            return original(tensors, *args, **kwargs)
        except BaseException as error:
            failure = error
            raise
        finally:
            left = now()
            self.backward_depth -= 1
            try:
                self._backward_ended(state, site, failure, left - entered, tensors)
            except Exception:
                session.recorder.failed()
            del failure
            session.watch(now() - left)

    def _light_backward(self, original: Any, tensors: Any, args: Any, kwargs: Any) -> Any:
        """Most steps of a long run: times and the loss only."""
        session = self.session
        began = now()
        paused = session.recorder.paused_ns
        try:
            self._forward_ends(began)
            self._read_loss(tensors)
        except Exception:
            session.recorder.failed()
        self.backward_depth = 1
        entered = now()
        try:
            return original(tensors, *args, **kwargs)
        except BaseException as error:
            try:
                self._light_failure(tensors, error, _retained(args, kwargs))
            except Exception:
                session.recorder.failed()
            raise
        finally:
            left = now()
            self.backward_depth = 0
            session.backward_ns += left - entered
            session.backwards += 1
            session.watch(entered - began - (session.recorder.paused_ns - paused) + LIGHT_NS)
            try:
                session.segment_ended()
            except Exception:
                session.recorder.failed()

    def _light_failure(self, tensors: Any, error: BaseException, retained: bool) -> None:
        call = graph.begin(self.session, _first_tensor(tensors), here(2), False, retained)
        graph.end(self.session, call, error)

    def _wrap_optimizer(self) -> None:
        original_init = Optimizer.__init__

        @functools.wraps(original_init)
        def __init__(optimizer: Optimizer, *args: Any, **kwargs: Any) -> None:
            original_init(optimizer, *args, **kwargs)
            try:
                self.watch_of(optimizer, here(1))
            except Exception:
                self.session.recorder.failed()

        put(Optimizer, "__init__", __init__)
        self._wrap_clearing(Optimizer)
        self._wrap_clearing(torch.nn.Module)

    def _wrap_clearing(self, owner: Any) -> None:
        original = owner.zero_grad
        session = self.session
        compiling = torch.compiler.is_compiling

        @functools.wraps(original)
        def zero_grad(target: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(target, *args, **kwargs)
            if not compiling() and session.full and get_ident() == session.thread:
                try:
                    self._cleared(target)
                except Exception:
                    self.session.recorder.failed()
            return result

        put(owner, "zero_grad", zero_grad)

    # ---- events

    def watch_of(self, optimizer: Optimizer, site: Site | None = None) -> OptimizerWatch:
        """The watch of an optimizer, made on first sight."""
        found = self.optimizers.get(id(optimizer))
        if found is None or found.ref() is not optimizer:
            found = self.optimizers[id(optimizer)] = OptimizerWatch(self.session, optimizer, str(self.built), site)
            self.built += 1
            found.describe()
        return found

    def _followed(self) -> list[OptimizerWatch]:
        """The optimizers whose gradients may be read: not those of other threads, which autograd may be writing just now."""
        watches = list(self.optimizers.values())
        if self.session.other_threads:
            watches = [watch for watch in watches if watch.steps and not watch.foreign]
        return watches

    def _is_foreign(self, optimizer: Optimizer) -> bool:
        """An optimizer steps in another thread than the one that is observed. Always True; a step may come before any backward."""
        self.session.other_threads = True
        watch = self.optimizers.get(id(optimizer))
        if watch is not None:
            watch.foreign = True
        return True

    def _cleared(self, target: Any) -> None:
        began = now()
        site = here(2)
        if isinstance(target, Optimizer):
            self.watch_of(target).cleared(site)
        else:
            for watch in self._followed():
                if (watch.kept or watch.written) and watch.sample and watch.grads() != watch.seen:
                    watch.cleared(site)
        if self.session.events.cleared:
            fire(self.session, self.session.events.cleared, target, site)
        self.session.watch(now() - began)

    def _backward_begins(self, tensors: Any, retained: bool, site: Site | None, deep: bool, began: int) -> Any:
        session = self.session
        session.recorder.ensure_started()
        session.recorder.role = "training"
        self._forward_ends(began)
        loss = _first_tensor(tensors)
        before = [(watch, watch.backward_begins()) for watch in self._followed()]
        call = graph.begin(session, loss, site, deep, retained)
        if session.events.backward_begins:
            fire(session, session.events.backward_begins, loss, site)
        self._read_loss(tensors)
        return before, call

    def _forward_ends(self, at: int) -> None:
        session = self.session
        session.event(at)
        if session.forward_began:
            session.forward_ns += at - session.forward_began - session.forward_wait_ns
            session.forward_began = session.forward_wait_ns = 0

    def _read_loss(self, tensors: Any) -> None:
        session = self.session
        loss = tensors if type(tensors) is torch.Tensor else _first_tensor(tensors)
        if loss is None or loss.numel() != 1:
            session.loss = NAN
        elif loss.is_cpu:
            try:
                value = session.loss = values.item(loss)
            except RuntimeError:  # wrapped by a function transform
                session.loss = NAN
                return
            if not NEGATIVE_INFINITY < value < session.odd_above:  # so written that NaN is odd too
                session.odd("leap" if math.isfinite(value) else "forward", loss)
        elif values.readable(loss):
            session.loss_later(loss)

    def _backward_ended(self, state: Any, site: Site | None, failure: BaseException | None, ns: int, tensors: Any) -> None:
        session = self.session
        session.backward_ns += ns
        session.backwards += 1
        if state is None:
            return
        before, call = state
        for watch, grads in before:
            if watch.ref() is not None:
                watch.backward_ended(grads, site)
        graph.end(session, call, failure)
        if session.events.backward_ended:
            fire(session, session.events.backward_ended, _first_tensor(tensors), site, failure)
        session.segment_ended()

    def _before_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        try:
            session = self.session
            if get_ident() != session.thread and self._is_foreign(optimizer):
                return
            if self.stepping:
                if id(optimizer) not in self.stepping and _is_stepping(self.stepping[0]):  # inside the step of another that wraps it
                    self.stepping.append(id(optimizer))
                    return
                self.stepping.clear()  # the last step raised
            self.stepping.append(id(optimizer))
            session.in_optimizer = True
            watch = self.optimizers.get(id(optimizer))
            if not session.light or watch is None:
                began = now()
                session.pause()
                watch = self.watch_of(optimizer)
                if session.full:
                    watch.step_begins()
                if session.events.before_step:
                    fire(session, session.events.before_step, optimizer, watch)
                session.watch(now() - began)
            if watch.without_grad:
                watch.note_grads()
            if watch.tiny is not None and not watch.sound():
                session.odd("backward")
            self.step_began = now()
        except Exception:
            self.session.recorder.failed()

    def _after_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        stop = False
        try:
            session = self.session
            if get_ident() != session.thread and self._is_foreign(optimizer):
                return
            if self.stepping:
                self.stepping.pop()
            if self.stepping:
                return
            began = now()
            paused = session.recorder.paused_ns
            session.in_optimizer = False
            session.optimizer_ns += began - self.step_began
            if session.pushed or session.recorder.role != "training":
                session.pause()
                session.recorder.ensure_started()
                session.recorder.role = "training"
            session.event(began)
            watch = self.watch_of(optimizer)
            site = here(1) if watch.steps < 3 or session.deep else None
            if not session.light and session.events.after_step:
                fire(session, session.events.after_step, optimizer, watch, site)
            stop = self._turn(watch, began)
            watch.step_ended(site)
            if session.deep:
                session.resume()
            session.watch(now() - began - (session.recorder.paused_ns - paused))
        except Exception:
            self.session.recorder.failed()
        if stop:
            raise SystemExit(0)

    def _turn(self, watch: OptimizerWatch, at: int) -> bool:
        """Decide whether this optimizer step closes a turn of the loop. Returns True when the asked number of steps is reached.

        One optimizer closes the turns: the one that steps most often, of several equals the last in order.
        """
        if watch is self.anchor:
            self.since_anchor.clear()
            return self._step_done(at)
        if self.anchor is None:
            self.anchor = watch
            return self._step_done(at)
        repeated = watch.key in self.since_anchor
        self.since_anchor.add(watch.key)
        if self.anchor.steps == 1 and watch.steps == 0:
            # The second optimizer of the first turn: it comes last in the loop, so it is the one that closes turns.
            self.anchor = watch
            self.since_anchor.clear()
            self.session.amend_step(at)
            return False
        if repeated:  # twice without the other: that one steps seldom, or belongs to an earlier training
            self.anchor = watch
            self.since_anchor.clear()
            return self._step_done(at)
        return False

    def _step_done(self, at: int) -> bool:
        session = self.session
        session.step_done(at)
        steps = session.recorder.steps
        if steps == 1 or steps == 10 or steps % 100 == 0:
            for watch in self.optimizers.values():
                watch.describe()
                session.recorder.touch(watch.entry)
        return steps >= session.step_limit


def _is_stepping(identity: int) -> bool:
    """Whether the step of that optimizer is on the stack: a step that raised leaves no other trace."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == _OPTIMIZER_FILE and id(frame.f_locals.get("self")) == identity:
            return True
        frame = frame.f_back
    return False


_OPTIMIZER_FILE = Optimizer.profile_hook_step.__code__.co_filename


def _retained(args: Any, kwargs: dict[str, Any]) -> bool:
    """Whether the graph outlives the backward: ``backward(tensors, grad_tensors, retain_graph, create_graph)``."""
    return any(args[1:3]) or bool(kwargs.get("retain_graph") or kwargs.get("create_graph"))


def _first_tensor(tensors: Any) -> torch.Tensor | None:
    if isinstance(tensors, torch.Tensor):
        return tensors
    if isinstance(tensors, (list, tuple)) and tensors and isinstance(tensors[0], torch.Tensor):
        return tensors[0]
    return None
