"""A robot on two wheels that is to drive to a mark without falling."""
# ruff: noqa: ANN001, ANN201

from pathlib import Path

import numpy as np

from horus_sim.rl import Observation, Reward, Task, TaskConfig, Termination, make_vector
from horus_sim.rl.models.robot_spec import robot_spec
from horus_sim.rl.terms.rewards import approach, time_spent
from horus_sim.robots.engine import mujoco


class BalancerConfig(TaskConfig):
    """Settings: those of every task, and how far goals are [m]."""

    goal_distance: float = 1.5


class Balancer(Task[BalancerConfig]):
    """Actions are torques, of both wheels alike and against each other, from -1 to 1."""

    Config = BalancerConfig

    def build_model(self, *, lean=True):
        """The robot of the file on a floor."""
        robot = Path(__file__).with_name("balancer.urdf")
        spec, _ = robot_spec(robot, "floating", lean=lean)
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=(9, 9, 1))
        return spec.compile()

    def build_picture_model(self):
        """With what only looks."""
        return self.build_model(lean=False)

    def action_bounds(self):
        """Two numbers."""
        return [-1.0, -1.0], [1.0, 1.0]

    def bind(self) -> None:
        """Takes live arrays over all environments, and makes arrays of its own."""
        self.qpos, self.qvel = self.sim.bind("qpos"), self.sim.bind("qvel")
        self.goal, self.to_goal = self.array(2), self.array(2)
        self.pitch, self.distance = self.array(), self.array()

    def reset(self, ids) -> None:
        """It stands at the origin, leaning a little, and the goal is anywhere about it."""
        lean = self.random.uniform("lean", ids, 1, -0.1, 0.1)[:, 0]
        self.qpos[ids, 2] = 0.05
        self.qpos[ids, 3], self.qpos[ids, 5] = np.cos(lean / 2), np.sin(lean / 2)
        far, way = self.random.uniform("goal", ids, 2, 0.0, 1.0).T
        far = 0.3 + far * (self.config.goal_distance - 0.3)
        self.goal[ids] = np.stack([far * np.cos(6.283 * way), far * np.sin(6.283 * way)], axis=1)

    def act(self) -> None:
        """Torques of the wheels [N m]."""
        ahead, turn = 0.4 * self.actions[:, 0], 0.1 * self.actions[:, 1]
        self.ctrl[:, 0], self.ctrl[:, 1] = ahead - turn, ahead + turn

    def refresh(self, rows) -> None:
        """Lean [rad], and the goal in the robot's frame [m]."""
        w, x, y, z = self.qpos[rows, 3:7].T
        self.pitch[rows] = np.arcsin(np.clip(2 * (w * y - x * z), -1, 1))
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        dx, dy = (self.goal[rows] - self.qpos[rows, :2]).T
        self.to_goal[rows, 0] = np.cos(yaw) * dx + np.sin(yaw) * dy
        self.to_goal[rows, 1] = np.cos(yaw) * dy - np.sin(yaw) * dx
        self.distance[rows] = np.hypot(dx, dy)

    def observations(self):
        """What sensors of such a robot tell."""
        return (
            Observation("pitch", 1, lambda rows: self.pitch[rows, None]),
            Observation("turning", 3, lambda rows: self.qvel[rows, 3:6] / 5),
            Observation("wheels", 2, lambda rows: self.qvel[rows, 6:8] / 20),
            Observation("goal", 2, lambda rows: self.to_goal[rows]),
        )

    def rewards(self):
        """Progress and arrival; falling and time cost."""
        return (
            approach("progress", self.distance, weight=10.0),
            Reward("arrival", self.arrived, weight=10.0),
            Reward("fall", self.fallen, weight=-10.0),
            time_spent(self.sim.num_envs, self.dt, weight=-1.0),
        )

    def terminations(self):
        """At the mark, or on the nose."""
        return (
            Termination("fall", self.fallen),
            Termination("goal", self.arrived, success=True),
        )

    def arrived(self):
        """Within 10 cm of the goal."""
        return self.distance < 0.1

    def fallen(self):
        """Leaning by more than 40 degrees."""
        return np.abs(self.pitch) > 0.7

    def goals(self):
        """For pictures."""
        return self.goal


def rule(seen):
    """Leans towards the goal, and drives under its weight."""
    pitch, rate, speed = seen[:, 0], 5 * seen[:, 2], seen[:, 4:6].mean(axis=1)
    ahead = np.sign(seen[:, 6])
    facing = np.arctan2(ahead * seen[:, 7], np.abs(seen[:, 6]))
    wanted = np.where(np.abs(facing) < 0.8, ahead * np.clip(np.abs(seen[:, 6]), 0.0, 0.6), 0.0)
    lean = np.clip(0.25 * (wanted - speed), -0.2, 0.2)
    drive = 4.5 * (pitch - lean) + 0.45 * rate + 0.45 * speed
    return np.stack([drive, 2.0 * facing - 2.5 * seen[:, 3]], axis=1)


if __name__ == "__main__":
    envs = make_vector(Balancer(BalancerConfig(physics_steps=6, episode_duration=10.0)), 64)
    seen, _ = envs.reset(seed=0)
    ends = np.zeros(len(envs.causes), int)
    for _ in range(400):
        seen, _, terminated, truncated, info = envs.step(np.clip(rule(seen), -1, 1))
        ends += np.bincount(info["cause"][terminated | truncated], minlength=len(ends))
    print({cause: int(count) for cause, count in zip(envs.causes, ends, strict=True) if count})
