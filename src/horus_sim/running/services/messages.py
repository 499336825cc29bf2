"""Poses, velocities and boxes as the fields of ROS messages, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from horus_sim.running.services.results import Code, Refused
from horus_sim.running.world.entity import Vector
from horus_sim.tf import Transform
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    from horus_sim.running.world.entity import Box, Entity
    from horus_sim.running.world.running_world import RunningWorld

WORLD_FRAME = "world"
FARTHEST_M = 1e6
"""Nothing is put farther away from the origin [m]."""
_ROUNDING = 1e-3


class BoundsType(IntEnum):
    """Types of simulation_interfaces/msg/Bounds."""

    EMPTY = 0
    BOX = 1
    CONVEX_HULL = 2
    SPHERE = 3


def vector_message(vector: Vector) -> dict[str, float]:
    """A geometry_msgs/msg/Vector3 or Point."""
    x, y, z = vector
    return {"x": x, "y": y, "z": z}


def vector_of(message: Mapping[str, float]) -> Vector:
    """What `vector_message` gave."""
    return message["x"], message["y"], message["z"]


def pose_message(T: Transform) -> dict[str, Any]:
    """A geometry_msgs/msg/Pose."""
    x, y, z, w = T.rotation.tolist()
    px, py, pz = T.translation.tolist()
    return {
        "position": vector_message((px, py, pz)),
        "orientation": {"x": x, "y": y, "z": z, "w": w},
    }


def transform_of(pose: Mapping[str, Any], invalid: IntEnum) -> Transform:
    """The transform of a geometry_msgs/msg/Pose.

    Args:
        pose: The pose.
        invalid: Code of the refusal where it is none.

    Raises:
        Refused: It is not finite, too far away, or its quaternion is not a rotation.
    """
    position = vector_of(pose["position"])
    turned = pose["orientation"]
    rotation = (turned["x"], turned["y"], turned["z"], turned["w"])
    if not all(math.isfinite(value) for value in (*position, *rotation)):
        raise Refused(
            invalid, f"the pose at {position} with the quaternion {rotation} is not finite"
        )
    if max(map(abs, position)) > FARTHEST_M:
        raise Refused(
            invalid,
            f"the position {position} is outside of the world; stay within {FARTHEST_M:g} m of the "
            "origin",
        )
    norm = math.hypot(*rotation)
    if abs(norm - 1.0) > _ROUNDING:
        raise Refused(
            invalid,
            f"the quaternion x, y, z, w = {rotation} has the norm {norm:.6g}; a rotation has norm "
            "1, and no rotation is 0, 0, 0, 1",
        )
    x, y, z, w = (value / norm for value in rotation)
    return Transform(position, (x, y, z, w))


def stamp_message(stamp_ns: int) -> dict[str, int]:
    """A builtin_interfaces/msg/Time."""
    sec, nanosec = divmod(stamp_ns, NS_PER_S)
    return {"sec": sec, "nanosec": nanosec}


def state_message(entity: Entity, stamp_ns: int) -> dict[str, Any]:
    """A simulation_interfaces/msg/EntityState in the frame of the world."""
    return {
        "header": {"stamp": stamp_message(stamp_ns), "frame_id": WORLD_FRAME},
        "pose": pose_message(entity.pose),
        "twist": {
            "linear": vector_message(entity.linear),
            "angular": vector_message(entity.angular),
        },
        "acceleration": {
            "linear": vector_message(entity.linear_acceleration),
            "angular": vector_message(entity.angular_acceleration),
        },
    }


def bounds_message(box: Box | None) -> dict[str, Any]:
    """A simulation_interfaces/msg/Bounds; an empty one says that there is no bound."""
    if box is None:
        return {"type": int(BoundsType.EMPTY), "points": []}
    points = [vector_message(box.upper), vector_message(box.lower)]
    return {"type": int(BoundsType.BOX), "points": points}


def T_world_frame(running: RunningWorld[Any], frame: str) -> Transform:
    """Where a frame is; no name is the world itself.

    Raises:
        Refused: The world has no such frame.
    """
    from horus_sim.files.names import propose

    frame = frame.removeprefix("/")
    if frame in ("", WORLD_FRAME):
        return Transform.identity()
    fixed, moving = running.exchange.frames(running.world.stamp_ns)
    parents = {item.child_frame: item for item in (*fixed.values(), *moving)}
    if frame not in parents:
        text = propose(frame, (WORLD_FRAME, *parents), "the world", "frame")
        raise Refused(Code.NOT_FOUND, text)
    found = Transform.identity()
    while frame in parents:
        link = parents[frame]
        found, frame = link.transform @ found, link.parent_frame
    return found
