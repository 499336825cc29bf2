"""Cars: a speed and a steering angle become angles of two front wheels and speeds of four."""

from __future__ import annotations

import math
from typing import Literal

from horus_sim.files.config import Config, NotNegative, Positive
from horus_sim.sim3d.control.drive import WheeledDrive
from horus_sim.sim3d.control.joint_servos import JointServos, Mode
from horus_sim.sim3d.control.result import Clamp, CommandResult, clamp

_STANDING = 1e-9  # [m/s]


class AckermannConfig(Config):
    """A car with two steered front wheels. In pairs of joints the left one comes first.

    The steering angle is that of a bicycle with one wheel in the middle of each axle.

    Attributes:
        steering_joints: Joints of the two knuckles.
        front_joints: Joints of the front wheels.
        rear_joints: Joints of the rear wheels.
        wheel_radius: Radius of the wheels [m].
        wheelbase: Distance between the axles [m].
        pivot_separation: Distance between the axes of the knuckles [m].
        front_track: Distance between the front wheels [m].
        rear_track: Distance between the rear wheels [m].
        reversed_joints: Joints that turn the other way: wheels whose axis points to the right,
            knuckles whose axis points down.
        driven: Which wheels are driven; the others roll freely.
        max_speed: Top speed [m/s]; None takes that of the wheels' joints.
        max_steering: Largest steering angle [rad]; None takes the largest that both knuckles reach.
        max_acceleration: Largest acceleration [m/s^2]; None for no limit.
        max_steering_rate: Fastest steering [rad/s]; None takes that of the knuckles' joints.
        timeout: Simulated time [s] for which a command holds; None for ever.
    """

    steering_joints: tuple[str, str]
    front_joints: tuple[str, str]
    rear_joints: tuple[str, str]
    wheel_radius: Positive
    wheelbase: Positive
    pivot_separation: Positive
    front_track: Positive
    rear_track: Positive
    reversed_joints: tuple[str, ...] = ()
    driven: Literal["all", "front", "rear"] = "all"
    max_speed: NotNegative | None = None
    max_steering: Positive | None = None
    max_acceleration: Positive | None = 5.0
    max_steering_rate: Positive | None = None
    timeout: Positive | None = 0.5

    @property
    def joints(self) -> tuple[str, ...]:
        """All joints that it drives."""
        return self.steering_joints + self.front_joints + self.rear_joints

    def steering_angles(self, steering: float) -> tuple[float, float]:
        """Angles of the left and right knuckle [rad] such that all wheels turn about one point."""
        rise = math.tan(steering)
        half = 0.5 * self.pivot_separation * rise / self.wheelbase
        return math.atan2(rise, 1.0 - half), math.atan2(rise, 1.0 + half)

    def wheel_speeds(self, speed: float, steering: float) -> tuple[float, float, float, float]:
        """Speeds of the front left, front right, rear left and rear right wheel [rad/s].

        Args:
            speed: Speed of the middle of the rear axle [m/s].
            steering: Steering angle [rad], positive to the left.
        """
        curvature = math.tan(steering) / self.wheelbase
        speeds = []
        for side, angle in zip((1.0, -1.0), self.steering_angles(steering), strict=True):
            # Distance of the wheel from its knuckle's axis, along the wheel's axle.
            arm = 0.5 * side * (self.front_track - self.pivot_separation)
            beside = 0.5 * side * self.pivot_separation
            along = 1.0 - curvature * beside
            pivot = along * math.cos(angle) + curvature * self.wheelbase * math.sin(angle)
            speeds.append(speed * (pivot - curvature * arm) / self.wheel_radius)
        for side in (1.0, -1.0):
            along = 1.0 - 0.5 * side * curvature * self.rear_track
            speeds.append(speed * along / self.wheel_radius)
        return (speeds[0], speeds[1], speeds[2], speeds[3])

    def steering_from_knuckles(self, left: float, right: float) -> float:
        """The steering angle [rad] that the knuckles' angles [rad] stand for."""
        half = 0.5 * self.pivot_separation / self.wheelbase
        rises = (
            math.sin(left) / (math.cos(left) + half * math.sin(left)),
            math.sin(right) / (math.cos(right) - half * math.sin(right)),
        )
        return math.atan(0.5 * (rises[0] + rises[1]))

    def build(self, servos: JointServos) -> Ackermann:
        """A drive at rest on these joints."""
        return Ackermann(self, servos)


class Ackermann(WheeledDrive):
    """Drives a car at a speed and a steering angle."""

    kind = "ackermann"

    def __init__(self, config: AckermannConfig, servos: JointServos) -> None:
        indices = servos.indices(config.joints)
        self._steering, self._wheels = indices[:2], indices[2:]
        rate = config.max_steering_rate or min(servos.velocity[self._steering].tolist())
        super().__init__(servos, config.timeout, config.max_acceleration, rate)
        self.config = config
        signs = [-1.0 if name in config.reversed_joints else 1.0 for name in config.joints]
        self._steering_signs, self._wheel_signs = signs[:2], signs[2:]
        self._driven = {"all": (0, 1, 2, 3), "front": (0, 1), "rear": (2, 3)}[config.driven]
        driven = [self._wheels[place] for place in self._driven]
        rim = min(servos.velocity[driven].tolist()) * config.wheel_radius
        self._max_speed = rim if config.max_speed is None else config.max_speed
        self._max_steering = config.max_steering or self._reachable_steering()
        servos.set_mode(self._wheels, Mode.EFFORT)
        servos.set_mode(driven, Mode.VELOCITY)
        servos.set_mode(self._steering, Mode.POSITION)
        self._steering_addresses, self._rear_addresses = (
            servos.qpos[which].tolist() for which in (self._steering, self._wheels[2:])
        )
        self.sync()
        self._write()

    def command(self, linear: float, angular: float, time: float) -> CommandResult:
        """Drives at a speed [m/s] and a yaw rate [rad/s] from now on, until the time-out.

        A car cannot turn on the spot: without speed it steers fully towards the wanted side.
        """
        if abs(linear) > _STANDING:
            steering = math.atan(angular * self.config.wheelbase / linear)
        else:
            steering = math.copysign(0.5 * math.pi, angular) if angular else 0.0
        return self.command_steering(linear, steering, time)

    def command_steering(self, speed: float, steering: float, time: float) -> CommandResult:
        """Drives at a speed [m/s] with a steering angle [rad] from now on, until the time-out."""
        notes: list[Clamp] = []
        speed = clamp(speed, -self._max_speed, self._max_speed, "linear", "velocity", notes)
        steering = clamp(
            steering, -self._max_steering, self._max_steering, "steering", "position", notes
        )
        self._accept(speed, steering, time)
        return CommandResult(self.kind, tuple(notes))

    def _at_rest(self) -> tuple[float, float]:
        # The steering stays.
        return (0.0, self._wanted[1])

    def _read_wheels(self) -> tuple[float, ...]:
        item = self._servos.data.qpos.item
        left, right = (item(address) for address in self._rear_addresses)
        turned = self._wheel_signs[2] * left + self._wheel_signs[3] * right
        return (0.5 * self.config.wheel_radius * turned,)

    def _motion(self, before: tuple[float, ...], now: tuple[float, ...]) -> tuple[float, float]:
        rolled = now[0] - before[0]
        if not rolled:
            return 0.0, 0.0
        item = self._servos.data.qpos.item
        left, right = (
            sign * item(address)
            for sign, address in zip(self._steering_signs, self._steering_addresses, strict=True)
        )
        bend = math.tan(self.config.steering_from_knuckles(left, right))
        return rolled, rolled * bend / self.config.wheelbase

    def _reachable_steering(self) -> float:
        servos = self._servos
        bound = float(min(-servos.lower[self._steering].max(), servos.upper[self._steering].min()))
        if not math.isfinite(bound):
            return 0.5 * math.pi - 1e-3
        # The inner wheel turns further than the bicycle's: invert steering_angles for it.
        half = 0.5 * self.config.pivot_separation / self.config.wheelbase
        return math.atan2(math.sin(bound), math.cos(bound) + half * math.sin(bound))

    def _write(self) -> None:
        speed, steering = self._now
        angles = self.config.steering_angles(steering)
        for index, sign, angle in zip(self._steering, self._steering_signs, angles, strict=True):
            self._servos.write_position(index, sign * angle)
        speeds = self.config.wheel_speeds(speed, steering)
        for place in self._driven:
            self._servos.write_velocity(
                self._wheels[place], self._wheel_signs[place] * speeds[place]
            )
