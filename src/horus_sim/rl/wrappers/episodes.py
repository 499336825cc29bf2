"""The base of wrappers that must know where episodes begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from horus_sim.errors import EnvSnapshotError
from horus_sim.rl.envs.held_values import HeldValues
from horus_sim.rl.envs.snapshot import EnvSnapshot

Flags = npt.NDArray[np.bool_]
Step = tuple[Any, Any, Any, Any, dict[str, Any]]


class EpisodeWrapper(gymnasium.vector.VectorWrapper):
    """Calls `begin` with the environments whose observation is the first of an episode.

    Subclasses override `begin`, `change_actions`, `change_observations`, `change_first` and
    `change_final`.

    Attributes:
        no_state: Names of attributes that are no state of the environments.
    """

    no_state: ClassVar[frozenset[str]] = frozenset({"env"})

    def __init__(self, env: gymnasium.vector.VectorEnv) -> None:
        super().__init__(env)
        self._mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        # Where the next step is to begin an episode.
        self._over: Flags = np.zeros(self.num_envs, np.bool_)

    def begin(self, begun: Flags) -> None:
        """Forgets what was before, where `begun`, shape (num_envs,)."""

    def change_actions(self, actions: Any, ignored: Flags) -> Any:  # noqa: ANN401, ARG002
        """What the environments get instead; those `ignored`, shape (num_envs,), begin anew."""
        return actions

    def change_observations(self, observations: Any, begun: Flags) -> Any:  # noqa: ANN401, ARG002
        """What the trainer gets instead."""
        return self.change_final(observations)

    def change_first(self, observations: Any, begun: Flags) -> Any:  # noqa: ANN401 - any space
        """What the trainer gets instead after a reset; rows of others than `begun` are not new."""
        return self.change_observations(observations, begun)

    def change_final(self, observations: Any) -> Any:  # noqa: ANN401 - any space
        """What the trainer gets instead as last observations, in 'SameStep' mode."""
        return observations

    def set_observation_space(self, space: gymnasium.Space[Any]) -> None:
        """Says what the trainer gets of one environment."""
        self.single_observation_space = space
        self.observation_space = batch_space(space, self.num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begins episodes."""
        observations, info = self.env.reset(seed=cast("Any", seed), options=options)
        begun = np.ones(self.num_envs, np.bool_)
        if options and "reset_mask" in options:
            begun = np.asarray(options["reset_mask"])
        self._over = self._over & ~begun
        self.begin(begun)
        return self.change_first(observations, begun), info

    def step(self, actions: Any) -> Step:  # noqa: ANN401 - any space
        """Steps, with what the wrapper changes."""
        begun = self._over
        observations, rewards, terminated, truncated, info = self.env.step(
            self.change_actions(actions, begun)
        )
        done = terminated | truncated
        if self._mode is AutoresetMode.SAME_STEP:
            begun = done
            if done.any():
                info["final_obs"] = self.change_final(info["final_obs"])
        else:
            self._over = done
        if begun.any():
            self.begin(begun)
        return self.change_observations(observations, begun), rewards, terminated, truncated, info

    def shown(self, observations: Any) -> Any:  # noqa: ANN401 - any space
        """What the trainer got of the present observations."""
        return self.change_final(observations)

    def snapshot(self) -> EnvSnapshot:
        """A snapshot of the environments with what the wrapper remembers.

        Raises:
            EnvSnapshotError: What is wrapped keeps no snapshots.
        """
        inner = self._inner().snapshot()
        own = {"wrapper": type(self).__name__, "held": self._held().read()}
        return replace(inner, wrappers=(*inner.wrappers, own))

    def apply_snapshot(self, snapshot: EnvSnapshot) -> Any:  # noqa: ANN401 - any space
        """Goes back to a saved state, of these environments or of others wrapped alike.

        Returns:
            The observations as they were.

        Raises:
            EnvSnapshotError: The snapshot is of others, or of ones wrapped otherwise.
        """
        before, name = self._held().read(), type(self).__name__
        none: dict[str, Any] = {"wrapper": "no wrapper"}
        last = snapshot.wrappers[-1] if snapshot.wrappers else none
        if last["wrapper"] != name:
            raise EnvSnapshotError(
                f"the snapshot has {last['wrapper']} where these environments have {name}; wrap "
                "them alike"
            )
        try:
            self._held().write(last["held"])
            inner = replace(snapshot, wrappers=snapshot.wrappers[:-1])
            return self.shown(self._inner().apply_snapshot(inner))
        except Exception as error:
            self._held().write(before)
            if isinstance(error, EnvSnapshotError):
                raise
            raise EnvSnapshotError(
                f"the snapshot does not fit this {name} ({type(error).__name__}: {error}); make it "
                "as the one that it was taken of"
            ) from error

    def _inner(self) -> Any:  # noqa: ANN401 - has snapshots
        if not hasattr(self.env, "apply_snapshot"):
            raise EnvSnapshotError(
                f"{type(self.env).__name__} keeps no snapshots; take those of env.unwrapped, or "
                "leave this wrapper out"
            )
        return self.env

    def _held(self) -> HeldValues:
        return HeldValues([self], closed=[vars(self).get(name) for name in self.no_state])
