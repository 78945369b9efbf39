"""In a copy: the backward of the script's custom autograd functions against numbers, on the inputs that they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from doctorch.probes.fork import Copy

STEP = 1e-6
"""Half-width of the central difference in double precision; its error is of the order of 1e-10."""
DIRECTIONS = 4
TOLERANCE = 1e-3
"""Relative difference above which a formula is wrong and not imprecise."""
NOTHING = 1e-7
"""Relative to the analytic derivative: numeric ones below it are those of a step function."""
MAX_ELEMENTS = 200_000


def check(copy: Copy) -> None:
    """Take over ``Function.apply``: the first call of each class of the script's is checked. Reports ``functions`` by class."""
    function: Any = torch.autograd.Function
    descriptor = next(vars(base)["apply"] for base in function.__mro__ if "apply" in vars(base))

    def original(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return descriptor.__get__(None, cls)(*args, **kwargs)

    found: dict[str, Any] = {}
    done: set[Any] = set()
    busy = [False]
    known = {entry.data["cls"] for (kind, _), entry in list(copy.session.recorder.writer.entries.items()) if kind == "function"}

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        # A layer at the bottom gets inputs that need no gradient; those further up get others.
        pattern = (cls.__name__, *(_moves(a) and a.requires_grad for a in args))
        wanted = cls.__name__ in known and pattern not in done and not busy[0] and torch.is_grad_enabled()
        if wanted and any(pattern[1:]):
            busy[0] = True
            done.add(pattern)
            try:
                result = examine(lambda *given: original(cls, *given), args)
            except Exception as error:
                result = {"why_not": f"{type(error).__name__}: {error}"[:200]}
            finally:
                busy[0] = False
            found[cls.__name__] = merged(found.get(cls.__name__), result)
        return original(cls, *args, **kwargs)

    function.apply = classmethod(apply)

    def turn(number: int) -> None:
        if copy.turn >= 1:
            copy.end(complete=True, functions=found)

    copy.session.events.turn.insert(0, turn)


def merged(one: dict[str, Any] | None, other: dict[str, Any]) -> dict[str, Any]:
    """What two checks of a function found together."""
    if one is None or "why_not" in one:
        return other
    if "why_not" in other:
        return one
    inputs = {given["index"]: given for given in (*one["inputs"], *other["inputs"])}
    for given in one["inputs"]:
        if given["error"] > inputs[given["index"]]["error"]:
            inputs[given["index"]] = given
    either = {name: one[name] or other[name] for name in ("ignores_grad_output", "stale")}
    both = {name: one[name] and other[name] for name in ("identity", "steps")}
    return {"inputs": list(inputs.values()), "holds": sorted({*one["holds"], *other["holds"]}), **either, **both}


def _moves(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def examine(call: Any, args: tuple[Any, ...]) -> dict[str, Any]:
    """Check one function on copies of its arguments.

    Returns ``inputs``: for each differentiable argument ``index``, ``factor`` (analytic over numeric derivative, median over directions),
    ``error`` (largest relative difference); ``ignores_grad_output``, ``stale`` (the gradient of one call changes when another was made in
    between), ``identity`` and ``steps`` (it gives back its input; its numeric derivative is nothing), ``holds`` (tensors kept as
    attributes); or ``why_not``.
    """
    if sum(a.numel() for a in args if _moves(a)) > MAX_ELEMENTS:
        return {"why_not": "its inputs are too large to be tried"}
    generator = torch.Generator().manual_seed(0)
    given = [a.detach().double().clone() if _moves(a) else a for a in args]
    places = [i for i, a in enumerate(args) if _moves(a) and a.requires_grad]

    def value(moved: dict[int, torch.Tensor]) -> torch.Tensor:
        torch.manual_seed(0)
        out = call(*[moved.get(i, a) for i, a in enumerate(given)])
        first: torch.Tensor = out[0] if isinstance(out, (tuple, list)) else out
        return first

    def gradients(weights: torch.Tensor, between: bool = False) -> list[torch.Tensor]:
        leaves = {i: given[i].clone().requires_grad_() for i in places}
        out = value(dict(leaves))
        if between:
            other = {i: torch.randn(given[i].shape, generator=generator, dtype=torch.double).requires_grad_() for i in places}
            value(other)
        grads = torch.autograd.grad(out, list(leaves.values()), weights, allow_unused=True)
        return [g if g is not None else torch.zeros_like(given[i]) for g, i in zip(grads, places, strict=True)]

    with torch.enable_grad():
        first = value({i: given[i].clone().requires_grad_() for i in places})
    if first.dtype != torch.double or not first.requires_grad:
        return {"why_not": "it does not work in double precision"}
    weights = torch.randn(first.shape, generator=generator, dtype=torch.double)
    found: dict[str, Any] = {"holds": sorted(_held(first.grad_fn))}
    found["identity"] = len(places) >= 1 and any(first.shape == given[i].shape and torch.equal(first.detach(), given[i]) for i in places)
    with torch.enable_grad():
        plain = gradients(weights)
        double = gradients(-2 * weights + torch.randn(first.shape, generator=generator, dtype=torch.double))
        again = gradients(weights, between=True)
    found["ignores_grad_output"] = all(torch.equal(a, b) for a, b in zip(plain, double, strict=True)) and any(bool(a.any()) for a in plain)
    found["stale"] = not all(torch.allclose(a, b, rtol=1e-6, atol=1e-12) for a, b in zip(plain, again, strict=True))
    found["inputs"] = [
        {"index": i, **_compare(value, given[i], i, gradient, weights, generator)} for i, gradient in zip(places, plain, strict=True)
    ]
    found["steps"] = bool(found["inputs"]) and all(one["flat"] for one in found["inputs"])
    return found


def _compare(
    value: Any, x: torch.Tensor, index: int, gradient: torch.Tensor, weights: torch.Tensor, generator: torch.Generator
) -> dict[str, Any]:
    """Analytic against numeric derivatives along random directions."""
    pairs = []
    with torch.no_grad():
        for _ in range(DIRECTIONS):
            direction = torch.randn(x.shape, generator=generator, dtype=torch.double)
            ends = [value({index: x + sign * STEP * direction}) for sign in (1, -1)]
            numeric = float(((ends[0] - ends[1]) * weights).sum() / (2 * STEP))
            pairs.append((float((gradient * direction).sum()), numeric))
    scale = max(max(abs(a), abs(n)) for a, n in pairs) or 1.0
    largest = max(abs(a) for a, _ in pairs)
    factors = sorted(a / n for a, n in pairs if abs(n) > 1e-9 * scale)
    return {
        "error": max(abs(a - n) for a, n in pairs) / scale,
        "factor": factors[len(factors) // 2] if factors else None,
        "spread": (factors[-1] - factors[0]) if factors else None,
        "flat": all(abs(n) <= NOTHING * largest for _, n in pairs) and largest > 0,
    }


def _held(node: Any) -> set[str]:
    """Names of the attributes of a context that hold tensors."""
    return {name for name, held in vars(node).items() if isinstance(held, torch.Tensor)} if hasattr(node, "__dict__") else set()
