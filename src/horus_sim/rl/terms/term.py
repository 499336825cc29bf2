"""The parts of a task: what is observed, what is rewarded, what ends an episode.

Terms are functions over all environments at once. An observation takes `rows`, which is
`slice(None)` in a step and an array of ids after a reset, and indexes its arrays with it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.rl.engines.interface import Rows
from horus_sim.rl.settings import Config


def is_any(flags: npt.NDArray[np.bool_]) -> bool:
    """Whether one of them is True; a few times faster on short arrays than NumPy's own ways."""
    return b"\x01" in flags.tobytes()


def takes(function: Callable[..., Any], count: int) -> bool:
    """Whether it can be called with that many arguments, as far as it tells."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # compiled functions may have none
        return True
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Observation:
    """Columns of the observation.

    Attributes:
        name: What they are; unique in the task.
        size: Number of columns.
        function: Gives their values, shape (n, size) for n rows.
        low: Least value, for the observation space.
        high: Largest value, for the observation space.
        shape: Shape of what the columns are, such as (height, width, 3) of pictures, where they
            are more than a row of numbers; `NamedObservations` gives it back.
        unit: Unit of the values; '1' where they have none.
        frame: Frame in which they are; '' where they have none.
        source: Where they come from on a robot, a `horus_sim.rl.contract.sources.source.Source`;
            None where only the simulation knows them.
    """

    name: str
    size: int
    function: Callable[[Rows], npt.NDArray[Any]]
    low: float = -np.inf
    high: float = np.inf
    shape: tuple[int, ...] | None = None
    unit: str = "1"
    frame: str = ""
    source: Config | None = None


@dataclass(frozen=True, slots=True)
class Reward:
    """A summand of the reward.

    Attributes:
        name: Its key under `info["reward"]`; unique in the task.
        function: Gives its value in every environment, before the weight, shape (num_envs,).
        weight: Factor; a task's `rewards` setting overrides it.
        before_step: Called before each step, to keep what the value is compared with.
    """

    name: str
    function: Callable[[], npt.NDArray[Any]]
    weight: float = 1.0
    before_step: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class Termination:
    """What ends an episode.

    Attributes:
        name: The cause, as `causes` of the environment lists it; unique in the task.
        function: Tells where it holds, shape (num_envs,), bool.
        success: Whether the task is solved by it; otherwise it is a failure.
        truncates: Whether it only cuts the episode off, as the time limit does, so that learners
            count on what would have followed.
    """

    name: str
    function: Callable[[], npt.NDArray[np.bool_]]
    success: bool = False
    truncates: bool = False
