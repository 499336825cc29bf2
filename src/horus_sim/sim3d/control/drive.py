"""What differential drive and Ackermann steering have in common."""

from __future__ import annotations

from horus_sim.sim3d.control.odometry import WheelOdometry
from horus_sim.sim3d.control.watchdog import Watchdog


def approach(value: float, target: float, most: float) -> float:
    """`value` moved towards `target` by at most `most`."""
    return min(max(target, value - most), value + most)


def speed_limit(limit: float | None, wheel_speed: float, wheel_radius: float) -> float:
    """The stated top speed [m/s], or else that of the wheels' joints; infinite if neither."""
    if limit is not None:
        return limit
    return wheel_speed * wheel_radius


class VelocityDrive:
    """Takes a pair of wanted values, and brings the robot there within acceleration limits.

    What the pair means is up to the subclass. When commands cease, both return to zero.

    Attributes:
        odometry: Dead reckoning from the wheels.
    """

    def __init__(
        self, timeout: float | None, first_acceleration: float, second_acceleration: float
    ) -> None:
        self.odometry = WheelOdometry()
        self._watchdog = Watchdog(timeout)
        self._most_first = first_acceleration
        self._most_second = second_acceleration
        self._wanted = (0.0, 0.0)
        self._now = (0.0, 0.0)

    @property
    def wanted(self) -> tuple[float, float]:
        """What was last commanded, after limits; zeros when the command has expired."""
        return self._wanted

    def _accept(self, first: float, second: float, time: float) -> None:
        self._wanted = (first, second)
        self._watchdog.feed(time)

    def _ramp(self, time: float, dt: float) -> bool:
        """Moves on towards what is wanted; tells whether anything changed."""
        if self._wanted != (0.0, 0.0) and self._watchdog.has_expired(time):
            self._wanted = self._at_rest()
        if self._now == self._wanted:
            return False
        (first, second), (first_wanted, second_wanted) = self._now, self._wanted
        self._now = (
            approach(first, first_wanted, self._most_first * dt),
            approach(second, second_wanted, self._most_second * dt),
        )
        return True

    def _at_rest(self) -> tuple[float, float]:
        return (0.0, 0.0)

    def _ramp_state(self) -> tuple[float, ...]:
        return (*self._wanted, *self._now, self._watchdog.get_state())

    def _set_ramp_state(self, state: tuple[float, ...]) -> None:
        self._wanted = (state[0], state[1])
        self._now = (state[2], state[3])
        self._watchdog.set_state(state[4])
