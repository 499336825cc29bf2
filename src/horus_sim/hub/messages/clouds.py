"""Points in space, as lidars and depth cameras give them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from horus_sim.errors import MessageError
from horus_sim.hub.message import Message, array, message, optional_array
from horus_sim.hub.ros import fields as ros
from horus_sim.hub.ros.form import RosForm

# Numbers of sensor_msgs/msg/PointField.
_DATATYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}
_NUMBERS = {np.dtype(code): number for number, code in _DATATYPES.items()}
_MOST_AFTER_NS = 2**32 - 1


@message
class PointCloud(Message):
    """Points in space.

    In ROS it is a `PointCloud2` with the fields ``x``, ``y``, ``z`` and, where they are given,
    ``intensity``, ``ring`` and ``t`` [ns since the stamp].

    Attributes:
        stamp_ns: Time [ns].
        frame_id: Frame of the points.
        points: x, y, z [m], shape (N, 3).
        intensities: Strength of the echoes, shape (N,), or None.
        rings: Number of the lidar's ring of each point, shape (N,), or None.
        times_ns: Time of each point [ns], shape (N,), or None.
    """

    ROS = RosForm("sensor_msgs/msg/PointCloud2")

    stamp_ns: int
    frame_id: str
    points: npt.NDArray[np.float32] = array("float32", -1, 3)
    intensities: npt.NDArray[np.float32] | None = optional_array("float32", -1, default=None)
    rings: npt.NDArray[np.uint16] | None = optional_array("uint16", -1, default=None)
    times_ns: npt.NDArray[np.int64] | None = optional_array("int64", -1, default=None)

    def to_ros(self) -> dict[str, Any]:
        """The fields of a PointCloud2."""
        columns: dict[str, npt.NDArray[Any]] = dict(zip("xyz", self.points.T, strict=True))
        if self.intensities is not None:
            columns["intensity"] = self.intensities
        if self.rings is not None:
            columns["ring"] = self.rings
        if self.times_ns is not None:
            columns["t"] = self._times_after_stamp()
        layout = np.dtype([(name, column.dtype) for name, column in columns.items()])
        rows = np.empty(len(self.points), layout)
        for name, column in columns.items():
            rows[name] = column
        described = [
            {
                "name": name,
                "offset": layout.fields[name][1],  # type: ignore[index]
                "datatype": _NUMBERS[column.dtype],
                "count": 1,
            }
            for name, column in columns.items()
        ]
        return {
            "header": ros.header(self.stamp_ns, self.frame_id),
            "height": 1,
            "width": len(rows),
            "fields": described,
            "is_bigendian": False,
            "point_step": layout.itemsize,
            "row_step": layout.itemsize * len(rows),
            "data": rows.view(np.uint8),
            "is_dense": bool(np.isfinite(self.points).all()),
        }

    @classmethod
    def from_ros(cls, fields: dict[str, Any]) -> Self:
        """From the fields of a PointCloud2 with any layout that has x, y and z."""
        rows = _rows(fields)
        names = rows.dtype.names or ()
        if not {"x", "y", "z"} <= set(names):
            raise MessageError(
                f"a PointCloud2 must have the fields x, y and z, got {', '.join(names) or 'none'}"
            )
        stamp_ns, frame_id = ros.from_header(fields)
        points = np.stack(
            [rows[axis] for axis in "xyz"], axis=1, dtype=np.float32, casting="unsafe"
        )
        intensities = rows["intensity"].astype(np.float32) if "intensity" in names else None
        rings = rows["ring"].astype(np.uint16) if "ring" in names else None
        times = stamp_ns + rows["t"].astype(np.int64) if "t" in names else None
        return cls(stamp_ns, frame_id, points, intensities, rings, times)

    def _times_after_stamp(self) -> npt.NDArray[np.uint32]:
        assert self.times_ns is not None  # noqa: S101 - the caller has looked
        after = self.times_ns - self.stamp_ns
        if len(after) and not (after.min() >= 0 and after.max() <= _MOST_AFTER_NS):
            raise MessageError(
                "PointCloud.times_ns must lie within 4.29 s after stamp_ns, got "
                f"{after.min() / 1e9:g} to {after.max() / 1e9:g} s after it"
            )
        return after.astype(np.uint32)


def _rows(fields: dict[str, Any]) -> npt.NDArray[Any]:
    """The points of a PointCloud2, one record each."""
    order = ">" if fields["is_bigendian"] else "<"
    try:
        layout = np.dtype(
            {
                "names": [each["name"] for each in fields["fields"]],
                "formats": [
                    (f"{order}{_DATATYPES[each['datatype']]}", (each["count"],))
                    if each["count"] > 1
                    else f"{order}{_DATATYPES[each['datatype']]}"
                    for each in fields["fields"]
                ],
                "offsets": [each["offset"] for each in fields["fields"]],
                "itemsize": fields["point_step"],
            }
        )
        data = np.asarray(fields["data"], np.uint8).reshape(fields["height"], fields["row_step"])
        used = data[:, : fields["width"] * layout.itemsize]
        return np.ascontiguousarray(used).reshape(-1).view(layout)
    except (KeyError, ValueError, TypeError) as error:
        raise MessageError(f"the layout of a PointCloud2 does not fit its data: {error}") from error
