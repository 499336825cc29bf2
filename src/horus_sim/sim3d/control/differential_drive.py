"""Two sides of wheels: a twist becomes wheel speeds, and wheel angles become odometry."""

from __future__ import annotations

from pydantic import model_validator

from horus_sim.files.config import Config, NotNegative, Positive
from horus_sim.sim3d.control.drive import WheeledDrive
from horus_sim.sim3d.control.joint_servos import JointServos, Mode
from horus_sim.sim3d.control.result import Clamp, CommandResult, clamp


class DifferentialDriveConfig(Config):
    """Wheels on two sides. More than one a side is skid steering.

    Attributes:
        left_joints: Joints of the left wheels.
        right_joints: Joints of the right wheels.
        wheel_radius: Radius of the wheels [m].
        wheel_separation: Distance between left and right wheels [m].
        reversed_joints: Joints that turn the other way: their axis points to the right.
        max_linear: Top speed [m/s]; None takes that of the wheels' joints.
        max_angular: Top yaw rate [rad/s]; None takes that of the wheels' joints.
        max_linear_acceleration: Largest acceleration [m/s^2]; None for no limit.
        max_angular_acceleration: Largest acceleration of the yaw [rad/s^2]; None for no limit.
        timeout: Simulated time [s] for which a command holds; None for ever.
    """

    left_joints: tuple[str, ...]
    right_joints: tuple[str, ...]
    wheel_radius: Positive
    wheel_separation: Positive
    reversed_joints: tuple[str, ...] = ()
    max_linear: NotNegative | None = None
    max_angular: NotNegative | None = None
    max_linear_acceleration: Positive | None = 2.5
    max_angular_acceleration: Positive | None = 5.0
    timeout: Positive | None = 0.5

    @model_validator(mode="after")
    def _check(self) -> DifferentialDriveConfig:
        if not self.left_joints or not self.right_joints:
            raise ValueError("a differential drive needs joints on both sides")
        return self

    @property
    def joints(self) -> tuple[str, ...]:
        """All joints that it drives."""
        return self.left_joints + self.right_joints

    def wheel_speeds(self, linear: float, angular: float) -> tuple[float, float]:
        """Speeds of the left and right wheels [rad/s], positive forward.

        Args:
            linear: Forward speed [m/s].
            angular: Yaw rate [rad/s], positive to the left.
        """
        half = 0.5 * self.wheel_separation * angular
        return (linear - half) / self.wheel_radius, (linear + half) / self.wheel_radius

    def twist(self, left: float, right: float) -> tuple[float, float]:
        """Forward speed [m/s] and yaw rate [rad/s] from speeds of the wheels [rad/s]."""
        r = self.wheel_radius
        return 0.5 * r * (left + right), r * (right - left) / self.wheel_separation

    def build(self, servos: JointServos) -> DifferentialDrive:
        """A drive at rest on these joints."""
        return DifferentialDrive(self, servos)


class DifferentialDrive(WheeledDrive):
    """Drives a robot at a forward speed and a yaw rate."""

    kind = "differential_drive"

    def __init__(self, config: DifferentialDriveConfig, servos: JointServos) -> None:
        accelerations = config.max_linear_acceleration, config.max_angular_acceleration
        super().__init__(servos, config.timeout, *accelerations)
        self.config = config
        self._indices = servos.indices(config.joints)
        self._signs = [-1.0 if name in config.reversed_joints else 1.0 for name in config.joints]
        self._wheel_limit = min(servos.velocity[self._indices].tolist())
        rim = self._wheel_limit * config.wheel_radius
        self._max_linear = rim if config.max_linear is None else config.max_linear
        top = 2.0 * self._wheel_limit * config.wheel_radius / config.wheel_separation
        self._max_angular = top if config.max_angular is None else config.max_angular
        servos.set_mode(self._indices, Mode.VELOCITY)
        self._addresses = servos.qpos[self._indices].tolist()
        self.sync()

    def command(self, linear: float, angular: float, time: float) -> CommandResult:
        """Drives at a speed [m/s] and a yaw rate [rad/s] from now on, until the time-out.

        Where a wheel would be too fast both are scaled alike, so that the path stays the same.
        """
        notes: list[Clamp] = []
        linear = clamp(linear, -self._max_linear, self._max_linear, "linear", "velocity", notes)
        angular = clamp(
            angular, -self._max_angular, self._max_angular, "angular", "velocity", notes
        )
        fastest = max(map(abs, self.config.wheel_speeds(linear, angular)))
        if fastest > self._wheel_limit * (1.0 + 1e-9):
            scale = self._wheel_limit / fastest
            notes += [
                Clamp(name, "velocity", value, value * scale)
                for name, value in (("linear", linear), ("angular", angular))
                if value
            ]
            linear, angular = linear * scale, angular * scale
        self._accept(linear, angular, time)
        return CommandResult(self.kind, tuple(notes))

    def _read_wheels(self) -> tuple[float, ...]:
        item = self._servos.data.qpos.item
        return tuple([item(address) for address in self._addresses])

    def _motion(self, before: tuple[float, ...], now: tuple[float, ...]) -> tuple[float, float]:
        turned = [
            sign * (angle - earlier)
            for sign, angle, earlier in zip(self._signs, now, before, strict=True)
        ]
        count = len(self.config.left_joints)
        left = sum(turned[:count]) / count
        right = sum(turned[count:]) / (len(turned) - count)
        return self.config.twist(left, right)

    def _write(self) -> None:
        left, right = self.config.wheel_speeds(*self._now)
        count = len(self.config.left_joints)
        for place, (index, sign) in enumerate(zip(self._indices, self._signs, strict=True)):
            self._servos.write_velocity(index, sign * (left if place < count else right))
