"""Environments whose observations and actions are PyTorch tensors.

On the CPU tensors share the memory of NumPy arrays: nothing is copied beyond the one copy that the
environments make so that learners may keep an observation over the next step.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from horus_sim.errors import MissingExtraError
from horus_sim.rl.envs.make import make_vector
from horus_sim.rl.envs.vector_env import VectorEnv
from horus_sim.rl.tasks.task import Task

if find_spec("torch") is None:
    raise MissingExtraError("torch", "train")

import torch  # pyright: ignore[reportMissingImports]

Tensor = Any


class TorchVecEnv:
    """A `VectorEnv` with tensors; `reset` and `step` give what Gymnasium's give.

    Episodes that end begin anew in the same step; the info has their last observations.

    Args:
        envs: The environments, in autoreset mode 'SameStep'; `make_torch` makes them so.
        device: Where tensors live; elsewhere than on the CPU each one is copied once.

    Attributes:
        envs: The environments.
        num_envs: How many.
        num_obs: Columns of an observation.
        num_actions: Numbers of an action.
        device: Where tensors live.
        observations: The last observations.

    Raises:
        TaskError: The environments reset in another step.
    """

    def __init__(self, envs: VectorEnv, device: str = "cpu") -> None:
        envs.check_same_step("a learner with tensors")
        self.envs = envs
        self.num_envs = envs.num_envs
        self.num_obs = int(np.prod(envs.single_observation_space.shape or ()))
        self.num_actions = int(np.prod(envs.single_action_space.shape or ()))
        self.device = device
        self.observations: Tensor = None

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None
    ) -> tuple[Tensor, dict[str, Any]]:
        """Begins new episodes.

        Returns:
            Observations, float32, shape (num_envs, num_obs), and info as the environments give it.
        """
        observations, info = self.envs.reset(seed=seed)
        self.observations = self.tensor(observations)
        return self.observations, info

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, dict[str, Any]]:
        """Advances every environment by a step.

        Args:
            actions: Shape (num_envs, num_actions).

        Returns:
            Observations; rewards, float32; terminations and truncations, bool; and the info as the
            environments give it, in arrays, but that `final_obs` and `_final_obs`, where episodes
            ended, are tensors. Rows of `final_obs` of other environments have no meaning.
        """
        given = actions.detach().cpu().numpy()
        observations, rewards, terminated, truncated, info = self.envs.step(given)
        for key in ("final_obs", "_final_obs"):
            if key in info:
                info[key] = self.tensor(info[key])
        self.observations = self.tensor(observations)
        return (
            self.observations,
            self.tensor(rewards.astype(np.float32)),
            self.tensor(terminated),
            self.tensor(truncated),
            info,
        )

    def tensor(self, array: np.ndarray) -> Tensor:
        """The array as a tensor; on the CPU it is the same memory."""
        tensor = torch.from_numpy(array)
        return tensor if self.device == "cpu" else tensor.to(self.device)

    def close(self) -> None:
        """Closes the environments."""
        self.envs.close()


def make_torch(
    task: str | Task[Any],
    num_envs: int = 1,
    threads: int = 0,
    *,
    device: str = "cpu",
    **settings: Any,  # noqa: ANN401 - checked by the task's settings
) -> TorchVecEnv:
    """Environments with tensors; the other arguments are those of `horus_sim.rl.make_vector`."""
    return TorchVecEnv(make_vector(task, num_envs, threads, "SameStep", **settings), device)
