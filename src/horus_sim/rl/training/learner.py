"""What every algorithm has in common: it learns, is saved, restored and exported.

Like the modules of the algorithms it needs the extra ``[train]``.
"""

from __future__ import annotations

import errno
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import MissingExtraError, TrainingError
from horus_sim.files.whole_file import whole_file
from horus_sim.rl.envs.contracting import contract_of
from horus_sim.rl.envs.vector_env import VectorEnv
from horus_sim.rl.training.config import TrainConfig
from horus_sim.rl.training.policy import Policy
from horus_sim.rl.training.running_statistics import CLIP

if find_spec("torch") is None:
    raise MissingExtraError("torch", "train")
if find_spec("tensorboard") is None:
    raise MissingExtraError("tensorboard", "train")

import torch  # pyright: ignore[reportMissingImports]

if TYPE_CHECKING:
    from horus_sim.rl.training.monitor import TrainingMonitor

# Beyond what a training consumes: environments of a resumed one get seeds of their own.
_SEEDS_A_TRAINING = 2**20
RECENT_EPISODES = 1000
Layers = tuple[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]], ...]


class Learner(ABC):
    """An algorithm with its environments.

    Attributes:
        config: The settings.
        vector: The environments.
        steps: Steps of all environments together that were learned from.
    """

    config: TrainConfig
    vector: VectorEnv
    steps: int
    # Of checkpoints; another one is refused.
    format: int

    @abstractmethod
    def learn(self, monitor: TrainingMonitor) -> None:
        """Learns until the monitor says that it is over.

        Raises:
            TrainingError: Learning diverged.
        """

    @abstractmethod
    def check_networks(self) -> None:
        """Raises where what was learned cannot be used.

        Raises:
            TrainingError: A parameter is not finite.
        """

    @abstractmethod
    def recent_episodes(self) -> tuple[Sequence[float], Sequence[bool]]:
        """Returns and successes of the last 1,000 episodes, with exploration."""

    @abstractmethod
    def close(self) -> None:
        """Closes the environments and what else is open."""

    @abstractmethod
    def _content(self) -> dict[str, Any]:
        """Tensors and plain values of a checkpoint."""

    @abstractmethod
    def _take(self, content: dict[str, Any]) -> None:
        """Goes on from what `_content` gave; `steps` are those of the checkpoint."""

    @abstractmethod
    def _network(self) -> Layers:
        """Copies of the layers of the deterministic policy."""

    @abstractmethod
    def _observed(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Mean and variance of observations."""

    def divergence(self) -> TrainingError:
        """The error for learning that went astray."""
        return TrainingError(
            f"learning diverged after {self.steps:,} steps; lower learning_rate, "
            f"which is {self.config.learning_rate:g}, and train anew"
        )

    def first_seed(self) -> int:
        """Seed of the first environment: after a resume another one than at the beginning."""
        count = self.config.num_envs
        shift = self.steps * count % (_SEEDS_A_TRAINING - count)
        return self.config.seed * _SEEDS_A_TRAINING + shift

    def save(self, path: Path, seconds: float) -> None:
        """Writes all that is needed to go on, but for what environments were doing.

        Args:
            path: The checkpoint; it is complete or absent.
            seconds: Time spent in training [s].

        Raises:
            TrainingError: It cannot be written.
        """
        content = {
            "format": self.format,
            "algorithm": self.config.algorithm,
            "steps": int(self.steps),
            "seconds": float(seconds),
            **self._content(),
        }
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
        try:
            content = self._read(path)
            now, then = self._observed()[0].shape, tuple(content["observations"][0].shape)
            if now != then:
                raise ValueError(f"its observations have shape {then} and those of the task {now}")
            self.steps = int(content["steps"])
            self._take(content)
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

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            content = torch.load(path, map_location="cpu", weights_only=True)
        except OSError:
            raise
        # torch.load raises whatever the bytes lead to, with advice for its own users.
        except Exception as error:
            raise ValueError("it is damaged, or no checkpoint") from error
        if content["format"] != self.format:
            raise ValueError(f"format {content['format']}, this version reads {self.format}")
        return content

    def export(self, **origin: Any) -> Policy:  # noqa: ANN401 - plain values
        """The policy as it is now, without torch."""
        config, (mean, variance) = self.config, self._observed()
        space: Any = self.vector.single_action_space
        off = not config.normalize_observations
        made = Policy(
            task=config.task,
            settings=config.settings,
            layers=self._network(),
            activation=config.activation,
            squash=config.algorithm == "sac",
            low=space.low,
            high=space.high,
            # Statistics that are not used leave observations as they are, also the clip.
            mean=np.zeros_like(mean) if off else mean.copy(),
            variance=np.full_like(variance, 1 - 1e-8) if off else variance.copy(),
            clip=float(np.finfo(np.float32).max) if off else CLIP,
            origin={
                "algorithm": config.algorithm,
                "seed": config.seed,
                "steps": int(self.steps),
                **origin,
            },
        )
        return made.with_contract(contract_of(self.vector, config.task, config.settings))


def tensors(mean: npt.ArrayLike, variance: npt.ArrayLike, count: float) -> list[Any]:
    """Statistics as a checkpoint holds them."""
    return [torch.as_tensor(np.asarray(value, np.float64)) for value in (mean, variance, count)]


def arrays(
    content: Sequence[Any],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], float]:
    """Mean, variance and count from what `tensors` gave."""
    mean, variance, count = content
    return mean.numpy(), variance.numpy(), float(count)


def make_learner(config: TrainConfig) -> Learner:
    """The learner of the algorithm that the settings name.

    Raises:
        MissingExtraError: The extra [train] is not installed.
    """
    if config.algorithm == "ppo":
        from horus_sim.rl.training.ppo import Ppo

        return Ppo(config)
    from horus_sim.rl.training.sac import Sac

    return Sac(config)
