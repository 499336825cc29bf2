"""Messages of cameras. Pixels are rows from the top, columns from the left."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.errors import MessageError
from horus_sim.hub.message import Message, Names, array, message, optional_array

CHANNELS = {"rgb8": 3, "rgba8": 4, "bgr8": 3, "mono8": 1}


@message
class Image(Message):
    """A picture.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The camera's optical frame.
        data: Pixels, shape (height, width, channels).
        encoding: ``rgb8``, ``rgba8``, ``bgr8`` or ``mono8``.
    """

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


@message
class DepthImage(Message):
    """Distances along the optical axis.

    Attributes:
        stamp_ns: Time [ns].
        frame_id: The camera's optical frame.
        depth: Depth [m], shape (height, width); infinite where nothing is seen.
    """

    stamp_ns: int
    frame_id: str
    depth: npt.NDArray[np.float32] = array("float32", -1, -1)


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

    stamp_ns: int
    frame_id: str
    width: int
    height: int
    K: npt.NDArray[np.float64] = array("float64", 3, 3)
    distortion: npt.NDArray[np.float64] | None = optional_array("float64", -1, default=None)
    distortion_model: str = ""
