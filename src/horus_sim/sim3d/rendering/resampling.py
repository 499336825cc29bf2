"""Values of an image between its pixels: colours, labels and depths."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_Scalar = TypeVar("_Scalar", bound=np.generic)
_Floating = TypeVar("_Floating", bound=np.floating)
_JUMP = 4.0
"""By how many times slopes to both sides differ where one of them leads to another surface."""


class Resampling:
    """Takes an image at places between its pixels.

    Args:
        u: Where to look along u [pixels], any shape (height, width) of the result; not a number
            for nowhere.
        v: The same along v.
        width: Width of the image [pixels].
        height: Height of the image [pixels].
    """

    def __init__(self, u: Floats, v: Floats, width: int, height: int) -> None:
        with np.errstate(invalid="ignore"):
            inside = (u >= -0.5) & (u <= width - 0.5) & (v >= -0.5) & (v <= height - 0.5)
        self.is_seen = inside
        u = np.clip(np.where(inside, u, 0.0), 0.0, width - 1.0)
        v = np.clip(np.where(inside, v, 0.0), 0.0, height - 1.0)
        self._column = np.clip(np.floor(u).astype(np.intp), 0, max(width - 2, 0))
        self._row = np.clip(np.floor(v).astype(np.intp), 0, max(height - 2, 0))
        self._next_column = np.minimum(self._column + 1, width - 1)
        self._next_row = np.minimum(self._row + 1, height - 1)
        self._right = (u - self._column).astype(np.float32)[..., None]
        self._down = (v - self._row).astype(np.float32)[..., None]
        self._nearest = np.rint(v).astype(np.intp), np.rint(u).astype(np.intp)
        row, column = self._nearest
        at = row * width + column
        self._flat = at.astype(np.intp)
        # Along u and v: how far from the nearest pixel, and the pixels before and behind that.
        self._neighbours = (
            ((u - column).astype(np.float32), at - (column > 0), at + (column < width - 1)),
            (
                (v - row).astype(np.float32),
                at - width * (row > 0),
                at + width * (row < height - 1),
            ),
        )

    def blend(self, image: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Colours between pixels, of the same type; black where nothing is seen.

        Args:
            image: Shape (height, width, 3).
        """
        row, column, right, down = self._row, self._column, self._right, self._down
        next_row, next_column = self._next_row, self._next_column
        above = image[row, column] * (1 - right) + image[row, next_column] * right
        below = image[next_row, column] * (1 - right) + image[next_row, next_column] * right
        mixed = above * (1 - down) + below * down
        if not np.issubdtype(image.dtype, np.floating):
            mixed = np.rint(mixed)
        mixed = mixed.astype(image.dtype)
        mixed[~self.is_seen] = 0
        return mixed

    def pick(self, image: npt.NDArray[_Scalar], nothing: float) -> npt.NDArray[_Scalar]:
        """Values of the nearest pixels, such as numbers of things.

        Args:
            image: Shape (height, width).
            nothing: Where nothing is seen.
        """
        picked = image[self._nearest]
        picked[~self.is_seen] = nothing
        return picked

    def depths(self, image: npt.NDArray[_Floating]) -> npt.NDArray[_Floating]:
        """Depths between pixels, never between surfaces; infinite where nothing is seen.

        In an image the inverse of the depth of a plane is linear. So it is carried on from the
        nearest pixel, along the slope to the neighbour that lies on the same surface.

        Args:
            image: Along the optical axis [m], shape (height, width), without zeros.
        """
        flat = image.ravel()
        depths = flat[self._flat]
        with np.errstate(divide="ignore", invalid="ignore"):
            # The inverse of something that is infinitely far away is zero.
            carried = 1.0 / depths
            found = carried.copy()
            for off, before, behind in self._neighbours:
                found += off * _slope(1.0 / flat[before], carried, 1.0 / flat[behind])
            # Nothing has no surface, and a slope must not lead beyond it.
            kept = (
                self.is_seen & (carried > 0.0) & (found > 0.5 * carried) & (found < 2.0 * carried)
            )
            depths[kept] = 1.0 / found[kept]
        depths[~self.is_seen] = np.inf
        return depths


def _slope(
    before: npt.NDArray[_Floating], at: npt.NDArray[_Floating], behind: npt.NDArray[_Floating]
) -> npt.NDArray[_Floating]:
    """The change by one pixel on the surface that a pixel shows; 0 where that is unclear.

    What is before and behind is overwritten.
    """
    # In place: new arrays of this size cost more than what is computed.
    first, second = np.subtract(at, before, out=before), np.subtract(behind, at, out=behind)
    size, other = np.abs(first), np.abs(second)
    small = np.minimum(size, other)
    small *= _JUMP
    # A ridge, or a thing as thin as a pixel before something else: both neighbours lie beyond.
    unclear = np.signbit(first) != np.signbit(second)
    unclear &= np.maximum(size, other) < small
    np.copyto(second, first, where=size < other)
    np.copyto(second, 0.0, where=unclear)
    return second
