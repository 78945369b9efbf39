"""Ways to change the training that runs on in a copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from doctorch.probes.fork import Copy

Prepare = Callable[["Copy"], None]


def together(*steps: Prepare | None) -> Prepare:
    """Several changes in one arm."""

    def prepare(copy: Copy) -> None:
        for step in steps:
            if step is not None:
                step(copy)

    return prepare


def rate(factor: float) -> Prepare:
    """Every learning rate times ``factor``, whatever a scheduler sets."""

    def prepare(copy: Copy) -> None:
        held: dict[int, list[Any]] = {}

        def before(optimizer: Any, watch: Any) -> None:
            held[id(optimizer)] = [group.get("lr") for group in optimizer.param_groups]
            for group in optimizer.param_groups:
                if group.get("lr") is not None:
                    group["lr"] = group["lr"] * factor

        def after(optimizer: Any, watch: Any, site: Any) -> None:
            for group, value in zip(optimizer.param_groups, held.pop(id(optimizer), []), strict=False):
                group["lr"] = value

        copy.session.events.before_step.append(before)
        copy.session.events.after_step.append(after)

    return prepare


def fresh(copy: Copy) -> None:
    """The models start anew with torch's own initial values, the optimizers without memory.

    Reports ``fresh``: the share of the trained elements that got a new value.
    """
    with torch.no_grad():
        done: set[int] = set()
        for root in list(copy.session.roots.values()):
            module = root.module()
            for part in module.modules() if module is not None else ():
                reset = getattr(part, "reset_parameters", None) or getattr(part, "_reset_parameters", None)
                if reset is not None and id(part) not in done:
                    reset()
                    done.update(id(p) for p in part.parameters(recurse=False))
                    done.add(id(part))
    total = own = 0
    for watch in list(_optimizers(copy)):
        for group in watch.param_groups:
            for p in group["params"]:
                total += p.numel()
                own += p.numel() * (id(p) in done)
                p.grad = None
        watch.state.clear()
    copy.report(fresh=own / total if total else 0.0)


def cleared(copy: Copy) -> None:
    """Gradients are cleared before the first backward of each turn."""
    begun: list[bool] = [False]

    def before(loss: Any, site: Any) -> None:
        if not begun[0]:
            begun[0] = True
            for optimizer in _optimizers(copy):
                for group in optimizer.param_groups:
                    for p in group["params"]:
                        p.grad = None

    def turn(number: int) -> None:
        begun[0] = False

    copy.session.events.backward_begins.append(before)
    copy.session.events.turn.insert(0, turn)


def without_softmax(copy: Copy) -> None:
    """Cross-entropy takes probabilities for what they are: ``nll(log p)``, what it would be without the softmax."""
    functional = torch.nn.functional
    original = functional.cross_entropy

    def cross_entropy(input: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
        dim = 1 if input.ndim > 1 else 0
        sums = input.detach().sum(dim)
        if bool((input.detach() >= 0).all()) and bool(((sums - 1).abs() < 1e-2).all()):
            input = input.clamp_min(torch.finfo(input.dtype).tiny).log()
        return original(input, target, *args, **kwargs)

    functional.cross_entropy = cross_entropy


HIGH_DROPOUT = 0.6
"""Above the 0.5 that is usual for hidden layers."""


def without_dropout(copy: Copy) -> None:
    """Dropout modules with a high probability let everything through."""
    for root in list(copy.session.roots.values()):
        module = root.module()
        for part in module.modules() if module is not None else ():
            if isinstance(part, torch.nn.modules.dropout._DropoutNd) and part.p >= HIGH_DROPOUT:
                part.p = 0.0


def eval_norm(copy: Copy) -> None:
    """BatchNorm normalises by its running statistics, as in eval mode; everything else stays as it is."""
    norm = torch.nn.modules.batchnorm._BatchNorm
    original: Any = norm.forward

    def forward(module: Any, input: Any) -> Any:
        if not module.training or module.running_mean is None:
            return original(module, input)
        module.training = False
        try:
            return original(module, input)
        finally:
            module.training = True

    owner: Any = norm
    owner.forward = forward


def rescaled(copy: Copy) -> None:
    """What the models are given as numbers is brought to mean 0 and deviation 1, feature by feature (by channel for pictures).

    The scale is that of the first batch. Reports ``scale``: its mean and deviation before.
    """
    original: Any = torch.nn.Module.__call__
    depth = [0]
    known: dict[tuple[int, int | str], tuple[torch.Tensor, torch.Tensor]] = {}

    def __call__(module: Any, *args: Any, **kwargs: Any) -> Any:
        if depth[0]:
            return original(module, *args, **kwargs)
        depth[0] = 1
        try:
            args = tuple(_standard(known, copy, id(module), n, value) for n, value in enumerate(args))
            # By name a model may be given its targets too, which come after what they are for.
            name = next((name for name, value in kwargs.items() if _scaled(value)), None)
            if name is not None and not any(_scaled(value) for value in args):
                kwargs[name] = _standard(known, copy, id(module), name, kwargs[name])
            return original(module, *args, **kwargs)
        finally:
            depth[0] = 0

    owner: Any = torch.nn.Module
    owner.__call__ = __call__


def _scaled(value: Any) -> bool:
    """Whether it is something with a scale that comes from outside the model."""
    return isinstance(value, torch.Tensor) and value.is_floating_point() and not value.requires_grad and value.ndim >= 2


def _standard(known: dict[Any, Any], copy: Copy, module: int, number: int | str, value: Any) -> Any:
    if not _scaled(value):
        return value
    if (module, number) not in known:
        dims = [d for d in range(value.ndim) if d != (1 if value.ndim != 3 else 2)]
        deviation, mean = torch.std_mean(value.float(), dim=dims, keepdim=True)
        known[module, number] = (mean, deviation)
        copy.report(scale=[float(value.float().mean()), float(value.float().std())])
    mean, deviation = known[module, number]
    return ((value - mean) / torch.where(deviation > 0, deviation, torch.ones_like(deviation))).to(value.dtype)


def _optimizers(copy: Copy) -> list[Any]:
    found = [watch.ref() for watch in copy.session.optimizers.values()]
    return [optimizer for optimizer in found if optimizer is not None]
