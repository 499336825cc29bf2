"""Images of users as textures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from horus_sim.errors import TaskError

# Larger ones are made smaller: pictures as observations have some thousand pixels.
_LARGEST = 1024


def read_image(path: Path) -> npt.NDArray[np.uint8]:
    """An image file, at most 1,024 pixels wide and high, shape (height, width, 3).

    Raises:
        TaskError: It cannot be read.
    """
    try:
        with Image.open(path) as image:
            image.thumbnail((_LARGEST, _LARGEST))
            return np.asarray(image.convert("RGB"))
    except (OSError, Image.DecompressionBombError) as error:
        raise TaskError(
            f"images: {path} cannot be read ({error}); give the path of a PNG or JPEG file"
        ) from error
