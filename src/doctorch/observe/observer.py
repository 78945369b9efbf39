"""All observers of a process, put together; and what happens to them at a fork and at the end."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from threading import get_ident
from typing import Any

import torch

from doctorch.observe import exits, last_exception, lines, values
from doctorch.observe.attention import AttentionWatcher
from doctorch.observe.carried import CarriedWatcher
from doctorch.observe.checkpoints import CheckpointWatcher
from doctorch.observe.dropouts import FunctionalDropouts
from doctorch.observe.evaluations import EvaluationWatcher
from doctorch.observe.events import Watcher
from doctorch.observe.functions import InplaceWatcher
from doctorch.observe.halves import HalfWatcher
from doctorch.observe.indices import copied
from doctorch.observe.inputs import InputWatcher
from doctorch.observe.layers import LayerWatcher
from doctorch.observe.lines import here
from doctorch.observe.loaders import LoaderObserver
from doctorch.observe.loads import LoadWatcher
from doctorch.observe.loss_terms import LossTerms
from doctorch.observe.loss_values import LossValues
from doctorch.observe.losses import LossObserver
from doctorch.observe.modes import ModeWatcher
from doctorch.observe.modules import ModuleObserver
from doctorch.observe.recorder import Recorder, set_current
from doctorch.observe.repeats import RepeatWatcher
from doctorch.observe.reshapes import ReshapeWatcher
from doctorch.observe.session import Session
from doctorch.observe.shifts import ShiftWatcher
from doctorch.observe.softmaxes import Softmaxes
from doctorch.observe.states import StateWatcher
from doctorch.observe.tables import TableWatcher
from doctorch.observe.targets import TargetWatcher
from doctorch.observe.training import TrainingObserver
from doctorch.observe.turns import TurnWatcher
from doctorch.observe.updates import UpdateWatcher
from doctorch.observe.vocabularies import VocabularyWatcher
from doctorch.observe.wrap import hide_from_dynamo, put

WATCHERS: tuple[Callable[[Session], Watcher], ...] = (
    TurnWatcher,
    UpdateWatcher,
    LoadWatcher,
    ModeWatcher,
    FunctionalDropouts,
    ReshapeWatcher,
    EvaluationWatcher,
    HalfWatcher,
    CheckpointWatcher,
    StateWatcher,
    InplaceWatcher,
    CarriedWatcher,
    LossValues,
    LossTerms,
    Softmaxes,
    InputWatcher,
    TargetWatcher,
    LayerWatcher,
    VocabularyWatcher,
    ShiftWatcher,
    AttentionWatcher,
    TableWatcher,
    RepeatWatcher,
)
"""Observers that only listen to the session's events, each in a module of its own."""


class Observer:
    """The observation of one process."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.recorder = Recorder(settings)
        set_current(self.recorder)
        lines.configure(torch.__file__, self._saw_source, self._saw_package)
        meta = self.recorder.writer.meta
        meta["torch"] = str(torch.__version__)
        self.session = Session(self.recorder)
        self.training = TrainingObserver(self.session)
        self.modules = ModuleObserver(self.session)
        self.losses = LossObserver(self.session)
        self.loaders = LoaderObserver(self.session)
        self.files = exits.Files(self.session)
        self.watchers: list[Watcher] = [make(self.session) for make in WATCHERS]
        self.forked = False
        self._holds_lock = False
        self._hidden: list[bool] = []

    def _saw_source(self, path: str) -> None:
        self.recorder.writer.sources.append(path)

    def _saw_package(self, site: lines.Site) -> None:
        self.recorder.fact("package_call", site.key, site, lambda: {"package": site.package}).count += 1

    def install(self) -> None:
        """Put every wrapper in place."""
        self.recorder.ensure_started()
        self.recorder.writer.flush_now()  # a process that dies a moment later is known to have imported torch
        self.training.install()
        self.modules.install()
        self.losses.install()
        self.loaders.install()
        self.files.install()
        for watcher in self.watchers:
            watcher.install()
            self.recorder.writer.providers.append(watcher.publish)
        exits.hide_own_frames()
        self._wrap_copies()
        self._wrap_lists()
        self._wrap_compilers()
        os.register_at_fork(before=self._before_fork, after_in_parent=self._after_fork_in_parent, after_in_child=self._after_fork_in_child)

    # ---- copies between host and device

    def _wrap_copies(self) -> None:
        for name in ("to", "cuda"):
            self._wrap_copy(name)

    def _wrap_copy(self, name: str) -> None:
        original = getattr(torch.Tensor, name)
        compiling = torch.compiler.is_compiling
        recorder = self.recorder

        @functools.wraps(original)
        def copy(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(tensor, *args, **kwargs)
            if result is tensor or compiling():
                return result
            try:
                if result.device.type != tensor.device.type and get_ident() == self.session.thread:
                    self._copied(tensor, result)
            except Exception:
                recorder.failed()
            return result

        if not hasattr(original, "__module__"):  # a method of a C type
            copy.__module__ = None  # type: ignore[assignment]
        setattr(torch.Tensor, name, copy)

    def _copied(self, source: torch.Tensor, result: torch.Tensor) -> None:
        if result.device.type == "meta" or source.device.type == "meta":
            return
        direction = "h2d" if source.device.type == "cpu" else "d2h"
        site = here(2)
        entry = self.recorder.fact(
            "copy",
            f"{direction}@{site.key if site else '?'}",
            site,
            lambda: {"direction": direction, "count": 0, "bytes": 0, "device": str(result.device)},
        )
        entry.count += 1
        entry.data["count"] += 1
        entry.data["bytes"] += source.numel() * source.element_size()
        self.recorder.touch(entry)
        if direction == "h2d":
            copied(source, result)
            self.session.batches.moved(source, result)

    # ---- values that leave torch unseen by a dispatch mode

    def _wrap_lists(self) -> None:
        original = torch.Tensor.tolist
        session = self.session

        @functools.wraps(original)
        def tolist(tensor: Any) -> Any:
            if session.pushed and tensor.requires_grad and not session.in_optimizer and get_ident() == session.thread:
                try:
                    session.tape.leaves("tolist", tensor, sys._getframe(1))
                except Exception:
                    session.recorder.failed()
            return original(tensor)

        tolist.__module__ = None  # type: ignore[assignment]
        put(torch.Tensor, "tolist", tolist)

    # ---- what a dispatch mode would disturb

    def _wrap_compilers(self) -> None:
        self._note_use(torch, "compile", "torch.compile")
        self._note_use(torch.nn.Module, "compile", "torch.compile")
        self._note_use(torch.jit, "trace", "torch.jit.trace")
        self._note_use(torch.jit, "script", "torch.jit.script")
        self._note_use(torch.jit, "load", "torch.jit.load")
        self._note_use(torch.cuda.CUDAGraph, "capture_begin", "CUDA graphs")

    def _note_use(self, owner: Any, name: str, what: str) -> None:
        original = getattr(owner, name, None)
        if original is None:
            return
        session = self.session
        hidden = self._hidden

        @functools.wraps(original)
        def use(*args: Any, **kwargs: Any) -> Any:
            if not torch.compiler.is_compiling():
                try:
                    if here(1) is not None:
                        session.no_deep(what)
                    if what == "torch.compile" and not hidden:
                        hidden.append(True)
                        hide_from_dynamo()
                except Exception:
                    session.recorder.failed()
            return original(*args, **kwargs)

        try:
            setattr(owner, name, use)
        except (AttributeError, TypeError):
            return

    # ---- forks

    def _before_fork(self) -> None:
        self._holds_lock = self.recorder.writer.lock.acquire(timeout=2.0)

    def _after_fork_in_parent(self) -> None:
        if self._holds_lock:
            self._holds_lock = False
            self.recorder.writer.lock.release()

    def _after_fork_in_child(self) -> None:
        """A fresh recorder; the parent's connection is dropped without closing it, which would disturb the parent's file."""
        if self.session.probing:
            self._become_copy()
            return
        old = self.recorder
        _dropped.append(old.writer._connection)
        old.writer._connection = None
        old.finished = True
        pushed = self.session.pushed
        if pushed:
            self.session.pause()
        recorder = Recorder(self.settings)
        recorder.writer.meta["torch"] = old.writer.meta.get("torch")
        recorder.writer.meta["forked_from"] = os.getppid()
        self._rebind(recorder)
        self.forked = True

    def _become_copy(self) -> None:
        """A copy for an experiment: everything is known as before, nothing is written."""
        recorder = self.recorder
        _dropped.append(recorder.writer._connection)
        recorder.writer._connection = None
        recorder.writer.alive = False
        recorder.writer.providers.clear()
        recorder.finished = recorder.started = True
        self.loaders.sampler.usable = False
        self.session.pause()
        values._waiting.clear()
        self.forked = True

    def _rebind(self, recorder: Recorder) -> None:
        self.recorder = recorder
        set_current(recorder)
        session = self.session
        session.recorder = recorder
        fresh = Session(recorder, session.events)
        fresh.origins = session.origins
        for name, value in vars(fresh).items():
            setattr(session, name, value)
        recorder.writer.providers[-1] = session._release_rows
        session.tape.recorder = recorder
        self.training.optimizers = session.optimizers
        self.training.since_anchor.clear()
        self.training.stepping.clear()
        self.training.anchor = None
        self.modules.depth = 0
        self.losses.entries.clear()
        self.modules.number = 0
        self.loaders.recorder = recorder
        self.loaders.watches = {}
        self.loaders.by_place = {}
        self.loaders.number = 0
        self.loaders.fetching = None
        self.loaders.sampler.armed = False
        self.loaders.sampler.recorder = recorder
        for watcher in self.watchers:
            watcher.reset()
        recorder.writer.providers += [self.training.publish, self.modules._publish, self.loaders._publish]
        recorder.writer.providers += [watcher.publish for watcher in self.watchers]
        values._waiting.clear()

    # ---- the end

    def at_exit(self) -> None:
        """The interpreter ends in an orderly way."""
        recorder = self.recorder
        if not recorder.started or recorder.finished:
            return
        try:
            self.session.deep_allowed = False
            self.session.pause()
            error = last_exception()
            if error is not None:
                exits.record_exception(self.session, error, error.__traceback__)
            values.settle(recorder, everything=True)
            self.session.release_all()
        except Exception:
            recorder.failed()
        recorder.finish("exception" if last_exception() is not None else "return")
        lines.release()

    def before_exec(self) -> None:
        """The process is about to become another program, if that succeeds."""
        try:
            self.loaders.sampler.disarm()
            self.session.release_all()
            self.recorder.writer.flush_now()
        except Exception:
            self.recorder.failed()

    def hard_exit(self) -> None:
        """``os._exit`` was called: write what is pending."""
        recorder = self.recorder
        if recorder.started and not recorder.finished:
            try:
                self.session.release_all()
            except Exception:
                recorder.failed()
            recorder.finish("exit")


_dropped: list[Any] = []
"""Connections of the parent process, kept from being closed in a forked child."""
