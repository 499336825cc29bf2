"""A robot in a running world: its joints, its links and the addresses of its coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import CommandError, UnknownJointError
from horus_sim.files.names import propose
from horus_sim.robots.engine import mujoco
from horus_sim.robots.frame_name import frame_name
from horus_sim.sim3d.compile.mujoco_types import quat_wxyz
from horus_sim.sim3d.compile.robot.coordinates import BuiltRobot, Coordinate
from horus_sim.sim3d.control import CommandResult, RobotControl, RobotControlConfig
from horus_sim.sim3d.control.joint_servos import set_servo
from horus_sim.sim3d.control.odometry import WheelOdometry
from horus_sim.sim3d.scene.placed import PlacedRobot
from horus_sim.sim3d.world.handle import Floats, Handle, LiveState
from horus_sim.tf import Transform

_ROUNDING = 1e-6
Indices = npt.NDArray[np.int_]


class WorldRobot(Handle):
    """A handle to a robot; the world makes it.

    Arrays over joints are in the order of `joint_names`. Addresses change when something is added
    to or removed from the world; `World.generation` counts these changes.

    Attributes:
        description: What it is made of.
        clamps: How many values of commands were clamped since the start.
        joint_names: One name for each coordinate.
        coordinates: What the builder made of each.
        qpos_addresses: Addresses of the coordinates in ``data.qpos``.
        dof_addresses: Their addresses in ``data.qvel``.
        actuator_ids: Their indices in ``data.ctrl``; -1 for a coordinate without a drive.
        lower, upper: Bounds of the positions [rad] or [m]; infinite where there are none.
        velocity_limits: Largest speeds [rad/s] or [m/s]; infinite where there are none.
        effort_limits: Largest torques [N m] or forces [N]; infinite where there are none.
    """

    def __init__(self, live: LiveState, placed: PlacedRobot) -> None:
        super().__init__(live, "robot", placed.name)
        self.description = placed.description
        self.clamps = 0
        self._control: RobotControl | None = None
        self._control_config = RobotControlConfig()

    def bind(self, placed: PlacedRobot, built: BuiltRobot) -> None:
        """Finds the robot in the world's model, which has changed."""
        model = self._live.model
        self._placed, self._built = placed, built
        self.coordinates: tuple[Coordinate, ...] = built.coordinates
        self.joint_names = tuple(coordinate.name for coordinate in built.coordinates)
        self._index = {name: i for i, name in enumerate(self.joint_names)}
        joints = [int(model.joint(part.mujoco_name).id) for part in built.coordinates]
        self.qpos_addresses: Indices = model.jnt_qposadr[joints].astype(int)
        self.dof_addresses: Indices = model.jnt_dofadr[joints].astype(int)
        of_joint = {
            int(model.actuator_trnid[i, 0]): i
            for i in range(model.nu)
            if model.actuator_trntype[i] == int(mujoco.mjtTrn.mjTRN_JOINT)
        }
        self.actuator_ids: Indices = np.array([of_joint.get(j, -1) for j in joints], dtype=int)
        self.lower = _bounds([part.lower for part in built.coordinates], -np.inf)
        self.upper = _bounds([part.upper for part in built.coordinates], np.inf)
        self.velocity_limits = _bounds([part.velocity for part in built.coordinates], np.inf)
        self.effort_limits = _bounds([part.effort for part in built.coordinates], np.inf)
        self._R_joint_child = {
            joint.name: Transform((0, 0, 0), tuple(joint.T_joint_child.rotation))
            for joint in self.description.joints
            if joint.name in built.spherical
        }
        self._bodies = {link: int(model.body(body).id) for link, body in built.bodies.items()}
        self._find(built.root_body, is_free=built.base == "floating")

    def leave(self) -> None:
        """Called when it leaves the world: from now on, all but its name is an error."""
        self._control = None
        super().leave()

    @property
    def is_floating(self) -> bool:
        """Whether its root is free."""
        return self._built.base == "floating"

    @property
    def frame_prefix(self) -> str:
        """What stands before the names of its frames in the transform tree."""
        return self._placed.frame_prefix

    @property
    def wheel_odometry(self) -> WheelOdometry | None:
        """Dead reckoning of the wheeled drive that moves it, or None."""
        return None if self._control is None else self._control.wheel_odometry

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of its links, as described."""
        return tuple(self._bodies)

    def place(self, pose: Transform) -> None:
        """Puts its root somewhere else, at rest; `World.move` also brings the rest up to date."""
        super().place(pose)
        if self._control is not None:
            self._control.sync()

    def frame(self, link: str) -> str:
        """Name of a link's frame in the transform tree."""
        self.body_id(link)
        return frame_name(f"{self._placed.frame_prefix}{link}")

    def body_id(self, link: str) -> int:
        """Index of a link's body in the MuJoCo model.

        Raises:
            UnknownJointError: It has no such link; the text proposes close names.
        """
        found = self._bodies.get(link)
        if found is None:
            raise UnknownJointError(propose(link, self._bodies, f"robot '{self.name}'", "link"))
        return found

    def link_pose(self, link: str) -> Transform:
        """T_world_link now."""
        return self._pose_of(self.body_id(link))

    def link_velocity(self, link: str) -> tuple[Floats, Floats]:
        """Linear [m/s] and angular [rad/s] velocity of a link's frame, world frame."""
        body = self.body_id(link)
        found = np.empty(6)
        data = self._live.forward()
        kind = int(mujoco.mjtObj.mjOBJ_XBODY)
        mujoco.mj_objectVelocity(self._live.model, data, kind, body, found, 0)
        return found[3:].copy(), found[:3].copy()

    def joint_index(self, name: str) -> int:
        """Place of a joint in the arrays.

        Raises:
            UnknownJointError: It has no such joint; the text proposes close names.
        """
        found = self._index.get(name)
        if found is None:
            raise UnknownJointError(
                propose(name, self.joint_names, f"robot '{self.name}'", "joint")
            )
        return found

    def joint_positions(self) -> Floats:
        """Positions [rad] or [m], a copy, shape (n,)."""
        return self._live.data.qpos[self.qpos_addresses]

    def joint_velocities(self) -> Floats:
        """Velocities [rad/s] or [m/s], a copy, shape (n,)."""
        return self._live.data.qvel[self.dof_addresses]

    def joint_efforts(self) -> Floats:
        """What the drives did in the last step [N m] or [N], a copy, shape (n,)."""
        return self._live.data.qfrc_actuator[self.dof_addresses]

    def set_joint_positions(
        self, positions: Mapping[str, float | Transform], *, allow_out_of_bounds: bool = False
    ) -> None:
        """Moves joints at once, at rest there; joints that follow others follow.

        Args:
            positions: Positions by joint [rad] or [m]; for a ball joint a `Transform`, whose
                rotation counts, and for a floating joint inside the tree a `Transform`.
            allow_out_of_bounds: Whether joints may be put outside their bounds; physics then
                drives them back in.

        Raises:
            CommandError: A joint is unknown, or a value is not finite or outside the joint's
                bounds.
        """
        data, model = self._live.data, self._live.model
        if not isinstance(positions, Mapping):
            raise CommandError(
                f"robot '{self.name}': joint positions are given by name, as "
                f"{{'joint': 0.5}}, not as {type(positions).__name__}"
            )
        values = dict(zip(self.joint_names, map(float, self.joint_positions()), strict=True))
        given: set[str] = set()
        turned: dict[str, Transform] = {}
        for name, value in positions.items():
            if isinstance(value, Transform):
                turned[name] = value
                continue
            at = self.joint_index(name)
            self._check_position(at, value, anywhere=allow_out_of_bounds)
            values[name] = float(value)
            given.add(name)
        for name, T in turned.items():
            if name not in self._built.spherical:
                known = self._built.spherical
                raise UnknownJointError(propose(name, known, f"robot '{self.name}'", "ball joint"))
            for axis, offset in zip("xyz", T.translation, strict=True):
                if f"{name}/{axis}" in values:
                    values[f"{name}/{axis}"] = float(offset)
        self._built.follow(values, given)
        data.qpos[self.qpos_addresses] = [values[name] for name in self.joint_names]
        data.qvel[self.dof_addresses] = 0.0
        for name, T in turned.items():
            joint = model.joint(self._built.spherical[name])
            # MuJoCo turns about the axes of the child, which may differ from those of the joint.
            R = self._R_joint_child.get(name, Transform.identity())
            data.qpos[joint.qposadr[0] : joint.qposadr[0] + 4] = quat_wxyz(R.inverse() @ T @ R)
            data.qvel[joint.dofadr[0] : joint.dofadr[0] + 3] = 0.0
        if self._control is not None:
            self._control.sync()
        self._live.changed()

    def _check_position(self, at: int, value: object, *, anywhere: bool) -> None:
        culprit = f"robot '{self.name}': joint '{self.joint_names[at]}' cannot be at {value!r}"
        if not isinstance(value, Real) or not np.isfinite(float(value)):
            raise CommandError(f"{culprit}; give a finite number [rad] or [m]")
        lower, upper = self.lower[at], self.upper[at]
        if not anywhere and not lower - _ROUNDING <= float(value) <= upper + _ROUNDING:
            raise CommandError(
                f"{culprit}; its bounds are {lower:.6g} and {upper:.6g}: stay within, or pass "
                "allow_out_of_bounds=True"
            )

    def set_joint_velocities(self, velocities: Mapping[str, float]) -> None:
        """Gives joints velocities [rad/s] or [m/s] at once.

        Raises:
            CommandError: A joint is unknown, or a value is not finite.
        """
        indices = [self.joint_index(name) for name in velocities]
        values = np.array(list(velocities.values()), dtype=float)
        if not np.isfinite(values).all():
            raise CommandError(f"robot '{self.name}': a joint velocity is not finite")
        self._live.data.qvel[self.dof_addresses[indices]] = values
        self._live.changed()

    @property
    def control(self) -> RobotControl:
        """What takes its commands and moves its drives; made when it is first asked for."""
        return self._control or self.set_control()

    @property
    def has_control(self) -> bool:
        """Whether something moves its drives; without, its joints move freely."""
        return self._control is not None

    def set_control(self, config: RobotControlConfig | None = None) -> RobotControl:
        """Gives the robot a control, at rest where it is.

        Args:
            config: How it is controlled; found out from its structure unless given.
        """
        self._control_config = config or RobotControlConfig()
        self._control = self._build_control()
        return self._control

    def release(self) -> None:
        """Takes the control away: the joints move freely."""
        self._control = None
        driven = self.actuator_ids[self.actuator_ids >= 0]
        self._live.data.ctrl[driven] = 0.0
        set_servo(self._live.model, driven, 0.0, 0.0)

    def update_control(self, dt: float) -> None:
        """Lets the control act, if it has one, before a step of `dt` seconds."""
        if self._control is not None:
            self._control.update(dt)

    def control_state(self) -> dict[str, Any] | None:
        """State of its control as plain data; None without one."""
        return None if self._control is None else self._control.get_state()

    def set_control_state(self, state: dict[str, Any] | None) -> None:
        """Goes on from what `control_state` gave; without a state, it has no control."""
        if state is None:
            self._control = None
        else:
            self.control.set_state(state)

    def hold_if_wanted(self) -> None:
        """Gives it a control that holds its joints, if it is meant to and has drives."""
        if self._placed.hold and any(part.drive is not None for part in self.coordinates):
            self.set_control()

    def _build_control(self) -> RobotControl:
        live = self._live
        return self._control_config.build(self._built, self.description, live.model, live.data)

    def rebuild_control(self, *, keep: bool) -> None:
        """Makes the control anew for a changed model or a restart.

        Args:
            keep: Whether it goes on where it was.
        """
        state = self.control_state()
        if state is not None:
            self._control = self._build_control()
            if keep:
                self._control.set_state(state)

    def command(self, *arguments: Any, **options: Any) -> CommandResult:  # noqa: ANN401
        """Commands the robot; see `horus_sim.sim3d.control.RobotControl.command`."""
        result = self.control.command(*arguments, **options)
        self.clamps += len(result.clamped)
        return result

    def __repr__(self) -> str:
        return f"<WorldRobot '{self.name}': {len(self.joint_names)} joints>"


def _bounds(values: list[float | None], without: float) -> Floats:
    return np.array([without if value is None else value for value in values], dtype=float)
