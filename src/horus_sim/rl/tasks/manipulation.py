"""An arm with a gripper above a table and a cube: what all tasks with them have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.errors import TaskError
from horus_sim.rl.contract.action import ActionPart
from horus_sim.rl.contract.drives.arm_tool import ArmToolDrive
from horus_sim.rl.contract.drives.drive import Drive
from horus_sim.rl.contract.sources.joints import Held, JointPositions
from horus_sim.rl.contract.sources.motion import LastAction
from horus_sim.rl.contract.sources.places import FramePlace
from horus_sim.rl.contract.sources.things import (
    ThingGoal,
    ThingLifted,
    ThingMotion,
    ThingPlace,
    ThingYaw,
)
from horus_sim.rl.engines.interface import Floats, Ids, Rows
from horus_sim.rl.models.arm_model import (
    BASE_LINK,
    FINGERS,
    GOAL_SITE,
    GRASP_LINK,
    GRASP_SITE,
    JOINTS,
    OPEN,
    ROBOT,
    joints_tool_down,
)
from horus_sim.rl.models.manipulation_model import HALF_CUBE, manipulation_models
from horus_sim.rl.models.objects import ObjectConfig, Thing, things_of
from horus_sim.rl.models.variants import ModelVariants, PictureVariants
from horus_sim.rl.settings import Range
from horus_sim.rl.tasks.goal_task import GoalTask, GoalTaskConfig
from horus_sim.rl.tasks.task_config import TaskConfig
from horus_sim.rl.terms.observations import FAR, lengths, live
from horus_sim.rl.terms.rewards import gain, outcome, time_spent
from horus_sim.rl.terms.term import Observation, Reward, Termination
from horus_sim.robots.engine import mujoco

ARM, FINGER_PLACES, CUBE_PLACE = slice(0, 6), slice(6, 8), slice(8, 11)
# How far into the cube the servos of closed fingers are to go [m], which is 16 N.
_GRIP = 0.008
# How much farther a policy may close them, and from where on they squeeze [m].
_FIRM, _SQUEEZE = 0.004, 0.002
# How high above the table counts as lifted [m].
_LIFTED = 0.03
# What is left between open fingers and the widest thing, on each side [m].
_ROOM = 0.002


class ManipulationConfig(GoalTaskConfig):
    """Settings of manipulation.

    Attributes:
        area_x: Where cube, goal and gripper start, x in the arm's frame [m].
        area_y: Likewise y [m].
        heights: Where the gripper starts, and goals in the air are [m].
        cube_yaw: How far the cube is turned against the fingers [rad].
        tolerance: A goal is reached within this distance [m].
        lift: How far the cube is to be lifted [m].
        apart: Least distance of cube and goal on the table [m].
        tool_speed: Largest speed of the gripper along each axis [m/s].
        finger_speed: Largest speed of a finger [m/s].
        objects: What is grasped instead of the cube, one of them in each episode: boxes, cylinders
            and meshes, each in one or several sizes. Half their lengths are observed then.
        assisted: Share of episodes that begin with the cube between the fingers, half of them open
            on the table, half of them closed and above it, of which half are above their goal; for
            training.
    """

    episode_duration: Annotated[float, Field(gt=0)] = 8.0
    area_x: Range = (-0.6, -0.35)
    area_y: Range = (-0.2, 0.2)
    heights: Range = (0.08, 0.25)
    cube_yaw: Annotated[float, Field(ge=0)] = 0.2
    tolerance: Annotated[float, Field(gt=0)] = 0.03
    lift: Annotated[float, Field(gt=0)] = 0.1
    apart: Annotated[float, Field(ge=0)] = 0.1
    tool_speed: Annotated[float, Field(gt=0)] = 0.3
    finger_speed: Annotated[float, Field(gt=0)] = 0.075
    objects: tuple[ObjectConfig, ...] = ()
    assisted: Annotated[float, Field(ge=0, le=1)] = 0.0


class Manipulation(GoalTask[ManipulationConfig]):
    """What reaching, lifting, and picking and placing have in common.

    Actions are speeds of the gripper along x, y and z and of the fingers (negative closes), from -1
    to 1. The gripper points down; joint angles follow in closed form, and drives hold them.
    """

    Config: ClassVar[type[TaskConfig]] = ManipulationConfig

    def goals(self) -> Floats:
        """In the air, or on the table."""
        return self.goal

    def build_model(self) -> mujoco.MjModel:
        """Arm, gripper, cube and table."""
        kinds = {settings.kind for settings in self.config.randomization.values()}
        self._things = self._checked(things_of(self.config.objects))
        self._models = manipulation_models(self._things, shifted="centre_of_mass" in kinds)
        return self._models[0]

    def _checked(self, things: list[Thing]) -> list[Thing]:
        """The things, if open fingers go about all of them."""
        yaw = self.config.cube_yaw
        for thing in things:
            wide = thing.half_width(yaw)
            if wide > OPEN - _ROOM:
                raise TaskError(
                    f"{type(self).__name__}: a {thing.name} is {2 * wide:.3f} m wide when it is "
                    f"turned by up to {yaw:g} rad, and open fingers take "
                    f"{2 * (OPEN - _ROOM):.3f} m; give a smaller one, or less cube_yaw"
                )
        return things

    def build_picture_model(self) -> mujoco.MjModel:
        """The arm as described."""
        self._looks = PictureVariants(
            manipulation_models(self._things, lean=False, finish=self.add_textures)
        )
        return self._looks.model

    def dress(self, model: mujoco.MjModel, env: int) -> None:
        """Shows what is there to be grasped."""
        del model
        if self._variants is not None:
            self._looks.dress(int(self._variants.chosen[env]))

    def action_bounds(self) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        """From -1 to 1."""
        return -np.ones(4), np.ones(4)

    def bind(self) -> None:
        """Takes the state and makes the arrays that terms share."""
        sim, config = self.sim, self.config
        self.qpos, self.qvel = sim.bind("qpos"), sim.bind("qvel")
        # What the drives of the arm hold; their controls are its speeds.
        self.held = sim.bind("act")
        self.fingers, self.cube = self.qpos[:, FINGER_PLACES], self.qpos[:, CUBE_PLACE]
        self.tool = sim.bind("site_xpos")[:, sim.id("site", GRASP_SITE)]
        self.goal = sim.expand("site_pos")[:, sim.id("site", GOAL_SITE)]
        self._variants = ModelVariants(sim, self._models) if len(self._models) > 1 else None
        self._halves = np.array([thing.half for thing in self._things] or [[HALF_CUBE] * 3])
        # Half lengths of what is grasped, whose width is between the fingers.
        self.half = np.tile(self._halves[0], (sim.num_envs, 1))
        self.half_width, self.half_height = self.half[:, 1], self.half[:, 2]
        self.wanted, self.potential = self.array(3), self.array()
        self.reach, self.to_goal, self.yaw = self.array(), self.array(), self.array()
        self.is_held, self.was_lifted = self.array(dtype=np.bool_), self.array(dtype=np.bool_)
        area = np.array([config.area_x, config.area_y])
        # The pads reach the cube's middle on the table, and its sides at the border.
        self._low = np.array([*(area[:, 0] - 0.03), 0.018])
        self._high = np.array([*(area[:, 1] + 0.03), config.heights[1] + 0.05])
        self._lost = Termination("lost", self.is_lost)
        self._solved = Termination("goal", self.is_solved, success=True)
        self.bind_goals(self.moved(), self.goal, config.tolerance)

    def moved(self) -> Floats:
        """The live places of what is to come to the goals [m], shape (num_envs, 3)."""
        return self.cube

    def vary(self, ids: Ids) -> None:
        """Chooses one of the things."""
        if self._variants is not None:
            draw = self.random.uniform("object", ids, 1, 0, len(self._halves))[:, 0]
            which = draw.astype(np.int64)
            self._variants.choose(ids, which)
            self.half[ids] = self._halves[which]

    def reset(self, ids: Ids) -> None:
        """The cube lies in the area, the gripper is above it, open; or has it, where assisted."""
        config = self.config
        area = np.array([config.area_x, config.area_y])
        space = np.array([*area, config.heights])
        tool = self.random.uniform("tool", ids, 3, *space.T)
        half_width = self.half_width[ids]
        cube = np.empty((len(ids), 3))
        cube[:, 2] = self.half_height[ids]
        cube[:, :2] = self.random.uniform("cube", ids, 2, *area.T)
        yaw = self.random.uniform("yaw", ids, 1, -config.cube_yaw, config.cube_yaw)[:, 0]
        fingers = np.full(len(ids), OPEN)
        wanted = fingers.copy()
        rank = np.full(len(ids), np.inf)
        if config.assisted:
            rank = self.random.uniform("assisted", ids, 1)[:, 0] / config.assisted
        around, held, near = rank < 1.0, rank < 0.5, rank < 0.25
        tool[around] = cube[around]
        height = self.random.uniform("height", ids, 1, 0.0, config.lift)[:, 0]
        tool[held, 2] += np.where(near, 0.3, 1.0)[held] * height[held]
        cube[held], yaw[held] = tool[held], 0.0
        fingers[held], wanted[held] = half_width[held], half_width[held] - _GRIP
        self.wanted[ids] = tool
        self.qpos[ids, ARM] = self.held[ids] = joints_tool_down(tool)
        self.qpos[ids, FINGER_PLACES] = fingers[:, None]
        self.ctrl[ids, FINGER_PLACES] = wanted[:, None]
        self.qpos[ids, CUBE_PLACE] = cube
        self.qpos[ids, 11:] = 0.0
        self.qpos[ids, 11], self.qpos[ids, 14] = np.cos(yaw / 2), np.sin(yaw / 2)
        self.was_lifted[ids] = held
        self.goal[ids] = self.draw_goals(ids, cube, near)

    @abstractmethod
    def draw_goals(self, ids: Ids, cube: Floats, is_near: npt.NDArray[np.bool_]) -> Floats:
        """Goals of these environments, shape (n, 3).

        Args:
            ids: The n environments.
            cube: Where the cubes are [m], shape (n, 3).
            is_near: Where an assisted episode is to begin near its goal, shape (n,).
        """

    @abstractmethod
    def compute_potential(self, rows: Rows) -> Floats:
        """How far the task is done, which `progress` rewards differences of, shape (n,)."""

    @abstractmethod
    def is_solved(self) -> npt.NDArray[np.bool_]:
        """Whether the task is solved, shape (num_envs,)."""

    def act(self) -> None:
        """Moves what the gripper is to reach, and the fingers."""
        wanted = np.clip(self.actions, -1.0, 1.0, out=self.actions)
        # The wanted place stays near the gripper, which may be held back.
        self.wanted += (self.config.tool_speed * self.dt) * wanted[:, :3]
        np.clip(self.wanted, self._low, self._high, out=self.wanted)
        self.ctrl[:, ARM] = (joints_tool_down(self.wanted) - self.held) * (1.0 / self.dt)
        fingers = self.ctrl[:, FINGER_PLACES] + (self.config.finger_speed * self.dt) * wanted[:, 3:]
        closed = self.half_width[:, None] - _GRIP - _FIRM
        self.ctrl[:, FINGER_PLACES] = np.clip(fingers, closed, OPEN)

    def refresh(self, rows: Rows) -> None:
        """Distances, whether the cube is held, and how far the task is done."""
        cube, fingers = self.cube[rows], self.fingers[rows]
        offset = cube - self.tool[rows]
        self.reach[rows] = lengths(offset)
        self.to_goal[rows] = lengths(self.goal[rows] - cube)
        quaternion = self.qpos[rows, 11:15]
        self.yaw[rows] = 2.0 * np.arctan2(quaternion[:, 3], quaternion[:, 0])
        half_width, half_height = self.half_width[rows], self.half_height[rows]
        squeezed = self.ctrl[rows, 6] < half_width - _SQUEEZE
        width = fingers.sum(axis=1)
        around = (np.abs(offset[:, 1]) < half_width) & (np.abs(offset[:, 2]) < half_height)
        self.is_held[rows] = squeezed & around & (width > 1.5 * half_width)
        self.was_lifted[rows] |= self.is_held[rows] & (cube[:, 2] > half_height + _LIFTED)
        self.potential[rows] = self.compute_potential(rows)

    def observations(self) -> tuple[Observation, ...]:
        """Gripper, cube against it, goal against the cube, fingers, what was done, last action."""
        rate = 1.0 / OPEN
        frames: Any = {"base": BASE_LINK}
        tool: Any = frames | {"link": GRASP_LINK}
        here: Any = {"unit": "m", "frame": BASE_LINK}
        fingers = JointPositions(joints=FINGERS, scale=rate)
        lifted = ThingLifted(
            **tool,
            fingers=FINGERS,
            grip="grip",
            half_width=HALF_CUBE,
            half_height=HALF_CUBE,
            slack=_SQUEEZE,
            rise=_LIFTED,
        )
        terms = (
            live("tool", self.tool, **here, source=FramePlace(**tool)),
            self._between("cube", self.cube, self.tool, **here, source=ThingPlace(**tool)),
            live("yaw", self.yaw, unit="rad", frame=BASE_LINK, source=ThingYaw(**frames)),
            self._between("goal", self.goal, self.cube, **here, source=ThingGoal(**frames)),
            live(
                "motion",
                self.qvel[:, CUBE_PLACE],
                unit="m/s",
                frame=BASE_LINK,
                source=ThingMotion(**frames),
            ),
            live("fingers", self.fingers, scale=rate, source=fingers),
            live("grip", self.ctrl[:, 6:7], scale=rate, source=Held(part="grip", scale=rate)),
            live("lifted", self.was_lifted, 0.0, 1.0, source=None if self._things else lifted),
            live("action", self.actions, -1.0, 1.0, source=LastAction()),
        )
        if self._things:
            terms = (*terms, live("object", self.half, scale=1.0 / OPEN))
        if self.goal_terms is None:
            return terms
        # What hindsight puts in the place of a goal must be all that tells of it.
        kept = (term for term in terms if term.name != "goal")
        return (*kept, *self.goal_terms.observations())

    @staticmethod
    def _between(name: str, to: Floats, start: Floats, **told: Any) -> Observation:  # noqa: ANN401 - fields of it
        return Observation(name, 3, lambda rows: to[rows] - start[rows], -FAR, FAR, **told)

    def action_parts(self) -> tuple[ActionPart, ...]:
        """Speeds of the gripper and of the fingers."""
        tool = ActionPart.even(
            "tool", 3, "m/s", self.config.tool_speed, "speed of the gripper", BASE_LINK
        )
        meaning = "speed of the fingers, negative closes"
        return tool, ActionPart.even("grip", 1, "m/s", self.config.finger_speed, meaning)

    def drives(self) -> tuple[Drive, ...]:
        """The arm, whose joints follow in closed form, and the fingers."""
        low, high = (tuple(bound.tolist()) for bound in (self._low, self._high))
        return (
            ArmToolDrive(
                joints=JOINTS,
                fingers=FINGERS[:1],
                link=GRASP_LINK,
                base=BASE_LINK,
                low=low,
                high=high,
                closed=float(self._halves[:, 1].min()) - _GRIP - _FIRM,
                open=OPEN,
            ),
        )

    def robot(self) -> str:
        """The six-axis arm."""
        return ROBOT

    def rewards(self) -> tuple[Reward, ...]:
        """What was done of the task, its end, and time [s]."""
        if self.goal_terms is not None:
            return self.goal_terms.rewards()
        return (
            gain("progress", self.potential),
            outcome(self._solved, 5.0),
            outcome(self._lost, -2.0),
            time_spent(self.sim.num_envs, self.dt, -0.3),
        )

    def terminations(self) -> tuple[Termination, ...]:
        """The task solved, or the cube out of the gripper's area."""
        if self.goal_terms is not None:
            return self.goal_terms.terminations()
        return self._lost, self._solved

    def is_lost(self) -> npt.NDArray[np.bool_]:
        """Whether the cube is where the gripper cannot take it, shape (num_envs,)."""
        place = self.cube[:, :2]
        return np.any((place < self._low[:2]) | (place > self._high[:2]), axis=1)
