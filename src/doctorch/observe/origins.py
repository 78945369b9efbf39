"""Where parameters were made and last filled: the user's lines that built and initialised them, up to the first backward."""

from __future__ import annotations

import functools
import sys
import weakref
from types import FrameType
from typing import Any

import torch

from doctorch.observe import lines
from doctorch.observe.lines import Site, here
from doctorch.observe.session import Session
from doctorch.observe.wrap import put

FILLS = ("zero_", "fill_", "normal_", "uniform_", "copy_", "mul_")
"""Methods through which all of ``torch.nn.init`` and nearly every hand-written initialisation go. Watched until the first backward only:
training loops call them too."""
ARGUMENTS = {"zero_": (), "fill_": ("value",), "normal_": ("mean", "std"), "uniform_": ("from", "to"), "copy_": (), "mul_": ("other",)}
NUMBERS = frozenset(("value", "val", "mean", "std", "from", "to", "a", "b", "gain", "other"))
MAX_ORIGINS = 20_000
_INIT = torch.nn.init.__file__


class Origin:
    """What is known of the making of one storage."""

    __slots__ = ("ref", "built", "fill", "fill_site", "own", "numbers", "cls", "attribute")

    def __init__(self, ref: weakref.ref[Any]) -> None:
        self.ref = ref
        self.built: Site | None = None
        """The line that registered the parameter: builds the layer, or assigns the Parameter."""
        self.cls: str | None = None
        self.attribute: str | None = None
        self.fill: str | None = None
        """The last function that filled it: of ``torch.nn.init``, else the tensor's method."""
        self.fill_site: Site | None = None
        self.own = False
        """The user's code called it, not a layer's own initialisation."""
        self.numbers: dict[str, float] = {}
        """Numbers that it was given, by the names of its arguments."""

    def as_data(self) -> dict[str, Any]:
        """For a fact."""
        return {
            "built_site": self.built.as_data if self.built is not None else None,
            "fill": self.fill,
            "fill_site": self.fill_site.as_data if self.fill_site is not None else None,
            "fill_own": self.own,
            "fill_numbers": dict(self.numbers),
            "attribute": self.attribute,
            "cls": self.cls,
        }


class Origins:
    """Watches the filling of tensors until the first backward, and the registration of parameters throughout."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.by_storage: dict[int, Origin] = {}
        self.by_param: dict[int, tuple[weakref.ref[torch.Tensor], Origin]] = {}
        self.originals: dict[str, Any] = {}

    def install(self) -> None:
        """Put the wrappers in place. Called once."""
        for name in FILLS:
            self._wrap_fill(name)
        self._wrap_register()

    def origin_of(self, tensor: torch.Tensor) -> Origin | None:
        """The origin of a parameter, None where it is not known."""
        known = self.by_param.get(id(tensor))
        if known is not None and known[0]() is tensor:
            return known[1]
        found = self.by_storage.get(_storage_key(tensor))
        return found if found is not None and found.ref() is not None else None

    # ---- filling

    def _wrap_fill(self, name: str) -> None:
        original = getattr(torch.Tensor, name)
        compiling = torch.compiler.is_compiling

        @functools.wraps(original)
        def fill(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(tensor, *args, **kwargs)
            if not compiling():
                try:
                    self._filled(name, tensor, args, kwargs, sys._getframe(1))
                except Exception:
                    self.session.recorder.failed()
            return result

        fill.__module__ = None  # type: ignore[assignment]
        self.originals[name] = fill
        put(torch.Tensor, name, fill)

    def _filled(self, name: str, tensor: Any, args: Any, kwargs: Any, caller: FrameType | None) -> None:
        if not isinstance(tensor, torch.Tensor) or tensor.numel() < 2 or not tensor.dtype.is_floating_point:
            return
        origin = self._origin(tensor)
        if origin is None:
            return
        function, frame, inner = name, caller, None
        while frame is not None and frame.f_code.co_filename == _INIT:
            function, inner = frame.f_code.co_name, frame
            frame = frame.f_back
        user = lines.user_frame(frame)
        if user is None or (name == "mul_" and inner is None and frame is not user):
            return
        origin.fill = function
        origin.fill_site = lines.site_of(user)
        origin.own = frame is user
        given = inner.f_locals if inner is not None else {**dict(zip(ARGUMENTS[name], args, strict=False)), **kwargs}
        origin.numbers = {key: float(value) for key, value in given.items() if type(value) in (int, float) and key in NUMBERS}

    def _origin(self, tensor: torch.Tensor) -> Origin | None:
        try:
            storage = tensor.untyped_storage()
        except (RuntimeError, NotImplementedError):
            return None
        key = int(storage._cdata)
        found = self.by_storage.get(key)
        if found is None or found.ref() is None:
            if len(self.by_storage) >= MAX_ORIGINS:
                self.by_storage = {k: one for k, one in self.by_storage.items() if one.ref() is not None}
                if len(self.by_storage) >= MAX_ORIGINS:
                    return None
            found = self.by_storage[key] = Origin(weakref.ref(storage))
        return found

    def training_begins(self) -> None:
        """What fills tensors from now on is no initialisation."""
        if self.originals:
            for name, wrapper in self.originals.items():
                if torch.Tensor.__dict__.get(name) is wrapper:
                    delattr(torch.Tensor, name)
            self.originals.clear()

    # ---- registration

    def _wrap_register(self) -> None:
        original = torch.nn.Module.register_parameter
        compiling = torch.compiler.is_compiling

        @functools.wraps(original)
        def register_parameter(module: Any, name: str, param: Any) -> None:
            original(module, name, param)
            if param is not None and not compiling():
                try:
                    self._registered(module, name, param)
                except Exception:
                    self.session.recorder.failed()

        put(torch.nn.Module, "register_parameter", register_parameter)

    def _registered(self, module: torch.nn.Module, name: str, param: torch.Tensor) -> None:
        if id(param) in self.by_param and self.by_param[id(param)][0]() is param:
            return
        origin = self._origin(param)
        if origin is None or len(self.by_param) >= MAX_ORIGINS:
            return
        origin.built = here(2)
        origin.attribute = name
        origin.cls = type(module).__name__
        self.by_param[id(param)] = (weakref.ref(param), origin)


def _storage_key(tensor: torch.Tensor) -> int:
    try:
        return int(tensor.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError):
        return 0
