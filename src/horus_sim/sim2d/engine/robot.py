"""A robot as its controller sees it: motors, sensors, pose, under their local names."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from horus_sim.errors import Sim2dError, UnknownPartError
from horus_sim.sim2d.engine.handle import Handle
from horus_sim.sim2d.engine.named import ByBody, ByMotor, BySensor
from horus_sim.sim2d.engine.sensors import Sensor, Value
from horus_sim.sim2d.engine.values import FORCE, POSE, VELOCITY, as_number, shown
from horus_sim.sim2d.pose import Pose2D

if TYPE_CHECKING:
    from horus_sim._native import Sim2dWorld
    from horus_sim.sim2d.engine.layout import Layout, MotorSlot


class Body(Handle):
    """A body of the world, read live."""

    def __init__(self, world: Sim2dWorld, index: int, name: str) -> None:
        self._world = world
        self.index = index
        self.name = name

    @property
    def pose(self) -> Pose2D:
        """x, y [m], theta [rad], world frame."""
        return Pose2D(*self._world.state(self.index)[:3])

    @property
    def velocity(self) -> tuple[float, float, float]:
        """vx, vy [m/s], world frame, and yaw rate [rad/s]."""
        return self._world.state(self.index)[3:]

    def set_pose(self, x: float, y: float, theta: float) -> None:
        """Puts the body somewhere [m, rad], world frame; its velocity stays.

        Raises:
            BodyStateError: A value is not a finite number or exceeds a million.
        """
        self._world.set_pose(self.index, *POSE.checked(self.name, (x, y, theta)))

    def set_velocity(self, vx: float, vy: float, w: float) -> None:
        """Gives the body a velocity [m/s, rad/s], world frame. Fixed bodies stay.

        Raises:
            BodyStateError: A value is not a finite number or exceeds a million.
        """
        self._world.set_velocity(self.index, *VELOCITY.checked(self.name, (vx, vy, w)))

    def apply_force(self, fx: float, fy: float, torque: float = 0.0) -> None:
        """Pushes the center of mass during the next step [N, N m], world frame.

        Raises:
            BodyStateError: A value is not a finite number.
        """
        self._world.apply_force(self.index, *FORCE.checked(self.name, (fx, fy, torque)))

    def __repr__(self) -> str:
        x, y, theta = self.pose
        return f"Body('{self.name}', x={x:.3f}, y={y:.3f}, theta={theta:.3f})"


class WheelMotor(Handle):
    """A wheel that a motor drives.

    Attributes:
        name: Local name.
        radius: Radius of the wheel [m].
        max_omega: Speed of the wheel at command 1 without a load [rad/s].
    """

    def __init__(self, world: Sim2dWorld, slot: MotorSlot) -> None:
        self._world = world
        self.index = slot.index
        self.name = slot.config.name
        self.mount = slot.config.mount_pose
        self.body = slot.config.body
        self.radius = slot.params.wheel_radius
        self.max_omega = slot.params.top_omega

    @property
    def command(self) -> float:
        """Share of the largest speed (or, detailed, of the voltage), -1 to 1.

        Numbers beyond that are clamped.
        """
        return self._world.command(self.index)

    @command.setter
    def command(self, value: float) -> None:
        number = as_number(value)
        if number is None:
            raise Sim2dError(
                f"the command of motor '{self.name}' is {shown(value)}; give a number from -1 to 1"
            )
        if not math.isfinite(number):
            raise Sim2dError(f"the command of motor '{self.name}' is {number}; it must be finite")
        self._world.set_command(self.index, min(1.0, max(-1.0, number)))

    @property
    def omega(self) -> float:
        """Speed of the wheel [rad/s]."""
        return float(self._world.wheel_states()[self.index, 1])


class WheelMotorDetailed(WheelMotor):
    """A wheel motor with torque, gear and inertia; the command is the share of the voltage."""


class DifferentialDrive(Handle):
    """Two wheels side by side.

    Args:
        left: The left motor.
        right: The right motor.
    """

    def __init__(self, left: WheelMotor, right: WheelMotor) -> None:
        self.left = left
        self.right = right
        self.track = abs(left.mount[1] - right.mount[1])

    def set(self, left: float, right: float) -> None:
        """Commands from -1 to 1."""
        self.left.command = left
        self.right.command = right

    def drive(self, speed: float, turn: float) -> None:
        """Forward speed [m/s] and yaw rate [rad/s]; the wheels stop at their largest speed."""
        half = 0.5 * self.track * turn
        for motor, along in ((self.left, speed - half), (self.right, speed + half)):
            motor.command = along / (motor.radius * motor.max_omega)


class Robot(Handle):
    """What the controller of a robot gets as `sim`.

    Attributes:
        id: Name in the scenario.
        bodies: Its bodies by local name.
        motors: Its motors by local name.
        sensors: Its sensors by local name.
        timestep: Length of a step [s].
    """

    def __init__(
        self, world: Sim2dWorld, layout: Layout, ident: str, timestep: float, role: str
    ) -> None:
        self._world = world
        self.id = ident
        self.role = role
        self.timestep = timestep
        prefix = f"{ident}/"
        self.bodies = ByBody(
            (name.removeprefix(prefix), Body(world, index, name))
            for name, index in layout.bodies.items()
            if name.startswith(prefix)
        )
        self.motors: ByMotor[WheelMotor] = ByMotor(
            (
                slot.config.name,
                (WheelMotorDetailed if slot.params.detailed else WheelMotor)(world, slot),
            )
            for slot in layout.motors.values()
            if slot.robot == ident
        )
        self.sensors = BySensor(
            (slot.config.name, Sensor(world, slot))
            for slot in layout.sensors.values()
            if slot.robot == ident
        )

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._world.time

    @property
    def pose(self) -> Pose2D:
        """Pose x, y [m], theta [rad] of its first body, world frame."""
        return next(iter(self.bodies.values())).pose

    @functools.cached_property
    def drive(self) -> DifferentialDrive:
        """The two wheels of a robot with one axle; left is the one at larger y.

        Raises:
            Sim2dError: It has another number of motors.
        """
        if len(self.motors) != 2:
            raise Sim2dError(
                f"robot '{self.id}' has {len(self.motors)} motors, a differential drive has 2; "
                "use motors by name, or DifferentialDrive(left, right)"
            )
        right, left = sorted(self.motors.values(), key=lambda motor: motor.mount[1])
        return DifferentialDrive(left, right)

    def command(self, motor: str, value: float) -> None:
        """Sets the command of a motor, -1 to 1.

        Raises:
            UnknownPartError: It has no such motor.
        """
        self.motors[motor].command = value

    def wheel_states(self) -> npt.NDArray[np.float64]:
        """Speed [rad/s] and angle [rad] of its wheels, in the order of `motors`."""
        rows = [motor.index for motor in self.motors.values()]
        return self._world.wheel_states()[rows, 1:3]

    def readings(self) -> BySensor[Value]:
        """The newest values of all its sensors, by local name."""
        return BySensor((name, sensor.value) for name, sensor in self.sensors.items())

    def reflectivity(self, sensor: str) -> npt.NDArray[np.float64]:
        """What a distance sensor saw: reflectivity for each ray, 0 for nothing, shape (rays,).

        Raises:
            UnknownPartError: It has no such distance sensor.
        """
        known = {name: found for name, found in self.sensors.items() if found.kind == "distance"}
        if sensor not in known:
            raise UnknownPartError("distance sensor", sensor, tuple(known))
        return self._world.readings()[known[sensor].slot.reflectivity_columns]
