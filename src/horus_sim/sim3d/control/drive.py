"""What drives have in common: commands that expire, acceleration limits and odometry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from horus_sim.sim3d.control.joint_servos import JointServos
from horus_sim.sim3d.control.odometry import WheelOdometry

_ROUNDING = 1e-9  # [s]; a sum of time steps is not exactly a multiple of one


class Watchdog:
    """Tells when nobody has commanded for too long, in simulated time.

    Args:
        timeout: How long a command holds [s]; None for ever.
    """

    __slots__ = ("_deadline", "timeout")

    def __init__(self, timeout: float | None) -> None:
        self.timeout = timeout
        self._deadline = -1.0

    def feed(self, time: float) -> None:
        """A command came at this simulated time [s]."""
        self._deadline = float("inf") if self.timeout is None else time + self.timeout - _ROUNDING

    def has_expired(self, time: float) -> bool:
        """Whether the last command is too old at this simulated time [s], or none ever came."""
        return time >= self._deadline

    def get_state(self) -> float:
        """The time [s] at which the last command expires."""
        return self._deadline

    def set_state(self, state: float) -> None:
        """Continues from what `get_state` gave."""
        self._deadline = state


class WheeledDrive(ABC):
    """Takes a pair of wanted values, and brings a robot on wheels there within acceleration limits.

    What the pair means is up to the subclass. When commands cease, both return to rest. A subclass
    calls `sync` once its wheels are known.

    Args:
        servos: The drives of the robot's joints.
        timeout: How long a command holds [s]; None for ever.
        accelerations: How fast each of the pair may change a second; None for no limit.

    Attributes:
        odometry: Dead reckoning from the wheels.
    """

    def __init__(
        self, servos: JointServos, timeout: float | None, *accelerations: float | None
    ) -> None:
        self.odometry = WheelOdometry()
        self._servos = servos
        self._watchdog = Watchdog(timeout)
        self._most = [acceleration or float("inf") for acceleration in accelerations]
        self._wanted = self._now = (0.0, 0.0)

    @abstractmethod
    def _write(self) -> None:
        """Sends the pair of now to the wheels."""

    @abstractmethod
    def _read_wheels(self) -> tuple[float, ...]:
        """How far the wheels have turned, in numbers of which `_motion` takes differences."""

    @abstractmethod
    def _motion(self, before: tuple[float, ...], now: tuple[float, ...]) -> tuple[float, float]:
        """Distance [m] and change of heading [rad] between two readings of the wheels."""

    @property
    def wanted(self) -> tuple[float, float]:
        """What was last commanded, after limits; at rest when the command has expired."""
        return self._wanted

    def stop(self) -> None:
        """Brakes, within the acceleration limits."""
        self._wanted = self._at_rest()

    def update(self, time: float, dt: float) -> None:
        """Sets what the wheels do in the next step and takes note of how far they turned."""
        if self._ramp(time, dt):
            self._write()
        before, self._wheels_at = self._wheels_at, self._read_wheels()
        distance, turn = self._motion(before, self._wheels_at)
        if distance or turn:
            self.odometry.advance(distance, turn, dt)
        else:
            self.odometry.linear = self.odometry.angular = 0.0

    def sync(self) -> None:
        """Tells that the wheels were put elsewhere by hand, which does not count as motion."""
        self._wheels_at = self._read_wheels()

    def get_state(self) -> dict[str, Any]:
        """All that the next update depends on."""
        return {
            "ramp": (*self._wanted, *self._now, self._watchdog.get_state()),
            "odometry": self.odometry.get_state(),
            "wheels": self._wheels_at,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from what `get_state` gave."""
        *pairs, deadline = state["ramp"]
        self._wanted, self._now = tuple(pairs[:2]), tuple(pairs[2:])
        self._watchdog.set_state(deadline)
        self.odometry.set_state(state["odometry"])
        self._wheels_at = tuple(state["wheels"])
        self._write()

    def _accept(self, first: float, second: float, time: float) -> None:
        self._wanted = (first, second)
        self._watchdog.feed(time)

    def _ramp(self, time: float, dt: float) -> bool:
        """Moves on towards what is wanted; tells whether anything changed."""
        if self._wanted != (0.0, 0.0) and self._watchdog.has_expired(time):
            self.stop()
        if self._now == self._wanted:
            return False
        first, second = (
            min(max(wanted, now - most * dt), now + most * dt)
            for wanted, now, most in zip(self._wanted, self._now, self._most, strict=True)
        )
        self._now = (first, second)
        return True

    def _at_rest(self) -> tuple[float, float]:
        return (0.0, 0.0)
