"""A task that is as small as can be, to be made wrong by subclasses."""

from __future__ import annotations

from typing import Any

import numpy as np

from horus_sim.rl import Observation, Reward, Task, TaskConfig, Termination
from horus_sim.robots.engine import mujoco

XML = """
<mujoco><option timestep="0.004"/><worldbody>
<geom name="floor" type="plane" size="2 2 1"/>
<body><joint name="pivot" type="hinge" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 .5" size=".02"/></body></worldbody>
<actuator><motor joint="pivot" ctrlrange="-1 1"/></actuator></mujoco>
"""


class Pendulum(Task[TaskConfig]):
    """A rod on a hinge, without lights."""

    def __init__(self, config: TaskConfig | None = None, **settings: Any) -> None:
        super().__init__(config or TaskConfig(**settings))

    def build_model(self) -> Any:
        return mujoco.MjModel.from_xml_string(XML)

    def bind(self) -> None:
        self.angle = self.sim.bind("qpos")

    def reset(self, ids) -> None:
        self.angle[ids] = self.random.uniform("angle", ids, 1, -0.1, 0.1)

    def observations(self) -> Any:
        return (Observation("angle", 1, lambda rows: self.angle[rows]),)

    def rewards(self) -> Any:
        return (Reward("upright", lambda: 1 - self.angle[:, 0] ** 2),)

    def terminations(self) -> Any:
        return (Termination("fell", lambda: np.abs(self.angle[:, 0]) > 0.5),)
