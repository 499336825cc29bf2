"""Messages of planners: paths, maps and trajectories."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from horus_sim.errors import MessageError
from horus_sim.hub.message import Message, Names, array, message, optional_array
from horus_sim.hub.messages.geometry import PoseStamped
from horus_sim.hub.ros import fields as ros
from horus_sim.hub.ros.form import RosForm
from horus_sim.tf import Transform


@message
class Path(Message):
    """Poses to be reached one after the other.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: Frame of the path.
        poses: The poses.
    """

    ROS = RosForm("nav_msgs/msg/Path")

    stamp_ns: int
    frame_id: str
    poses: tuple[PoseStamped, ...] = ()


@message
class OccupancyGrid(Message):
    """A map of squares that are free or not.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: Frame of the map.
        resolution: Side of a square [m].
        origin: T_frame_corner of the corner of the first square.
        data: Rows from the origin along y, columns along x: 0 free to 100 occupied, -1 unknown.
            Shape (rows, columns).
    """

    ROS = RosForm("nav_msgs/msg/OccupancyGrid")

    stamp_ns: int
    frame_id: str
    resolution: float
    origin: Transform
    data: npt.NDArray[np.int8] = array("int8", -1, -1)

    def to_ros(self) -> dict[str, Any]:
        """The fields of an OccupancyGrid."""
        height, width = self.data.shape
        return {
            "header": ros.header(self.stamp_ns, self.frame_id),
            "info": {
                "map_load_time": ros.stamp(self.stamp_ns),
                "resolution": self.resolution,
                "width": width,
                "height": height,
                "origin": ros.pose(self.origin),
            },
            "data": self.data,
        }

    @classmethod
    def from_ros(cls, fields: dict[str, Any]) -> Self:
        """From the fields of an OccupancyGrid."""
        info = fields["info"]
        squares = fields["data"].reshape(info["height"], info["width"])
        origin = ros.from_pose(info["origin"])
        return cls(*ros.from_header(fields), info["resolution"], origin, squares)


@message
class JointTrajectory(Message):
    """Positions of joints over time.

    Attributes:
        stamp_ns: When it begins [ns]; 0 for at once.
        names: Names of the joints.
        times_ns: Time of each point after the beginning [ns], shape (N,).
        positions: Positions [rad or m], shape (N, joints).
        velocities: Velocities [rad/s or m/s], shape (N, joints), or None.
        accelerations: Accelerations [rad/s^2 or m/s^2], shape (N, joints), or None.
        efforts: Efforts [N m or N], shape (N, joints), or None.
    """

    ROS = RosForm("trajectory_msgs/msg/JointTrajectory")

    stamp_ns: int
    names: Names
    times_ns: npt.NDArray[np.int64] = array("int64", -1)
    positions: npt.NDArray[np.float64] = array("float64", -1, -1)
    velocities: npt.NDArray[np.float64] | None = optional_array("float64", -1, -1, default=None)
    accelerations: npt.NDArray[np.float64] | None = optional_array("float64", -1, -1, default=None)
    efforts: npt.NDArray[np.float64] | None = optional_array("float64", -1, -1, default=None)

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        shape = len(self.times_ns), len(self.names)
        for name in _COLUMNS.values():
            values = getattr(self, name)
            if values is not None and values.shape != shape:
                raise MessageError(
                    f"JointTrajectory.{name} must have shape {shape}, one row for each of "
                    f"times_ns and one column for each of names, got {values.shape}"
                )

    def to_ros(self) -> dict[str, Any]:
        """The fields of a JointTrajectory."""
        given = {field: getattr(self, name) for field, name in _COLUMNS.items()}
        return {
            "header": ros.header(self.stamp_ns, ""),
            "joint_names": self.names,
            "points": [
                {
                    **{field: () if rows is None else rows[i] for field, rows in given.items()},
                    "time_from_start": ros.stamp(int(time_ns)),
                }
                for i, time_ns in enumerate(self.times_ns)
            ],
        }

    @classmethod
    def from_ros(cls, fields: dict[str, Any]) -> Self:
        """From the fields of a JointTrajectory."""
        points, count = fields["points"], len(fields["joint_names"])
        columns: dict[str, Any] = {}
        for field, name in _COLUMNS.items():
            rows = [point[field] for point in points]
            has_any = any(len(row) for row in rows)
            if has_any or name == "positions":
                columns[name] = np.array(rows, np.float64).reshape(len(points), count)
        times_ns = [ros.stamp_ns(point["time_from_start"]) for point in points]
        return cls(
            ros.from_header(fields)[0],
            fields["joint_names"],
            np.array(times_ns, np.int64),
            **columns,
        )


_COLUMNS = {
    "positions": "positions",
    "velocities": "velocities",
    "accelerations": "accelerations",
    "effort": "efforts",
}
