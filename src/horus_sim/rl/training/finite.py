"""Whether what environments give can be computed with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import RLError
from horus_sim.rl.vector_env import VectorEnv


def check_finite(
    envs: VectorEnv,
    observations: npt.NDArray[Any],
    rewards: npt.NDArray[Any] | None,
    kind: type[RLError],
    terms: Mapping[str, npt.NDArray[Any]] | None = None,
) -> None:
    """Refuses observations and rewards that are infinite or not a number.

    Args:
        envs: Where they come from.
        observations: Shape (num_envs, columns).
        rewards: Shape (num_envs,), or None after a reset.
        kind: The error.
        terms: Parts of the rewards by name, as `info["reward"]` has them, where they are known.

    Raises:
        RLError: Of that kind; the text names the observation or reward and an environment.
    """
    if not (good := np.isfinite(observations)).all():
        row, column = np.argwhere(~good)[0].tolist()
        name = next(name for name, part in envs.columns.items() if part.start <= column < part.stop)
        raise kind(_text(f"observation '{name}'", row, float(observations[row, column])))
    if rewards is not None and not (good := np.isfinite(rewards)).all():
        row = int(np.argmin(good))
        # Masks of the terms, such as '_goal', are always finite.
        bad = [name for name, part in (terms or {}).items() if not np.isfinite(part[row])]
        raise kind(_text(f"reward '{bad[0]}'" if bad else "the reward", row, float(rewards[row])))


def _text(what: str, env: int, value: float) -> str:
    return f"{what} is not finite in environment {env} ({value}); mend it in the task"
