"""Layers whose units start the same and stay the same: each gets the gradient of the others."""

from __future__ import annotations

from collections.abc import Sequence

from doctorch.rules.learning_model.layers import Layer, followed_by

MIN_LOOKS = 4
MIN_STEP = 5
"""Looks, and a step of the optimizer, up to which the units must have stayed the same."""
SAME = 1e-3
"""Largest difference between units over their largest weight. Random initialisation differs by about 1; rounding in matrix products,
which treat the columns at an edge in another order, makes 1e-6 of copies within hundreds of steps."""
SAME_GRADIENT = 0.02
"""The same of the gradient, which is a difference of nearly equal numbers more often."""


def stays(layer: Layer, all_layers: Sequence[Layer], from_zero: bool) -> bool:
    """Whether a hidden layer of several units began with equal units, and they were equal whenever they were looked at since."""
    grads = layer.grads
    if layer.optimizer is None or layer.units < 2 or len(grads) < MIN_LOOKS or grads[0].step != 0 or grads[-1].step < MIN_STEP:
        return False
    if (grads[0].w_max == 0) != from_zero or not followed_by(layer, all_layers):
        return False
    if any(look.w_unlike > SAME * look.w_max for look in grads):
        return False
    moved = [look for look in grads if look.g_max > 0]
    alike = [look for look in moved if look.g_unlike <= SAME_GRADIENT * look.g_max]
    return bool(moved) and 2 * len(alike) > len(moved) and grads[-1].w_max > 0
