"""A six-axis arm that is to bring its gripper to a point and hold it there."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.rl.contract.action import ActionPart
from horus_sim.rl.contract.drives.drive import Drive
from horus_sim.rl.contract.drives.joints import JointSteps
from horus_sim.rl.contract.sources.joints import JointPositions, JointSpeeds
from horus_sim.rl.contract.sources.motion import LastAction
from horus_sim.rl.contract.sources.places import FramePlace, GoalPlace
from horus_sim.rl.engines.interface import Floats, Ids, Rows
from horus_sim.rl.models.arm_model import (
    BASE_LINK,
    GOAL_SITE,
    GRASP_LINK,
    GRASP_SITE,
    HOME,
    JOINTS,
    ROBOT,
    SHOULDER_HEIGHT,
    arm_spec,
)
from horus_sim.rl.settings import NotNegativeRange, Range
from horus_sim.rl.tasks.goal_task import GoalTask, GoalTaskConfig
from horus_sim.rl.tasks.task_config import TaskConfig
from horus_sim.rl.terms.observations import lengths, live
from horus_sim.rl.terms.rewards import approach, outcome, time_spent
from horus_sim.rl.terms.term import Observation, Reward, Termination
from horus_sim.robots.engine import mujoco

_JOINTS = len(HOME)


class ArmReachConfig(GoalTaskConfig):
    """Settings of reaching.

    Attributes:
        goal_distance: Least and largest distance of goals from the shoulder [m].
        goal_elevation: Least and largest angle of goals above the shoulder's height [rad].
        tolerance: A goal is reached within this distance [m].
        still: It counts only below this speed of the gripper [m/s].
        joint_speed: Largest speed of a joint [rad/s].
        start_spread: How far joints start from the home pose, but for the first, which starts
            anywhere [rad].
        clearance: Least height of gripper, wrists and elbow above the floor [m].
    """

    episode_duration: Annotated[float, Field(gt=0)] = 8.0
    goal_distance: NotNegativeRange = (0.35, 0.8)
    goal_elevation: Range = (-0.1, 1.2)
    tolerance: Annotated[float, Field(gt=0)] = 0.02
    still: Annotated[float, Field(gt=0)] = 0.1
    joint_speed: Annotated[float, Field(gt=0)] = 1.5
    start_spread: Annotated[float, Field(ge=0)] = 0.3
    clearance: Annotated[float, Field(ge=0)] = 0.03


class ArmReach(GoalTask[ArmReachConfig]):
    """Actions are speeds of the six joints, from -1 to 1; the drives hold positions."""

    Config: ClassVar[type[TaskConfig]] = ArmReachConfig

    def build_model(self) -> mujoco.MjModel:
        """The arm, its fingers closed."""
        return arm_spec(with_fingers=False).compile()

    def build_picture_model(self) -> mujoco.MjSpec:
        """The arm as described."""
        return arm_spec(with_fingers=False, lean=False)

    def goals(self) -> Floats:
        """In the air."""
        return self.goal

    def action_bounds(self) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        """From -1 to 1."""
        return -np.ones(_JOINTS), np.ones(_JOINTS)

    def bind(self) -> None:
        """Takes the state and makes the arrays that terms share."""
        sim = self.sim
        self.qpos, self.qvel = sim.bind("qpos"), sim.bind("qvel")
        self.tool = sim.bind("site_xpos")[:, sim.id("site", GRASP_SITE)]
        self.goal = sim.expand("site_pos")[:, sim.id("site", GOAL_SITE)]
        first = sim.id("body", "forearm_link")
        self._heights = sim.bind("xpos")[:, first:, 2]
        self.tool_b, self.to_goal_b = self.array(3), self.array(3)
        self.distance = self.array()
        self._tool_before, self.speed = self.array(3), self.array()
        self._range = sim.nominal("actuator_ctrlrange")
        self._step = self.config.joint_speed * self.dt
        self._floor = Termination("floor", self.is_low)
        self._arrival = Termination("goal", self.has_arrived, success=True)
        self._heading = self.array(2)
        self.bind_goals(self.tool, self.goal, self.config.tolerance)

    def reset(self, ids: Ids) -> None:
        """The arm stands near its home pose, turned anywhere; the goal is about the shoulder."""
        config = self.config
        spread = np.full(_JOINTS, config.start_spread)
        spread[0] = np.pi
        self.qpos[ids] = HOME + self.random.uniform("joints", ids, _JOINTS, -spread, spread)
        self.ctrl[ids] = self.qpos[ids]
        limits = np.array([config.goal_distance, (-np.pi, np.pi), config.goal_elevation])
        away, azimuth, elevation = self.random.uniform("goal", ids, 3, *limits.T).T
        across = away * np.cos(elevation)
        self.goal[ids, 0] = across * np.cos(azimuth)
        self.goal[ids, 1] = across * np.sin(azimuth)
        self.goal[ids, 2] = SHOULDER_HEIGHT + away * np.sin(elevation)

    def before_step(self) -> None:
        """Keeps where the gripper was."""
        self._tool_before[:] = self.tool

    def act(self) -> None:
        """Moves the positions that drives hold."""
        np.clip(self.actions, -1.0, 1.0, out=self.actions)
        self.ctrl[:] += self._step * self.actions
        np.clip(self.ctrl, self._range[:, 0], self._range[:, 1], out=self.ctrl)

    def refresh(self, rows: Rows) -> None:
        """Gripper and goal in the frame that turns with the shoulder, and how fast it is."""
        tool, pan = self.tool[rows], self.qpos[rows, 0]
        to_goal = self.goal[rows] - tool
        cos, sin = np.cos(pan), np.sin(pan)
        self.tool_b[rows] = _turned_back(tool, cos, sin)
        self.to_goal_b[rows] = _turned_back(to_goal, cos, sin)
        self._heading[rows, 0], self._heading[rows, 1] = cos, sin
        self.distance[rows] = lengths(to_goal)
        self.speed[rows] = lengths(tool - self._tool_before[rows]) * (1.0 / self.dt)

    def observations(self) -> tuple[Observation, ...]:
        """Joints but for the first, whose angle means nothing; gripper, goal, last action."""
        rate, frame = 1.0 / self.config.joint_speed, f"{BASE_LINK} turned by {JOINTS[0]}"
        positions, moving = (
            JointPositions(joints=JOINTS[1:]),
            JointSpeeds(joints=JOINTS, scale=rate),
        )
        place = FramePlace(link=GRASP_LINK, base=BASE_LINK, turned_by=JOINTS[0])
        way = GoalPlace(link=GRASP_LINK, base=BASE_LINK, turned_by=JOINTS[0])
        joints = live("joints", self.qpos[:, 1:], unit="rad", source=positions)
        speeds = live("speeds", self.qvel, scale=rate, source=moving)
        tool = live("tool", self.tool_b, unit="m", frame=frame, source=place)
        action = live("action", self.actions, -1.0, 1.0, source=LastAction())
        if self.goal_terms is not None:
            # Goals are in the world then, to which the first joint turns the others.
            heading = live("heading", self._heading, -1.0, 1.0)
            return (joints, speeds, tool, heading, action, *self.goal_terms.observations())
        goal = live("goal", self.to_goal_b, unit="m", frame=frame, source=way)
        return joints, speeds, tool, goal, action

    def action_parts(self) -> tuple[ActionPart, ...]:
        """Speeds of the joints."""
        meaning = "speeds of the wanted positions of " + ", ".join(JOINTS)
        return (ActionPart.even("joints", _JOINTS, "rad/s", self.config.joint_speed, meaning),)

    def drives(self) -> tuple[Drive, ...]:
        """Joints that hold positions."""
        low, high = self._range[:, 0].tolist(), self._range[:, 1].tolist()
        return (JointSteps(part="joints", joints=JOINTS, low=tuple(low), high=tuple(high)),)

    def robot(self) -> str:
        """The six-axis arm."""
        return ROBOT

    def rewards(self) -> tuple[Reward, ...]:
        """Way made to the goal [m], closeness to it [s], arrival, the floor and time [s]."""
        if self.goal_terms is not None:
            return self.goal_terms.rewards()
        return (
            approach("progress", self.distance, 5.0),
            Reward("near", lambda: (1.0 - np.tanh(self.distance * 10.0)) * self.dt),
            outcome(self._arrival, 5.0),
            outcome(self._floor, -5.0),
            time_spent(self.sim.num_envs, self.dt, -0.3),
        )

    def terminations(self) -> tuple[Termination, ...]:
        """Arrival and the floor."""
        if self.goal_terms is not None:
            return self.goal_terms.terminations()
        return self._floor, self._arrival

    def has_arrived(self) -> npt.NDArray[np.bool_]:
        """Whether the gripper is at the goal and rests, shape (num_envs,)."""
        return (self.distance < self.config.tolerance) & (self.speed < self.config.still)

    def is_low(self) -> npt.NDArray[np.bool_]:
        """Whether gripper, wrists or elbow are too near to the floor, shape (num_envs,)."""
        lowest = np.minimum(self._heights.min(axis=1), self.tool[:, 2])
        return lowest < self.config.clearance


def _turned_back(vectors: Floats, cos: Floats, sin: Floats) -> Floats:
    """Vectors of the world, shape (n, 3), in a frame turned about z."""
    x, y = vectors[:, 0], vectors[:, 1]
    return np.stack([cos * x + sin * y, cos * y - sin * x, vectors[:, 2]], axis=1)
