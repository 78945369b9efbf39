"""Calls of modules from outside any other module: the models of the run, their mode, and where they are called."""

from __future__ import annotations

import functools
import weakref
from threading import get_ident
from typing import Any

import torch

from doctorch.observe.events import fire
from doctorch.observe.lines import Site, here, place
from doctorch.observe.params import class_site
from doctorch.observe.session import Session
from doctorch.observe.wrap import put

NS_PER_NESTED_CALL = 160
"""What the thin wrapper adds to a call inside another module (measured; notes of the overhead benchmark)."""
MAX_ROOTS = 200


class Root:
    """A module called from outside any other."""

    __slots__ = ("module", "entry", "calls", "train_calls", "nograd_calls", "train_grad_calls", "site", "size", "has_params")

    def __init__(self, module: torch.nn.Module) -> None:
        self.module = weakref.ref(module)
        self.entry: Any = None
        self.calls = self.train_calls = self.nograd_calls = self.train_grad_calls = 0
        self.site: Site | None = None
        self.size = 1
        self.has_params = False


class ModuleObserver:
    """A thin wrap of ``Module.__call__``; nested calls pass through at once."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.depth = 0
        self.loaded: set[int] = set()
        self.number = 0
        session.recorder.writer.providers.append(self._publish)

    def install(self) -> None:
        """Replace ``Module.__call__`` and watch ``load_state_dict``."""
        original: Any = torch.nn.Module.__call__
        compiling = torch.compiler.is_compiling
        session = self.session
        tracing = torch._C._get_tracing_state
        events = session.events

        @functools.wraps(original)
        def __call__(module: Any, *args: Any, **kwargs: Any) -> Any:
            if compiling():
                return original(module, *args, **kwargs)
            if session.light:
                if not session.forward_began and not session.in_loader and get_ident() == session.thread:
                    session.forward()
                    if not torch.is_grad_enabled() and session.recorder.steps >= session.next_look:
                        session.look_at_pass()
                        return __call__(module, *args, **kwargs)
                return original(module, *args, **kwargs)
            if self.depth or session.in_loader or get_ident() != session.thread or tracing() is not None:
                if session.pushed and self.depth and (events.module_call or events.module_return) and get_ident() == session.thread:
                    return self._deep_call(original, module, args, kwargs)
                return original(module, *args, **kwargs)
            self.depth = 1
            try:
                self._enter(module)
            except Exception:
                session.recorder.failed()
            try:
                return self._root_call(original, module, args, kwargs)
            finally:
                self.depth = 0
                if session.module_stack:
                    session.module_stack.clear()

        put(torch.nn.Module, "__call__", __call__)
        self._wrap_load()

    def _root_call(self, original: Any, module: torch.nn.Module, args: Any, kwargs: Any) -> Any:
        session = self.session
        events = session.events
        if events.root_call:
            session.grad_at_call = torch.is_grad_enabled()
            fire(session, events.root_call, module, args, kwargs)
        if session.pushed:
            result = self._deep_call(original, module, args, kwargs)
        else:
            result = original(module, *args, **kwargs)
        if events.root_return:
            fire(session, events.root_return, module, args, kwargs, result)
        return result

    def _deep_call(self, original: Any, module: torch.nn.Module, args: Any, kwargs: Any) -> Any:
        session = self.session
        events = session.events
        session.module_stack.append(module)
        if events.module_call:
            fire(session, events.module_call, module, args, kwargs)
        try:
            result = original(module, *args, **kwargs)
            if session.pushed and events.module_return:
                fire(session, events.module_return, module, args, kwargs, result)
            return result
        finally:
            if session.module_stack and session.module_stack[-1] is module:
                session.module_stack.pop()

    def _wrap_load(self) -> None:
        original = torch.nn.Module.load_state_dict

        @functools.wraps(original)
        def load_state_dict(module: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(module, *args, **kwargs)
            try:
                self.loaded.update(id(m) for m in module.modules())
                if self.session.events.loaded:
                    fire(self.session, self.session.events.loaded, module)
            except Exception:
                self.session.recorder.failed()
            return result

        put(torch.nn.Module, "load_state_dict", load_state_dict)

    def _enter(self, module: torch.nn.Module) -> None:
        session = self.session
        root = session.roots.get(id(module))
        if root is None or root.module() is not module:
            root = self._new_root(module)
        if not root.has_params:
            return
        session.forward()
        grad = torch.is_grad_enabled()
        root.calls += 1
        if module.training:
            root.train_calls += 1
            if grad:
                root.train_grad_calls += 1
        if not grad:
            root.nograd_calls += 1
        session.watch(root.size * NS_PER_NESTED_CALL)
        if session.pushed:
            session.count_call()
        if session.deep or root.calls < 3:
            root.site = here(2) or root.site
            if session.deep and not session.pushed and (grad or session.backwards):
                session.resume()

    def _new_root(self, module: torch.nn.Module) -> Root:
        root = self.session.roots[id(module)] = Root(module)
        root.has_params = any(True for _ in module.parameters())
        if not root.has_params or self.number >= MAX_ROOTS:
            root.has_params = root.has_params and self.number < MAX_ROOTS
            return root
        key = str(self.number)
        self.number += 1
        cls = type(module)
        own = class_site(cls)
        recorder = self.session.recorder
        root.size = sum(1 for _ in module.modules())
        site = None
        if own is not None:
            site = place(own["file"], own["line"], cls.__name__)
        root.entry = recorder.fact("module", key, site, lambda: _first(module))
        if self.loaded:  # asked now: it may be gone when the counters are written
            root.entry.data["loaded"] = any(id(m) in self.loaded for m in module.modules())
        for part in module.modules():
            found = class_site(type(part))
            if found is not None:
                root.entry.data["class_sites"][type(part).__qualname__] = found
        self.session.params.register_root(module, key)
        return root

    def _publish(self) -> None:
        """On the writer thread: bring the counters into the facts."""
        for root in list(self.session.roots.values()):
            entry = root.entry
            if entry is None or entry.data["calls"] == root.calls:
                continue
            entry.data.update(
                calls=root.calls,
                train_calls=root.train_calls,
                nograd_calls=root.nograd_calls,
                train_grad_calls=root.train_grad_calls,
                call_site=root.site.as_data if root.site is not None else None,
            )
            module = root.module()
            if module is not None and self.loaded:
                entry.data["loaded"] = any(id(m) in self.loaded for m in module.modules())
            entry.count = root.calls
            self.session.recorder.touch(entry)


POSITIONS = ("max_position_embeddings", "n_positions", "max_sequence_length", "max_seq_len", "block_size")
"""Names under which models keep in their configuration for how many positions they have a table."""


def _positions(module: torch.nn.Module) -> dict[str, int]:
    config = getattr(getattr(module, "config", None), "__dict__", {})
    return {name: config[name] for name in POSITIONS if type(config.get(name)) is int}


def _first(module: torch.nn.Module) -> dict[str, Any]:
    tensors = list(module.parameters())
    return {
        "cls": type(module).__name__,
        "qualname": f"{type(module).__module__}.{type(module).__qualname__}",
        "call_site": None,
        "calls": 0,
        "train_calls": 0,
        "nograd_calls": 0,
        "train_grad_calls": 0,
        "n_params": len(tensors),
        "numel": sum(p.numel() for p in tensors),
        "n_trainable": sum(p.requires_grad for p in tensors),
        "loaded": False,
        # Models of transformers are filled without load_state_dict.
        "pretrained": bool(getattr(getattr(module, "config", None), "_name_or_path", "")),
        "class_sites": {},
        "positions": _positions(module),
    }
