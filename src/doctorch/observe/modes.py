"""In which mode models run, while they train and while they are looked at: Dropout and BatchNorm behave differently in each."""

from __future__ import annotations

import functools
import weakref
from typing import Any

import torch
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd

from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site, here
from doctorch.observe.norms import Norms
from doctorch.observe.session import Session
from doctorch.observe.wrap import put

MAX_DEPENDENT = 200
"""Modules asked for their mode at each followed call."""
SEEN_STEPS = 60
"""Followed steps between which a model's list of such modules is not made anew."""


class _Model:
    """What is known of one model."""

    __slots__ = ("module", "entry", "dependent", "trains", "asked")

    def __init__(self, module: torch.nn.Module, entry: Any) -> None:
        self.module = weakref.ref(module)
        self.entry = entry
        self.dependent: list[weakref.ref[Any]] = []
        self.trains = False
        self.asked = -SEEN_STEPS


class ModeWatcher(Watcher):
    """Counts, per model, the calls in each mode that led to a step and those without gradients."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.models: dict[int, _Model] = {}
        self.pending: list[tuple[_Model, bool, bool]] = []
        """Calls with gradients on since the last backward: the model, whether it and all of its modules stood in eval mode, whether some
        did. Modules in eval mode below a model in training mode are frozen on purpose."""
        self.switched: dict[int, tuple[weakref.ref[Any], Site | None, bool]] = {}
        self.built: dict[int, tuple[weakref.ref[Any], Site | None]] = {}
        self.last_pass_step = -1
        self.norms = Norms(session, self.built)

    def install(self) -> None:
        self.norms.install()
        events = self.session.events
        events.root_call.append(self._called)
        events.backward_ended.append(self._trained)
        self._wrap_train()
        for cls in (_DropoutNd, _BatchNorm):
            self._wrap_init(cls)

    def reset(self) -> None:
        self.models.clear()
        self.pending.clear()
        self.last_pass_step = -1
        self.norms.reset()

    # ---- where modules are built and switched

    def _wrap_init(self, cls: Any) -> None:
        original = cls.__init__

        @functools.wraps(original)
        def __init__(module: Any, *args: Any, **kwargs: Any) -> None:
            original(module, *args, **kwargs)
            try:
                if len(self.built) < 5000:
                    self.built[id(module)] = (weakref.ref(module), here(1))
            except Exception:
                self.session.recorder.failed()

        put(cls, "__init__", __init__)

    def _wrap_train(self) -> None:
        original = torch.nn.Module.train
        depth = [0]

        @functools.wraps(original)
        def train(module: Any, mode: bool = True) -> Any:
            if depth[0] or torch.compiler.is_compiling():
                return original(module, mode)
            depth[0] = 1
            try:
                result = original(module, mode)
            finally:
                depth[0] = 0
            try:
                self._note_switch(module, here(1), bool(mode))
            except Exception:
                self.session.recorder.failed()
            return result

        put(torch.nn.Module, "train", train)

    def _note_switch(self, module: Any, site: Site | None, mode: bool) -> None:
        known = self.switched.get(id(module))
        if known is not None and known[0]() is module and not known[2] and not mode and site is not None and site.package is not None:
            return  # a package evaluates a model that the script itself had put in eval mode before
        if len(self.switched) < 5000:
            self.switched[id(module)] = (weakref.ref(module), site, mode)

    # ---- calls

    def _model(self, module: torch.nn.Module) -> _Model | None:
        model = self.models.get(id(module))
        session = self.session
        if model is None or model.module() is not module:
            root = session.roots.get(id(module))
            if root is None or root.entry is None:
                return None
            entry = session.recorder.fact("mode", root.entry.key, None, _first)
            model = self.models[id(module)] = _Model(module, entry)
        if session.recorder.steps - model.asked >= SEEN_STEPS:
            model.asked = session.recorder.steps
            self._look(model, module)
        return model

    def _look(self, model: _Model, module: torch.nn.Module) -> None:
        found = [part for part in module.modules() if _depends(part)][:MAX_DEPENDENT]
        model.dependent = [weakref.ref(part) for part in found]
        kinds: dict[str, int] = {}
        for part in found:
            kinds[type(part).__name__] = kinds.get(type(part).__name__, 0) + 1
            if isinstance(part, _DropoutNd):
                self._dropout(model, part)
        model.entry.data.update(dependent=len(found), kinds=kinds, dropouts=sum(isinstance(part, _DropoutNd) for part in found))

    def _dropout(self, model: _Model, part: Any) -> None:
        known = self.built.get(id(part))
        site = known[1] if known is not None and known[0]() is part else None
        recorder = self.session.recorder
        key = f"{site.key if site else '?'}/{part.p:g}"
        entry = recorder.fact("dropout", key, site, lambda: {"p": float(part.p), "cls": type(part).__name__, "modules": 0})
        entry.data["modules"] = max(1, entry.data["modules"])
        entry.data["name"] = self.session.name_of(part)
        recorder.touch(entry)

    def _called(self, module: Any, args: Any, kwargs: Any) -> None:
        model = self._model(module)
        if model is None or not model.dependent:
            return
        modes = [part.training for ref in model.dependent if (part := ref()) is not None]
        some_train, all_train = any(modes), all(modes)
        if self.session.grad_at_call:
            if len(self.pending) < 1000:
                self.pending.append((model, not some_train and not module.training, not all_train))
            return
        data = model.entry.data
        steps = self.session.recorder.steps
        data["passes"] += 1
        if some_train:
            data["passes_train"] += 1
            norms = [ref() for ref in model.dependent]
            data["pass_dropout"] += any(isinstance(part, _DropoutNd) and part.training for part in norms)
            data["pass_norm"] += any(isinstance(part, _BatchNorm) and part.training for part in norms)
        if data["last_pass_step"] != steps:
            data["pass_blocks"] += 1
            data["pass_blocks_train"] += some_train
            data["last_pass_step"] = steps
        site = here(2)
        if site is not None and (some_train or data["pass_site"] is None):
            data["pass_site"] = site.as_data
        self.session.recorder.touch(model.entry)

    def _trained(self, loss: Any, site: Site | None, failure: Any) -> None:
        session = self.session
        done: set[int] = set()
        for model, all_eval, some_eval in self.pending:
            module = model.module()
            if module is None or id(model) in done:
                continue
            done.add(id(model))
            model.trains = model.trains or self._is_trained(module)
            if not model.trains:
                continue
            data = model.entry.data
            data["stepping"] += 1
            data["stepping_eval"] += all_eval
            data["stepping_part"] += some_eval and not all_eval
            if all_eval and data["first_eval_step"] is None:
                data["first_eval_step"] = session.recorder.steps
            data["stepping_since"] += data["first_eval_step"] is not None
            data["last_eval"] = all_eval
            if all_eval:
                self._name_switch(model, module)
            session.recorder.touch(model.entry)
        self.pending.clear()

    def _is_trained(self, module: torch.nn.Module) -> bool:
        table = self.session.params.by_id
        for parameter in module.parameters():
            known = table.get(id(parameter))
            if known is not None and known.optimizer is not None and parameter.requires_grad:
                return True
        return False

    def _name_switch(self, model: _Model, module: torch.nn.Module) -> None:
        data = model.entry.data
        found = self.switched.get(id(module))
        if found is None or found[0]() is not module:
            # A part or a wrapper of it was switched: the last call that left something in eval mode.
            found = next((one for one in reversed(list(self.switched.values())) if not one[2] and one[0]() is not None), None)
        if found is not None and not found[2] and found[1] is not None:
            data["eval_site"] = found[1].as_data


def _depends(part: torch.nn.Module) -> bool:
    """Whether the module does something else in eval mode than in training mode."""
    if isinstance(part, _DropoutNd):
        return part.p > 0
    if isinstance(part, _BatchNorm):
        return part.track_running_stats
    return isinstance(part, (torch.nn.RNNBase, torch.nn.MultiheadAttention)) and float(part.dropout) > 0


def _first() -> dict[str, Any]:
    counts: tuple[str, ...] = (
        "dependent",
        "dropouts",
        "stepping",
        "stepping_eval",
        "stepping_part",
        "passes",
        "passes_train",
        "pass_dropout",
        "pass_norm",
    )
    counts += ("pass_blocks", "pass_blocks_train", "stepping_since")
    empty = ("first_eval_step", "last_eval", "eval_site", "pass_site", "last_pass_step")
    return {**dict.fromkeys(counts, 0), **dict.fromkeys(empty), "kinds": {}}
