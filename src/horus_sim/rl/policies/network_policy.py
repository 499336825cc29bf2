"""A policy that another tool made, and the contract that says what its numbers mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import PolicyError
from horus_sim.rl.contract.contract import Contract

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class NetworkPolicy:
    """What to do where, by a network of another tool.

    Attributes:
        contract: What its numbers mean.
        run: The network: actions, shape (n, actions), of observations, shape (n, columns).
        source: Its file.
    """

    contract: Contract
    run: Callable[[Array], npt.NDArray[Any]]
    source: Path

    @property
    def task(self) -> str:
        """Name of the task that it is for."""
        return self.contract.task

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings of the task with which it learned."""
        return self.contract.settings

    @property
    def origin(self) -> Mapping[str, Any]:
        """How it was made."""
        return self.contract.origin

    def act(self, observations: npt.NDArray[Any]) -> Array:
        """Actions, shape (n, actions), float32.

        Args:
            observations: Shape (n, columns).

        Raises:
            PolicyError: The observations have another number of columns, or the network gives
                something else than its contract says.
        """
        columns, actions = self.contract.columns, self.contract.action_columns
        if observations.ndim != 2 or observations.shape[1] != columns:
            raise PolicyError(
                f"the policy for '{self.task}' takes observations of shape (n, {columns}), got "
                f"{observations.shape}; use it with the task and settings that it learned"
            )
        scaled = self.contract.normalization
        if scaled is not None and scaled.place == "before":
            observations = scaled.apply(observations)
        given = np.asarray(self.run(observations.astype(np.float32)), np.float32)
        if given.shape != (len(observations), actions):
            raise PolicyError(
                f"{self.source} gives actions of shape {given.shape}, and its contract says "
                f"{(len(observations), actions)}; give the contract that belongs to it"
            )
        low = np.concatenate([np.full(part.size, part.least) for part in self.contract.actions])
        high = np.concatenate([np.full(part.size, part.largest) for part in self.contract.actions])
        return np.clip(given, low, high).astype(np.float32)
