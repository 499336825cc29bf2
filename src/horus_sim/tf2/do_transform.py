"""Data with a frame, moved into another frame by a transform that was looked up.

As in tf2_geometry_msgs and tf2_sensor_msgs, what comes out has the stamp and the frame of the
transform.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any

from horus_sim.errors import InvalidTransformError
from horus_sim.hub.messages import PointCloud, PointStamped, PoseStamped, Vector3Stamped
from horus_sim.tf import Transform, TransformStamped


@singledispatch
def do_transform(object_stamped: Any, transform: TransformStamped) -> Any:  # noqa: ANN401, ARG001
    """Any data that can be transformed; `Buffer.transform` calls this.

    ``@do_transform.register(MyMessage)`` before a function of the same two arguments adds a type.

    Args:
        object_stamped: Data in the transform's child frame.
        transform: T_target_source, as `Buffer.lookup_transform` gives it.

    Raises:
        InvalidTransformError: Nobody said how such data is transformed.
    """
    known = sorted(kind.__name__ for kind in do_transform.registry if kind is not object)
    raise InvalidTransformError(
        f"there is no transform for a {type(object_stamped).__name__}, only for "
        f"{', '.join(known)}; add one with @do_transform.register({type(object_stamped).__name__})"
    )


@do_transform.register(PointStamped)
def do_transform_point(point: PointStamped, transform: TransformStamped) -> PointStamped:
    """A point in the transform's parent frame."""
    x, y, z = transform.transform.transform_point(point.point)
    return PointStamped(transform.stamp_ns, transform.parent_frame, (x, y, z))


@do_transform.register(Vector3Stamped)
def do_transform_vector3(vector: Vector3Stamped, transform: TransformStamped) -> Vector3Stamped:
    """A direction in the transform's parent frame: rotated, not translated."""
    x, y, z = transform.transform.transform_vector(vector.vector)
    return Vector3Stamped(transform.stamp_ns, transform.parent_frame, (x, y, z))


def do_transform_pose(pose: Transform, transform: TransformStamped) -> Transform:
    """A pose without a stamp in the transform's parent frame.

    Args:
        pose: T_source_object.
        transform: T_target_source.

    Returns:
        T_target_object.
    """
    return transform.transform @ pose


@do_transform.register(PoseStamped)
def do_transform_pose_stamped(pose: PoseStamped, transform: TransformStamped) -> PoseStamped:
    """A pose in the transform's parent frame."""
    T_target_object = do_transform_pose(pose.pose, transform)
    return PoseStamped(transform.stamp_ns, transform.parent_frame, T_target_object)


@do_transform.register(PointCloud)
def do_transform_cloud(cloud: PointCloud, transform: TransformStamped) -> PointCloud:
    """A cloud in the transform's parent frame; intensities, rings and times stay as they are."""
    return replace(
        cloud,
        stamp_ns=transform.stamp_ns,
        frame_id=transform.parent_frame,
        points=transform.transform.transform_points(cloud.points),
    )
