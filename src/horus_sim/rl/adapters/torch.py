"""Environments whose observations and actions are PyTorch tensors, also for `rsl_rl`.

On the CPU tensors share the memory of NumPy arrays: nothing is copied beyond the one copy that the
environments make so that learners may keep an observation over the next step.
"""

from __future__ import annotations

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
    """A `VectorEnv` with tensors.

    Episodes that end begin anew in the same step; `extras` has their last observations.

    Args:
        envs: The environments, in autoreset mode 'SameStep'; `make_torch` makes them so.
        device: Where tensors live; elsewhere than on the CPU each one is copied once.

    Attributes:
        envs: The environments.
        num_envs: How many.
        num_obs: Columns of an observation.
        num_actions: Numbers of an action.
        device: Where tensors live.

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

    def reset(self, seed: int | None = None) -> Tensor:
        """Begins new episodes; gives observations, float32, shape (num_envs, num_obs)."""
        observations, _ = self.envs.reset(seed=seed)
        self.observations = self.tensor(observations)
        return self.observations

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor, Tensor, dict[str, Any]]:
        """Advances every environment by a step.

        Args:
            actions: Shape (num_envs, num_actions).

        Returns:
            Observations; rewards, float32; ends of episodes, bool; and extras: `time_outs` (ends
            by time alone, bool), `success` (bool), `info` as the environments give it and, where
            episodes ended, `final_observations` (rows of others have no meaning).
        """
        given = actions.detach().cpu().numpy()
        observations, rewards, terminated, truncated, info = self.envs.step(given)
        final = info.get("final_info", info)
        extras: dict[str, Any] = {
            "time_outs": self.tensor(truncated & ~terminated),
            "success": self.tensor(np.array(final["success"])),
            "info": info,
        }
        if "final_obs" in info:
            extras["final_observations"] = self.tensor(info["final_obs"])
        self.observations = self.tensor(observations)
        rewards = self.tensor(rewards.astype(np.float32))
        return self.observations, rewards, self.tensor(terminated | truncated), extras

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
