"""Messages of cameras. Pixels are rows from the top, columns from the left."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from horus_sim.errors import MessageError
from horus_sim.hub.message import Message, Names, array, message, optional_array
from horus_sim.hub.messages.encoded import EncodedMessage
from horus_sim.hub.ros import fields as ros
from horus_sim.hub.ros.form import RosForm

CHANNELS = {"rgb8": 3, "rgba8": 4, "bgr8": 3, "mono8": 1}


@message
class Image(EncodedMessage):
    """A picture; it holds a copy of its pixels.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The camera's optical frame.
        data: Pixels, shape (height, width, channels).
        encoding: ``rgb8``, ``rgba8``, ``bgr8`` or ``mono8``.
    """

    ROS = RosForm("sensor_msgs/msg/Image")

    stamp_ns: int
    frame_id: str
    data: npt.NDArray[np.uint8] = array("uint8", -1, -1, -1)
    encoding: str = "rgb8"

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        channels = CHANNELS.get(self.encoding)
        if channels is None:
            raise MessageError(
                f"Image.encoding must be one of {', '.join(CHANNELS)}, got {self.encoding!r}"
            )
        if self.data.shape[2] != channels:
            raise MessageError(
                f"Image.data has {self.data.shape[2]} channels, but {self.encoding} has {channels}"
            )
        self._encode("data")

    def to_ros(self) -> dict[str, Any]:
        """The fields of an Image."""
        return _image_fields(self.stamp_ns, self.frame_id, self.data, self.encoding)

    @classmethod
    def from_ros(cls, fields: dict[str, Any]) -> Self:
        """From the fields of an Image with eight bits for each channel."""
        channels = CHANNELS.get(fields["encoding"])
        if channels is None:
            raise MessageError(
                f"an Image in '{fields['encoding']}' cannot be read; it must be one of "
                f"{', '.join(CHANNELS)}; depths in 32FC1 or 16UC1 are read as a DepthImage "
                "(`topic echo --type DepthImage`)"
            )
        rows = _image_rows(fields, channels)
        pixels = rows.reshape(fields["height"], fields["width"], channels)
        make = cls if pixels.flags.writeable else cls._of_checked
        return make(*ros.from_header(fields), pixels, fields["encoding"])


@message
class DepthImage(EncodedMessage):
    """Distances along the optical axis; it holds a copy of them.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The camera's optical frame.
        depth: Depth [m], shape (height, width); infinite where nothing is seen.
    """

    ROS = RosForm("sensor_msgs/msg/Image")

    stamp_ns: int
    frame_id: str
    depth: npt.NDArray[np.float32] = array("float32", -1, -1)

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        self._encode("depth")

    def to_ros(self) -> dict[str, Any]:
        """The fields of an Image in 32FC1, as REP 118 asks for."""
        return _image_fields(self.stamp_ns, self.frame_id, self.depth, "32FC1")

    @classmethod
    def from_ros(cls, fields: dict[str, Any]) -> Self:
        """From the fields of an Image in 32FC1 [m] or 16UC1 [mm], where zero is nothing seen."""
        encoding, order = fields["encoding"], ">" if fields["is_bigendian"] else "<"
        shape = fields["height"], fields["width"]
        if encoding == "32FC1":
            depth = _image_rows(fields, 4).reshape(-1).view(f"{order}f4").reshape(shape)
        elif encoding == "16UC1":
            millimetres = _image_rows(fields, 2).reshape(-1).view(f"{order}u2").reshape(shape)
            depth = np.where(millimetres == 0, np.inf, millimetres / 1000)
        else:
            raise MessageError(f"a DepthImage must be in 32FC1 or 16UC1, got '{encoding}'")
        return cls(*ros.from_header(fields), depth)


@message
class CompressedImage(Message):
    """A picture as the bytes of a file.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The camera's optical frame.
        format: ``jpeg``, ``png``, or what else ROS allows there.
        data: The bytes, shape (N,).
    """

    ROS = RosForm("sensor_msgs/msg/CompressedImage")

    stamp_ns: int
    frame_id: str
    format: str
    data: npt.NDArray[np.uint8] = array("uint8", -1)


@message
class RgbdImage(Message):
    """A picture with distances along the optical axis, pixel by pixel.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The camera's optical frame.
        data: Colours red, green, blue, shape (height, width, 3).
        depth: Depth [m], shape (height, width); infinite where nothing is seen.
    """

    stamp_ns: int
    frame_id: str
    data: npt.NDArray[np.uint8] = array("uint8", -1, -1, 3)
    depth: npt.NDArray[np.float32] = array("float32", -1, -1)

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        if self.data.shape[:2] != self.depth.shape:
            raise MessageError(
                f"RgbdImage.data is {self.data.shape[:2]} pixels, but RgbdImage.depth is "
                f"{self.depth.shape}"
            )


@message
class SegmentationImage(Message):
    """What is seen in each pixel.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The camera's optical frame.
        labels: Place of each pixel's thing in `names`, shape (height, width).
        names: What the labels stand for; the first is the background.
    """

    stamp_ns: int
    frame_id: str
    labels: npt.NDArray[np.int32] = array("int32", -1, -1)
    names: Names = ()


@message
class CameraInfo(Message):
    """How a camera projects.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The camera's optical frame.
        width: Width of its images [pixels].
        height: Height of its images [pixels].
        K: Pinhole matrix [pixels], shape (3, 3).
        distortion: Coefficients of the model, shape (N,).
        distortion_model: Such as ``plumb_bob``; empty for none.
    """

    ROS = RosForm(
        "sensor_msgs/msg/CameraInfo",
        {"k": "K", "p": "P", "d": "distortion"},
        {"r": np.eye(3)},
    )

    stamp_ns: int
    frame_id: str
    width: int
    height: int
    K: npt.NDArray[np.float64] = array("float64", 3, 3)
    distortion: npt.NDArray[np.float64] | None = optional_array("float64", -1, default=None)
    distortion_model: str = ""

    @property
    def P(self) -> npt.NDArray[np.float64]:
        """Projection from the optical frame to pixels, shape (3, 4)."""
        return np.hstack((self.K, np.zeros((3, 1))))


def _image_fields(
    stamp_ns: int, frame_id: str, pixels: npt.NDArray[Any], encoding: str
) -> dict[str, Any]:
    height, width = pixels.shape[:2]
    # Bytes are written from any order of memory.
    is_bytes = pixels.dtype == np.uint8
    data = pixels if is_bytes else np.ascontiguousarray(pixels).reshape(-1).view(np.uint8)
    return {
        "header": ros.header(stamp_ns, frame_id),
        "height": height,
        "width": width,
        "encoding": encoding,
        "is_bigendian": False,
        "step": math.prod(pixels.shape[1:]) * pixels.itemsize,
        "data": data,
    }


def _image_rows(fields: dict[str, Any], pixel_bytes: int) -> npt.NDArray[np.uint8]:
    """The bytes of an image without padding behind its rows, in any shape."""
    height, used = fields["height"], fields["width"] * pixel_bytes
    if fields["step"] < used or fields["data"].size != height * fields["step"]:
        raise MessageError(
            f"an Image of {fields['width']} x {height} pixels in '{fields['encoding']}' has "
            f"{fields['data'].size} bytes in rows of {fields['step']}"
        )
    if fields["step"] == used:
        return fields["data"]
    rows = fields["data"].reshape(height, fields["step"])
    return np.ascontiguousarray(rows[:, :used])
