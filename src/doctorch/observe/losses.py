"""Calls of loss functions and table look-ups: shapes on every call, values on a few."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections import Counter
from collections.abc import Callable
from threading import get_ident
from typing import Any

import torch
import torch.nn.functional as F

from doctorch.observe import graph, indices, values
from doctorch.observe.events import fire
from doctorch.observe.lines import Site, here
from doctorch.observe.session import Session
from doctorch.observe.wrap import put

LOSSES = (
    "cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "kl_div", "poisson_nll_loss", "gaussian_nll_loss", "soft_margin_loss",
    "hinge_embedding_loss", "margin_ranking_loss", "cosine_embedding_loss",
)  # fmt: skip
DIFFERENCES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
CLASSIFICATION = ("cross_entropy", "nll_loss")
TABLES = ("embedding", "embedding_bag")

FIRST_CHECKS = 3
"""Calls of a site whose values are read at once; afterwards those in deep segments and at powers of two."""
MAX_CHECK_ELEMENTS = 2_000_000
"""A larger input has only its first rows read."""
SUM_TOLERANCE = 1e-3
"""Rows of float32 softmax sum to one within 1e-6; of bfloat16 and half within 4e-3, see below."""
HALF_TOLERANCE = 1e-2


class LossObserver:
    """Wraps the functions of ``torch.nn.functional`` that losses and tables go through."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.inside = False
        self.entries: dict[tuple[str, Site | None], Any] = {}

    def install(self) -> None:
        """Replace the functions in their module; modules and users look them up there."""
        for name in LOSSES:
            self._wrap(name, self._loss_call, self._loss_failed)
        for name in TABLES:
            self._wrap(name, self._table_call, self._table_failed)

    def _wrap(self, name: str, observe: Callable[[str, Any, dict[str, Any]], None], failed: Callable[[str, dict[str, Any]], None]) -> None:
        original = getattr(F, name)
        compiling = torch.compiler.is_compiling
        names = tuple(inspect.signature(original).parameters)

        session = self.session
        tracing = torch._C._get_tracing_state
        differences = name in DIFFERENCES
        points = name in CLASSIFICATION or name in TABLES

        def report_failure(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            try:
                failed(name, dict(zip(names, args, strict=False), **kwargs))
            except Exception:
                session.recorder.failed()

        @functools.wraps(original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if compiling():
                return original(*args, **kwargs)
            if session.light and not differences and not (points and on_device(args, kwargs)):
                try:
                    return original(*args, **kwargs)
                except (IndexError, RuntimeError):
                    if get_ident() == session.thread:
                        report_failure(args, kwargs)
                    raise
            if self.inside or get_ident() != session.thread or tracing() is not None:
                return original(*args, **kwargs)
            self.inside = True  # cross_entropy may be written in terms of nll_loss
            try:
                if not session.forward_began:
                    session.forward()
                if session.full or session.deep or on_device(args, kwargs):
                    try:
                        bound = dict(zip(names, args, strict=False), **kwargs)
                        first = bound.get("input", bound.get("input1"))
                        if isinstance(first, torch.Tensor):
                            observe(name, first, bound)
                    except Exception:
                        session.recorder.failed()
                if differences and _will_warn(args):
                    put(F, "warnings", _Warnings())
                    try:
                        return self._returned(name, original(*args, **kwargs), names, args, kwargs)
                    finally:
                        put(F, "warnings", warnings)
                return self._returned(name, original(*args, **kwargs), names, args, kwargs)
            except (IndexError, RuntimeError):
                report_failure(args, kwargs)
                raise
            finally:
                self.inside = False

        # torch.jit.script compiles the source of what it finds: it shall find torch's own function.
        # By setattr, since a class body would mangle these names.
        setattr(wrapper, "__prepare_scriptable__", lambda: original)  # noqa: B010
        setattr(wrapper, "__script_if_tracing_wrapper", True)
        setattr(wrapper, "__original_fn", original)
        put(F, name, wrapper)

    def _returned(self, name: str, result: Any, names: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        session = self.session
        if session.events.loss_return and name in LOSSES and (session.full or session.deep):
            fire(session, session.events.loss_return, name, result, dict(zip(names, args, strict=False), **kwargs), here(2))
        return result

    # ---- tables

    def _table_call(self, name: str, _: torch.Tensor, bound: dict[str, Any]) -> None:
        index, weight = _table(bound)
        if index is None or weight is None or index.device.type in ("cpu", "meta"):
            return
        extra = self._table_extra(weight)
        indices.before_device_operator(self.session.recorder, name, index, weight.shape[0], self.session.deep, extra=extra)

    def _table_failed(self, name: str, bound: dict[str, Any]) -> None:
        index, weight = _table(bound)
        if index is not None and weight is not None:
            indices.report(self.session.recorder, name, index, weight.shape[0], extra=self._table_extra(weight), site=here(2))

    def _table_extra(self, weight: torch.Tensor) -> dict[str, Any]:
        param = self.session.params.by_id.get(id(weight))
        name = param.name if param is not None and param.ref() is weight else None
        origin = self.session.origins.origin_of(weight) if self.session.origins is not None else None
        built = origin.built.as_data if origin is not None and origin.built is not None else None
        return {"module": name.rsplit(".", 1)[0] if name else None, "table_shape": list(weight.shape), "built_site": built}

    # ---- losses

    def _loss_call(self, name: str, value: torch.Tensor, bound: dict[str, Any]) -> None:
        session = self.session
        target = bound.get("target")
        if not isinstance(target, torch.Tensor):
            return
        site = here(2)
        recorder = session.recorder
        entry = self.entries.get((name, site))
        if entry is None:
            key = f"{name}@{site.key if site else '?'}"
            entry = self.entries[name, site] = recorder.fact("loss_call", key, site, lambda: self._first(name, value, target, bound))
        data = entry.data
        entry.count += 1
        data["count"] += 1
        training = value.requires_grad
        if training:
            data["train_count"] += 1
            data["input_requires_grad"] += 1
        elif torch.is_grad_enabled():
            data["grad_mode_count"] += 1
        if session.deep and not session.pushed:
            session.resume()
        if name not in CLASSIFICATION and value.shape != target.shape:
            self._shapes(data, value, target)
        number = data["count"]
        if number <= FIRST_CHECKS or session.deep or (number & (number - 1)) == 0:
            paused = session.pause()
            try:
                self._check(name, entry, value, target, site)
            finally:
                if paused:
                    session.resume()
        recorder.touch(entry)
        if session.events.loss_call and (session.full or session.deep):  # on a device other steps come here too
            fire(session, session.events.loss_call, name, value, bound, site, entry)
        if name in CLASSIFICATION and not target.dtype.is_floating_point and value.ndim and target.device.type not in ("cpu", "meta"):
            ignore = bound.get("ignore_index", -100)
            indices.before_device_operator(recorder, name, target, _classes(value), session.deep, ignore=ignore)

    def _first(self, name: str, value: torch.Tensor, target: torch.Tensor, bound: dict[str, Any]) -> dict[str, Any]:
        classes = None
        if name in CLASSIFICATION and value.ndim:
            classes = _classes(value)
        zeros = (
            "count",
            "train_count",
            "input_requires_grad",
            "grad_mode_count",
            "broadcast",
            "checked",
            "rows",
            "rows_sum_one",
            "softmax",
        )
        return {
            "function": name,
            **dict.fromkeys(zeros, 0),
            "input_shape": list(value.shape),
            "target_shape": list(target.shape),
            "input_dtype": str(value.dtype).removeprefix("torch."),
            "target_dtype": str(target.dtype).removeprefix("torch."),
            "reduction": bound.get("reduction", "mean"),
            "n_classes": classes,
            "ignore_index": bound.get("ignore_index", -100) if name in CLASSIFICATION else None,
            "label_smoothing": bound.get("label_smoothing", 0.0) if name == "cross_entropy" else None,
            "weighted": bound.get("weight") is not None,
            "broadcast_example": None,
            "softmax_kind": None,
            "softmax_site": None,
            "label_counts": {},
        }

    def _shapes(self, data: dict[str, Any], value: torch.Tensor, target: torch.Tensor) -> None:
        try:
            result = torch.broadcast_shapes(value.shape, target.shape)  # type: ignore[no-untyped-call]
        except RuntimeError:
            return  # the loss raises by itself
        numel = 1
        for n in result:
            numel *= n
        if numel > max(value.numel(), target.numel()):
            data["broadcast"] += 1
            data["broadcast_example"] = [list(value.shape), list(target.shape), list(result)]

    def _check(self, name: str, entry: Any, value: torch.Tensor, target: torch.Tensor, site: Site | None) -> None:
        data = entry.data
        behind = graph.softmax_behind(value)
        if behind is not None:
            data["softmax"] += 1
            data["softmax_kind"] = behind[0]
            where = self.session.tape.line_of_seq.get(behind[1])
            if where is not None:
                data["softmax_site"] = where.as_data
        if data["count"] == 1:
            data["input_shape"], data["target_shape"] = list(value.shape), list(target.shape)
        if not (values.readable(value) and values.readable(target)):
            return
        if value.layout is not torch.strided or not value.is_floating_point() or not value.numel() or not value.ndim:
            return
        with torch.no_grad():
            if name in CLASSIFICATION:
                self._check_rows(entry, value.detach())
                if not target.dtype.is_floating_point:
                    self._count_labels(entry, target.detach())
            elif name.startswith("binary_cross_entropy"):
                self._count_binary(entry, target.detach())

    def _check_rows(self, entry: Any, value: torch.Tensor) -> None:
        dim = 1 if value.ndim > 1 else 0
        if value.numel() > MAX_CHECK_ELEMENTS and value.ndim > 1:
            value = value[: max(1, MAX_CHECK_ELEMENTS * value.shape[0] // value.numel())]
        tolerance = SUM_TOLERANCE if value.dtype in (torch.float32, torch.float64) else HALF_TOLERANCE
        sums = value.sum(dim, dtype=torch.float32)
        low, high = torch.aminmax(value)
        first, last = torch.aminmax(sums)
        data = entry.data
        data["checked"] += 1
        rows = sums.numel()
        if value.device.type == "cpu":
            good = ((sums - 1).abs() <= tolerance).sum() if float(values.item(low)) >= 0 else torch.zeros(())
        else:
            good = ((sums - 1).abs() <= tolerance).sum() * (low >= 0)

        def use(found: list[float]) -> None:
            data["rows"] += rows
            data["rows_sum_one"] += int(found[0])
            for name, number, pick in (
                ("input_min", found[1], min), ("input_max", found[2], max), ("row_sum_min", found[3], min), ("row_sum_max", found[4], max),
            ):  # fmt: skip
                data[name] = number if data.get(name) is None else pick(data[name], number)
            self.session.recorder.touch(entry)

        values.read_later(self.session.recorder, [good, low, high, first, last], use)

    def _count_labels(self, entry: Any, target: torch.Tensor) -> None:
        if target.device.type != "cpu" or not target.numel() or target.numel() > MAX_CHECK_ELEMENTS:
            return
        data = entry.data
        counts: Counter[str] = Counter(data["label_counts"])
        found, numbers = torch.unique(target, return_counts=True)
        for label, number in zip(found.tolist()[:1000], numbers.tolist()[:1000], strict=True):
            if len(counts) < 1000 or str(label) in counts:
                counts[str(label)] += number
        data["label_counts"] = dict(counts)
        low, high = int(found[0]), int(found[-1])
        data["label_min"] = low if data.get("label_min") is None else min(data["label_min"], low)
        data["label_max"] = high if data.get("label_max") is None else max(data["label_max"], high)

    def _count_binary(self, entry: Any, target: torch.Tensor) -> None:
        if target.device.type != "cpu" or not target.numel() or target.numel() > MAX_CHECK_ELEMENTS:
            return
        data = entry.data
        data["target_mean_sum"] = data.get("target_mean_sum", 0.0) + float(values.item(target.float().mean()))
        data["target_checks"] = data.get("target_checks", 0) + 1
        low, high = torch.aminmax(target)
        data["label_min"] = min(float(values.item(low)), data.get("label_min", float("inf")))
        data["label_max"] = max(float(values.item(high)), data.get("label_max", float("-inf")))

    def _loss_failed(self, name: str, bound: dict[str, Any]) -> None:
        value, target = bound.get("input"), bound.get("target")
        if name not in CLASSIFICATION or not isinstance(value, torch.Tensor) or not isinstance(target, torch.Tensor):
            return
        if target.dtype in indices.INTEGERS and value.ndim:
            ignore = bound.get("ignore_index", -100)
            extra = {"input_shape": list(value.shape)}
            indices.report(self.session.recorder, name, target, _classes(value), ignore=ignore, site=here(2), extra=extra)


class _Warnings:
    """Stands for the module ``warnings`` inside ``torch.nn.functional``: a warning points at the script's line, past our wrapper."""

    def __getattr__(self, name: str) -> Any:
        return getattr(warnings, name)

    def warn(self, message: Any, category: Any = None, stacklevel: int = 1, *args: Any, **kwargs: Any) -> None:
        """``warnings.warn``, with this frame and that of the wrapper counted out."""
        warnings.warn(message, category, stacklevel + (2 if stacklevel > 1 else 1), *args, **kwargs)


def _will_warn(args: tuple[Any, ...]) -> bool:
    """Whether a loss of differences is given two shapes, which torch warns of with the caller's line."""
    return len(args) > 1 and isinstance(args[0], torch.Tensor) and isinstance(args[1], torch.Tensor) and args[0].shape != args[1].shape


def _classes(value: torch.Tensor) -> int:
    return value.shape[1] if value.ndim > 1 else value.shape[0]


def _table(bound: dict[str, Any]) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """Index and table of an embedding call."""
    index, weight = bound.get("input"), bound.get("weight")
    if not isinstance(index, torch.Tensor) or not isinstance(weight, torch.Tensor):
        return None, None
    if weight.dtype in indices.INTEGERS and index.dtype.is_floating_point:
        return weight, index  # embedding_bag accepted the old order
    return index, weight


def on_device(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the call works on an accelerator, where bad indices must be found beforehand."""
    first = args[0] if args else kwargs.get("input")
    return isinstance(first, torch.Tensor) and not first.is_cpu
