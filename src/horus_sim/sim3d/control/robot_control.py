"""All controllers of one robot, and the commands that they take."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import numpy as np

from horus_sim.errors import CommandError
from horus_sim.files.config import Config
from horus_sim.hub import messages
from horus_sim.hub.messages import CmdVel, JointCommand, Twist
from horus_sim.sim3d.control.ackermann import Ackermann
from horus_sim.sim3d.control.described_drive import position_servos
from horus_sim.sim3d.control.detection import DriveConfig, detect_drive, detect_gripper
from horus_sim.sim3d.control.differential_drive import DifferentialDrive
from horus_sim.sim3d.control.drive import WheeledDrive
from horus_sim.sim3d.control.gripper import Gripper, GripperConfig
from horus_sim.sim3d.control.joint_servos import JointServos, Mode
from horus_sim.sim3d.control.joints import JointControlConfig, JointController
from horus_sim.sim3d.control.legged_drive import LeggedDrive
from horus_sim.sim3d.control.odometry import WheelOdometry
from horus_sim.sim3d.control.quadrotor import Quadrotor
from horus_sim.sim3d.control.result import Clamp, CommandResult
from horus_sim.sim3d.control.trajectory import JointTrajectory
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    import mujoco

    from horus_sim.robots.description import RobotDescription
    from horus_sim.sim3d.compile.robot.coordinates import BuiltRobot

Drive = DifferentialDrive | Ackermann | Quadrotor | LeggedDrive
_Found = TypeVar("_Found", DriveConfig, GripperConfig)
Message = Twist | CmdVel | JointCommand | messages.JointTrajectory
Command = Message | JointTrajectory | Mapping[str, float]
Linear = float | tuple[float, float, float]
ModeName = Literal["position", "velocity", "effort"]

_MODES = {mode.name.lower(): mode for mode in Mode}
_FORMS = (
    "a Twist, CmdVel, JointCommand or JointTrajectory, a dict of joints, linear= and angular=, "
    "speed= and steering=, or gripper="
)


class RobotControlConfig(Config):
    """How a robot is controlled.

    Attributes:
        drive: How it moves from place to place; 'auto' finds out, None for no drive: its wheels are
            then joints like others.
        gripper: Its gripper; 'auto' finds out, None is none.
        joints: How the joints are controlled that belong to no drive.
    """

    drive: DriveConfig | Literal["auto"] | None = "auto"
    gripper: GripperConfig | Literal["auto"] | None = "auto"
    joints: JointControlConfig = JointControlConfig()

    def build(
        self,
        robot: BuiltRobot,
        description: RobotDescription,
        model: mujoco.MjModel,
        data: mujoco.MjData,
    ) -> RobotControl:
        """The controllers of a robot, at rest: it holds its joints where they are.

        Args:
            robot: What the builder made of it.
            description: What it is made of.
            model: The compiled model.
            data: Its state.
        """
        return RobotControl(self, JointServos(robot, model, data), description)


class RobotControl:
    """All controllers of one robot.

    Attributes:
        config: The configuration, with what was found in place of 'auto'.
        servos: The drives of its joints.
        joints: Control of the joints that belong to no drive.
        drive: What moves it from place to place, or None.
        gripper: Its gripper, or None.
    """

    def __init__(
        self, config: RobotControlConfig, servos: JointServos, description: RobotDescription
    ) -> None:
        self._name = servos.robot.name
        self._data = servos.data
        self.servos = servos
        drive, gripper = config.drive, config.gripper
        if drive == "auto":
            drive = None if servos.is_fixed else self._if_driven(detect_drive(description))
        if gripper == "auto":
            gripper = self._if_driven(detect_gripper(description))
        self.config = config.model_copy(update={"drive": drive, "gripper": gripper})
        self.drive: Drive | None = drive and drive.build(servos)
        taken = drive.joints if drive is not None else ()
        rest = [name for name in servos.names if name not in taken]
        held = position_servos(description)
        self.joints: JointController = config.joints.build(servos, rest, held)
        self.gripper: Gripper | None = gripper and gripper.build(servos, self.joints)
        self.update(0.0)

    @property
    def kind(self) -> str:
        """'differential_drive', 'ackermann', 'quadrotor', 'legs' or 'joints'."""
        return self.drive.kind if self.drive is not None else "joints"

    @property
    def wheel_odometry(self) -> WheelOdometry | None:
        """Dead reckoning of its wheels, or None without a wheeled drive."""
        return self.drive.odometry if isinstance(self.drive, WheeledDrive) else None

    def command(
        self,
        command: Command | None = None,
        *,
        linear: Linear | None = None,
        angular: float | None = None,
        speed: float | None = None,
        steering: float | None = None,
        gripper: float | str | None = None,
        mode: ModeName = "position",
    ) -> CommandResult:
        """Takes a command; which controller gets it depends on its form.

        Args:
            command: A message, a trajectory, or values by joint.
            linear: Forward speed [m/s]; for a quadrotor also three numbers: ahead, left, up.
            angular: Yaw rate [rad/s], positive to the left.
            speed: Speed of a car [m/s].
            steering: Steering angle of a car [rad].
            gripper: Width [m], 'open' or 'close'.
            mode: What the values by joint are: 'position', 'velocity' or 'effort'.

        Returns:
            Which controller took it and what was clamped to limits.

        Raises:
            CommandError: The robot cannot do this, or a joint is unknown.
        """
        is_twist = linear is not None or angular is not None
        is_car = speed is not None or steering is not None
        forms = (command is not None) + is_twist + is_car + (gripper is not None)
        if forms != 1:
            count = "nothing" if forms == 0 else "several at once"
            raise CommandError(f"robot '{self._name}' got {count} to do; give it {_FORMS}.")
        if is_twist:
            return self._command_twist(
                0.0 if linear is None else linear, 0.0 if angular is None else angular
            )
        if is_car:
            return self._command_car(speed or 0.0, steering or 0.0)
        if gripper is not None:
            return self._command_gripper(gripper)
        return self._command_object(command, mode)

    def check(self, command: Message) -> None:
        """Raises what `command` would raise for a message, and changes nothing.

        Raises:
            CommandError: The robot cannot do this, or a joint is unknown.
        """
        match command:
            case JointCommand():
                self.joints.check(dict(zip(command.names, command.values.tolist(), strict=True)))
            case Twist():
                self._checked_drive(*command.linear, command.angular[2])
            case CmdVel():
                self._checked_drive(command.linear, command.angular)
            case messages.JointTrajectory() if len(command.times_ns):
                self.joints.plan(self._trajectory(command), self._data.time)

    def stop(self) -> None:
        """Stops the drive; every other joint holds where it is."""
        if self.drive is not None:
            self.drive.stop()
        self.joints.hold()

    def update(self, dt: float) -> None:
        """Writes what the drives do in the next step of `dt` seconds."""
        time = self._data.time
        self.joints.update(time, dt)
        # After them: legs that walk hold joints that otherwise are commanded one by one.
        if self.drive is not None and dt > 0.0:
            self.drive.update(time, dt)

    def sync(self) -> None:
        """Positions were set by hand: hold them, and count no wheel as having turned."""
        if self.drive is not None:
            self.drive.sync()
        self.joints.hold()

    def get_state(self) -> dict[str, Any]:
        """All that the next update depends on, beside the state of the physics."""
        return {
            "joints": self.joints.get_state(),
            "drive": None if self.drive is None else self.drive.get_state(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from what `get_state` gave."""
        self.joints.set_state(state["joints"])
        if self.drive is not None:
            self.drive.set_state(state["drive"])

    def _if_driven(self, found: _Found | None) -> _Found | None:
        """What was found, if all its joints have drives."""
        return found if found is not None and set(found.joints) <= set(self.servos.names) else None

    def _command_object(self, command: Command | None, mode: str) -> CommandResult:
        match command:
            case Twist():
                roll, pitch, yaw = command.angular
                result = self._command_twist(command.linear, yaw)
                return _without(result, {"angular x": roll, "angular y": pitch})
            case CmdVel():
                return self._command_twist(command.linear, command.angular)
            case JointCommand():
                values = dict(zip(command.names, command.values.tolist(), strict=True))
                self._stand_still()
                return self.joints.command(values, _MODES[command.mode])
            case JointTrajectory():
                self._stand_still()
                return self.joints.follow(command, self._data.time)
            case messages.JointTrajectory():
                self._stand_still()
                if len(command.times_ns) == 0:
                    self.joints.hold()
                    return CommandResult("joint_trajectory")
                start = max(command.stamp_ns / NS_PER_S, self._data.time)
                return self.joints.follow(self._trajectory(command), start)
            case Mapping():
                if mode not in _MODES:
                    raise CommandError(f"mode '{mode}' is unknown; use {', '.join(_MODES)}.")
                self._stand_still()
                return self.joints.command(cast("Mapping[str, float]", command), _MODES[mode])
            case _:
                raise CommandError(
                    f"robot '{self._name}' does not understand {type(command).__name__}; "
                    f"give it {_FORMS}."
                )

    def _stand_still(self) -> None:
        """Takes the joints from legs that walk: they are commanded one by one."""
        if isinstance(self.drive, LeggedDrive) and self.drive.is_on:
            self.drive.release()
            self.joints.hold()

    def _trajectory(self, command: messages.JointTrajectory) -> JointTrajectory:
        """The trajectory of a message, whose first way-point may be its only one."""
        times, positions = command.times_ns / NS_PER_S, command.positions
        rates = command.velocities, command.accelerations
        if len(times) == 1 and times[0] > 0.0:
            start = self.joints.references(command.names)
            times, positions = np.append(0.0, times), np.vstack((start, positions))
            moving = self.joints.reference_speeds(command.names, self._data.time)
            begins = moving, np.zeros(len(command.names))
            rates = [
                None if rate is None else np.vstack((first, rate))
                for first, rate in zip(begins, rates, strict=True)
            ]
        return JointTrajectory(command.names, times, positions, "cubic", *rates)

    def _command_twist(self, linear: Linear, angular: float) -> CommandResult:
        x, y, z = _components(linear)
        drive, time = self._checked_drive(x, y, z, angular), self._data.time
        if isinstance(drive, Quadrotor):
            return drive.command((x, y, z), float(angular), time)
        if isinstance(drive, LeggedDrive):
            return _without(drive.command(x, y, float(angular), time), {"linear z": z})
        result = drive.command(x, float(angular), time)
        return _without(result, {"linear y": y, "linear z": z})

    def _checked_drive(self, *velocities: float) -> Drive:
        """The drive, which must be there for finite velocities."""
        self._check_finite(*velocities)
        if self.drive is None:
            raise CommandError(
                f"robot '{self._name}' has no drive for linear and angular; command its joints, or "
                "configure a drive in RobotControlConfig."
            )
        return self.drive

    def _command_car(self, speed: float, steering: float) -> CommandResult:
        self._check_finite(speed, steering)
        if not isinstance(self.drive, Ackermann):
            raise CommandError(
                f"robot '{self._name}' ({self.kind}) does not steer like a car; use linear= and "
                "angular=, or configure AckermannConfig."
            )
        return self.drive.command_steering(float(speed), float(steering), self._data.time)

    def _command_gripper(self, gripper: float | str) -> CommandResult:
        if self.gripper is None:
            raise CommandError(
                f"robot '{self._name}' has no gripper that was found; configure GripperConfig."
            )
        if not isinstance(gripper, str):
            self._check_finite(gripper)
        return self.gripper.command(gripper)

    def _check_finite(self, *values: float) -> None:
        for value in values:
            if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
                raise CommandError(
                    f"robot '{self._name}' got a value that is not finite, or not a number: "
                    f"{values}; send numbers."
                )


def _components(linear: Linear) -> tuple[float, float, float]:
    try:
        values = np.atleast_1d(np.asarray(linear, dtype=np.float64)).ravel().tolist()
    except (TypeError, ValueError) as error:
        raise CommandError(f"linear must be one or three numbers; got {linear!r}.") from error
    if len(values) not in (1, 3):
        raise CommandError(f"linear must be one or three numbers; got {len(values)}.")
    x, y, z = values if len(values) == 3 else (values[0], 0.0, 0.0)
    return x, y, z


def _without(result: CommandResult, impossible: dict[str, float]) -> CommandResult:
    """Adds what a robot of this kind cannot do at all."""
    notes = [Clamp(what, "velocity", value, 0.0) for what, value in impossible.items() if value]
    return CommandResult(result.kind, (*result.clamped, *notes)) if notes else result
