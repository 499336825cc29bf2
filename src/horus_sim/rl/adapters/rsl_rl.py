"""Environments for `rsl_rl` (from version 3 on), whose observations are dictionaries of tensors."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from horus_sim.errors import MissingExtraError
from horus_sim.rl.adapters.torch import Tensor, TorchVecEnv, make_torch
from horus_sim.rl.tasks.task import Task

if find_spec("rsl_rl") is None:
    raise MissingExtraError("rsl-rl-lib", "rsl")

import torch  # pyright: ignore[reportMissingImports]
from rsl_rl.env import VecEnv  # pyright: ignore[reportMissingImports]
from tensordict import TensorDict  # pyright: ignore[reportMissingImports]

GROUP = "policy"


class RslRlVecEnv(VecEnv):
    """A `TorchVecEnv` as a `VecEnv` of `rsl_rl`.

    Observations are one group, 'policy'. Learners store observations after the next step, so the
    environments give each an array of its own.

    Args:
        envs: The environments.

    Attributes:
        envs: The environments.
        cfg: Settings of the task, for logs.
    """

    def __init__(self, envs: TorchVecEnv) -> None:
        self.envs = envs
        self.num_envs = envs.num_envs
        self.num_actions = envs.num_actions
        self.device = envs.device
        self.cfg = envs.envs.task.config.model_dump()
        self.max_episode_length = envs.envs.max_episode_steps
        self._lengths = torch.zeros(envs.num_envs, dtype=torch.long, device=envs.device)
        envs.reset()

    @property
    def episode_length_buf(self) -> Tensor:
        """Steps of the running episodes, shape (num_envs,); what is set counts for their ends.

        The runner sets it so that episodes do not all end at once (`init_at_random_ep_len`).
        """
        return self._lengths

    @episode_length_buf.setter
    def episode_length_buf(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, lengths: Tensor
    ) -> None:
        self._lengths = lengths.to(dtype=torch.long, device=self.device)
        self.envs.envs.task.random.steps[:] = self._lengths.cpu().numpy()

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins new episodes."""
        self.envs.reset(seed=seed)
        self._lengths[:] = 0
        return self.get_observations(), {}

    def get_observations(self) -> Any:  # noqa: ANN401 - a TensorDict
        """The last observations."""
        return self._grouped(self.envs.observations)

    def step(self, actions: Tensor) -> tuple[Any, Tensor, Tensor, dict[str, Any]]:
        """Advances every environment; gives observations, rewards, ends and extras."""
        observations, rewards, terminated, truncated, info = self.envs.step(actions)
        dones = torch.logical_or(terminated, truncated)
        self._lengths += 1
        self._lengths[dones] = 0
        extras: dict[str, Any] = {"time_outs": torch.logical_and(truncated, ~terminated)}
        if "final_info" in info:
            ended = info["_final_info"]
            extras["log"] = {"success": float(info["final_info"]["success"][ended].mean())}
        return self._grouped(observations), rewards, dones, extras

    def close(self) -> None:
        """Closes the environments."""
        self.envs.close()

    def _grouped(self, observations: Tensor) -> Any:  # noqa: ANN401 - a TensorDict
        return TensorDict({GROUP: observations}, batch_size=[self.num_envs], device=self.device)


def make_rsl_rl(
    task: str | Task[Any],
    num_envs: int = 1,
    threads: int = 0,
    *,
    device: str = "cpu",
    **settings: Any,  # noqa: ANN401 - checked by the task's settings
) -> RslRlVecEnv:
    """Environments for `rsl_rl`; the arguments are those of `make_torch`."""
    return RslRlVecEnv(make_torch(task, num_envs, threads, device=device, **settings))
