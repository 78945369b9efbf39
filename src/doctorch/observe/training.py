"""The turn of the training loop: backward, optimizer step, clearing of gradients; and where a step begins and ends."""

from __future__ import annotations

import functools
import threading
import weakref
from typing import Any

import torch
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from doctorch.observe import graph, values
from doctorch.observe.lines import Site, here
from doctorch.observe.recorder import NAN, now
from doctorch.observe.session import Session

SAMPLED_GRADS = 3
"""Parameters of an optimizer whose gradient is looked at by identity and version on every step (0.2 µs each)."""
LIGHT_NS = 12_000
"""Watching cost of a light step outside the parts that are timed (wrappers and hooks; overhead benchmark)."""
VALUE_CHECKS = 4
"""Times a left-over gradient is read to see that it is not zero."""


class OptimizerWatch:
    """What an optimizer did. Holds weak references only."""

    def __init__(self, session: Session, optimizer: Optimizer, key: str, site: Site | None) -> None:
        self.session = session
        self.ref = weakref.ref(optimizer)
        self.key = key
        self.entry = session.recorder.fact("optimizer", key, site, lambda: self._first_data(optimizer))
        self.sample: list[weakref.ref[torch.Tensor]] = []
        self.seen: list[Any] = []
        self.kept = False
        """Gradients of the last step are still there."""
        self.stale = False
        self.written = False
        self.cleared_after_write = False
        self.value_checks = 0
        self.blind = False
        """The gradients are zeroed through ``.data``, which leaves no version behind: only values tell."""
        self.n_params = -1
        self.steps = 0
        self.followed = False
        """Whether the gradients were looked at right after the last step, so that what is left of them can be told."""

    def _first_data(self, optimizer: Optimizer) -> dict[str, Any]:
        counters = ("steps", "zero_grads", "backwards", "stale_steps", "stale_checked", "stale_nonzero", "cleared_steps", "cleared_checked")
        data: dict[str, Any] = dict.fromkeys((*counters, "empty_steps", "grad_steps", "cleared_backwards"), 0)
        data.update(cls=type(optimizer).__name__, groups=[], n_params=0, numel=0)
        data.update(dict.fromkeys(("step_site", "zero_site", "backward_site", "cleared_site")))
        return data

    def describe(self) -> None:
        """Groups and rates, as they are now; parameters are attached to the optimizer when their number changed."""
        optimizer = self.ref()
        if optimizer is None:
            return
        groups = []
        tensors: list[torch.Tensor] = []
        for group in optimizer.param_groups:
            members = group["params"]
            tensors.extend(members)
            rate, decay = group.get("lr"), group.get("weight_decay")
            groups.append(
                {
                    "lr": float(rate) if isinstance(rate, (int, float)) else None,
                    "weight_decay": float(decay) if isinstance(decay, (int, float)) else None,
                    "momentum": group.get("momentum") if isinstance(group.get("momentum"), float) else None,
                    "n_params": len(members),
                    "numel": sum(p.numel() for p in members),
                }
            )
        self.entry.data.update(groups=groups, n_params=len(tensors), numel=sum(g["numel"] for g in groups))
        self.n_params = len(tensors)
        self.session.params.set_optimizer(tensors, self.key)

    def grads(self) -> list[Any]:
        """Identity and version of each sampled gradient; None where there is none.

        torch keeps the Python object of a tensor as long as the tensor lives, so the id tells the tensor.
        """
        state: list[Any] = []
        for ref in self.sample:
            tensor = ref()
            grad = tensor.grad if tensor is not None else None
            state.append(None if grad is None else (id(grad), grad._version))
        return state

    def has_grads(self) -> bool:
        """Whether any sampled parameter has a gradient now."""
        for ref in self.sample:
            tensor = ref()
            if tensor is not None and tensor.grad is not None:
                return True
        return False

    def choose_sample(self) -> None:
        """Pick parameters that do receive gradients, spread over the groups."""
        optimizer = self.ref()
        if optimizer is None:
            return
        with_grad = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if with_grad:
            stride = max(1, len(with_grad) // SAMPLED_GRADS)
            self.sample = [weakref.ref(p) for p in with_grad[::stride][:SAMPLED_GRADS]]

    # ---- events

    def backward_begins(self) -> list[Any]:
        """Before a backward: are the gradients of the last step still there?"""
        state = self.grads()
        if self.kept and (state != self.seen or not any(state)):
            self.kept = False
        elif self.kept and not self.stale:
            if self.value_checks < VALUE_CHECKS:
                self.value_checks += 1
                self._read_left_over()
            if self.kept:
                self.stale = True
        self.seen = state
        return state

    def _read_left_over(self) -> None:
        grads = [t.grad for ref in self.sample if (t := ref()) is not None and t.grad is not None]
        if not grads:
            return
        with torch.no_grad():
            largest = torch.stack([g.detach().abs().max().float().reshape(()) for g in grads if g.layout is torch.strided and g.numel()]).max()

        def use(found: list[float]) -> None:
            if found[0] != 0:  # NaN counts as left over
                self.entry.data["stale_nonzero"] += 1
            else:
                self.blind = True
                self.kept = self.stale = False

        values.read_later(self.session.recorder, [largest], use)

    def backward_ended(self, before: list[Any], site: Site | None) -> None:
        """After a backward: did it write into our parameters?"""
        if not self.sample:
            self.choose_sample()
            after = self.grads()
            wrote = any(after)
        else:
            after = self.grads()
            wrote = after != before
        if wrote:
            data = self.entry.data
            data["backwards"] += 1
            self.written = True
            self.cleared_after_write = False
            if site is not None and data["backward_site"] is not site.as_data:
                data["backward_site"] = site.as_data
            self.session.recorder.touch(self.entry)
        self.seen = after

    def cleared(self, site: Site | None) -> None:
        """A call cleared our gradients."""
        data = self.entry.data
        data["zero_grads"] += 1
        if site is not None:
            data["zero_site"] = site.as_data
        self.kept = self.stale = False
        if self.written:
            data["cleared_backwards"] += 1
            self.cleared_after_write = True
            if site is not None:
                data["cleared_site"] = site.as_data
        self.session.recorder.touch(self.entry)

    def step_begins(self) -> None:
        """Before the step: with which gradients is it made?"""
        data = self.entry.data
        optimizer = self.ref()
        if optimizer is None:
            return
        number = 0
        for group in optimizer.param_groups:
            number += len(group["params"])
        if number != self.n_params:
            self.describe()
        if self.blind:
            pass
        elif self.written and self.followed:
            data["stale_checked"] += 1
            if self.stale and self.kept:
                data["stale_steps"] += 1
        if self.written:
            data["cleared_checked"] += 1
            if self.cleared_after_write:
                data["cleared_steps"] += 1
        if self.has_grads() or not self.sample and self._any_grad(optimizer):
            data["grad_steps"] += 1
        else:
            data["empty_steps"] += 1

    def _any_grad(self, optimizer: Optimizer) -> bool:
        return any(p.grad is not None for group in optimizer.param_groups for p in group["params"])

    def step_ended(self, site: Site | None) -> None:
        """After the step."""
        self.steps += 1
        if site is not None:
            self.entry.data["step_site"] = site.as_data
        self.written = self.stale = self.cleared_after_write = self.kept = False
        self.followed = self.session.full
        if self.followed:
            if not self.sample:
                self.choose_sample()
            self.seen = self.grads()
            self.kept = not self.blind and any(self.seen)

    def publish(self) -> None:
        """On the writer thread: the number of steps into the fact."""
        if self.entry.data["steps"] != self.steps:
            self.entry.data["steps"] = self.entry.count = self.steps
            self.session.recorder.touch(self.entry)


class TrainingObserver:
    """Wraps backward, optimizer construction and clearing; hooks optimizer steps."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.optimizers: dict[int, OptimizerWatch] = {}
        self.backward_depth = 0
        self.stepping: list[int] = []
        """Ids of the optimizers inside whose step we are; some wrap another."""
        self.anchor: str | None = None
        self.step_counts: dict[str, int] = {}
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
        compiling = torch.compiler.is_compiling

        @functools.wraps(original)
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            if compiling() or self.backward_depth or threading.get_ident() != self.session.recorder.main_ident:
                return original(tensors, *args, **kwargs)
            return self._run_backward(original, "backward", tensors, args, kwargs)

        torch.autograd.backward = backward
        original_grad = torch.autograd.grad

        @functools.wraps(original_grad)
        def grad(outputs: Any, *args: Any, **kwargs: Any) -> Any:
            if compiling() or self.backward_depth or threading.get_ident() != self.session.recorder.main_ident:
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

        torch.autograd.grad = grad

    def _run_backward(self, original: Any, name: str, tensors: Any, args: Any, kwargs: Any) -> Any:
        session = self.session
        if not (session.full or session.deep):
            return self._light_backward(original, tensors, args, kwargs)
        began = now()
        popped = session.pause()
        state: Any = None
        site: Site | None = None
        try:
            site = here(2)
            state = self._backward_begins(tensors, kwargs, site, popped, began)
        except Exception:
            session.recorder.failed()
        self.backward_depth += 1
        entered = now()
        session.watch(entered - began)
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
                self._backward_ended(state, site, failure, left - entered)
            except Exception:
                session.recorder.failed()
            del failure
            session.watch(now() - left)

    def _light_backward(self, original: Any, tensors: Any, args: Any, kwargs: Any) -> Any:
        """Most steps of a long run: times and the loss only."""
        session = self.session
        began = now()
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
                self._light_failure(tensors, error, kwargs)
            except Exception:
                session.recorder.failed()
            raise
        finally:
            left = now()
            self.backward_depth = 0
            session.backward_ns += left - entered
            session.backwards += 1
            session.watch(entered - began + LIGHT_NS)
            try:
                session.segment_ended()
                if not self.built:
                    self._step_done(left)
            except Exception:
                session.recorder.failed()

    def _light_failure(self, tensors: Any, error: BaseException, kwargs: dict[str, Any]) -> None:
        call = graph.begin(self.session, _first_tensor(tensors), here(2), False, bool(kwargs.get("retain_graph")))
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

        Optimizer.__init__ = __init__  # type: ignore[method-assign]
        self._wrap_clearing(Optimizer)
        self._wrap_clearing(torch.nn.Module)

    def _wrap_clearing(self, owner: Any) -> None:
        original = owner.zero_grad
        compiling = torch.compiler.is_compiling

        @functools.wraps(original)
        def zero_grad(target: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(target, *args, **kwargs)
            if not compiling():
                try:
                    self._cleared(target)
                except Exception:
                    self.session.recorder.failed()
            return result

        owner.zero_grad = zero_grad

    # ---- events

    def watch_of(self, optimizer: Optimizer, site: Site | None = None) -> OptimizerWatch:
        """The watch of an optimizer, made on first sight."""
        found = self.optimizers.get(id(optimizer))
        if found is None or found.ref() is not optimizer:
            found = self.optimizers[id(optimizer)] = OptimizerWatch(self.session, optimizer, str(self.built), site)
            self.built += 1
            found.describe()
        return found

    def _cleared(self, target: Any) -> None:
        if not self.session.full:
            return
        began = now()
        site = here(2)
        if isinstance(target, Optimizer):
            self.watch_of(target).cleared(site)
        else:
            for watch in self.optimizers.values():
                if (watch.kept or watch.written) and watch.sample and watch.grads() != watch.seen:
                    watch.cleared(site)
        self.session.watch(now() - began)

    def _backward_begins(self, tensors: Any, kwargs: dict[str, Any], site: Site | None, deep: bool, began: int) -> Any:
        session = self.session
        session.recorder.ensure_started()
        session.recorder.role = "training"
        self._forward_ends(began)
        loss = _first_tensor(tensors)
        before = [(watch, watch.backward_begins()) for watch in self.optimizers.values()]
        call = graph.begin(session, loss, site, deep, bool(kwargs.get("retain_graph") or kwargs.get("create_graph")))
        self._read_loss(tensors)
        return before, call

    def _forward_ends(self, at: int) -> None:
        session = self.session
        session.event(at)
        if session.forward_began:
            session.forward_ns += at - session.forward_began - session.forward_wait_ns
            session.forward_began = session.forward_wait_ns = 0

    def _read_loss(self, tensors: Any) -> None:
        loss = _first_tensor(tensors)
        if loss is None or loss.numel() != 1:
            self.session.loss = NAN
        elif loss.is_cpu:
            self.session.loss = values.item(loss)
        else:
            self.session.loss_later(loss)

    def _backward_ended(self, state: Any, site: Site | None, failure: BaseException | None, ns: int) -> None:
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
        session.segment_ended()
        if not self.built:
            self._step_done(now())  # no optimizer at all: each backward is a step of a hand-written update

    def _before_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        try:
            began = now()
            if id(optimizer) in self.stepping:
                self.stepping.clear()  # its last step raised
            self.stepping.append(id(optimizer))
            if len(self.stepping) > 1:
                return
            self.session.pause()
            self.session.in_optimizer = True
            if self.session.full:
                self.watch_of(optimizer).step_begins()
            self.step_began = now()
            self.session.watch(self.step_began - began)
        except Exception:
            self.session.recorder.failed()

    def _after_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        stop = False
        try:
            if self.stepping:
                self.stepping.pop()
            if self.stepping:
                return
            began = now()
            session = self.session
            session.pause()
            session.in_optimizer = False
            session.recorder.ensure_started()
            session.recorder.role = "training"
            session.optimizer_ns += began - self.step_began
            session.event(began)
            watch = self.watch_of(optimizer)
            site = here(1) if watch.steps < 3 or session.deep else None
            stop = self._turn(watch, began)
            watch.step_ended(site)
            if session.deep:
                session.resume()
            session.watch(now() - began)
        except Exception:
            self.session.recorder.failed()
        if stop:
            raise SystemExit(0)

    def _turn(self, watch: OptimizerWatch, at: int) -> bool:
        """Decide whether this optimizer step closes a turn of the loop. Returns True when the asked number of steps is reached.

        One optimizer closes the turns, the one that steps most often, of several equals the last in order.
        """
        counts = self.step_counts
        counts[watch.key] = counts.get(watch.key, 0) + 1
        if self.anchor is None:
            self.anchor = watch.key
        elif watch.key != self.anchor:
            ahead = counts[watch.key] - counts[self.anchor]
            if ahead > 1 or (ahead == 0 and counts[watch.key] == 1):
                self.anchor = watch.key
                if ahead == 0:
                    self.session.amend_step(at)
                    return False
        if watch.key != self.anchor:
            return False
        return self._step_done(at)

    def _step_done(self, at: int) -> bool:
        session = self.session
        session.step_done(at)
        steps = session.recorder.steps
        if steps == 1 or steps == 10 or steps % 100 == 0:
            for watch in self.optimizers.values():
                watch.describe()
                session.recorder.touch(watch.entry)
        return steps >= session.step_limit


def _first_tensor(tensors: Any) -> torch.Tensor | None:
    if isinstance(tensors, torch.Tensor):
        return tensors
    if isinstance(tensors, (list, tuple)) and tensors and isinstance(tensors[0], torch.Tensor):
        return tensors[0]
    return None
