"""The loss of proximal policy optimization for normally distributed actions, with its gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch  # pyright: ignore[reportMissingImports]

from horus_sim.rl.training.config import PpoConfig

Tensor = Any


@dataclass(frozen=True, slots=True)
class Batch:
    """Steps to learn from.

    Attributes:
        actions: As drawn, shape (n, actions).
        means: What they were drawn about, shape (n, actions).
        log_probs: Logarithm of the density they were drawn with, without its constant, shape (n,).
        advantages: Shape (n,).
        returns: What the critic is to expect, shape (n,).
        values: What it expected, shape (n,).
    """

    actions: Tensor
    means: Tensor
    log_probs: Tensor
    advantages: Tensor
    returns: Tensor
    values: Tensor


@dataclass(frozen=True, slots=True)
class Gradient:
    """Of the loss, with figures; sums over the rows, each with its weight.

    Attributes:
        means: Of the means, shape (n, actions).
        log_std: Of the logarithm of the deviations, shape (actions,).
        values: Of the values, shape (n, 1).
        figures: Policy loss, value loss, share of clipped steps and divergence, shape (4,).
    """

    means: Tensor
    log_std: Tensor
    values: Tensor
    figures: Tensor


def log_density(actions: Tensor, means: Tensor, log_std: Tensor) -> Tensor:
    """Logarithm of a normal density without its constant, shape (n,)."""
    return -0.5 * ((actions - means) / log_std.exp()).square_().sum(1) - log_std.sum()


def loss_gradient(
    means: Tensor,
    log_std: Tensor,
    values: Tensor,
    batch: Batch,
    old_log_std: Tensor,
    weight: float,
    config: PpoConfig,
) -> Gradient:
    """Gradient of the clipped loss of policy and value, less the reward for entropy.

    Args:
        means: Means of actions by the network of now, shape (n, actions).
        log_std: Logarithm of their deviations of now, shape (actions,).
        values: By the network of now, shape (n, 1).
        batch: What was done.
        old_log_std: Logarithm of the deviations with which it was done, shape (actions,).
        weight: Of each row; one by the size of the whole batch makes sums means.
        config: Ranges and weights.
    """
    std = log_std.exp()
    scaled = (batch.actions - means).div_(std)
    square = scaled.square()
    log_ratio = (square.sum(1).mul_(-0.5) - log_std.sum()).sub_(batch.log_probs)
    ratio = log_ratio.exp()
    clip = config.clip_range
    gain = ratio * batch.advantages
    clipped = ratio.clamp(1 - clip, 1 + clip).mul_(batch.advantages)
    # Where the clipped one is less it is constant.
    slope = gain.where(gain <= clipped, 0.0).mul_(-weight).unsqueeze_(1)
    log_std_gradient = torch.sum(square.sub(1).mul_(slope), 0)
    log_std_gradient -= config.entropy * weight * len(means)

    error = values[:, 0] - batch.returns
    value_loss = error.square()
    value_gradient = error.mul_(2 * config.value_weight * weight)
    if config.value_clip is not None:
        moved = values[:, 0] - batch.values
        held = moved.clamp(-config.value_clip, config.value_clip)
        other = (held + batch.values - batch.returns).square_()
        # Where the clipped one is more it is constant.
        is_constant = (held != moved) & (value_loss < other)
        value_gradient = value_gradient.masked_fill(is_constant, 0.0)
        value_loss = torch.maximum(value_loss, other)

    shift = (means - batch.means).div_(std).square_().sum()
    growth = 2 * (old_log_std - log_std)
    divergence = 0.5 * (shift + len(means) * (growth.exp() - 1 - growth).sum())
    figures = torch.stack(
        [
            -torch.minimum(gain, clipped).sum(),
            value_loss.sum(),
            ((ratio - 1).abs_() > clip).sum(),
            divergence,
        ]
    )
    return Gradient(
        scaled.div_(std).mul_(slope),
        log_std_gradient,
        value_gradient.unsqueeze_(1),
        figures.mul_(weight),
    )
