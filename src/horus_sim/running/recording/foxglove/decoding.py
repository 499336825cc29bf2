"""Messages back from what a recording holds."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np

from horus_sim.errors import MissingExtraError
from horus_sim.hub import messages
from horus_sim.hub.json_form import from_plain
from horus_sim.hub.message_types import message_type
from horus_sim.hub.messages.images import CHANNELS
from horus_sim.running.recording.foxglove.compression import unpack
from horus_sim.running.recording.foxglove.extra_fields import rest_of
from horus_sim.tf import StaticTransformStamped, TFMessage, Transform, TransformStamped
from horus_sim.time import NS_PER_S

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise MissingExtraError("protobuf", "record") from error

_TYPES = {1: "u1", 2: "i1", 3: "<u2", 4: "<i2", 5: "<u4", 6: "<i4", 7: "<f4", 8: "<f8"}
"""Foxglove's numeric types."""
_TRANSFORMS = "foxglove.FrameTransforms"


@cache
def _class_of(name: str, descriptors: bytes) -> Any:  # noqa: ANN401 - made from the schema
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(descriptors).file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def decode_json(kind: str, data: bytes) -> Any:  # noqa: ANN401 - a message or a dict
    """A message from JSON; a dict where its type is unknown."""
    values = json.loads(data)
    found = message_type(kind)
    return values if found is None else from_plain(found, values)


def decode_protobuf(schema: str, descriptors: bytes, kind: str, data: bytes) -> Any:  # noqa: ANN401
    """A message from one of Foxglove's.

    Args:
        schema: Name of the schema, such as 'foxglove.LaserScan'.
        descriptors: The schema's FileDescriptorSet.
        kind: Which message of ours it was; empty for a recording of another program.
        data: The message.

    Returns:
        A message of ours, or None where there is none that fits.
    """
    if schema not in _FORMS and schema != _TRANSFORMS:
        return None
    message = _class_of(schema, descriptors).FromString(data)
    if schema == _TRANSFORMS:
        return _transforms(message, is_static=kind == "StaticTransformStamped")
    return _FORMS[schema](message, rest_of(message))


def _stamp_ns(message: Any) -> int:  # noqa: ANN401 - a protobuf message
    return message.timestamp.seconds * NS_PER_S + message.timestamp.nanos


def _xyz(v: Any) -> tuple[float, float, float]:  # noqa: ANN401 - a protobuf vector
    return v.x, v.y, v.z


def _transform(p: Any, q: Any) -> Transform:  # noqa: ANN401 - protobuf vector and quaternion
    return Transform(_xyz(p), (q.x, q.y, q.z, q.w))


def _head(m: Any) -> tuple[int, str]:  # noqa: ANN401 - a protobuf message
    return _stamp_ns(m), m.frame_id


def _transforms(m: Any, *, is_static: bool) -> TFMessage | tuple[StaticTransformStamped, ...]:  # noqa: ANN401
    found = [
        (t.parent_frame_id, t.child_frame_id, _stamp_ns(t), _transform(t.translation, t.rotation))
        for t in m.transforms
    ]
    if is_static:
        return tuple(StaticTransformStamped(parent, child, T) for parent, child, _, T in found)
    return TFMessage(TransformStamped(*each) for each in found)


def _scan(m: Any, rest: dict[str, Any]) -> messages.LaserScan:  # noqa: ANN401
    n = len(m.ranges)
    step = (m.end_angle - m.start_angle) / max(1, n - 1)
    has_intensities = rest.get("has_intensities", len(m.intensities) > 0)
    return messages.LaserScan(
        *_head(m),
        m.start_angle,
        rest.get("angle_increment", step),
        rest.get("range_min", 0.0),
        rest.get("range_max", float("inf")),
        np.array(m.ranges, dtype=np.float32),
        np.array(m.intensities, dtype=np.float32) if has_intensities else None,
        rest.get("time_increment", 0.0),
    )


def _cloud(m: Any, _: dict[str, Any]) -> messages.PointCloud:  # noqa: ANN401
    form = np.dtype(
        {
            "names": [field.name for field in m.fields],
            "formats": [_TYPES[field.type] for field in m.fields],
            "offsets": [field.offset for field in m.fields],
            "itemsize": m.point_stride,
        }
    )
    table = np.frombuffer(m.data, dtype=form)
    names = form.names or ()
    stamp_ns = _stamp_ns(m)
    times = None
    if "time_offset_ns" in names:
        times = table["time_offset_ns"].astype(np.int64) + stamp_ns
    return messages.PointCloud(
        stamp_ns,
        m.frame_id,
        np.stack([table[axis] for axis in "xyz"], axis=1).astype(np.float32),
        table["intensity"].astype(np.float32) if "intensity" in names else None,
        table["ring"].astype(np.uint16) if "ring" in names else None,
        times,
    )


def _picture(m: Any, rest: dict[str, Any]) -> Any:  # noqa: ANN401
    shape = (m.height, m.width)
    if m.encoding == "32FC1":
        return messages.DepthImage(*_head(m), np.frombuffer(m.data, "<f4").reshape(shape))
    if m.encoding == "mono16" and "names" in rest:
        labels = np.frombuffer(m.data, "<u2").reshape(shape)
        return messages.SegmentationImage(*_head(m), labels, tuple(rest["names"]))
    channels = CHANNELS.get(m.encoding)
    if channels is None:
        return None
    pixels = np.frombuffer(m.data, np.uint8).reshape(*shape, channels)
    return messages.Image(*_head(m), pixels, m.encoding)


def _info(m: Any, rest: dict[str, Any]) -> messages.CameraInfo:  # noqa: ANN401
    has_distortion = rest.get("has_distortion", len(m.D) > 0)
    return messages.CameraInfo(
        *_head(m),
        m.width,
        m.height,
        np.array(m.K).reshape(3, 3),
        np.array(m.D, dtype=float) if has_distortion else None,
        m.distortion_model,
    )


def _square(values: Any, n: int) -> Any:  # noqa: ANN401 - a protobuf list
    return np.array(values).reshape(n, n) if len(values) == n * n else None


def _odometry(m: Any, _: dict[str, Any]) -> messages.Odometry:  # noqa: ANN401
    return messages.Odometry(
        *_head(m),
        m.body_frame_id,
        _transform(m.pose.position, m.pose.orientation),
        _xyz(m.linear_velocity),
        _xyz(m.angular_velocity),
        _square(m.pose_covariance, 6),
        _square(m.velocity_covariance, 6),
    )


def _joints(m: Any, _: dict[str, Any]) -> messages.JointState:  # noqa: ANN401
    def column(name: str) -> Any:  # noqa: ANN401 - an array or None
        if not m.joints or not all(joint.HasField(name) for joint in m.joints):
            return None
        return np.array([getattr(joint, name) for joint in m.joints], dtype=float)

    names = tuple(joint.name for joint in m.joints)
    positions = np.array([joint.position for joint in m.joints], dtype=float)
    return messages.JointState(_stamp_ns(m), names, positions, column("velocity"), column("effort"))


def _fix(m: Any, _: dict[str, Any]) -> messages.NavSatFix:  # noqa: ANN401
    known = m.position_covariance_type != 0
    return messages.NavSatFix(
        *_head(m),
        m.latitude,
        m.longitude,
        m.altitude,
        _square(m.position_covariance, 3) if known else None,
        np.array(_xyz(m.velocity)) if m.HasField("velocity") else None,
    )


def _packed(m: Any, rest: dict[str, Any]) -> messages.Image | None:  # noqa: ANN401
    encoding = rest.get("encoding", "rgb8")
    if m.format not in ("jpeg", "png"):
        return None
    return messages.Image(*_head(m), unpack(m.data, encoding), encoding)


_FORMS = {
    "foxglove.CameraCalibration": _info,
    "foxglove.CompressedImage": _packed,
    "foxglove.JointStates": _joints,
    "foxglove.LaserScan": _scan,
    "foxglove.LocationFix": _fix,
    "foxglove.Odometry": _odometry,
    "foxglove.PointCloud": _cloud,
    "foxglove.RawImage": _picture,
}
