"""A task of your own from a URDF: a pendulum that is to swing up, hundreds at a time."""
# ruff: noqa: ANN001, ANN201

from pathlib import Path

import numpy as np

from horus_sim.rl import Observation, Reward, Task, TaskConfig, Termination, make_vector
from horus_sim.rl.models.robot_spec import robot_spec


class SwingUp(Task[TaskConfig]):
    """The action is the torque of the pivot, from -1 to 1."""

    def build_model(self):
        """The robot of the file, held by the world."""
        return robot_spec(Path(__file__).with_name("pendulum.urdf"), "fixed")[0].compile()

    def action_bounds(self):
        """One number for each actuator."""
        return [-1.0], [1.0]

    def bind(self) -> None:
        """Live arrays over all environments."""
        self.angle, self.speed = self.sim.bind("qpos"), self.sim.bind("qvel")

    def reset(self, ids) -> None:
        """It hangs, nearly."""
        self.angle[ids] = self.random.uniform("angle", ids, 1, -0.3, 0.3)

    def act(self) -> None:
        """Torque [N m]."""
        self.ctrl[:] = 0.8 * np.clip(self.actions, -1, 1)

    def observations(self):
        """Where it points and how fast it turns."""
        return (
            Observation("up", 1, lambda rows: -np.cos(self.angle[rows]), -1.0, 1.0),
            Observation("side", 1, lambda rows: np.sin(self.angle[rows]), -1.0, 1.0),
            Observation("speed", 1, lambda rows: self.speed[rows] / 10, -10.0, 10.0),
        )

    def rewards(self):
        """Upright is good."""
        return (Reward("upright", lambda: -np.cos(self.angle[:, 0])),)

    def terminations(self):
        """Up is what was wanted."""
        return (Termination("up", lambda: np.cos(self.angle[:, 0]) < -0.95, success=True),)


envs = make_vector(SwingUp(TaskConfig(episode_duration=10.0)), num_envs=256)
observations, _ = envs.reset(seed=0)
solved = 0
for _ in range(100):
    push = np.where(observations[:, 2:] >= 0, 1.0, -1.0)  # always along the swing
    observations, rewards, terminated, truncated, info = envs.step(push)
    solved += int(info["success"].sum())
print(f"{solved} episodes of {envs.num_envs} pendulums ended upright")
