"""In a copy: what half precision loses of the gradients. The same backward, with the loss scaled up, shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from doctorch.probes.fork import Copy

SCALES = (2.0**16, 2.0**12, 2.0**8)
"""Factors of the loss, the largest first at which all gradients stay finite. The first is what GradScaler begins with."""
TURNS = 4


def scaled(copy: Copy) -> None:
    """At the first backward of each turn the gradients are taken twice: as they are, and of the loss times a factor, divided by it.

    Reports ``scale``, ``elements`` (gradients that are not 0 in the second), ``lost`` (of these, 0 in the first), ``tensors``,
    ``lost_tensors`` (all 0 in the first), ``norm_share`` (of the gradient's norm that is in what was lost).
    """
    done = [0]

    def begins(loss: Any, site: Any) -> None:
        if done[0] > TURNS or not isinstance(loss, torch.Tensor) or loss.grad_fn is None or loss.numel() != 1:
            return
        done[0] += 1
        parameters = [p for watch in list(copy.session.optimizers.values()) for p in _of(watch) if p.requires_grad]
        with torch.enable_grad():
            plain = _gradients(loss, parameters)
            for scale in SCALES:
                large = _gradients(loss * scale, parameters)
                if all(bool(torch.isfinite(g).all()) for g in large if g is not None):
                    copy.report(**_compared(plain, large, scale))
                    copy.end(complete=True)

    copy.session.events.backward_begins.append(begins)


def _of(watch: Any) -> list[torch.Tensor]:
    optimizer = watch.ref()
    return [p for group in optimizer.param_groups for p in group["params"]] if optimizer is not None else []


def _gradients(loss: torch.Tensor, parameters: list[torch.Tensor]) -> list[torch.Tensor | None]:
    found = torch.autograd.grad(loss, parameters, retain_graph=True, allow_unused=True)
    return [g.detach().double() if g is not None and g.layout is torch.strided else None for g in found]


def _compared(plain: list[torch.Tensor | None], large: list[torch.Tensor | None], scale: float) -> dict[str, Any]:
    elements = lost = tensors = lost_tensors = 0
    total = gone = 0.0
    for small, big in zip(plain, large, strict=True):
        if small is None or big is None:
            continue
        there = big != 0
        missing = there & (small == 0)
        elements += int(there.sum())
        lost += int(missing.sum())
        tensors += bool(there.any())
        lost_tensors += bool(there.any()) and not bool((small != 0).any())
        value = big / scale
        total += float(value.square().sum())
        gone += float(value[missing].square().sum())
    share = (gone / total) ** 0.5 if total > 0 else 0.0
    return {"scale": scale, "elements": elements, "lost": lost, "tensors": tensors, "lost_tensors": lost_tensors, "norm_share": share}
