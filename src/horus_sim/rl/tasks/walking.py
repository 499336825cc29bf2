"""A robot on four legs that is to walk at the velocities that it is told."""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.rl.contract.action import ActionPart
from horus_sim.rl.contract.sources.motion import LastAction
from horus_sim.rl.engines.interface import Bools, Floats, Ids, Rows
from horus_sim.rl.models.trot import Trot
from horus_sim.rl.models.walker_model import FOOT, walker_spec
from horus_sim.rl.pictures.camera import View
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.tasks.task_config import TaskConfig
from horus_sim.rl.tasks.velocity_commands import VelocityCommandConfig, VelocityCommands
from horus_sim.rl.terms.mirror import Flip, MirrorImage
from horus_sim.rl.terms.observations import lengths, live
from horus_sim.rl.terms.rewards import outcome
from horus_sim.rl.terms.term import Observation, Reward, Termination
from horus_sim.rl.terms.walking import closeness, squares
from horus_sim.robots.engine import mujoco

TIMESTEP = 0.005
# A foot nearer to the ground than this bears on it, until it is farther away than that [m].
_TOUCHING, _LIFTED = 0.005, 0.015
# Of an action.
_MOST = 5.0
# Feet that move together in a trot: front left and rear right, then the others.
_TROT = np.array((1.0, -1.0, -1.0, 1.0))


class WalkingConfig(TaskConfig):
    """Settings of walking.

    Attributes:
        robot: Name of a shipped robot on four legs, or path of a description.
        stiffness: Of the drives [N m/rad]; after the robot's weight and height unless given.
        damping: Of the drives [N m s/rad]; after what joints move unless given.
        scale: Offset of a joint's target from the stance for an action of 1 [rad].
        commands: The velocities.
        stride: Time from one step of a foot to the next [s].
        settling: After a new command, tracking counts only from this time on [s].
        tolerance: Mean errors of the velocity [m/s] and of the rate of turning [rad/s] with which
            an episode succeeds.
        start_spread: How far joints start from the stance [rad].
        fallen_tilt: Angle of the trunk from upright at which it has fallen [rad].
        fallen_height: Height of the root at which it has fallen, against that of the stance.
    """

    physics_steps: Annotated[int, Field(ge=1)] = 4
    episode_duration: Annotated[float, Field(gt=0)] = 10.0
    robot: str = "quadruped"
    stiffness: Annotated[float, Field(gt=0)] | None = None
    damping: Annotated[float, Field(ge=0)] | None = None
    scale: Annotated[float, Field(gt=0)] = 0.25
    commands: VelocityCommandConfig = VelocityCommandConfig()
    stride: Annotated[float, Field(gt=0)] = 0.5
    settling: Annotated[float, Field(ge=0)] = 1.0
    tolerance: tuple[Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)]] = (0.15, 0.2)
    start_spread: Annotated[float, Field(ge=0)] = 0.1
    fallen_tilt: Annotated[float, Field(gt=0, lt=np.pi)] = 1.0
    fallen_height: Annotated[float, Field(ge=0, lt=1)] = 0.45


ConfigT = TypeVar("ConfigT", bound=WalkingConfig)


class LeggedTask(Task[ConfigT]):
    """Actions are offsets of the joints' targets from the stance; drives hold the targets."""

    Config: ClassVar[type[TaskConfig]] = WalkingConfig

    def build_model(self) -> mujoco.MjModel:
        """The robot on level ground."""
        config = self.config
        gains = (config.stiffness, config.damping)
        spec, self.legged = walker_spec(config.robot, TIMESTEP, gains=gains)
        return spec.compile()

    def build_picture_model(self) -> mujoco.MjModel:
        """The robot as described."""
        return walker_spec(self.config.robot, TIMESTEP, lean=False)[0].compile()

    def view(self, env: int) -> View:
        """From the side, along with it."""
        x, y, z = self.qpos[env, :3].tolist()
        return View((x, y, z), 6.0 * self.legged.height, -20.0)

    def action_bounds(self) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        """As far as joints may be told to go from the stance."""
        most = np.full(len(self.legged.joints), _MOST)
        return -most, most

    def robot(self) -> str:
        """The robot on four legs."""
        return self.config.robot

    def action_parts(self) -> tuple[ActionPart, ...]:
        """Offsets of the joints' targets."""
        stiffness, damping = self._gains()
        meaning = (
            f"offsets of the targets of {', '.join(self.legged.joints)} from a trot in the stance; "
            f"drives have stiffness {np.round(stiffness, 3).tolist()} N m/rad and damping "
            f"{np.round(damping, 3).tolist()} N m s/rad"
        )
        most = _MOST * self.config.scale
        part = ActionPart.even("joints", len(self.legged.joints), "rad", most, meaning)
        return (part.model_copy(update={"least": -_MOST, "largest": _MOST}),)

    def _gains(self) -> tuple[Floats, Floats]:
        """Stiffness and damping of the drives, shape (joints,) each."""
        gain, bias = (
            self.sim.nominal(f"actuator_{name}prm")[self._drives] for name in ("gain", "bias")
        )
        return gain[:, 0], -bias[:, 2]

    def bind(self) -> None:
        """Takes the state and makes the arrays that terms share."""
        sim, config, robot = self.sim, self.config, self.legged
        count, feet = len(robot.joints), len(robot.legs)
        self.qpos, self.qvel = sim.bind("qpos"), sim.bind("qvel")
        joints = sim.ids("joint", robot.joints)
        self._places = sim.nominal("jnt_qposadr")[joints]
        self._dofs = sim.nominal("jnt_dofadr")[joints]
        self._drives = sim.ids("actuator", robot.joints)
        names = [f"{FOOT}{leg}" for leg in range(feet)]
        self._feet_ids = sim.ids("geom", names)
        self._geoms = sim.bind("geom_xpos")
        self._force = sim.bind("actuator_force")
        self._trot = Trot(robot, config.stride, config.scale)
        self._radii = np.array([leg.foot_radius for leg in robot.legs])
        low, high = sim.nominal("jnt_range")[joints].T
        bounded = sim.nominal("jnt_limited")[joints].astype(bool)
        self._lowest = np.where(bounded, low, -np.inf)
        self._highest = np.where(bounded, high, np.inf)
        self.up_b, self.velocity_b, self.angular_b = self.array(3), self.array(3), self.array(3)
        self.offsets, self.speeds = self.array(count), self.array(count)
        self.command, self.moves = self.array(3), self.array(dtype=np.bool_)
        self.height, self.clock, self._clearance = self.array(), self.array(2), self.array(feet)
        self.feet, self._feet_before = self.array(feet, 3), self.array(feet, 3)
        self.touching, self._was_touching = (self.array(feet, dtype=np.bool_) for _ in range(2))
        self._actions_before = np.zeros_like(self.actions)
        self._actions_last = np.zeros_like(self.actions)
        self._errors, self._counted = self.array(2), self.array()
        self.commands = VelocityCommands(
            config.commands, sim.num_envs, config.episode_duration, self.dt
        )
        self._last = max(1, round(config.episode_duration / self.dt))
        self._settled = round(config.settling / self.dt)
        self._time = self.array() + self.dt
        self._fall = Termination("fall", self.has_fallen)

    def reset(self, ids: Ids) -> None:
        """The robot stands nearly as in its stance and looks anywhere."""
        config, robot, random = self.config, self.legged, self.random
        spread = config.start_spread
        offsets = random.uniform("joints", ids, len(robot.joints), -spread, spread)
        self.qpos[ids[:, None], self._places] = np.clip(
            robot.stance + offsets, self._lowest, self._highest
        )
        yaw = random.uniform("yaw", ids, 1, -np.pi, np.pi)[:, 0]
        self.qpos[ids, 2] = robot.height
        self.qpos[ids, 3], self.qpos[ids, 6] = np.cos(yaw / 2), np.sin(yaw / 2)
        self.ctrl[ids[:, None], self._drives] = robot.stance
        self.commands.begin(ids, random)
        self._errors[ids] = 0.0
        self._counted[ids] = 0.0
        self._was_touching[ids] = True
        self._actions_before[ids] = self._actions_last[ids] = 0.0

    def before_step(self) -> None:
        """Keeps what terms compare with, and counts how well commands are followed."""
        self._actions_before[:] = self._actions_last
        self._feet_before[:] = self.feet
        self._was_touching[:] = self.touching
        counts = self.random.steps % self.commands.period >= self._settled
        away = self.command[:, :2] - self.velocity_b[:, :2]
        self._errors[:, 0] += counts * lengths(away)
        self._errors[:, 1] += counts * np.abs(self.command[:, 2] - self.angular_b[:, 2])
        self._counted += counts

    def act(self) -> None:
        """Targets of the joints."""
        np.clip(self.actions, -_MOST, _MOST, out=self.actions)
        self._actions_last[:] = self.actions
        targets = self._trot.targets(self.actions, self.clock)
        self.ctrl[:, self._drives] = np.clip(targets, self._lowest, self._highest)

    def ground(self, points: Floats) -> Floats:
        """Heights of the ground at places x, y [m], shape (...) for points of shape (..., 2)."""
        return np.zeros(points.shape[:-1])

    def refresh(self, rows: Rows) -> None:
        """Motion in the robot's own frame, what is wanted, and where feet are."""
        qpos, qvel = self.qpos[rows], self.qvel[rows]
        w, x, y, z = qpos[:, 3], qpos[:, 4], qpos[:, 5], qpos[:, 6]
        # Rows of R_world_root along the axes of the root.
        rotation = np.empty((len(qpos), 3, 3))
        rotation[:, 0, 0], rotation[:, 0, 1] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z)
        rotation[:, 0, 2], rotation[:, 1, 0] = 2 * (x * z + w * y), 2 * (x * y + w * z)
        rotation[:, 1, 1], rotation[:, 1, 2] = 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
        rotation[:, 2, 0], rotation[:, 2, 1] = 2 * (x * z - w * y), 2 * (y * z + w * x)
        rotation[:, 2, 2] = 1 - 2 * (x * x + y * y)
        self.up_b[rows] = rotation[:, 2]
        self.velocity_b[rows] = np.einsum("nij,ni->nj", rotation, qvel[:, :3])
        self.angular_b[rows] = qvel[:, 3:6]
        self.offsets[rows] = qpos[:, self._places] - self.legged.stance
        self.speeds[rows] = qvel[:, self._dofs]
        self.command[rows] = self.commands.now(self.random.steps)[rows]
        self.moves[rows] = self._trot.moves(self.command[rows])
        self.feet[rows] = self._geoms[rows][:, self._feet_ids]
        heights = self.feet[rows][..., 2] - self._radii - self.ground(self.feet[rows][..., :2])
        stays = self._was_touching[rows] & (heights < _LIFTED)
        self.touching[rows] = (heights < _TOUCHING) | stays
        self._clearance[rows] = heights
        self.clock[rows] = self._trot.clock(self.dt * self.random.steps[rows], self.moves[rows])
        self.height[rows] = qpos[:, 2] - self.ground(qpos[:, :2])

    def observations(self) -> tuple[Observation, ...]:
        """Gyroscope, up, command, joints, the last action and the phase of the trot."""
        return (
            live("angular_velocity", self.angular_b, unit="rad/s", frame=self.legged.root),
            live("up", self.up_b, -1.0, 1.0, frame=self.legged.root),
            live("command", self.command, unit="m/s, m/s, rad/s", frame=self.legged.root),
            live("joints", self.offsets, unit="rad"),
            live("speeds", self.speeds, unit="rad/s"),
            live("action", self.actions, source=LastAction()),
            live("clock", self.clock, -1.0, 1.0),
        )

    def rewards(self) -> tuple[Reward, ...]:
        """Following the command; against falls, effort, and what is no walking."""
        dt, robot = self.dt, self.legged
        most = 1.0 / float(robot.stiffness.max())
        return (
            closeness("velocity", lambda: self._off()[:, :2], 0.35, dt, 1.5),
            closeness("turning", lambda: self._off()[:, 2:], 0.45, dt, 0.75),
            squares("bounce", lambda: self.velocity_b[:, 2:], dt, -1.0),
            squares("sway", lambda: self.angular_b[:, :2], dt, -0.05),
            squares("tilt", lambda: self.up_b[:, :2], dt, -2.0),
            squares("height", lambda: (self.height / robot.height - 1.0)[:, None], dt, -3.0),
            squares("effort", lambda: self._force * most, dt, -0.3),
            squares("jerk", lambda: self.actions - self._actions_before, dt, -0.015),
            squares("posture", lambda: self.offsets, dt, -0.05),
            Reward("rest", self._unrest, -0.5 * dt),
            Reward("slip", self._slip, -0.1 * dt),
            closeness("gait", self._off_gait, 1.2, dt),
            Reward("alive", lambda: self._time, 0.5),
            outcome(self._fall, -2.0),
        )

    def terminations(self) -> tuple[Termination, ...]:
        """A fall; at the end of the time, success where commands were followed."""
        return (
            self._fall,
            Termination("tracked", self.has_tracked, success=True, truncates=True),
        )

    def mirror(self) -> MirrorImage | None:
        """Left and right exchanged, for a robot whose sides are alike."""
        if self.legged.mirror is None:
            return None
        joints = Flip.of(self.legged.mirror.signs.tolist(), self.legged.mirror.joints.tolist())
        turned = Flip.of((-1.0, 1.0, -1.0))
        moved = Flip.of((1.0, -1.0, 1.0))
        observations = {
            "angular_velocity": turned,
            "up": moved,
            "command": Flip.of((1.0, -1.0, -1.0)),
            # The other two feet's turn: half a stride later.
            "clock": Flip.of((-1.0, -1.0)),
            **dict.fromkeys(("joints", "speeds", "action"), joints),
        }
        return MirrorImage(observations, joints)

    def has_fallen(self) -> Bools:
        """Whether the trunk is tilted or low, shape (num_envs,)."""
        tilted = self.up_b[:, 2] < np.cos(self.config.fallen_tilt)
        return tilted | (self.height < self.config.fallen_height * self.legged.height)

    def has_tracked(self) -> Bools:
        """Whether the time is over and mean errors are within the tolerance, shape (num_envs,)."""
        within = (self._errors <= self._counted[:, None] * self.config.tolerance).all(axis=1)
        return within & (self.random.steps >= self._last)

    def _off(self) -> Floats:
        off = self.command.copy()
        off[:, :2] -= self.velocity_b[:, :2]
        off[:, 2] -= self.angular_b[:, 2]
        return off

    def _off_gait(self) -> Floats:
        """How far feet are from the heights of a trot, as shares of the lift, (num_envs, feet)."""
        return self._clearance * (1.0 / self.legged.lift) - self._trot.lifts(self.clock)

    def _unrest(self) -> Floats:
        """How far joints are from the stance where it is to stand still [rad]."""
        return np.abs(self.offsets).sum(axis=1) * ~self.moves

    def _slip(self) -> Floats:
        """Sum of squares of speeds of feet on the ground [m^2/s^2]."""
        moved = (self.feet - self._feet_before)[..., :2] * (1.0 / self.dt)
        stay = self.touching & self._was_touching
        return (np.square(moved).sum(axis=2) * stay).sum(axis=1)


class Walking(LeggedTask[WalkingConfig]):
    """Walking on level ground."""
