"""Functions that take indices and do not go through an operator that names them: one_hot, bincount, and CTC, which checks nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from threading import get_ident
from typing import Any

import torch
import torch.nn.functional as F

from doctorch.observe import indices, values
from doctorch.observe.events import Watcher
from doctorch.observe.lines import here
from doctorch.observe.wrap import put

MAX_ELEMENTS = 100_000
LARGEST = 2**62
"""No bound above: bincount makes room for any index."""
CTC = ("log_probs", "targets", "input_lengths", "target_lengths", "blank")


class TableWatcher(Watcher):
    """Wraps the three functions. Good calls of the first two cost nothing but the wrapper."""

    def install(self) -> None:
        self._wrap(F, "one_hot", None, self._one_hot)
        self._wrap(torch, "bincount", None, self._bincount)
        self._wrap(F, "ctc_loss", self._ctc, None)

    def _wrap(self, owner: Any, name: str, before: Callable[..., None] | None, failed: Callable[..., None] | None) -> None:
        original = getattr(owner, name)
        compiling = torch.compiler.is_compiling
        session = self.session

        def tell(handler: Callable[..., None], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            try:
                handler(args, kwargs)
            except Exception:
                session.recorder.failed()

        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            if compiling():
                return original(*args, **kwargs)
            if before is not None and (session.full or session.deep) and get_ident() == session.thread:
                tell(before, args, kwargs)
            try:
                return original(*args, **kwargs)
            except RuntimeError:
                if failed is not None and get_ident() == session.thread:
                    tell(failed, args, kwargs)
                raise

        # torch.jit.script compiles the source of what it finds: it shall find torch's own function.
        setattr(call, "__prepare_scriptable__", lambda: original)  # noqa: B010
        put(owner, name, call)

    def _one_hot(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        index = args[0] if args else kwargs.get("tensor", kwargs.get("input"))
        classes = args[1] if len(args) > 1 else kwargs.get("num_classes", -1)
        if isinstance(index, torch.Tensor) and index.dtype in indices.INTEGERS:
            indices.report(self.session.recorder, "one_hot", index, classes if classes > 0 else LARGEST, site=here(3))

    def _bincount(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        index = args[0] if args else kwargs.get("input")
        if isinstance(index, torch.Tensor) and index.ndim == 1 and index.dtype in indices.INTEGERS:
            indices.report(self.session.recorder, "bincount", index, LARGEST, site=here(3))

    def _ctc(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        bound = dict(zip(CTC, args, strict=False), **kwargs)
        scores, targets, lengths = bound.get("log_probs"), bound.get("targets"), bound.get("target_lengths")
        if not isinstance(scores, torch.Tensor) or not isinstance(targets, torch.Tensor) or targets.dtype not in indices.INTEGERS:
            return
        if not targets.is_cpu or not values.readable(targets) or not 0 < targets.numel() <= MAX_ELEMENTS:
            return
        blank, classes = int(bound.get("blank", 0)), scores.shape[-1]
        lengths = lengths.tolist() if isinstance(lengths, torch.Tensor) and lengths.is_cpu else lengths
        with torch.no_grad():
            real = targets.detach().long()
            if real.ndim == 2:
                if not isinstance(lengths, (list, tuple)) or len(lengths) != len(real):
                    return
                beyond = torch.arange(real.shape[1])[None, :] >= torch.tensor(lengths)[:, None]
                real = real.masked_fill(beyond, 1 if blank == 0 else 0)  # what fills up the rows is never looked at
            blanks = bool((real == blank).any())
            if not blanks and int(real.min()) >= 0 and int(real.max()) < classes:
                return
            # A blank is told as an index outside: below the first where it is 0.
            lowest = 1 if blank == 0 and blanks else 0
            extra = {"blank": blank, "input_shape": list(scores.shape)} if blanks else {"input_shape": list(scores.shape)}
            size = blank if blanks and blank == classes - 1 else classes
            indices.report(self.session.recorder, "ctc_loss", real, size, lowest=lowest, raised=False, site=here(3), extra=extra)
