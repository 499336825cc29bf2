"""Stable-Baselines3's soft actor-critic as a learner."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import MissingExtraError
from horus_sim.rl.settings import merged
from horus_sim.rl.training.config import TrainConfig
from horus_sim.rl.training.learner import (
    RECENT_EPISODES,
    Layers,
    Learner,
    arrays,
    tensors,
)
from horus_sim.rl.training.monitor import TrainingMonitor

if find_spec("stable_baselines3") is None:
    raise MissingExtraError("stable-baselines3", "train")

import torch  # pyright: ignore[reportMissingImports]
from stable_baselines3 import SAC  # pyright: ignore[reportMissingImports]
from stable_baselines3.common.callbacks import BaseCallback  # pyright: ignore[reportMissingImports]
from stable_baselines3.common.utils import ConstantSchedule  # pyright: ignore[reportMissingImports]
from stable_baselines3.common.vec_env import VecNormalize  # pyright: ignore[reportMissingImports]

from horus_sim.rl.adapters.sb3 import make_sb3

# More than any training makes; minutes end it.
_NO_LIMIT = 10**15
# A rollout ends at each step; a row for each would be too many.
_STEPS_A_ROW = 100
_SECONDS_A_ROW = 1.0


class Sac(Learner):
    """Soft actor-critic."""

    format = 1

    def __init__(self, config: TrainConfig) -> None:
        torch.set_num_threads(config.torch_threads or 1)
        self.config, self.steps = config, 0
        settings = merged(config.settings, config.practice)
        raw = make_sb3(config.task, config.num_envs, config.threads, **settings)
        self.vector = raw.envs
        self.envs: Any = VecNormalize(
            raw, norm_reward=config.normalize_rewards, gamma=config.discount
        )
        # Not as an argument: there are to be statistics also where they are not used.
        self.envs.norm_obs = config.normalize_observations
        self.model: Any = _build(config, self.envs)
        self.envs.seed(self.first_seed())

    def learn(self, monitor: TrainingMonitor) -> None:
        """Learns until the monitor says that it is over."""
        _log_to(self.model, str(monitor.folder.tensorboard))
        left = (self.config.total_steps or _NO_LIMIT) - self.steps
        try:
            self.model.learn(left, callback=_Watcher(self, monitor), reset_num_timesteps=False)
        except ValueError as error:
            # Torch's words for a distribution of numbers that are not finite.
            if not str(error).startswith("Expected parameter"):
                raise
            raise self.divergence() from error
        self.steps = int(self.model.num_timesteps)

    def check_networks(self) -> None:
        """Raises where what was learned cannot be used."""
        if not all(torch.isfinite(values).all() for values in self.model.policy.parameters()):
            raise self.divergence()

    def recent_episodes(self) -> tuple[Sequence[float], Sequence[bool]]:
        """Returns and successes of the last 1,000 episodes, with exploration."""
        returns = [episode["r"] for episode in self.model.ep_info_buffer or ()]
        return returns, self.model.ep_success_buffer or ()

    def close(self) -> None:
        """Closes the environments and the log."""
        if hasattr(self.model, "_logger"):
            self.model.logger.close()
        self.envs.close()

    def _content(self) -> dict[str, Any]:
        model, envs = self.model, self.envs
        return {
            "parameters": model.get_parameters(),
            "log_ent_coef": getattr(model, "log_ent_coef", None),
            "updates": int(model._n_updates),
            "random": torch.get_rng_state(),
            "returns": torch.from_numpy(envs.returns.astype(np.float64)),
            "observations": tensors(envs.obs_rms.mean, envs.obs_rms.var, envs.obs_rms.count),
            "rewards": tensors(envs.ret_rms.mean, envs.ret_rms.var, envs.ret_rms.count),
        }

    def _take(self, content: dict[str, Any]) -> None:
        model, envs = self.model, self.envs
        try:
            model.set_parameters(content["parameters"], exact_match=True, device="cpu")
        except RuntimeError as error:
            # Its text is a list of layers.
            raise ValueError(
                "its networks have other shapes than the task and settings ask"
            ) from error
        if content["log_ent_coef"] is not None:
            model.log_ent_coef.data.copy_(content["log_ent_coef"])
        for name, rms in (("observations", envs.obs_rms), ("rewards", envs.ret_rms)):
            rms.mean, rms.var, rms.count = arrays(content[name])
        model.num_timesteps, model._n_updates = self.steps, content["updates"]
        torch.set_rng_state(content["random"])
        envs.seed(self.first_seed())

    def _network(self) -> Layers:
        actor = self.model.policy.actor
        return tuple(
            (layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy())
            for layer in (*actor.latent_pi, actor.mu)
            if isinstance(layer, torch.nn.Linear)
        )

    def _observed(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        seen = self.envs.obs_rms
        return seen.mean, seen.var


class _Watcher(BaseCallback):
    """Tells the monitor where Stable-Baselines3 is."""

    def __init__(self, learner: Sac, monitor: TrainingMonitor) -> None:
        super().__init__()
        self._learner, self._monitor = learner, monitor
        self._row_calls, self._row_s = 0, monitor.seconds

    def _on_rollout_start(self) -> None:
        # After the gradients of the rollout before.
        self._learner.check_networks()
        self._monitor.look_after()

    def _on_step(self) -> bool:
        self._learner.steps = self.num_timesteps
        return not self._monitor.is_stopped

    def _on_rollout_end(self) -> None:
        monitor = self._monitor
        self.model.lr_schedule = ConstantSchedule(monitor.learning_rate)
        is_due = (
            self.n_calls >= self._row_calls + _STEPS_A_ROW
            or monitor.seconds >= self._row_s + _SECONDS_A_ROW
        )
        if is_due:
            self._row_calls, self._row_s = self.n_calls, monitor.seconds
            monitor.tell()


def _log_to(model: Any, folder: str) -> None:  # noqa: ANN401 - of Stable-Baselines3
    from stable_baselines3.common.logger import (  # pyright: ignore[reportMissingImports]
        Logger,
        TensorBoardOutputFormat,
    )

    model.set_logger(Logger(folder, [TensorBoardOutputFormat(folder)]))


def _build(config: TrainConfig, envs: Any) -> Any:  # noqa: ANN401 - of Stable-Baselines3
    sac, nn = config.sac, torch.nn
    activation = {"tanh": nn.Tanh, "relu": nn.ReLU, "elu": nn.ELU}[config.activation]
    return SAC(
        "MlpPolicy",
        envs,
        learning_rate=config.learning_rate,
        gamma=config.discount,
        seed=config.seed,
        device="cpu",
        stats_window_size=RECENT_EPISODES,
        buffer_size=max(sac.buffer_size, config.num_envs),
        batch_size=sac.batch_size,
        learning_starts=sac.learning_starts,
        train_freq=sac.train_every,
        gradient_steps=sac.gradient_steps,
        tau=sac.tau,
        policy_kwargs={"net_arch": list(config.network), "activation_fn": activation},
    )
