"""Shapes that a program wants to be drawn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from horus_sim.errors import MessageError
from horus_sim.files.names import did_you_mean
from horus_sim.hub.message import Message, array, message
from horus_sim.hub.ros import fields as ros
from horus_sim.hub.ros.form import RosForm
from horus_sim.tf import Transform

SHAPES = (
    "arrow",
    "cube",
    "sphere",
    "cylinder",
    "line_strip",
    "line_list",
    "cube_list",
    "sphere_list",
    "points",
    "text",
    "mesh",
    "triangle_list",
    "arrow_strip",
)
"""Shapes of markers, in the order of their numbers in ROS."""
_ACTIONS = {"add": 0, "delete": 2, "delete_all": 3}
_NONE = np.zeros((0, 3))


@message
class Marker(Message):
    """A shape to be drawn.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: Frame of the pose.
        shape: One of `SHAPES`.
        pose: T_frame_shape.
        scale: Size along x, y, z [m]; of lines the width is x, of texts the height is z.
        color: Red, green, blue, opacity, from 0 to 1.
        points: Points of lines and lists [m], frame of the shape, shape (N, 3).
        text: What a text says.
        mesh: Address of a mesh.
        namespace: Together with `id` it names the marker; another one of that name replaces it.
        id: Number in its namespace.
        action: ``add``, ``delete`` or ``delete_all``.
        lifetime_ns: How long it is drawn [ns]; 0 for ever.
    """

    ROS = RosForm("visualization_msgs/msg/Marker")

    stamp_ns: int
    frame_id: str
    shape: str
    pose: Transform
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    color: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    points: npt.NDArray[np.float64] = array("float64", -1, 3, default=_NONE)
    text: str = ""
    mesh: str = ""
    namespace: str = ""
    id: int = 0
    action: str = "add"
    lifetime_ns: int = 0

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        for name, value, known in (
            ("shape", self.shape, SHAPES),
            ("action", self.action, _ACTIONS),
        ):
            if value not in known:
                raise MessageError(f"Marker.{name} is {value!r}; {did_you_mean(str(value), known)}")
        if len(self.color) != 4:
            raise MessageError(
                f"Marker.color must be red, green, blue and opacity, got {self.color!r:.60}"
            )

    def to_ros(self) -> dict[str, Any]:
        """The fields of a Marker."""
        return {
            "header": ros.header(self.stamp_ns, self.frame_id),
            "ns": self.namespace,
            "id": self.id,
            "type": SHAPES.index(self.shape),
            "action": _ACTIONS[self.action],
            "pose": ros.pose(self.pose),
            "scale": ros.vector(self.scale),
            "color": dict(zip("rgba", self.color, strict=True)),
            "lifetime": ros.stamp(self.lifetime_ns),
            "frame_locked": False,
            "points": [ros.vector(point) for point in self.points],
            "colors": (),
            "texture_resource": "",
            "texture": {"header": ros.header(0, ""), "format": "", "data": ()},
            "uv_coordinates": (),
            "text": self.text,
            "mesh_resource": self.mesh,
            "mesh_file": {"filename": "", "data": ()},
            "mesh_use_embedded_materials": False,
        }

    @classmethod
    def from_ros(cls, fields: dict[str, Any]) -> Self:
        """From the fields of a Marker; colours of single points are left out."""
        if not 0 <= fields["type"] < len(SHAPES):
            raise MessageError(f"a Marker has the type {fields['type']}, which is not known")
        actions = {number: name for name, number in _ACTIONS.items()}
        if fields["action"] not in actions:
            raise MessageError(f"a Marker has the action {fields['action']}, which is not known")
        return cls(
            *ros.from_header(fields),
            SHAPES[fields["type"]],
            ros.from_pose(fields["pose"]),
            ros.from_vector(fields["scale"]),  # type: ignore[arg-type]
            tuple(fields["color"][part] for part in "rgba"),
            ros.points(fields["points"]),
            fields["text"],
            fields["mesh_resource"],
            fields["ns"],
            fields["id"],
            actions[fields["action"]],
            ros.stamp_ns(fields["lifetime"]),
        )


@message
class MarkerArray(Message):
    """Shapes to be drawn.

    Attributes:
        markers: The shapes.
    """

    ROS = RosForm("visualization_msgs/msg/MarkerArray")

    markers: tuple[Marker, ...] = ()
