"""Pictures packed as JPEG or PNG."""

from __future__ import annotations

import io
from typing import Literal

import numpy as np
import numpy.typing as npt
from PIL import Image as Picture

Packing = Literal["raw", "png", "jpeg"]
PACKINGS: tuple[Packing, ...] = ("raw", "png", "jpeg")
_JPEG_QUALITY = 90
_MODES = {"rgb8": "RGB", "bgr8": "RGB", "rgba8": "RGBA", "mono8": "L"}


def pack(
    pixels: npt.NDArray[np.uint8], encoding: str, packing: Literal["png", "jpeg"]
) -> tuple[bytes, str]:
    """A picture as the bytes of a file.

    Args:
        pixels: Shape (height, width, channels).
        encoding: ``rgb8``, ``rgba8``, ``bgr8`` or ``mono8``.
        packing: PNG keeps every bit; JPEG is smaller, but cannot hold ``rgba8``, which becomes PNG.

    Returns:
        The bytes, and 'png' or 'jpeg'.
    """
    if encoding == "bgr8":
        pixels = pixels[:, :, ::-1]
    elif encoding == "mono8":
        pixels = pixels[:, :, 0]
    picture = Picture.fromarray(np.ascontiguousarray(pixels))
    file = io.BytesIO()
    if packing == "jpeg" and encoding != "rgba8":
        picture.save(file, "JPEG", quality=_JPEG_QUALITY)
        return file.getvalue(), "jpeg"
    picture.save(file, "PNG", compress_level=1)
    return file.getvalue(), "png"


def unpack(data: bytes, encoding: str = "rgb8") -> npt.NDArray[np.uint8]:
    """The pixels of a file's bytes, shape (height, width, channels).

    Raises:
        ValueError: They are not a picture.
    """
    try:
        picture = Picture.open(io.BytesIO(data)).convert(_MODES[encoding])
    except Exception as error:  # its decoders raise whatever they stumble over
        raise ValueError(f"a picture cannot be unpacked: {error}") from error
    pixels = np.array(picture)
    if encoding == "mono8":
        return pixels[:, :, np.newaxis]
    return np.ascontiguousarray(pixels[:, :, ::-1]) if encoding == "bgr8" else pixels
