"""Stable-Baselines3's algorithms, made from settings, saved, restored and exported.

The only module, with `callback`, that imports Stable-Baselines3 and torch.
"""

from __future__ import annotations

import errno
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from horus_sim.errors import MissingExtraError, TrainingError
from horus_sim.files.whole_file import whole_file
from horus_sim.rl.envs.vector_env import VectorEnv
from horus_sim.rl.settings import merged
from horus_sim.rl.training.config import TrainConfig
from horus_sim.rl.training.policy import Policy

if find_spec("stable_baselines3") is None:
    raise MissingExtraError("stable-baselines3", "train")
if find_spec("tensorboard") is None:
    raise MissingExtraError("tensorboard", "train")

import torch  # pyright: ignore[reportMissingImports]
from stable_baselines3 import PPO, SAC  # pyright: ignore[reportMissingImports]
from stable_baselines3.common.vec_env import VecNormalize  # pyright: ignore[reportMissingImports]

from horus_sim.rl.adapters.sb3 import make_sb3

_FORMAT = 1
# Beyond what a training consumes: environments of a resumed one get seeds of their own.
_SEEDS_A_TRAINING = 2**20


class Learner:
    """An algorithm with its environments.

    Attributes:
        config: The settings.
        model: The algorithm of Stable-Baselines3.
        envs: The environments, normalized.
    """

    def __init__(self, config: TrainConfig) -> None:
        torch.set_num_threads(config.torch_threads)
        self.config = config
        settings = merged(config.settings, config.practice)
        raw = make_sb3(config.task, config.num_envs, config.threads, **settings)
        self.envs: Any = VecNormalize(
            raw,
            norm_reward=config.normalize_rewards,
            gamma=config.discount,
        )
        # Not as an argument: there are to be statistics also where they are not used.
        self.envs.norm_obs = config.normalize_observations
        self.model: Any = _build(config, self.envs)
        self._seed_environments(0)

    @property
    def vector(self) -> VectorEnv:
        """The environments themselves."""
        return self.envs.venv.envs

    def check_networks(self) -> None:
        """Raises where what was learned cannot be used.

        Raises:
            TrainingError: A parameter is not finite.
        """
        if not all(torch.isfinite(values).all() for values in self.model.policy.parameters()):
            raise self.divergence()

    def divergence(self) -> TrainingError:
        """The error for learning that went astray."""
        return TrainingError(
            f"learning diverged after {self.model.num_timesteps:,} steps; lower learning_rate, "
            f"which is {self.config.learning_rate:g}, and train anew"
        )

    def _seed_environments(self, steps: int) -> None:
        # After a resume other episodes than at the beginning, and still a function of the seed.
        shift = steps * self.config.num_envs % (_SEEDS_A_TRAINING - self.config.num_envs)
        self.envs.seed(self.config.seed * _SEEDS_A_TRAINING + shift)

    def save(self, path: Path, seconds: float) -> None:
        """Writes all that is needed to go on, but for what environments were doing.

        Args:
            path: The checkpoint; it is complete or absent.
            seconds: Time spent in training [s].

        Raises:
            TrainingError: It cannot be written.
        """
        model, envs = self.model, self.envs
        content = {
            "format": _FORMAT,
            "parameters": model.get_parameters(),
            "log_ent_coef": getattr(model, "log_ent_coef", None),
            "steps": int(model.num_timesteps),
            "updates": int(model._n_updates),
            "seconds": float(seconds),
            "random": torch.get_rng_state(),
            "returns": torch.from_numpy(envs.returns.astype(np.float64)),
        }
        for name, rms in (("observations", envs.obs_rms), ("rewards", envs.ret_rms)):
            content[name] = [
                torch.as_tensor(np.asarray(value, np.float64))
                for value in (rms.mean, rms.var, rms.count)
            ]
        remedy = "make room for it, or train in another folder"
        with whole_file(path, TrainingError, remedy) as file:
            try:
                torch.save(content, file)
            except RuntimeError as error:
                # torch hides the error of the operating system.
                raise OSError(errno.ENOSPC, "the disk seems to be full") from error

    def restore(self, path: Path) -> float:
        """Goes on from a checkpoint.

        Returns:
            Time spent before [s].

        Raises:
            TrainingError: The file is not a checkpoint of this training.
        """
        model, envs = self.model, self.envs
        try:
            content = _read(path)
            now, then = envs.observation_space.shape, tuple(content["observations"][0].shape)
            if now != then:
                raise ValueError(f"its observations have shape {then} and those of the task {now}")
            _set_parameters(model, content["parameters"])
            if content["log_ent_coef"] is not None:
                model.log_ent_coef.data.copy_(content["log_ent_coef"])
            for name, rms in (("observations", envs.obs_rms), ("rewards", envs.ret_rms)):
                mean, variance, count = content[name]
                rms.mean, rms.var, rms.count = mean.numpy(), variance.numpy(), float(count)
            model.num_timesteps, model._n_updates = content["steps"], content["updates"]
            torch.set_rng_state(content["random"])
            self._seed_environments(content["steps"])
            return float(content["seconds"])
        # What is missing or of another kind in a damaged file raises anything.
        except Exception as error:
            folder = path.parent
            found = [*folder.glob("step_*.pt"), *folder.glob("checkpoints/step_*.pt")]
            rest = ", ".join(sorted(other.name for other in found if other != path)) or "none"
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise TrainingError(
                f"checkpoint '{path}' cannot be used ({reason}); name another one (there: {rest}) "
                "or train anew"
            ) from error

    def export(self, **origin: Any) -> Policy:  # noqa: ANN401 - plain values
        """The policy as it is now, without torch."""
        config, policy = self.config, self.model.policy
        if config.algorithm == "ppo":
            network = [*policy.mlp_extractor.policy_net, policy.action_net]
        else:
            network = [*policy.actor.latent_pi, policy.actor.mu]
        layers = tuple(
            (layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy())
            for layer in network
            if isinstance(layer, torch.nn.Linear)
        )
        space, rms = self.envs.action_space, self.envs.obs_rms
        off = not config.normalize_observations
        # Statistics that are not used leave observations as they are, also the clip.
        mean = np.zeros_like(rms.mean) if off else np.array(rms.mean, np.float64)
        variance = np.full_like(rms.var, 1 - 1e-8) if off else np.array(rms.var, np.float64)
        return Policy(
            task=config.task,
            settings=config.settings,
            layers=layers,
            activation=config.activation,
            squash=config.algorithm == "sac",
            low=space.low,
            high=space.high,
            mean=mean,
            variance=variance,
            clip=float("inf") if off else self.envs.clip_obs,
            origin={
                "algorithm": config.algorithm,
                "seed": config.seed,
                "steps": int(self.model.num_timesteps),
                **origin,
            },
        )


def _read(path: Path) -> dict[str, Any]:
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except OSError:
        raise
    # torch.load raises whatever the bytes lead to, with advice for its own users.
    except Exception as error:
        raise ValueError("it is damaged, or no checkpoint") from error
    if content["format"] != _FORMAT:
        raise ValueError(f"format {content['format']}, this version reads {_FORMAT}")
    return content


def _set_parameters(model: Any, values: Any) -> None:  # noqa: ANN401 - of Stable-Baselines3
    try:
        model.set_parameters(values, exact_match=True, device="cpu")
    except RuntimeError as error:
        # Its text is a list of layers.
        raise ValueError("its networks have other shapes than the task and settings ask") from error


def _build(config: TrainConfig, envs: Any) -> Any:  # noqa: ANN401 - of Stable-Baselines3
    activation = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[config.activation]
    common: dict[str, Any] = {
        "learning_rate": config.learning_rate,
        "gamma": config.discount,
        "seed": config.seed,
        "device": "cpu",
        "stats_window_size": 1000,
    }
    shape = {"net_arch": list(config.network), "activation_fn": activation}
    if config.algorithm == "ppo":
        ppo = config.ppo
        return PPO(
            "MlpPolicy",
            envs,
            n_steps=ppo.rollout_steps,
            batch_size=ppo.batch_size,
            n_epochs=ppo.epochs,
            gae_lambda=ppo.gae_lambda,
            clip_range=ppo.clip_range,
            ent_coef=ppo.entropy,
            vf_coef=ppo.value_weight,
            max_grad_norm=ppo.largest_gradient,
            target_kl=ppo.target_kl,
            policy_kwargs={**shape, "log_std_init": float(np.log(ppo.initial_std))},
            **common,
        )
    sac = config.sac
    return SAC(
        "MlpPolicy",
        envs,
        buffer_size=max(sac.buffer_size, config.num_envs),
        batch_size=sac.batch_size,
        learning_starts=sac.learning_starts,
        train_freq=sac.train_every,
        gradient_steps=sac.gradient_steps,
        tau=sac.tau,
        policy_kwargs=shape,
        **common,
    )
