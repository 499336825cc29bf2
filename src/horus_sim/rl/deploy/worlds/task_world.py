"""What a task needs to be played in a world: its scene, its goal, and how its state is read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from horus_sim.hub.messages import Odometry, PoseStamped
from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.tasks.task import Task
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d import World
from horus_sim.sim3d.scene.base import WORLD_FRAME, PoseConfig
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.scene import RobotConfig, Scene, SensorEntry
from horus_sim.sim3d.scene.shapes import PlaneShape
from horus_sim.tf import Transform

TaskT = TypeVar("TaskT", bound=Task[Any])
ROBOT = "robot"


class TaskWorld(ABC, Generic[TaskT]):
    """A task whose episode has begun in one environment, as a world.

    Args:
        task: The task, in the state in which the episode begins.
        rate: Decisions a second [Hz].

    Attributes:
        task: The task.
        rate: Decisions a second [Hz].
    """

    tasks: ClassVar[type[Task[Any]]]
    """Class of the tasks that it is for."""

    def __init__(self, task: TaskT, rate: float) -> None:
        self.task, self.rate = task, rate

    @abstractmethod
    def scene(self) -> Scene:
        """Robot, objects and sensors, as the episode begins; the robot is called 'robot'."""

    @abstractmethod
    def write_state(self, world: World, held: dict[str, Floats]) -> None:
        """Writes the state of the world into the task's arrays.

        Args:
            world: The world.
            held: What the node's drives hold.
        """

    def prepare(self, world: World) -> None:
        """Sets up the robot's drives as the policy knows them, where they differ from its own."""

    def goal(self, world: World, odometry: Odometry | None) -> PoseStamped | None:
        """The goal of the episode; None where there is none.

        Args:
            world: The world.
            odometry: What the robot says of where it is, in whose frame the goal is told; None of a
                robot that is fixed, whose goal is told in the frame 'world'.
        """
        goals = self.task.goals()
        if goals is None:
            return None
        x, y, z = (*goals[0].tolist(), 0.0)[:3]
        T_world_goal = Transform((x, y, z))
        if odometry is None:
            return PoseStamped(0, WORLD_FRAME, T_world_goal)
        T_world_odom = world.robots[ROBOT].pose @ odometry.pose.inverse()
        return PoseStamped(0, odometry.frame_id, T_world_odom.inverse() @ T_world_goal)

    def copy_root(self, world: World, qpos: Floats, qvel: Floats) -> None:
        """Writes pose and velocity of the robot's free root.

        Args:
            world: The world.
            qpos: Takes x, y, z and the quaternion w, x, y, z, shape (7,).
            qvel: Takes the linear velocity in the world, the angular one in the robot.
        """
        robot = world.robots[ROBOT]
        x, y, z, w = robot.pose.rotation
        linear, angular = robot.velocity
        qpos[:3], qpos[3:7] = robot.pose.translation, (w, x, y, z)
        qvel[:3] = linear
        qvel[3:6] = robot.pose.inverse().transform_vector(angular)

    def copy_joints(self, world: World, qpos: Floats, qvel: Floats) -> None:
        """Writes positions and speeds of all joints that robot and task have by the same name.

        Args:
            world: The world.
            qpos: State of the task, shape (nq,).
            qvel: Speeds of the task, shape (nv,).
        """
        robot = world.robots[ROBOT]
        positions, velocities = robot.joint_positions(), robot.joint_velocities()
        known = {name: place for place, name in enumerate(robot.joint_names)}
        model: mujoco.MjModel = self.task.sim.model  # pyright: ignore[reportAttributeAccessIssue]
        for number, name in enumerate(self.task.sim.names("joint")):
            if name in known:
                qpos[model.jnt_qposadr[number]] = positions[known[name]]
                qvel[model.jnt_dofadr[number]] = velocities[known[name]]

    def sensor(self, kind: str, name: str, link: str, **settings: Any) -> SensorEntry:  # noqa: ANN401 - as in scenes
        """A sensor on the robot that measures when the policy decides, without noise.

        Args:
            kind: As in scenes.
            name: Its name, and its topic below the robot's.
            link: What carries it.
            **settings: Others, as in scenes.
        """
        entry = {"kind": kind, "name": name, "mount": f"{ROBOT}/{link}", "rate_hz": self.rate}
        return SensorEntry.model_validate(entry | settings)


def placed_robot(model: str, **settings: Any) -> RobotConfig:  # noqa: ANN401 - as in scenes
    """The robot, under the name that it has in these worlds."""
    return RobotConfig(model=model, name=ROBOT, **settings)


def pose_of(qpos: Floats) -> PoseConfig:
    """The pose of a free root, x, y, z and quaternion w, x, y, z."""
    w, x, y, z = (float(part) for part in qpos[3:7])
    a, b, c = (float(part) for part in qpos[:3])
    return PoseConfig(xyz=(a, b, c), quat_xyzw=(x, y, z, w))


def yaw_pose(x: float, y: float, z: float, yaw: float) -> PoseConfig:
    """A place with a heading [rad]."""
    half = yaw / 2
    return PoseConfig(xyz=(x, y, z), quat_xyzw=(0.0, 0.0, float(np.sin(half)), float(np.cos(half))))


def floor() -> ObjectConfig:
    """The floor."""
    return ObjectConfig(name="floor", shape=PlaneShape())
