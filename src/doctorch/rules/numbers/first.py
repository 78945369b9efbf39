"""The first value that was no number, as the rules on numbers read it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from doctorch.findings import Place
from doctorch.records.reader import Fact, Run
from doctorch.rules.shared import site_place

GROWTH = 20.0
"""The loss just before, as a multiple of the lowest of the steps before it: a training that grew so was diverging already, and its numbers
overflow in the end whatever the operator."""
HUGE = 1e15
"""A number whose square may not fit in single precision."""
ROOTS = frozenset(
    ("sqrt", "sqrt_", "pow", "norm", "linalg_vector_norm", "std", "var", "std_mean", "var_mean", "_cdist_forward", "_euclidean_dist")
    + ("acos", "asin", "acos_", "asin_", "acosh", "atan2", "hypot", "float_power", "linalg_eigh", "_linalg_eigh", "_linalg_svd")
)
"""Operators whose slope is infinite somewhere: a root at 0, an arc cosine at 1, an eigenvector of equal eigenvalues."""
LOGS = frozenset(
    ("log", "log_", "log2", "log10", "log1p", "log1p_", "xlogy", "special_xlog1py", "logit", "logsumexp", "binary_cross_entropy")
    + ("special_entr", "digamma", "lgamma", "atanh")
)
DIVISIONS = frozenset(
    ("div", "div_", "reciprocal", "reciprocal_", "true_divide", "rsqrt", "rsqrt_", "addcdiv", "addcdiv_", "fmod", "remainder")
)
EXPONENTIALS = frozenset(("exp", "exp_", "expm1", "expm1_", "exp2", "cosh", "sinh", "special_expm1"))
SPREADS = frozenset(("std", "var", "std_mean", "var_mean"))
MEANS = frozenset(("mean", "nll_loss_forward", "nll_loss2d_forward", "nll_loss_nd", "cross_entropy_loss", "mse_loss", "nanmean"))
SOFTMAXES = frozenset(("_softmax", "_log_softmax", "softmax", "log_softmax", "_safe_softmax"))
PRODUCTS = frozenset(("mul", "mul_", "mm", "bmm", "addmm", "baddbmm", "dot", "mv"))
ATTENTION = "_scaled_dot_product"


@dataclass(frozen=True)
class First:
    """One occurrence, and the operator where it began."""

    fact: Fact
    event: Mapping[str, Any]
    """Empty where no operator was found."""

    @property
    def step(self) -> int:
        return int(self.fact.get("step") or 0)

    @property
    def batch(self) -> Mapping[str, Any]:
        """What is wrong with the values of the batch; empty where they are fine."""
        found: Mapping[str, Any] = self.fact.get("batch") or {}
        return found

    @property
    def backward(self) -> bool:
        return bool(self.event.get("phase") == "backward")

    @property
    def op(self) -> str:
        """The operator of the forward."""
        if not self.backward:
            return str(self.event.get("op") or "")
        return str(self.event.get("forward_op") or str(self.event.get("node") or "").split("Backward")[0].lower())

    @property
    def family(self) -> str | None:
        """``root``, ``log``, ``division`` or ``exponential``: whose fault it is; None for other operators."""
        op = self.op
        if self.masked or self.without_values or self.one_value:
            return "division"
        if op == "pow" and not self.backward and self.low(0) == 0:
            return "division"  # 0 to a negative power
        if self.product:
            return "log"
        families = {"root": ROOTS, "log": LOGS, "division": DIVISIONS, "exponential": EXPONENTIALS}
        found = next((name for name, ops in families.items() if op in ops), None)
        if found == "root" and (self.largest or 0.0) > HUGE:
            return None  # a power of such a number overflows: no root of nothing
        return found

    @property
    def masked(self) -> bool:
        """A softmax of a row that is -inf everywhere."""
        inputs = self.event.get("inputs") or ()
        low = any(str(one.get("min")) == "-inf" for one in inputs)
        return not self.backward and low and (self.op in SOFTMAXES or self.op.startswith(ATTENTION))

    @property
    def product(self) -> bool:
        """0 times minus infinity, of log-probabilities that are masked or of something impossible."""
        inputs = self.event.get("inputs") or ()
        low = any(str(one.get("min")) == "-inf" for one in inputs)
        return not self.backward and low and bool(self.event.get("nan")) and self.op in PRODUCTS

    @property
    def without_values(self) -> bool:
        """A mean over nothing: no element was selected, no target counts."""
        inputs = self.event.get("inputs")
        finite = all(one.get("finite") for one in inputs or ())
        return not self.backward and self.op in MEANS and bool(self.event.get("nan")) and finite

    @property
    def one_value(self) -> bool:
        """A standard deviation of a single value."""
        return not self.backward and self.op in SPREADS and bool(self.event.get("nan")) and self.event.get("reduced") == 1

    @property
    def half(self) -> bool:
        """It happened in half precision and would not in single."""
        return self.event.get("dtype") == "float16" and self.event.get("float32_finite") is not False

    @property
    def place(self) -> Place | None:
        return site_place(self.event.get("site"))

    @property
    def given(self) -> Sequence[float]:
        """What the operator was given at the first bad place."""
        return [float(value) for value in self.event.get("given") or ()]

    @property
    def survived(self) -> bool:
        """The loss is a number again at the end: the update of that step was none, or did no harm."""
        if self.fact.get("kind") == "backward":
            return False
        losses = list(self.fact.process.steps["loss"])[self.step + 1 :]
        return bool(losses) and all(map(math.isfinite, losses[-3:]))

    def low(self, number: int = -1) -> float | None:
        """The least value of an input of the operator."""
        inputs = self.event.get("inputs") or ()
        value = inputs[number].get("min") if inputs and -len(inputs) <= number < len(inputs) else None
        return float(value) if value is not None else None

    def high(self, number: int = -1) -> float | None:
        """The largest value of an input of the operator."""
        inputs = self.event.get("inputs") or ()
        value = inputs[number].get("max") if inputs and -len(inputs) <= number < len(inputs) else None
        return float(value) if value is not None else None

    @property
    def largest(self) -> float | None:
        """The largest magnitude among the operator's inputs."""
        ends = [end for number in range(len(self.event.get("inputs") or ())) for end in (self.low(number), self.high(number))]
        return max((abs(end) for end in ends if end is not None), default=None)

    @property
    def where(self) -> str:
        """Which sample, as far as it is known."""
        rows, indices = self.event.get("rows") or (), self.event.get("indices") or ()
        return samples(rows, indices)

    @property
    def was_growing(self) -> bool:
        """The loss had grown manifold over the steps before: a training that diverges."""
        before = [abs(float(value)) for value in self.fact.get("before") or () if value is not None and math.isfinite(float(value))]
        return len(before) >= 2 and before[-1] > GROWTH * max(min(before), 1e-12)


def first(run: Run) -> First | None:
    """The first occurrence of the run that a copy could look into, or whose batch says enough."""
    facts = sorted(run.main_facts("nonfinite"), key=lambda fact: int(fact.get("step") or 0))
    for fact in facts:
        events = fact.get("events") or ()
        if events or fact.get("batch"):
            return First(fact, events[0] if events else {})
    return None


def samples(rows: Sequence[int], indices: Sequence[int]) -> str:
    """``sample 13 of the batch, 455 of the dataset``."""
    if not rows:
        return "the batch"
    text = f"sample {rows[0]} of the batch"
    return text + (f", {indices[0]} of the dataset" if indices else "")


def arithmetic(run: Run) -> First | None:
    """The first occurrence that is the arithmetic's doing: the batch is fine, and the training was not diverging."""
    found = first(run)
    if found is None or not found.event or found.batch or found.was_growing or found.fact.get("kind") == "leap":
        return None
    return found
