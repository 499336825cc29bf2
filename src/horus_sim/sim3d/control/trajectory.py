"""Smooth joint motions through way-points with times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from horus_sim.errors import CommandError
from horus_sim.sim3d.control.result import Clamp, quoted

FloatArray = npt.NDArray[np.float64]
Method = Literal["cubic", "quintic"]
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class JointTrajectory:
    """Positions of joints over time: a spline through way-points.

    Speed and acceleration are continuous everywhere, and the speed is zero at both ends. 'quintic'
    also starts and ends without acceleration. Where velocities are given at the way-points, it has
    those, and accelerations, too, if they are given: the degree follows from that.

    Attributes:
        names: Names of the joints, n of them.
        times: Times of the way-points from the start of the motion [s], growing, shape (N,). Where
            the first is later than zero, a robot that follows it comes from where it is.
        positions: Positions at the way-points [rad or m], shape (N, n).
        method: Degree of the spline; not asked for where velocities are given.
        velocities: Velocities at the way-points [rad/s or m/s], shape (N, n), or None.
        accelerations: Accelerations there [rad/s^2 or m/s^2], shape (N, n), or None; they need
            velocities.
        coefficients: Those of the polynomials, highest power first, shape (degree + 1, N - 1, n).
    """

    names: tuple[str, ...]
    times: FloatArray
    positions: FloatArray
    method: Method = "cubic"
    velocities: FloatArray | None = None
    accelerations: FloatArray | None = None
    coefficients: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = tuple(self.names)
        times = np.array(self.times, dtype=np.float64)
        positions = np.array(self.positions, dtype=np.float64)
        _check(names, times, positions, self.method)
        for name in ("velocities", "accelerations"):
            _check_rates(self, name, positions.shape)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "positions", positions)
        object.__setattr__(self, "coefficients", _curve(self))

    @classmethod
    def through(
        cls,
        waypoints: Sequence[Mapping[str, float]],
        times: Sequence[float],
        method: Method = "cubic",
    ) -> Self:
        """A trajectory through way-points that each give all joints by name."""
        if not waypoints:
            raise CommandError("a trajectory needs at least two way-points; got none.")
        names = tuple(waypoints[0])
        for index, waypoint in enumerate(waypoints):
            if set(waypoint) != set(names):
                odd = sorted(set(waypoint) ^ set(names))
                raise CommandError(
                    f"way-point {index} of a trajectory does not have the joints of the first "
                    f"({quoted(odd)}); give every joint at every way-point."
                )
        positions = np.array([[waypoint[name] for name in names] for waypoint in waypoints])
        return cls(names, np.asarray(times, dtype=np.float64), positions, method)

    @property
    def duration(self) -> float:
        """Time of the last way-point [s]."""
        return float(self.times[-1])

    def sample(self, time: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Position, velocity and acceleration at a time [s]; beyond the ends it rests there.

        Returns:
            Three arrays of shape (n,), in [rad or m], and these per second and second squared.
        """
        if not self.times[0] <= time <= self.duration:
            rest, end = np.zeros(len(self.names)), 0 if time < self.times[0] else -1
            return self.positions[end].copy(), rest, rest.copy()
        segment = min(int(np.searchsorted(self.times, time, "right")) - 1, len(self.times) - 2)
        s = time - self.times[segment]
        position = velocity = half_acceleration = np.zeros(len(self.names))
        for coefficient in self.coefficients[:, segment]:
            half_acceleration = half_acceleration * s + velocity
            velocity = velocity * s + position
            position = position * s + coefficient
        return position, velocity, 2.0 * half_acceleration

    def peak_positions(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest position of each joint over the whole motion, two of shape (n,)."""
        return self._extremes(0)

    def peak_velocities(self) -> FloatArray:
        """Largest speed of each joint over the whole motion, shape (n,)."""
        low, high = self._extremes(1)
        return np.maximum(-low, high)

    def stretched(self, factor: float) -> JointTrajectory:
        """The same path, `factor` times as slow."""
        v, a = self.velocities, self.accelerations
        return replace(
            self,
            times=self.times * factor,
            velocities=None if v is None else v / factor,
            accelerations=None if a is None else a / factor**2,
        )

    def coming_from(
        self, start: npt.ArrayLike, speed: npt.ArrayLike | None = None
    ) -> JointTrajectory:
        """The same, with a way-point before it at time zero.

        Args:
            start: Where the joints are [rad or m], shape (n,).
            speed: How fast they are there [rad/s or m/s], shape (n,), which counts where the
                trajectory has velocities; at rest unless given.

        Raises:
            CommandError: It begins at time zero already.
        """
        times = np.concatenate(([0.0], self.times))
        positions = np.vstack((np.asarray(start, dtype=np.float64), self.positions))
        still = np.zeros((1, len(self.names)))
        moving = still if speed is None else np.asarray(speed, dtype=np.float64)[None]
        v, a = self.velocities, self.accelerations
        return replace(
            self,
            times=times,
            positions=positions,
            velocities=None if v is None else np.vstack((moving, v)),
            accelerations=None if a is None else np.vstack((still, a)),
        )

    def _extremes(self, order: int) -> tuple[FloatArray, FloatArray]:
        low = np.full(len(self.names), np.inf)
        high = np.full(len(self.names), -np.inf)
        for segment, length in enumerate(np.diff(self.times)):
            for joint in range(len(self.names)):
                polynomial = np.poly1d(self.coefficients[:, segment, joint]).deriv(order)
                turning = np.asarray(polynomial.deriv().roots, dtype=np.complex128)
                inside = turning.real[(abs(turning.imag) < 1e-9) & (turning.real > 0.0)]
                at = np.concatenate(([0.0, length], inside[inside < length]))
                values = polynomial(at)
                low[joint] = min(low[joint], values.min())
                high[joint] = max(high[joint], values.max())
        return low, high


def within_limits(
    trajectory: JointTrajectory, lower: FloatArray, upper: FloatArray, velocity: FloatArray
) -> tuple[JointTrajectory, tuple[Clamp, ...]]:
    """A trajectory that keeps to limits, and what was changed.

    Way-points outside a joint's range are moved to its end, and a motion that is too fast for a
    joint is slowed down as a whole. Between way-points a spline may still swing over the end of a
    range; that is noted, and whoever follows it clips it there.

    Args:
        trajectory: The trajectory.
        lower: Smallest positions [rad or m], shape (n,).
        upper: Largest positions [rad or m], shape (n,).
        velocity: Largest speeds [rad/s or m/s], shape (n,).
    """
    notes: list[Clamp] = []
    inside = np.clip(trajectory.positions, lower, upper)
    for row, column in zip(*np.nonzero(inside != trajectory.positions), strict=True):
        culprit = f"joint '{trajectory.names[column]}' at way-point {row}"
        asked, given = trajectory.positions[row, column], inside[row, column]
        notes.append(Clamp(culprit, "position", float(asked), float(given)))
    if notes:
        trajectory = replace(trajectory, positions=inside)
    excess = float((trajectory.peak_velocities() / velocity).max(initial=0.0))
    if excess > 1.0 + _ROUNDING:
        slower = trajectory.stretched(excess)
        notes.append(Clamp("trajectory", "duration", trajectory.duration, slower.duration))
        trajectory = slower
    lowest, highest = trajectory.peak_positions()
    for column, name in enumerate(trajectory.names):
        for reached, bound in ((lowest, lower), (highest, upper)):
            beyond = reached[column] - bound[column]
            if (-beyond if bound is lower else beyond) > _ROUNDING:
                asked, given = float(reached[column]), float(bound[column])
                notes.append(Clamp(f"joint '{name}'", "position", asked, given))
    return trajectory, tuple(notes)


def _check(names: tuple[str, ...], times: FloatArray, positions: FloatArray, method: str) -> None:
    if method not in ("cubic", "quintic"):
        raise CommandError(f"method '{method}' is unknown; use 'cubic' or 'quintic'.")
    if len(set(names)) != len(names) or not names:
        raise CommandError(f"a trajectory needs each joint once; got {quoted(names) or 'none'}.")
    if times.ndim != 1 or positions.shape != (len(times), len(names)) or len(times) < 2:
        raise CommandError(
            f"a trajectory of {len(names)} joints needs N >= 2 times and positions of shape "
            f"(N, {len(names)}); got shapes {times.shape} and {positions.shape}."
        )
    if not (np.isfinite(times).all() and np.isfinite(positions).all()):
        raise CommandError("a trajectory has a time or position that is not finite; correct it.")
    if times[0] < 0.0 or (np.diff(times) <= 0.0).any():
        raise CommandError(
            f"times of a trajectory must start at 0 or later and grow; got "
            f"{np.array2string(times)}."
        )


def _check_rates(trajectory: JointTrajectory, name: str, shape: tuple[int, ...]) -> None:
    """Checks velocities or accelerations at the way-points, and makes them an array."""
    given = getattr(trajectory, name)
    if given is None:
        return
    values = np.array(given, dtype=np.float64)
    if values.shape != shape or not np.isfinite(values).all():
        raise CommandError(
            f"{name} of a trajectory must be finite numbers of shape {shape}, as its positions."
        )
    if name == "accelerations" and trajectory.velocities is None:
        raise CommandError("a trajectory with accelerations needs velocities, too.")
    object.__setattr__(trajectory, name, values)


def _curve(trajectory: JointTrajectory) -> FloatArray:
    # SciPy is slow to import, and most worlds never follow a trajectory.
    from scipy.interpolate import BPoly, CubicSpline, PPoly

    times, positions = trajectory.times, trajectory.positions
    if trajectory.velocities is not None:
        given = [positions, trajectory.velocities]
        if trajectory.accelerations is not None:
            given.append(trajectory.accelerations)
        through = BPoly.from_derivatives(times, np.stack(given, axis=1))
        return np.asarray(PPoly.from_bernstein_basis(through).c)
    cubic = CubicSpline(times, positions, bc_type="clamped")
    if trajectory.method == "cubic":
        return np.asarray(cubic.c)
    velocities = cubic(times, 1)
    accelerations = cubic(times, 2)
    accelerations[0] = accelerations[-1] = 0.0
    derivatives = np.stack((positions, velocities, accelerations), axis=1)
    return np.asarray(PPoly.from_bernstein_basis(BPoly.from_derivatives(times, derivatives)).c)
