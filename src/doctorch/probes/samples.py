"""In a copy: what the samples themselves say. Is there anything in the inputs that predicts the targets? Does a sample's output
depend on other samples?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from doctorch.probes.fork import Copy, Outcome

MAX_TURNS = 400
ENOUGH = 2000
"""Samples gathered; with half of them held out, an accuracy is known within about 1.5 %."""
MIN_SAMPLES = 100
FEATURES = 256
"""Columns kept of an input: more are projected at random, which keeps distances."""
HIDDEN = 512
"""Random units with a ReLU on top of the features: what a linear reader of them finds is not only linear in the input."""
NEIGHBOURS = 5
SHUFFLES = 20
"""Times the targets are shuffled to see what chance gives."""
WINDOW = 12
"""Samples of consecutive steps that are read by themselves: enough to tell two classes apart, few enough to be of one task."""
WINDOWS = (1, 4)
"""Multiples of it that are tried."""
MAX_WINDOWS, MAX_IN_WINDOW = 80, 200
MAX_CLASSES = 200
MOVED = 1e-4
"""Change of an output row, relative to that of the sample that was changed, above which it depends on it. Rounding stays below 1e-6."""


# ---- is there a signal in the labels?


def gather(copy: Copy) -> None:
    """Collect inputs and targets of the turns that follow, then look for a simple predictor."""
    inputs: list[torch.Tensor] = []
    targets: list[torch.Tensor] = []
    turn: dict[str, torch.Tensor] = {}

    def call(module: Any, args: Any, kwargs: Any) -> None:
        if "x" in turn or not any(True for _ in module.parameters()):
            return
        given = [t for t in (*args, *kwargs.values()) if isinstance(t, torch.Tensor) and not t.requires_grad and t.ndim]
        for name, x in zip(("x", "z"), given, strict=False):
            turn[name] = x.detach().clone()

    def loss(name: str, value: Any, bound: Any, site: Any, entry: Any) -> None:
        target = bound.get("target")
        if "y" not in turn and isinstance(target, torch.Tensor) and not target.requires_grad and value.requires_grad:
            turn["y"] = target.detach().clone()

    def batch(watch: Any, loader: Any, given: Any) -> None:
        if isinstance(given, (list, tuple)) and len(given) == 2 and all(isinstance(t, torch.Tensor) for t in given):
            turn.setdefault("batch", given[1].detach().clone())

    def done(number: int) -> None:
        x, y = turn.get("x"), turn.get("y", turn.get("batch"))
        if x is not None and y is not None and torch.equal(x, y):
            x = turn.get("z")  # the model is given the targets too, and they come first
        turn.clear()
        if x is not None and y is not None and y.ndim and x.shape[0] == y.shape[0]:
            inputs.append(x)
            targets.append(y)
        if sum(t.shape[0] for t in inputs) >= ENOUGH or copy.turn >= MAX_TURNS - 2 or (copy.turn > 8 and not inputs):
            finish()

    def finish() -> None:
        copy.end(complete=True, **signal(inputs, targets))

    copy.last = finish
    events = copy.session.events
    events.root_call.append(call)
    events.loss_call.append(loss)
    events.batch.append(batch)
    events.turn.insert(0, done)


def signal(inputs: list[torch.Tensor], targets: list[torch.Tensor]) -> dict[str, Any]:
    """How well simple readers predict the targets of samples they have not seen, against the same with shuffled targets.

    Returns ``samples``, ``kind`` (``classes`` or ``values``), ``score`` (accuracy, or the share of variance explained), ``chance`` and
    ``chance_sd`` (mean and deviation of the score with shuffled targets), ``z``; ``nearby_score`` and ``nearby_z``, the same within windows
    of consecutive steps: what they find and the whole does not is a task that changes; or ``why_not``.
    """
    found = _table(inputs, targets)
    if isinstance(found, str):
        return {"why_not": found}
    x, y, kind, turns = found
    nearby = within_windows(x, y, turns)
    kept = _once(x)
    x, y = x[kept], y[kept]
    if len(x) < MIN_SAMPLES:
        return {"why_not": f"only {len(x)} samples"}
    generator = torch.Generator().manual_seed(0)
    order = torch.randperm(len(x), generator=generator)
    x, y = x[order], y[order]
    half = len(x) // 2
    readers = _readers(x, half)
    score = max(_score(weights, y, half, kind) for weights in readers)
    chances = []
    for _ in range(SHUFFLES):
        mixed = y[torch.randperm(len(y), generator=generator)]
        chances.append(max(_score(weights, mixed, half, kind) for weights in readers))
    chance = sum(chances) / len(chances)
    deviation = math.sqrt(sum((c - chance) ** 2 for c in chances) / (len(chances) - 1))
    z = (score - chance) / max(deviation, 1e-3)
    return {"samples": len(x), "kind": kind, "score": score, "chance": chance, "chance_sd": deviation, "z": z, **nearby}


def within_windows(x: torch.Tensor, y: torch.Tensor, turns: torch.Tensor) -> dict[str, Any]:
    """How well each sample's target is predicted from the others of the same few steps, by a ridge regression and by neighbours: a score as
    that of the whole, and its z against targets shuffled within the window. Empty where no window has enough samples."""
    results = []
    for multiple in WINDOWS:
        windows = _windows(turns, WINDOW * multiple)[:MAX_WINDOWS]
        parts = [(x[at], y[at]) for at in windows]
        kept = [(a[once], b[once]) for a, b in parts if len(once := _once(a)[:MAX_IN_WINDOW]) >= WINDOW]
        if kept:
            results += _leave_one_out(kept)
    if not results:
        return {}
    score, z = max(results, key=lambda result: result[1])
    return {"nearby_score": score, "nearby_z": z}


def _windows(turns: torch.Tensor, size: int) -> list[torch.Tensor]:
    """Indices of the samples of as many whole consecutive steps as make ``size`` samples, window by window."""
    counts = torch.bincount(turns).tolist()
    found, first, n = [], 0, 0
    for count in counts:
        n += count
        if n >= size:
            found.append(torch.arange(first, first + n))
            first, n = first + n, 0
    return found


def _leave_one_out(windows: list[tuple[torch.Tensor, torch.Tensor]]) -> list[tuple[float, float]]:
    """For both readers the score over all windows, and its z."""
    generator = torch.Generator().manual_seed(2)
    whole = 0.0
    sums = torch.zeros(2, SHUFFLES + 1, dtype=torch.double)
    for x, y in windows:
        n, y = len(x), y - y.mean(0)
        whole += float((y * y).sum())
        x = (x - x.mean(0)) / x.std(0).clamp_min(1e-9)
        kernel = x @ x.T
        strength = 0.1 * float(kernel.diagonal().mean()) + 1e-9
        hat: torch.Tensor = torch.linalg.solve(kernel + strength * torch.eye(n, dtype=torch.double), kernel)
        own = hat.diagonal().clone()
        ridge = (hat - torch.diag(own)) / (1 - own).clamp_min(1e-6)[:, None]
        distance = torch.cdist(x, x).fill_diagonal_(math.inf)
        nearest = distance.topk(min(3, n - 1), largest=False).indices
        neighbours = torch.zeros(n, n, dtype=torch.double).scatter_(1, nearest, 1 / nearest.shape[1])
        for number in range(SHUFFLES + 1):
            target = y if number == 0 else y[torch.randperm(n, generator=generator)]
            for row, reader in enumerate((ridge, neighbours)):
                sums[row, number] += (target * (reader @ target)).sum()
    scores = sums / max(whole, 1e-12)
    return [(float(row[0]), float((row[0] - row[1:].mean()) / row[1:].std().clamp_min(1e-3))) for row in scores]


def _table(inputs: list[torch.Tensor], targets: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor, str, torch.Tensor] | str:
    """Features, targets, kind and number of the step, a sample a row; or why there are none."""
    if not inputs:
        return "inputs and targets of the steps are not known"
    if len({(t.shape[1:], t.dtype) for t in inputs}) > 1 and inputs[0].is_floating_point():
        return "the inputs differ in shape"
    y = torch.cat([_per_sample(t) for t in targets])
    if y.ndim > 2 or (y.ndim == 2 and not y.is_floating_point()):
        return "the targets are more than one number or class a sample"
    x = torch.cat([_features(t) for t in inputs])
    turns = torch.cat([torch.full((len(t),), number) for number, t in enumerate(inputs)])
    values = torch.unique(y)
    whole = bool((values == values.round()).all())
    if y.ndim == 1 and whole and 2 <= len(values) <= MAX_CLASSES and (not y.is_floating_point() or len(values) <= 2):
        classes = torch.bucketize(y, values)
        return x, torch.nn.functional.one_hot(classes, len(values)).double(), "classes", turns
    if len(values) < 2:
        return "all targets are the same"
    y = y.double().reshape(len(y), -1)
    return x, (y - y.mean(0)) / y.std(0).clamp_min(1e-12), "values", turns


def _once(x: torch.Tensor) -> torch.Tensor:
    """Indices of each sample once: epochs repeat them, and a reader shall not meet among the unseen ones what it has learned by heart."""
    _, which = torch.unique(x, dim=0, return_inverse=True)
    first = torch.full((int(which.max()) + 1,), len(x)).scatter_reduce_(0, which, torch.arange(len(x)), "amin")
    return first.sort().values


def _per_sample(target: torch.Tensor) -> torch.Tensor:
    if target.ndim > 1 and all(size == 1 for size in target.shape[1:]):
        return target.reshape(-1)
    return target.flatten(1) if target.ndim > 2 and target.is_floating_point() else target


def _features(x: torch.Tensor) -> torch.Tensor:
    if not x.is_floating_point():  # tokens: how often each occurs, folded to a fixed number of columns
        ids = x.reshape(len(x), -1).long() % FEATURES
        return torch.zeros(len(x), FEATURES, dtype=torch.double).scatter_add_(1, ids, torch.ones(ids.shape, dtype=torch.double))
    return x.reshape(len(x), -1).double()


def _readers(x: torch.Tensor, half: int) -> list[torch.Tensor]:
    """For each reader a matrix that turns the targets of the first half into predictions for the second."""
    generator = torch.Generator().manual_seed(1)
    if x.shape[1] > FEATURES:
        x = x @ torch.randn(x.shape[1], FEATURES, generator=generator, dtype=torch.double) / math.sqrt(FEATURES)
    x = torch.nan_to_num((x - x[:half].mean(0)) / x[:half].std(0).clamp_min(1e-9))
    hidden = torch.relu(x @ torch.randn(x.shape[1], HIDDEN, generator=generator, dtype=torch.double) / math.sqrt(x.shape[1]) + 0.3)
    readers = [_ridge(x, half), _ridge(hidden - hidden[:half].mean(0), half)]
    nearest = torch.cdist(x[half:], x[:half]).topk(min(NEIGHBOURS, half), largest=False).indices
    readers.append(torch.zeros(len(x) - half, half, dtype=torch.double).scatter_(1, nearest, 1 / nearest.shape[1]))
    return readers


def _ridge(x: torch.Tensor, half: int) -> torch.Tensor:
    x = torch.cat([x, torch.ones(len(x), 1, dtype=torch.double)], 1)
    seen, unseen = x[:half], x[half:]
    kernel = seen @ seen.T
    strength = 0.1 * float(kernel.diagonal().mean())
    solved: torch.Tensor = torch.linalg.solve(kernel + strength * torch.eye(half, dtype=torch.double), seen @ unseen.T)
    return solved.T


def _score(weights: torch.Tensor, y: torch.Tensor, half: int, kind: str) -> float:
    predicted, true = weights @ y[:half], y[half:]
    if kind == "classes":
        # Each class by its gain over its share, else a rare class is never chosen and nothing is ever found.
        return float((((predicted - y[:half].mean(0)) * (true - y[:half].mean(0))).sum(1)).mean() / (y.var(0).sum() + 1e-12))
    return float(1 - ((predicted - true) ** 2).sum() / ((true - true.mean(0)) ** 2).sum().clamp_min(1e-12))


def judged(outcome: Outcome) -> dict[str, Any]:
    """What the copy found."""
    names = ("samples", "kind", "score", "chance", "chance_sd", "z", "nearby_score", "nearby_z", "why_not")
    found = {name: outcome.facts[name] for name in names if name in outcome.facts}
    return {("no_answer" if name == "why_not" else name): value for name, value in found.items()}


# ---- does a sample's output depend on other samples?


def perturb(copy: Copy) -> None:
    """At the next call of a model: change one sample, and see which rows of the output move. In eval mode, without dropout and
    with BatchNorm's running statistics."""
    asked = [False]

    def call(module: Any, args: Any, kwargs: Any) -> None:
        named = {**dict(enumerate(args)), **kwargs}
        name = next((name for name, value in named.items() if isinstance(value, torch.Tensor) and value.ndim), None)
        if asked[0] or name is None or not any(True for _ in module.parameters()):
            return
        asked[0] = True

        def again(x: torch.Tensor) -> Any:
            if isinstance(name, int):
                return module(*args[:name], x, *args[name + 1 :], **kwargs)
            return module(*args, **{**kwargs, name: x})

        try:
            copy.end(complete=True, **dependence(module, named[name].detach(), again))
        except Exception as error:
            copy.end(failure=f"{type(error).__name__}: {error}")

    copy.session.events.root_call.append(call)


def dependence(module: Any, x: torch.Tensor, again: Callable[[torch.Tensor], Any]) -> dict[str, Any]:
    """Change sample 0 of an input into the last sample; which rows of the output move? ``again`` calls the module with an input.

    Returns ``batch``, ``out_shape``, ``rows`` (other rows looked at), ``moved`` (of those, the ones that moved), ``largest`` (their largest
    change relative to the change of the sample's own row); ``rows`` 0 where that cannot be told.
    """
    if x.ndim < 2 or x.shape[0] < 3 or bool(torch.equal(x[0], x[-1])):
        return {"batch": int(x.shape[0]) if x.ndim else 0, "rows": 0, "moved": 0}
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    with torch.no_grad():
        torch.manual_seed(0)
        before = _first(again(x.clone()))
        changed = x.clone()
        changed[0] = x[-1]
        torch.manual_seed(0)
        after = _first(again(changed))
    for part, mode in modes:
        part.training = mode
    if before is None or after is None or before.shape != after.shape or not before.ndim or before.shape[0] != x.shape[0]:
        return {"batch": int(x.shape[0]), "rows": 0, "moved": 0, "out_shape": list(before.shape) if before is not None else None}
    moved = (after.double() - before.double()).flatten(1).abs().amax(1)
    scale = max(float(moved.max()), 1e-12)
    others = moved[1:] / scale
    return {
        "batch": int(x.shape[0]),
        "out_shape": list(before.shape),
        "rows": len(others),
        "moved": int((others > MOVED).sum()) if scale > 1e-9 else 0,
        "largest": float(others.max()),
        "own": float(moved[0] / scale),
    }


def _first(output: Any) -> torch.Tensor | None:
    if isinstance(output, torch.Tensor):
        return output
    if isinstance(output, (list, tuple)):
        return next((t for t in output if isinstance(t, torch.Tensor)), None)
    logits = output.get("logits") if isinstance(output, dict) else getattr(output, "logits", None)
    return logits if isinstance(logits, torch.Tensor) else None
