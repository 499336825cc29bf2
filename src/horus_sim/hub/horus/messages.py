"""Our messages as those of the HORUS framework, and back. What would be lost is refused."""

from __future__ import annotations

import functools
import importlib
import logging
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from horus_sim.errors import MessageError, MissingExtraError
from horus_sim.hub.messages import CmdVel, Image, Imu, JointState, LaserScan, Odometry
from horus_sim.hub.messages.images import CHANNELS
from horus_sim.tf import StaticTransformStamped, Transform, TransformStamped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from horus_sim.hub.message import Message

SCAN_RAYS = 360
MAX_JOINTS = 16
MAX_NAME_BYTES = 31
PLANAR_TOLERANCE = 0.01
"""How far [m, rad, m/s, rad/s] an odometry may leave the plane before it is refused."""

_STAMP_LIMIT = 2**64
_MAX_DICT_BYTES = 4000  # HORUS takes 4,096
_TRANSFORM_BYTES = 160  # of a transform, its frame names aside: 136 are needed

logger = logging.getLogger("horus_sim.hub")


def to_horus(message: Message) -> Any:  # noqa: ANN401 - HORUS has no common type
    """A message of ours as one of HORUS.

    Args:
        message: `CmdVel`, `Odometry`, `Imu`, `LaserScan`, `JointState` or `Image`.

    Raises:
        MessageError: HORUS has no such message, or it would lose data.
        MissingExtraError: horus-robotics is not installed.
    """
    convert = _TO_HORUS.get(type(message))
    if convert is None:
        known = ", ".join(kind.__name__ for kind in _TO_HORUS)
        raise MessageError(
            f"{type(message).__name__} cannot go to HORUS; use one of {known}, or zenoh"
        )
    stamp_ns: int = getattr(message, "stamp_ns", 0)
    if not 0 <= stamp_ns < _STAMP_LIMIT:
        raise MessageError(
            f"{message.NAME}.stamp_ns is {stamp_ns}, but HORUS keeps times from 0 to 2^64 - 1 ns; "
            "count from an earlier moment"
        )
    return convert(message)


def from_horus(message: Any) -> Message:  # noqa: ANN401 - HORUS has no common type
    """A message of HORUS as one of ours; frame ids are empty where HORUS has none.

    Args:
        message: `CmdVel`, `Odometry`, `Imu`, `LaserScan`, `JointState` or `Image` of HORUS.

    Raises:
        MessageError: We have no such message, or it does not fit ours.
    """
    name = type(message).__name__
    convert = _FROM_HORUS.get(name)
    if convert is None:
        raise MessageError(
            f"{name} of HORUS has no counterpart here; use one of {', '.join(_FROM_HORUS)}"
        )
    return convert(message)


def transforms_to_horus(
    transforms: Iterable[TransformStamped | StaticTransformStamped],
) -> Iterator[dict[str, Any]]:
    """Transforms as dicts of HORUS, each small enough for a message without a type.

    ``{"transforms": [{"parent_frame": ..., "child_frame": ..., "stamp_ns": ..., "translation":
    [x, y, z], "rotation": [x, y, z, w]}, ...]}``; fixed frames have no ``stamp_ns``.
    """
    part: list[dict[str, Any]] = []
    size = 0
    for item in transforms:
        entry: dict[str, Any] = {
            "parent_frame": item.parent_frame,
            "child_frame": item.child_frame,
            "translation": item.transform.translation.tolist(),
            "rotation": item.transform.rotation.tolist(),
        }
        if isinstance(item, TransformStamped):
            entry["stamp_ns"] = item.stamp_ns
        needed = len((item.parent_frame + item.child_frame).encode()) + _TRANSFORM_BYTES
        if part and size + needed > _MAX_DICT_BYTES:
            yield {"transforms": part}
            part, size = [], 0
        part.append(entry)
        size += needed
    if part:
        yield {"transforms": part}


def _cmd_vel_to_horus(message: CmdVel) -> Any:  # noqa: ANN401
    return horus_module().CmdVel(message.linear, message.angular)


def _cmd_vel_from_horus(message: Any) -> CmdVel:  # noqa: ANN401
    return CmdVel(message.linear, message.angular)


def _odometry_to_horus(message: Odometry) -> Any:  # noqa: ANN401
    for name in ("pose_covariance", "twist_covariance"):
        if getattr(message, name) is not None:
            raise MessageError(
                f"Odometry.{name} would be lost: HORUS has none; send it with None, or use zenoh"
            )
    x, y, z = message.pose.translation.tolist()
    qx, qy, qz, qw = message.pose.rotation.tolist()
    forward, sideways, upward = message.linear
    roll_rate, pitch_rate, yaw_rate = message.angular
    lost = {
        "height [m]": z,
        "tilt [rad]": 2.0 * math.asin(min(1.0, math.hypot(qx, qy))),
        "sideways velocity [m/s]": sideways,
        "upward velocity [m/s]": upward,
        "roll rate [rad/s]": roll_rate,
        "pitch rate [rad/s]": pitch_rate,
    }
    for what, value in lost.items():
        if abs(value) > PLANAR_TOLERANCE:
            raise MessageError(
                f"Odometry has a {what} of {value:.3g}, but that of HORUS is planar (x, y, yaw and "
                "their forward and yaw rates); send the pose of a frame on the ground, or use zenoh"
            )
    frames = [_short("Odometry.frame_id", message.frame_id)]
    frames.append(_short("Odometry.child_frame_id", message.child_frame_id))
    _tell_lost_frame("Odometry", *frames)
    yaw = math.atan2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz))
    result = horus_module().Odometry(x, y, yaw, forward, yaw_rate, message.stamp_ns)
    result.set_frames(*frames)
    return result


def _odometry_from_horus(message: Any) -> Odometry:  # noqa: ANN401
    half = 0.5 * message.theta
    return Odometry(
        message.timestamp_ns,
        "",
        "",
        Transform((message.x, message.y, 0.0), (0.0, 0.0, math.sin(half), math.cos(half))),
        (message.linear_velocity, 0.0, 0.0),
        (0.0, 0.0, message.angular_velocity),
    )


def _imu_to_horus(message: Imu) -> Any:  # noqa: ANN401
    _tell_lost_frame("Imu", message.frame_id)
    result = horus_module().Imu(
        *message.linear_acceleration, *message.angular_velocity, message.stamp_ns
    )
    if message.orientation is not None:
        result.qx, result.qy, result.qz, result.qw = message.orientation.tolist()
        # A first element of -1, the default, says that there is no orientation.
        result.orientation_covariance = [0.0] * 9
    return result


def _imu_from_horus(message: Any) -> Imu:  # noqa: ANN401
    orientation = None
    if message.has_orientation():
        orientation = np.array([message.qx, message.qy, message.qz, message.qw])
    return Imu(
        message.timestamp_ns,
        "",
        (message.gyro_x, message.gyro_y, message.gyro_z),
        (message.accel_x, message.accel_y, message.accel_z),
        orientation,
    )


def _scan_to_horus(message: LaserScan) -> Any:  # noqa: ANN401
    rays = len(message.ranges)
    if rays != SCAN_RAYS:
        harm = "cut off the others" if rays > SCAN_RAYS else "fill up with 0.0 m"
        raise MessageError(
            f"LaserScan has {rays} rays, but HORUS keeps exactly {SCAN_RAYS} and would {harm}; "
            f"resample it to {SCAN_RAYS}, or use zenoh"
        )
    for name, is_lost in (
        ("intensities", message.intensities is not None),
        ("time_increment", message.time_increment != 0.0),
    ):
        if is_lost:
            tell_once(f"LaserScan.{name} does not arrive: HORUS has no such field")
    _tell_lost_frame("LaserScan", message.frame_id)
    return horus_module().LaserScan(
        angle_min=message.angle_min,
        angle_max=message.angle_min + (rays - 1) * message.angle_increment,
        angle_increment=message.angle_increment,
        range_min=message.range_min,
        range_max=message.range_max,
        ranges=message.ranges.tolist(),
        timestamp_ns=message.stamp_ns,
    )


def _scan_from_horus(message: Any) -> LaserScan:  # noqa: ANN401
    return LaserScan(
        message.timestamp_ns,
        "",
        message.angle_min,
        message.angle_increment,
        message.range_min,
        message.range_max,
        np.array(message.ranges, dtype=np.float32),
    )


def _joints_to_horus(message: JointState) -> Any:  # noqa: ANN401
    if len(message.names) > MAX_JOINTS:
        raise MessageError(
            f"JointState has {len(message.names)} joints, but HORUS keeps {MAX_JOINTS}; split it "
            "over several topics, or use zenoh"
        )
    names = [_short("JointState.names", name) for name in message.names]
    values = {}
    for name in ("velocities", "efforts"):
        given = getattr(message, name)
        if given is None:
            tell_once(f"JointState.{name} is None; readers in HORUS see zeros")
        values[name] = None if given is None else given.tolist()
    return horus_module().JointState(
        names=names, positions=message.positions.tolist(), timestamp_ns=message.stamp_ns, **values
    )


def _joints_from_horus(message: Any) -> JointState:  # noqa: ANN401
    return JointState(
        message.timestamp_ns,
        tuple(message.names),
        np.array(message.positions, dtype=np.float64),
        np.array(message.velocities, dtype=np.float64),
        np.array(message.efforts, dtype=np.float64),
    )


def _image_to_horus(message: Image) -> Any:  # noqa: ANN401
    height, width, _ = message.data.shape
    if not height or not width:
        raise MessageError(f"an Image of {width} x {height} pixels cannot go to HORUS; skip it")
    frame_id = _short("Image.frame_id", message.frame_id)
    try:
        result = horus_module().Image.from_bytes(
            message.data.tobytes(), height, width, message.encoding
        )
    except ValueError as error:
        raise MessageError(
            f"HORUS does not take the image encoding {message.encoding}: {error}; convert it"
        ) from error
    except RuntimeError as error:
        raise MessageError(
            f"HORUS has no room for an image of {message.data.nbytes:,} bytes: its 1,024 places or "
            "1 GiB are taken, and images that were sent keep theirs; end all processes that use "
            "HORUS and remove /dev/shm/horus_*/tensors, or send images over zenoh"
        ) from error
    result.set_frame_id(frame_id)
    result.set_timestamp_ns(message.stamp_ns)
    return result


def _image_from_horus(message: Any) -> Image:  # noqa: ANN401
    if message.encoding not in CHANNELS:
        raise MessageError(
            f"an image of HORUS has the encoding {message.encoding}, which is unknown here; "
            f"convert it to {', '.join(CHANNELS)}"
        )
    shape = (message.height, message.width, CHANNELS[message.encoding])
    # copy: the pixels lie in memory that HORUS uses again
    pixels = np.array(message.to_numpy(), dtype=np.uint8).reshape(shape)
    return Image(message.timestamp_ns, message.frame_id, pixels, message.encoding)


_TO_HORUS: dict[type, Callable[[Any], Any]] = {
    CmdVel: _cmd_vel_to_horus,
    Odometry: _odometry_to_horus,
    Imu: _imu_to_horus,
    LaserScan: _scan_to_horus,
    JointState: _joints_to_horus,
    Image: _image_to_horus,
}
_FROM_HORUS: dict[str, Callable[[Any], Message]] = {
    "CmdVel": _cmd_vel_from_horus,
    "Odometry": _odometry_from_horus,
    "Imu": _imu_from_horus,
    "LaserScan": _scan_from_horus,
    "JointState": _joints_from_horus,
    "Image": _image_from_horus,
}


def horus_module() -> Any:  # noqa: ANN401 - the package is optional
    """The package `horus`, which comes with the extra ``horus``."""
    try:
        return importlib.import_module("horus")
    except ImportError as error:
        raise MissingExtraError("horus-robotics", "horus") from error


def _short(what: str, text: str) -> str:
    if len(text.encode()) > MAX_NAME_BYTES or "\0" in text:
        raise MessageError(
            f"{what} '{text}' would be cut: HORUS keeps {MAX_NAME_BYTES} bytes without zeros; "
            "shorten it, or use zenoh"
        )
    return text


def _tell_lost_frame(kind: str, *frames: str) -> None:
    if any(frames):
        tell_once(f"{kind}: HORUS hides frame ids from Python readers; agree on them beforehand")


@functools.cache
def tell_once(text: str) -> None:
    """Logs a warning the first time only."""
    logger.warning("%s", text)
