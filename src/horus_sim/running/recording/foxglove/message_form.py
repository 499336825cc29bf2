"""Messages in Foxglove's schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from horus_sim.hub import Message, messages
from horus_sim.running.outlets.shapes import SceneShapes
from horus_sim.running.recording import json_form
from horus_sim.running.recording.foxglove.compression import Packing, pack
from horus_sim.running.recording.foxglove.extra_fields import with_rest
from horus_sim.running.recording.foxglove.scene_form import scene_update
from horus_sim.running.recording.foxglove.sdk import foxglove
from horus_sim.running.recording.foxglove.sdk import messages as fox
from horus_sim.tf import StaticTransformStamped, TFMessage, Transform, TransformStamped
from horus_sim.time import NS_PER_S

_NUMERIC = fox.PackedElementFieldNumericType


@dataclass(frozen=True, slots=True)
class Wire:
    """A message as it is written.

    Attributes:
        kind: Which message of ours it is.
        encoding: 'protobuf' or 'json'.
        schema: Its schema.
        data: The bytes.
        suffix: Appended to the topic.
    """

    kind: str
    encoding: str
    schema: foxglove.Schema
    data: bytes
    suffix: str = ""


def wires(
    message: Any,  # noqa: ANN401 - any message
    stamp_ns: int,
    images: Packing = "raw",
) -> Iterator[Wire]:
    """A message as it is written; one with colour and depth becomes two.

    Args:
        message: A message of `horus_sim.hub.messages`, a dict, or static transforms.
        stamp_ns: Simulated time [ns], for messages without a stamp of their own.
        images: How pictures are packed.
    """
    if isinstance(message, tuple):
        yield _proto("StaticTransformStamped", _transforms(message, stamp_ns))
    elif isinstance(message, TFMessage):
        yield _proto("TFMessage", _transforms(message.transforms, stamp_ns))
    elif isinstance(message, TransformStamped | StaticTransformStamped):
        yield _proto(type(message).__name__, _transforms((message,), stamp_ns))
    elif isinstance(message, SceneShapes):
        yield _proto("SceneShapes", scene_update(message, stamp_ns))
    elif isinstance(message, dict):
        yield Wire("dict", "json", _JSON_DICT, json_form.to_text(message).encode())
    elif type(message).__name__ == "RgbdImage":
        image = messages.Image(message.stamp_ns, message.frame_id, message.data)
        depth = messages.DepthImage(message.stamp_ns, message.frame_id, message.depth)
        yield _proto("RgbdImage", *_image(image, images), suffix="/image")
        yield _proto("RgbdImage", _depth(depth), suffix="/depth")
    elif isinstance(message, messages.Image):
        yield _proto("Image", *_image(message, images))
    elif (convert := _FORMS.get(type(message).__name__)) is not None:
        made, rest = convert(message)
        yield _proto(message.NAME, made, rest)
    else:
        yield _json(message)


def _json(message: Message) -> Wire:
    kind = type(message)
    schema = json_form.schema_of(kind)
    described = foxglove.Schema(
        name=schema["title"], encoding="jsonschema", data=json_form.to_text(schema).encode()
    )
    return Wire(kind.NAME, "json", described, json_form.to_text(message).encode())


def _proto(
    kind: str,
    made: Any,  # noqa: ANN401 - a message of foxglove
    rest: dict[str, Any] | None = None,
    suffix: str = "",
) -> Wire:
    data = with_rest(made.encode(), rest) if rest else made.encode()
    return Wire(kind, "protobuf", made.get_schema(), data, suffix)


def _time(stamp_ns: int) -> fox.Timestamp:
    sec, nsec = divmod(stamp_ns, NS_PER_S)
    return fox.Timestamp(sec, nsec)


def _vector(values: Any) -> fox.Vector3:  # noqa: ANN401 - three numbers
    x, y, z = map(float, values)
    return fox.Vector3(x=x, y=y, z=z)


def _quaternion(T: Transform) -> fox.Quaternion:
    x, y, z, w = map(float, T.rotation)
    return fox.Quaternion(x=x, y=y, z=z, w=w)


def _transforms(transforms: Any, stamp_ns: int) -> fox.FrameTransforms:  # noqa: ANN401
    return fox.FrameTransforms(
        transforms=[
            fox.FrameTransform(
                timestamp=_time(getattr(item, "stamp_ns", stamp_ns)),
                parent_frame_id=item.parent_frame,
                child_frame_id=item.child_frame,
                translation=_vector(item.transform.translation),
                rotation=_quaternion(item.transform),
            )
            for item in transforms
        ]
    )


def _floats(values: np.ndarray | None) -> list[float]:
    return [] if values is None else np.asarray(values, dtype=np.float64).ravel().tolist()


def _scan(m: messages.LaserScan) -> tuple[fox.LaserScan, dict[str, Any]]:
    made = fox.LaserScan(
        timestamp=_time(m.stamp_ns),
        frame_id=m.frame_id,
        pose=fox.Pose(
            position=fox.Vector3(x=0.0, y=0.0, z=0.0),
            orientation=fox.Quaternion(x=0.0, y=0.0, z=0.0, w=1.0),
        ),
        start_angle=m.angle_min,
        end_angle=m.angle_min + m.angle_increment * max(0, len(m.ranges) - 1),
        ranges=_floats(m.ranges),
        intensities=_floats(m.intensities),
    )
    names = ("angle_increment", "range_min", "range_max", "time_increment")
    rest = {name: getattr(m, name) for name in names}
    return made, rest | {"has_intensities": m.intensities is not None}


def _cloud(m: messages.PointCloud) -> tuple[fox.PointCloud, None]:
    columns: list[tuple[str, Any, Any, np.ndarray]] = [
        (axis, "<f4", _NUMERIC.Float32, m.points[:, i]) for i, axis in enumerate("xyz")
    ]
    if m.intensities is not None:
        columns.append(("intensity", "<f4", _NUMERIC.Float32, m.intensities))
    if m.rings is not None:
        columns.append(("ring", "<u2", _NUMERIC.Uint16, m.rings))
    if m.times_ns is not None:
        # Exact for months, and there is no 64-bit integer to be had.
        offsets = (m.times_ns - m.stamp_ns).astype(np.float64)
        columns.append(("time_offset_ns", "<f8", _NUMERIC.Float64, offsets))
    packed = np.empty(len(m.points), dtype=[(name, form) for name, form, _, _ in columns])
    fields, offset = [], 0
    for name, form, numeric, values in columns:
        packed[name] = values
        fields.append(fox.PackedElementField(name=name, offset=offset, type=numeric))
        offset += np.dtype(form).itemsize
    made = fox.PointCloud(
        timestamp=_time(m.stamp_ns),
        frame_id=m.frame_id,
        pose=fox.Pose(
            position=fox.Vector3(x=0.0, y=0.0, z=0.0),
            orientation=fox.Quaternion(x=0.0, y=0.0, z=0.0, w=1.0),
        ),
        point_stride=packed.dtype.itemsize,
        fields=fields,
        data=packed.tobytes(),
    )
    return made, None


def _picture(m: Any, data: np.ndarray, encoding: str) -> fox.RawImage:  # noqa: ANN401
    height, width = data.shape[:2]
    content = np.ascontiguousarray(data).tobytes()
    return fox.RawImage(
        timestamp=_time(m.stamp_ns),
        frame_id=m.frame_id,
        width=width,
        height=height,
        encoding=encoding,
        step=len(content) // max(1, height),
        data=content,
    )


def _image(m: messages.Image, images: Packing) -> tuple[Any, dict[str, Any] | None]:
    if images == "raw":
        return _picture(m, m.data, m.encoding), None
    data, form = pack(m.data, m.encoding, images)
    made = fox.CompressedImage(
        timestamp=_time(m.stamp_ns), frame_id=m.frame_id, data=data, format=form
    )
    return made, {"encoding": m.encoding}


def _depth(m: messages.DepthImage) -> fox.RawImage:
    return _picture(m, m.depth.astype("<f4", copy=False), "32FC1")


def _segmentation(m: Any) -> tuple[fox.RawImage, dict[str, Any]]:  # noqa: ANN401
    labels = m.labels.astype("<u2")
    return _picture(m, labels, "mono16"), {"names": list(m.names)}


def _info(m: messages.CameraInfo) -> tuple[fox.CameraCalibration, dict[str, Any] | None]:
    P = np.hstack((m.K, np.zeros((3, 1))))
    made = fox.CameraCalibration(
        timestamp=_time(m.stamp_ns),
        frame_id=m.frame_id,
        width=m.width,
        height=m.height,
        distortion_model=m.distortion_model,
        D=_floats(m.distortion),
        K=_floats(m.K),
        R=_floats(np.eye(3)),
        P=_floats(P),
    )
    return made, {"has_distortion": True} if m.distortion is not None else None


def _odometry(m: messages.Odometry) -> tuple[fox.Odometry, None]:
    made = fox.Odometry(
        timestamp=_time(m.stamp_ns),
        frame_id=m.frame_id,
        body_frame_id=m.child_frame_id,
        pose=fox.Pose(position=_vector(m.pose.translation), orientation=_quaternion(m.pose)),
        linear_velocity=_vector(m.linear),
        angular_velocity=_vector(m.angular),
        pose_covariance=_floats(m.pose_covariance),
        velocity_covariance=_floats(m.twist_covariance),
    )
    return made, None


def _joints(m: messages.JointState) -> tuple[fox.JointStates, None]:
    def value(values: np.ndarray | None, i: int) -> float | None:
        return None if values is None else float(values[i])

    joints = [
        fox.JointState(
            name=name,
            position=float(m.positions[i]),
            velocity=value(m.velocities, i),
            effort=value(m.efforts, i),
        )
        for i, name in enumerate(m.names)
    ]
    return fox.JointStates(timestamp=_time(m.stamp_ns), joints=joints), None


def _fix(m: messages.NavSatFix) -> tuple[fox.LocationFix, None]:
    kinds = fox.LocationFixPositionCovarianceType
    made = fox.LocationFix(
        timestamp=_time(m.stamp_ns),
        frame_id=m.frame_id,
        latitude=m.latitude_deg,
        longitude=m.longitude_deg,
        altitude=m.altitude,
        position_covariance=None if m.covariance is None else _floats(m.covariance),
        position_covariance_type=kinds.Unknown if m.covariance is None else kinds.Known,
        velocity=None if m.velocity is None else _vector(m.velocity),
    )
    return made, None


_FORMS: dict[str, Callable[[Any], tuple[Any, dict[str, Any] | None]]] = {
    "CameraInfo": _info,
    "DepthImage": lambda m: (_depth(m), None),
    "JointState": _joints,
    "LaserScan": _scan,
    "NavSatFix": _fix,
    "Odometry": _odometry,
    "PointCloud": _cloud,
    "SegmentationImage": _segmentation,
}

_JSON_DICT = foxglove.Schema(
    name="horus.dict", encoding="jsonschema", data=b'{"title":"horus.dict","type":"object"}'
)
