"""Messages in Foxglove's schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from horus_sim.hub import Message, json_form, messages
from horus_sim.running.outlets.shapes import SceneShapes
from horus_sim.running.recording.foxglove.compression import Packing, pack
from horus_sim.running.recording.foxglove.extra_fields import with_rest
from horus_sim.running.recording.foxglove.primitives import (
    floats,
    pose,
    quaternion,
    timestamp,
    vector,
)
from horus_sim.running.recording.foxglove.scene_form import scene_update
from horus_sim.running.recording.foxglove.sdk import foxglove
from horus_sim.running.recording.foxglove.sdk import messages as fox
from horus_sim.tf import StaticTransformStamped, TFMessage, Transform, TransformStamped

_Form = tuple[Any, dict[str, Any] | None]
"""A message of foxglove, and what it has no field for."""
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
    elif isinstance(message, messages.RgbdImage):
        yield _proto("RgbdImage", *_image(message, images), suffix="/image")
        yield _proto("RgbdImage", *_depth(message), suffix="/depth")
    elif isinstance(message, messages.Image):
        yield _proto("Image", *_image(message, images))
    elif (convert := _FORMS.get(type(message))) is not None:
        yield _proto(message.NAME, *convert(message))
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


def _head(m: Any) -> dict[str, Any]:  # noqa: ANN401 - a message with a stamp and a frame
    return {"timestamp": timestamp(m.stamp_ns), "frame_id": m.frame_id}


def _transforms(transforms: Any, stamp_ns: int) -> fox.FrameTransforms:  # noqa: ANN401
    return fox.FrameTransforms(
        transforms=[
            fox.FrameTransform(
                timestamp=timestamp(getattr(item, "stamp_ns", stamp_ns)),
                parent_frame_id=item.parent_frame,
                child_frame_id=item.child_frame,
                translation=vector(item.transform.translation),
                rotation=quaternion(item.transform),
            )
            for item in transforms
        ]
    )


def _scan(m: messages.LaserScan) -> _Form:
    made = fox.LaserScan(
        **_head(m),
        pose=pose(Transform.identity()),
        start_angle=m.angle_min,
        end_angle=m.angle_min + m.angle_increment * max(0, len(m.ranges) - 1),
        ranges=floats(m.ranges),
        intensities=floats(m.intensities),
    )
    names = ("angle_increment", "range_min", "range_max", "time_increment")
    rest = {name: getattr(m, name) for name in names}
    return made, rest | {"has_intensities": m.intensities is not None}


def _cloud(m: messages.PointCloud) -> _Form:
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
        **_head(m),
        pose=pose(Transform.identity()),
        point_stride=packed.dtype.itemsize,
        fields=fields,
        data=packed.tobytes(),
    )
    return made, None


def _picture(m: Any, data: np.ndarray, encoding: str) -> fox.RawImage:  # noqa: ANN401
    height, width = data.shape[:2]
    content = np.ascontiguousarray(data).tobytes()
    return fox.RawImage(
        **_head(m),
        width=width,
        height=height,
        encoding=encoding,
        step=len(content) // max(1, height),
        data=content,
    )


def _image(m: messages.Image | messages.RgbdImage, images: Packing) -> _Form:
    encoding = getattr(m, "encoding", "rgb8")
    if images == "raw":
        return _picture(m, m.data, encoding), None
    data, form = pack(m.data, encoding, images)
    return fox.CompressedImage(**_head(m), data=data, format=form), {"encoding": encoding}


def _depth(m: messages.DepthImage | messages.RgbdImage) -> _Form:
    return _picture(m, m.depth.astype("<f4", copy=False), "32FC1"), None


def _segmentation(m: messages.SegmentationImage) -> _Form:
    return _picture(m, m.labels.astype("<u2"), "mono16"), {"names": list(m.names)}


def _info(m: messages.CameraInfo) -> _Form:
    made = fox.CameraCalibration(
        **_head(m),
        width=m.width,
        height=m.height,
        distortion_model=m.distortion_model,
        D=floats(m.distortion),
        K=floats(m.K),
        R=floats(np.eye(3)),
        P=floats(np.hstack((m.K, np.zeros((3, 1))))),
    )
    return made, {"has_distortion": True} if m.distortion is not None else None


def _odometry(m: messages.Odometry) -> _Form:
    made = fox.Odometry(
        **_head(m),
        body_frame_id=m.child_frame_id,
        pose=pose(m.pose),
        linear_velocity=vector(m.linear),
        angular_velocity=vector(m.angular),
        pose_covariance=floats(m.pose_covariance),
        velocity_covariance=floats(m.twist_covariance),
    )
    return made, None


def _joints(m: messages.JointState) -> _Form:
    none = [None] * len(m.names)
    columns = [
        none if values is None else values.tolist()
        for values in (m.positions, m.velocities, m.efforts)
    ]
    joints = [
        fox.JointState(name=name, position=position, velocity=velocity, effort=effort)
        for name, position, velocity, effort in zip(m.names, *columns, strict=True)
    ]
    return fox.JointStates(timestamp=timestamp(m.stamp_ns), joints=joints), None


def _fix(m: messages.NavSatFix) -> _Form:
    kinds = fox.LocationFixPositionCovarianceType
    made = fox.LocationFix(
        **_head(m),
        latitude=m.latitude_deg,
        longitude=m.longitude_deg,
        altitude=m.altitude,
        position_covariance=None if m.covariance is None else floats(m.covariance),
        position_covariance_type=kinds.Unknown if m.covariance is None else kinds.Known,
        velocity=None if m.velocity is None else vector(m.velocity),
    )
    return made, None


_FORMS: dict[type, Callable[[Any], _Form]] = {
    messages.CameraInfo: _info,
    messages.DepthImage: _depth,
    messages.JointState: _joints,
    messages.LaserScan: _scan,
    messages.NavSatFix: _fix,
    messages.Odometry: _odometry,
    messages.PointCloud: _cloud,
    messages.SegmentationImage: _segmentation,
}

_JSON_DICT = foxglove.Schema(
    name="horus.dict", encoding="jsonschema", data=b'{"title":"horus.dict","type":"object"}'
)
