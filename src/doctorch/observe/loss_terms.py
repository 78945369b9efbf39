"""Of what a loss is made: facts about the terms that a walk down its graph ends in, in deep segments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from weakref import ref

import torch

from doctorch.observe import behind, values
from doctorch.observe.behind import Behind, bare
from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site
from doctorch.observe.loss_paths import Head, LossPaths
from doctorch.observe.loss_values import add_reach, finite, first_rows, reach

if TYPE_CHECKING:
    from doctorch.observe.session import Session

MAX_ELEMENTS = 100_000
"""Elements of a factor that are looked at; of a larger one nothing is known."""


class LossTerms(Watcher):
    """Writes facts of kind ``loss_term``."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.paths = LossPaths()

    def reset(self) -> None:
        """A new process."""
        self.paths.clear()

    def install(self) -> None:
        """Listen to operators, loss functions and backward."""
        events = self.session.events
        events.operator.append(lambda name, args, kwargs, out, site: self.paths.operator(self.session.tape.seq, name, args, out))
        events.loss_return.append(self.paths.loss_returned)
        events.backward_begins.append(self._backward_begins)
        events.backward_ended.append(lambda loss, site, failure: self.paths.clear())

    def _backward_begins(self, loss: torch.Tensor | None, site: Site | None) -> None:
        if loss is None or loss.grad_fn is None or not self.session.deep or not self.session.tape.count:
            return
        heads, whole = self.paths.heads(loss.grad_fn)
        for head in heads:
            self._write(head, site, whole)

    # ---- the fact

    def _write(self, head: Head, backward: Site | None, whole: bool) -> None:
        tape, recorder = self.session.tape, self.session.recorder
        site = head.extra.get("site") or tape.line_of_seq.get(head.seq)
        key = f"{head.kind}@{site.key if site else '?'}<{backward.key if backward else '?'}"
        entry = recorder.fact("loss_term", key, site, lambda: _first(head))
        entry.count += 1
        data = entry.data
        data["looks"] += 1
        data["unknown"] += not whole  # terms that were not reached may go against it
        data["backward_site"] = backward.as_data if backward is not None else None
        product = tape.line_of_seq.get(head.mul_seq) if head.mul_seq is not None else None
        data["factor_site"] = product.as_data if product is not None else None
        data["sampled"] += head.sampled
        data["total"] = head.total
        data["averaged"] = head.averaged
        data["selected_dim"], data["selected_shape"] = head.selected_dim, list(head.selected_shape or ())
        data["path_sign"] = head.sign
        for name, seq in (("sign_site", head.sign_seq), ("reduce_site", head.reduce_seq)):
            turned = tape.line_of_seq.get(seq) if seq is not None else None
            data[name] = turned.as_data if turned is not None else None
        if head.kind == "log_prob":
            self._log_prob(data, head)
        self._signs(entry, head)
        if head.kind in ("square", "absolute"):
            self._reach(entry, head)
        if head.kind == "hinge":
            self._labels(entry, head)
        recorder.touch(entry)

    def _log_prob(self, data: dict[str, Any], head: Head) -> None:
        found = behind.at_node(head.node if bare(head.node) == "LogSoftmax" else head.node.next_functions[0][0])
        record = self.paths.ops.get(found.seq) if found is not None else None
        if found is None or found.dim is None or record is None:
            return
        data["softmax_dim"], data["softmax_shape"] = found.dim, list(record.shape)
        where = self.session.tape.line_of_seq.get(found.seq)
        data["softmax_site"] = where.as_data if where is not None else None

    def _signs(self, entry: Any, head: Head) -> None:
        """Whether the term goes into the loss with a plus, a minus, or with factors of both signs."""
        tensors = [(tensor, divides) for known, divides in head.factors if (tensor := known()) is not None and values.readable(tensor)]
        data = entry.data
        if len(tensors) < len(head.factors) or any(not t.numel() or t.numel() > MAX_ELEMENTS or t.is_complex() for t, _ in tensors):
            data["unknown"] += 1
            return
        scalars: list[torch.Tensor] = []
        for tensor, _ in tensors:
            low, high = torch.aminmax(tensor.detach().float())
            scalars += [low, high, ((tensor != 0) & (tensor != 1)).sum()]

        def use(numbers: list[float]) -> None:
            sign, varied, scale = head.sign, False, head.scale
            for place, (tensor_numel, divides) in enumerate(shapes):
                low, high, other = numbers[3 * place : 3 * place + 3]
                if low < 0 < high:
                    sign = 0
                elif high <= 0 and low < 0:
                    sign = -sign
                constant = high - low <= 1e-6 * max(abs(high), abs(low))
                varied = varied or not (constant or other == 0)
                if tensor_numel == 1 and high:
                    scale = scale / abs(high) if divides else scale * abs(high)
                widen = data["factors"]
                widen[0] = low if widen[0] is None else min(widen[0], low)
                widen[1] = high if widen[1] is None else max(widen[1], high)
            data["scale"] = scale
            data[{1: "plus", -1: "minus", 0: "mixed"}[sign]] += 1
            data["varied"] += varied
            self.session.recorder.touch(entry)

        shapes = [(tensor.numel(), divides) for tensor, divides in tensors]
        if scalars:
            values.read_later(self.session.recorder, scalars, use)
        else:
            use([])

    def _reach(self, entry: Any, head: Head) -> None:
        """Whether the model's side of a difference can get where the other side is."""
        found: Behind | None = behind.at_node(head.extra["model"])
        constant = head.extra["constant"]
        target = constant() if isinstance(constant, ref) else None
        if found is None or not isinstance(target, torch.Tensor) or not values.readable(target) or not target.numel():
            return
        data = entry.data
        data["activation"] = found.kind
        data["activation_calls"] = data.get("activation_calls", 0) + 1
        data["low"], data["high"] = finite(found.low), finite(found.high)
        where = self.session.tape.line_of_seq.get(found.seq)
        if where is not None:
            data["activation_site"] = where.as_data
        target, _ = first_rows(target.detach(), target.detach())
        # The output itself is not at hand: the targets alone are looked at.
        scalars = reach(found, target, target)[:4]

        def use(numbers: list[float]) -> None:
            add_reach(data, [*numbers, math.nan, math.nan, 0.0], target_numel, 0)
            self.session.recorder.touch(entry)

        target_numel = target.numel()
        values.read_later(self.session.recorder, scalars, use)

    def _labels(self, entry: Any, head: Head) -> None:
        labels = head.extra["labels"]()
        if not isinstance(labels, torch.Tensor) or not values.readable(labels) or not 1 < labels.numel() <= MAX_ELEMENTS:
            return
        numel = labels.numel()
        data = entry.data

        def use(numbers: list[float]) -> None:
            data["labels"] = data.get("labels", 0) + numel
            data["zero_labels"] = data.get("zero_labels", 0) + int(numbers[0])
            data["one_labels"] = data.get("one_labels", 0) + int(numbers[1])
            self.session.recorder.touch(entry)

        values.read_later(self.session.recorder, [(labels == 0).sum(), (labels == 1).sum()], use)


def _first(head: Head) -> dict[str, Any]:
    counts = dict.fromkeys(("looks", "plus", "minus", "mixed", "unknown", "varied", "sampled"), 0)
    whole = {"head": head.kind, "function": head.extra.get("function"), "reduction": head.extra.get("reduction"), "scale": head.scale}
    return {
        **counts,
        **whole,
        "total": 1.0,
        "averaged": False,
        "factors": [None, None],
        "factor_site": None,
        "backward_site": None,
        "selected_dim": None,
    }
