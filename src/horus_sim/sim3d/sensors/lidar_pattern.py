"""Where the rays of lidars point, and how a sensor moves while they are sent."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.robots.engine import mujoco

Floats = npt.NDArray[np.float64]

_FULL = 2.0 * np.pi
_SMALL = 0.1


def spread_angles(count: int, width: float) -> Floats:
    """Angles [rad] from the right to the left of a field of view about 0, shape (count,).

    A full circle begins at -pi and ends one step before pi; a smaller field includes both edges.

    Args:
        count: How many.
        width: Of the field [rad].
    """
    if count == 1:
        return np.zeros(1)
    if width >= _FULL:
        return -np.pi + np.arange(count, dtype=np.float64) * (_FULL / count)
    return np.linspace(-0.5 * width, 0.5 * width, count, dtype=np.float64)


def grid_directions(azimuths: Floats, elevations: Floats) -> Floats:
    """Unit vectors, ring by ring: x forward, y left, z up, shape (n_elevations, n_azimuths, 3).

    Args:
        azimuths: About z from x, positive to the left [rad], shape (n_azimuths,).
        elevations: Positive upwards [rad], shape (n_elevations,).
    """
    directions = np.empty((len(elevations), len(azimuths), 3))
    directions[..., 0] = np.cos(elevations)[:, None] * np.cos(azimuths)
    directions[..., 1] = np.cos(elevations)[:, None] * np.sin(azimuths)
    directions[..., 2] = np.sin(elevations)[:, None]
    return directions


def poses_over_sweep(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    body: int,
    position: Floats,
    R_world_sensor: Floats,
    times: Floats,
) -> tuple[Floats, Floats]:
    """Poses of a sensor at times near now, its velocities in its own frame taken as constant.

    So a robot that drives and turns is followed along its arc.

    Args:
        model: The model.
        data: State with velocities up to date.
        body: What carries the sensor.
        position: Of the sensor now [m], world frame, shape (3,).
        R_world_sensor: Its rotation now, shape (3, 3).
        times: From now [s], shape (n,).

    Returns:
        Positions, shape (n, 3), and rotations, shape (n, 3, 3).
    """
    twist = np.empty(6)
    kind = int(mujoco.mjtObj.mjOBJ_XBODY)
    mujoco.mj_objectVelocity(model, data, kind, body, twist, 0)
    angular = twist[:3]
    lever = np.cross(angular, position - data.xpos[body])
    linear = np.asarray(twist[3:] + lever, dtype=np.float64)
    rate = float(np.linalg.norm(angular))
    if rate == 0.0:
        positions = position + times[:, None] * linear
        return positions, np.broadcast_to(R_world_sensor, (len(times), 3, 3))
    x, y, z = angular / rate
    K = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    angles = (rate * times)[:, None, None]
    turns = np.eye(3) + np.sin(angles) * K + (1.0 - np.cos(angles)) * (K @ K)
    # The integral of the turns over time, with what cancels in small angles left in series form.
    along = angles * np.eye(3) + _versine(angles) * K + _sine_remainder(angles) * (K @ K)
    return position + (along @ linear) / rate, turns @ R_world_sensor


def _versine(angles: Floats) -> Floats:
    """One minus the cosine, exact also for small angles."""
    return 2.0 * np.sin(0.5 * angles) ** 2


def _sine_remainder(angles: Floats) -> Floats:
    """Angle minus its sine, exact also for small angles."""
    small = np.abs(angles) < _SMALL
    series = angles**3 / 6.0 * (1.0 - angles**2 / 20.0 * (1.0 - angles**2 / 42.0))
    return np.where(small, series, angles - np.sin(angles))
