"""Messages of sensors that measure numbers and rays."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from horus_sim.errors import MessageError
from horus_sim.hub.message import Message, Names, Vector, array, message, optional_array
from horus_sim.hub.ros import fields as ros
from horus_sim.hub.ros.form import RosForm

_UNKNOWN = np.zeros(9)
_NOT_MEASURED = np.array([-1.0, *[0.0] * 8])


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

    ROS = RosForm("sensor_msgs/msg/Imu")

    stamp_ns: int
    frame_id: str
    angular_velocity: Vector = (0.0, 0.0, 0.0)
    linear_acceleration: Vector = (0.0, 0.0, 0.0)
    orientation: npt.NDArray[np.float64] | None = optional_array("float64", 4, default=None)

    def to_ros(self) -> dict[str, Any]:
        """The fields of an Imu; -1 in a covariance says that the orientation is not measured."""
        is_oriented = self.orientation is not None
        return {
            "header": ros.header(self.stamp_ns, self.frame_id),
            "orientation": ros.vector(
                (0, 0, 0, 1) if self.orientation is None else self.orientation
            ),
            "orientation_covariance": _UNKNOWN if is_oriented else _NOT_MEASURED,
            "angular_velocity": ros.vector(self.angular_velocity),
            "angular_velocity_covariance": _UNKNOWN,
            "linear_acceleration": ros.vector(self.linear_acceleration),
            "linear_acceleration_covariance": _UNKNOWN,
        }

    @classmethod
    def from_ros(cls, fields: dict[str, Any]) -> Self:
        """From the fields of an Imu."""
        is_oriented = fields["orientation_covariance"][0] != -1
        return cls(
            *ros.from_header(fields),
            ros.from_vector(fields["angular_velocity"]),  # type: ignore[arg-type]
            ros.from_vector(fields["linear_acceleration"]),  # type: ignore[arg-type]
            np.array(ros.from_vector(fields["orientation"])) if is_oriented else None,
        )


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

    ROS = RosForm("sensor_msgs/msg/LaserScan")

    stamp_ns: int
    frame_id: str
    angle_min: float
    angle_increment: float
    range_min: float
    range_max: float
    ranges: npt.NDArray[np.float32] = array("float32", -1)
    intensities: npt.NDArray[np.float32] | None = optional_array("float32", -1, default=None)
    time_increment: float = 0.0

    @property
    def angle_max(self) -> float:
        """Angle of the last ray [rad]."""
        return self.angle_min + max(0, len(self.ranges) - 1) * self.angle_increment


@message
class NavSatFix(Message):
    """A position on the globe (WGS84).

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The antenna's frame.
        latitude_deg: Latitude [deg].
        longitude_deg: Longitude [deg].
        altitude: Height above the ellipsoid [m].
        covariance: Covariance of east, north, up [m^2], shape (3, 3), or None.
        velocity: East, north, up [m/s], shape (3,), or None.
    """

    ROS = RosForm(
        "sensor_msgs/msg/NavSatFix",
        {
            "latitude": "latitude_deg",
            "longitude": "longitude_deg",
            "position_covariance": "covariance",
            "position_covariance_type": "covariance_type",
        },
        {"status.service": 1},
    )

    stamp_ns: int
    frame_id: str
    latitude_deg: float
    longitude_deg: float
    altitude: float
    covariance: npt.NDArray[np.float64] | None = optional_array("float64", 3, 3, default=None)
    velocity: npt.NDArray[np.float64] | None = optional_array("float64", 3, default=None)

    @property
    def covariance_type(self) -> int:
        """What ROS says about the covariance: 0 unknown, 3 known."""
        return 0 if self.covariance is None else 3


@message
class Wrench(Message):
    """A force and a torque.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: Frame in which both are expressed.
        force: [N].
        torque: [N m].
    """

    ROS = RosForm(
        "geometry_msgs/msg/WrenchStamped", {"wrench.force": "force", "wrench.torque": "torque"}
    )

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
class Contacts(Message):
    """All that touches a part of a robot, as a bumper or a tactile skin feels it.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: Frame of positions, normals and forces: the sensor's.
        links: The touched link of each contact, such as ``burger/base_link``.
        others: What touches it: an object, or another robot's link.
        positions: Where they touch [m], shape (N, 3).
        normals: Unit vectors out of the other body into the link, shape (N, 3).
        forces: What the other body does to the link [N], shape (N, 3).
    """

    stamp_ns: int
    frame_id: str
    links: Names
    others: Names
    positions: npt.NDArray[np.float64] = array("float64", -1, 3)
    normals: npt.NDArray[np.float64] = array("float64", -1, 3)
    forces: npt.NDArray[np.float64] = array("float64", -1, 3)

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        for name in ("others", "positions", "normals", "forces"):
            if len(getattr(self, name)) != len(self.links):
                raise MessageError(
                    f"Contacts.{name} must have one entry for each of the {len(self.links)} links, "
                    f"got {len(getattr(self, name))}"
                )

    @property
    def is_pressed(self) -> bool:
        """Whether anything touches."""
        return len(self.links) > 0

    @property
    def force(self) -> npt.NDArray[np.float64]:
        """Sum of the forces [N], frame of the message, shape (3,)."""
        return self.forces.sum(axis=0)


@message
class Range(Message):
    """The distance to the nearest thing in a cone, as a sonar tells.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The sensor's frame; the cone is about its x axis.
        field_of_view: Full opening angle of the cone [rad].
        range_min: Shortest distance that is measured [m].
        range_max: Longest distance that is measured [m].
        range: Distance [m]; infinite where nothing is near enough, -infinite where something is too
            near to be measured.
    """

    ROS = RosForm("sensor_msgs/msg/Range", {"min_range": "range_min", "max_range": "range_max"})

    stamp_ns: int
    frame_id: str
    field_of_view: float
    range_min: float
    range_max: float
    range: float


@message
class MagneticField(Message):
    """The magnetic field.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The sensor's frame.
        field: [T], sensor frame.
    """

    ROS = RosForm("sensor_msgs/msg/MagneticField", {"magnetic_field": "field"})

    stamp_ns: int
    frame_id: str
    field: Vector


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


@message
class Reflectance(Message):
    """How much light points of the floor reflect, as line sensors tell.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The sensor's frame.
        values: One for each point, from 0 off all lines to 1, shape (N,).
    """

    stamp_ns: int
    frame_id: str
    values: npt.NDArray[np.float64] = array("float64", -1)
