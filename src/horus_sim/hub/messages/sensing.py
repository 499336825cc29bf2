"""Messages of sensors that measure numbers and rays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.hub.message import Message, Vector, array, message, optional_array


@message
class Imu(Message):
    """Rates and accelerations of a body.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The sensor's frame.
        angular_velocity: [rad/s], sensor frame.
        linear_acceleration: [m/s^2], sensor frame, gravity included: +9.81 along z at rest.
        orientation: Quaternion x, y, z, w of the sensor in the world, shape (4,), or None.
    """

    stamp_ns: int
    frame_id: str
    angular_velocity: Vector = (0.0, 0.0, 0.0)
    linear_acceleration: Vector = (0.0, 0.0, 0.0)
    orientation: npt.NDArray[np.float64] | None = optional_array("float64", 4, default=None)


@message
class LaserScan(Message):
    """Distances of rays in one plane.

    Attributes:
        stamp_ns: Time of the first ray [ns].
        frame_id: The sensor's frame; angles are about its z axis, from its x axis.
        angle_min: Angle of the first ray [rad].
        angle_increment: Angle between rays [rad].
        range_min: Shortest distance that is measured [m].
        range_max: Longest distance that is measured [m].
        ranges: Distances [m], shape (N,); infinite where nothing was hit.
        intensities: Strength of the echoes, shape (N,), or None.
        time_increment: Time between rays [s].
    """

    stamp_ns: int
    frame_id: str
    angle_min: float
    angle_increment: float
    range_min: float
    range_max: float
    ranges: npt.NDArray[np.float32] = array("float32", -1)
    intensities: npt.NDArray[np.float32] | None = optional_array("float32", -1, default=None)
    time_increment: float = 0.0


@message
class PointCloud(Message):
    """Points in space.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: Frame of the points.
        points: x, y, z [m], shape (N, 3).
        intensities: Strength of the echoes, shape (N,), or None.
        rings: Number of the lidar's ring of each point, shape (N,), or None.
        times_ns: Time of each point [ns], shape (N,), or None.
    """

    stamp_ns: int
    frame_id: str
    points: npt.NDArray[np.float32] = array("float32", -1, 3)
    intensities: npt.NDArray[np.float32] | None = optional_array("float32", -1, default=None)
    rings: npt.NDArray[np.uint16] | None = optional_array("uint16", -1, default=None)
    times_ns: npt.NDArray[np.int64] | None = optional_array("int64", -1, default=None)


@message
class NavSatFix(Message):
    """A position on the globe (WGS84).

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The antenna's frame.
        latitude_deg: Latitude [deg].
        longitude_deg: Longitude [deg].
        altitude: Height above the ellipsoid [m].
        covariance: Of east, north, up [m^2], shape (3, 3), or None.
    """

    stamp_ns: int
    frame_id: str
    latitude_deg: float
    longitude_deg: float
    altitude: float
    covariance: npt.NDArray[np.float64] | None = optional_array("float64", 3, 3, default=None)


@message
class Wrench(Message):
    """A force and a torque.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: Frame in which both are expressed.
        force: [N].
        torque: [N m].
    """

    stamp_ns: int
    frame_id: str
    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)


@message
class Contact(Message):
    """Two bodies that touch.

    Attributes:
        stamp_ns: Time [ns].
        body_a: One body.
        body_b: The other body.
        position: Where they touch [m], world frame.
        normal: Unit vector from a to b, world frame.
        force: Strength of the contact along the normal [N].
    """

    stamp_ns: int
    body_a: str
    body_b: str
    position: Vector
    normal: Vector
    force: float = 0.0


@message
class Encoder(Message):
    """The count of a wheel encoder.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The wheel's frame.
        ticks: Count since the start, negative backwards.
        ticks_per_revolution: Resolution.
        velocity: Angular velocity [rad/s].
    """

    stamp_ns: int
    frame_id: str
    ticks: int
    ticks_per_revolution: int
    velocity: float = 0.0
