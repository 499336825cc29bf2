"""Sensors and drives as the tags of a file describe them; nothing is simulated yet.

Drives hold None where the file says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from horus_sim.tf import Transform

# The text of an element as the type it looks like; attributes have keys with a leading '@'.
SdfValue = bool | int | float | str | tuple[float, ...] | list["SdfValue"] | dict[str, "SdfValue"]

PLUGIN_SENSORS = frozenset({"ground_truth", "joint_state", "odometry", "range"})
"""Types of sensors that Gazebo has as plugins, and SDF has not."""


@dataclass(frozen=True, slots=True)
class SdfSensor:
    """A sensor as the file describes it.

    Attributes:
        link: The link that carries it, named as in its description.
        name: Name in the file.
        type: SDF's type, such as 'gpu_lidar', 'imu' or 'camera', or one of `PLUGIN_SENSORS`.
        T_link_sensor: Where it sits.
        rate: Measurements per second [Hz]; 0 is every step.
        parameters: Everything else that the file says.
        joint: The joint that it measures, or None.
    """

    link: str
    name: str
    type: str
    T_link_sensor: Transform
    rate: float
    parameters: dict[str, SdfValue]
    joint: str | None = None


@dataclass(frozen=True, slots=True)
class WheelDrive:
    """Wheels on two sides, driven by a twist.

    Attributes:
        left: Joints of the left wheels.
        right: Joints of the right wheels.
        separation: Distance between left and right wheels [m].
        radius: Radius of the wheels [m].
        max_linear: Top speed [m/s].
        max_angular: Top yaw rate [rad/s].
        max_linear_acceleration: [m/s^2].
        max_angular_acceleration: [rad/s^2].
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    separation: float | None = None
    radius: float | None = None
    max_linear: float | None = None
    max_angular: float | None = None
    max_linear_acceleration: float | None = None
    max_angular_acceleration: float | None = None

    @property
    def joints(self) -> tuple[str, ...]:
        """All joints that it names."""
        return self.left + self.right

    def renamed(self, prefix: str) -> WheelDrive:
        """The same with text before the names of joints."""
        return replace(self, left=_with(prefix, self.left), right=_with(prefix, self.right))


@dataclass(frozen=True, slots=True)
class CarDrive:
    """Two steered front wheels, driven by a speed and a steering angle.

    Attributes:
        driven: Joints of the driven wheels, or none where the file does not say.
        steering: Joints of the left and right knuckle.
        wheelbase: Distance between the axles [m].
        pivot_separation: Distance between the axes of the knuckles [m].
        track: Distance between left and right wheels [m].
        radius: Radius of the wheels [m].
        max_steering: Largest steering angle [rad].
        max_speed: Top speed [m/s].
        max_acceleration: [m/s^2].
    """

    driven: tuple[str, ...]
    steering: tuple[str, str]
    wheelbase: float | None = None
    pivot_separation: float | None = None
    track: float | None = None
    radius: float | None = None
    max_steering: float | None = None
    max_speed: float | None = None
    max_acceleration: float | None = None

    @property
    def joints(self) -> tuple[str, ...]:
        """All joints that it names."""
        return self.driven + self.steering

    def renamed(self, prefix: str) -> CarDrive:
        """The same with text before the names of joints."""
        left, right = _with(prefix, self.steering)
        return replace(self, driven=_with(prefix, self.driven), steering=(left, right))


@dataclass(frozen=True, slots=True)
class Rotor:
    """A rotor of a multicopter.

    Attributes:
        joint: Its joint.
        is_clockwise: Whether it turns clockwise, seen from above.
        thrust_constant: Thrust over the square of its speed [N s^2].
        drag: Torque for one newton of thrust [m].
        max_speed: Largest speed [rad/s].
    """

    joint: str
    is_clockwise: bool
    thrust_constant: float | None = None
    drag: float | None = None
    max_speed: float | None = None

    @property
    def joints(self) -> tuple[str, ...]:
        """The one joint that it names."""
        return (self.joint,)

    def renamed(self, prefix: str) -> Rotor:
        """The same with text before the name of the joint."""
        return replace(self, joint=prefix + self.joint)


@dataclass(frozen=True, slots=True)
class FlightLimits:
    """What a controller of a multicopter allows.

    Attributes:
        max_linear: Largest speed along an axis [m/s].
        max_angular: Largest yaw rate [rad/s].
    """

    max_linear: float | None = None
    max_angular: float | None = None

    @property
    def joints(self) -> tuple[str, ...]:
        """It names none."""
        return ()

    def renamed(self, prefix: str) -> FlightLimits:  # noqa: ARG002 - as the other parts
        """The same."""
        return self


@dataclass(frozen=True, slots=True)
class JointServo:
    """A controller of one joint.

    Attributes:
        joint: The joint.
        mode: What it is told: a position or a velocity.
    """

    joint: str
    mode: Literal["position", "velocity"]

    @property
    def joints(self) -> tuple[str, ...]:
        """The one joint that it names."""
        return (self.joint,)

    def renamed(self, prefix: str) -> JointServo:
        """The same with text before the name of the joint."""
        return replace(self, joint=prefix + self.joint)


DrivePart = WheelDrive | CarDrive | Rotor | FlightLimits | JointServo
"""What the controllers of a robot are made of."""


def hold_joints(drives: tuple[DrivePart, ...]) -> bool:
    """Whether one of some drives holds joints when nothing is commanded."""
    servos = [part for part in drives if isinstance(part, JointServo)]
    return len(servos) < len(drives) or any(part.mode == "position" for part in servos)


def _with(prefix: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{prefix}{name}" for name in names)
