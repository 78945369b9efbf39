"""Attention, operator by operator: what padding gets of it, and whether a position sees later ones. Deep segments only."""

from __future__ import annotations

from typing import Any

import torch

from doctorch.observe import values
from doctorch.observe.events import Watcher
from doctorch.observe.lines import Site
from doctorch.observe.session import Session
from doctorch.observe.vocabularies import filled_ends

IDS = frozenset((torch.int64, torch.int32, torch.int16))
MAX_ELEMENTS = 4_000_000
MAX_ROWS = 512
MAX_SEGMENT = 16
"""Attentions looked at in one segment."""
SOFTMAXES = frozenset(("_softmax", "_safe_softmax"))


class AttentionWatcher(Watcher):
    """Listens to the models, for the padding in what they are given, and to the operators of attention."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.reset()

    def install(self) -> None:
        self.session.events.root_call.append(self._root_call)
        self.session.events.operator.append(self._operator)

    def reset(self) -> None:
        self.given: dict[int, tuple[list[int], list[int]]] = {}
        """By length of the sequences: where the padding ends in front, and begins at the end, for each row."""
        self.lengths: set[int] = set()
        self.seen = 0

    def _root_call(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        if not self.session.deep:
            return
        self.given.clear()
        self.lengths.clear()
        self.seen = 0
        root = self.session.roots.get(id(module))
        if root is None or root.entry is None:
            return
        for name, value in (*enumerate(args), *kwargs.items()):
            if not (isinstance(value, torch.Tensor) and value.ndim == 2 and value.dtype in IDS and 1 < value.numel() <= 200_000):
                continue
            if not value.is_cpu or not values.readable(value):
                continue
            for batch_first in (True, False):
                rows = value.detach() if batch_first else value.detach().transpose(0, 1)
                self._padding(root.entry.key, str(name), batch_first, rows)

    def _padding(self, root: str, name: str, batch_first: bool, rows: torch.Tensor) -> None:
        number, length = rows.shape
        if not (2 <= number <= MAX_ROWS and length >= 3):
            return
        self.lengths.add(length)
        filled = filled_ends(rows)
        front = filled.long().cumprod(1).sum(1)
        back = length - filled.flip(1).long().cumprod(1).sum(1)
        lengths = back - front
        if int(lengths.min()) == int(lengths.max()):
            return  # rows of one length are not padded: they begin or end alike
        self.given[length] = (front.tolist(), back.tolist())
        data = {"root": root, "name": name, "batch_first": batch_first, "looks": 0, "tokens": 0, "pads": 0, "front": 0}
        fact = self.session.recorder.fact("padding", f"{root}:{name}:{batch_first}", None, lambda: data)
        fact.data["looks"] += 1
        fact.data["tokens"] += rows.numel()
        fact.data["pads"] += int(filled.sum())
        fact.data["front"] += int(front.sum())
        fact.data["id"] = int(rows[filled][0]) if bool(filled.any()) else None
        self.session.recorder.touch(fact)

    def _operator(self, name: str, args: Any, kwargs: Any, out: Any, site: Site | None) -> None:
        if name in SOFTMAXES:
            if (
                isinstance(out, torch.Tensor)
                and out.ndim >= 3
                and out.shape[-1] in self.lengths
                and out.is_cpu
                and out.numel() <= MAX_ELEMENTS
            ):
                self._weights(out.detach(), site)
        elif name.startswith("_scaled_dot_product") and len(args) >= 3 and self.lengths:
            self._fused(name, args, kwargs, site)

    def _entry(self, kind: str, site: Site | None, length: int) -> Any:
        zeros = ("looks", "square", "causal", "padded", "blind")
        data = {"kind": kind, "length": length, **dict.fromkeys(zeros, 0), "weight": 0.0, "rows": 0, "masked": 0}
        return self.session.recorder.fact("attention", f"{kind}@{site.key if site else '?'}", site, lambda: data)

    def _weights(self, out: torch.Tensor, site: Site | None) -> None:
        """Weights as they are: (…, queries, keys)."""
        if self.seen >= MAX_SEGMENT:
            return
        self.seen += 1
        queries, keys = out.shape[-2:]
        entry = self._entry("softmax", site, keys)
        data = entry.data
        data["looks"] += 1
        if queries == keys:
            data["square"] += 1
            data["causal"] += not bool(torch.triu(out, 1).any())
        ends = self.given.get(keys)
        if ends is not None:
            number = len(ends[0])
            flat = out.reshape(-1, queries, keys)
            if flat.shape[0] % number == 0:
                self._share(data, flat.reshape(number, -1, queries, keys), ends)
        entry.count += 1
        self.session.recorder.touch(entry)

    def _share(self, data: dict[str, Any], out: torch.Tensor, ends: tuple[list[int], list[int]]) -> None:
        places = torch.arange(out.shape[-1])
        real = (places >= torch.tensor(ends[0])[:, None]) & (places < torch.tensor(ends[1])[:, None])
        weight = (out * ~real[:, None, None, :]).sum(-1)
        if out.shape[-2] == out.shape[-1]:
            weight = weight * real[:, None, :]
            rows = int(real.sum()) * out.shape[1]
        else:
            rows = weight.numel()
        padded = (~real).any(1)
        if not bool(padded.any()) or not rows:
            return
        data["padded"] += 1
        total = float(values.item(weight.sum(dtype=torch.float64)))
        data["weight"] += total
        data["rows"] += rows
        data["blind"] += total > 0

    def _fused(self, name: str, args: Any, kwargs: Any, site: Site | None) -> None:
        """One operator does it all: only its mask can be looked at."""
        query, key = args[0], args[1]
        keys, queries = key.shape[-2], query.shape[-2]
        if keys not in self.lengths or self.seen >= MAX_SEGMENT:
            return
        self.seen += 1
        entry = self._entry("fused", site, keys)
        data = entry.data
        data["looks"] += 1
        rest = [*args[3:], *(kwargs or {}).values()]
        mask = next((one for one in rest if isinstance(one, torch.Tensor)), None)
        causal = any(one is True for one in _flags(name, args, kwargs or {}))
        if mask is not None and mask.is_cpu and mask.numel() <= MAX_ELEMENTS and queries == keys and mask.shape[-2:] == (queries, keys):
            shut = ~mask if mask.dtype is torch.bool else mask < -1e4
            above = torch.ones(queries, keys, dtype=torch.bool).triu(1)
            causal = bool(shut[..., above].all())
        if queries == keys:
            data["square"] += 1
            data["causal"] += causal
        by_row = mask is not None and mask.ndim >= 3 and mask.shape[0] > 1
        data["masked"] += by_row
        if keys in self.given:
            data["padded"] += 1
            data["blind"] += not by_row
        entry.count += 1
        self.session.recorder.touch(entry)


def _flags(name: str, args: Any, kwargs: dict[str, Any]) -> list[Any]:
    """What says «causal»: the keyword, or the position that it has in each variant."""
    position = {"_scaled_dot_product_flash_attention": 4, "_scaled_dot_product_flash_attention_for_cpu": 4}.get(name)
    if position is None:
        position = {"_scaled_dot_product_efficient_attention": 6, "_scaled_dot_product_cudnn_attention": 6}.get(name, 5)
    found = [kwargs.get("is_causal", False)]
    if position < len(args):
        found.append(args[position])
    return found
