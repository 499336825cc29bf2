"""Settings that every task has."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from horus_sim.rl.pictures.camera import CameraConfig
from horus_sim.rl.randomization.curriculum import CurriculumConfig
from horus_sim.rl.randomization.kinds import RandomizationConfig
from horus_sim.rl.settings import Config


class TaskConfig(Config):
    """Settings of any task; those of a task of its own are added in a subclass.

    Attributes:
        physics_steps: Physics steps in a step of the environment; 12 at 240 Hz make 20 Hz.
        episode_duration: Simulated time after which an episode is truncated [s].
        rewards: Weights of reward terms by name, where not as in the task.
        randomization: Domain randomizations by a name of your choice.
        curriculum: How tasks and randomizations grow harder.
        camera: Pictures as the observation 'camera', if given.
        backend: What steps physics: 'mujoco', or 'warp' for mujoco_warp on a GPU.
    """

    physics_steps: Annotated[int, Field(ge=1)] = 12
    episode_duration: Annotated[float, Field(gt=0)] = 20.0
    rewards: dict[str, float] = Field(default_factory=dict)
    randomization: dict[str, RandomizationConfig] = Field(default_factory=dict)
    curriculum: CurriculumConfig = CurriculumConfig()
    camera: CameraConfig | None = None
    backend: Literal["mujoco", "warp"] = "mujoco"
