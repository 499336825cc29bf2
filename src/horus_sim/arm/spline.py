"""Cubic splines in plain arithmetic: the same bits on every machine, which LAPACK does not give."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Spline:
    """The cubic spline through points, smooth to the third derivative next to its ends.

    Args:
        x: Where the points are, increasing, shape (K,) with K of at least 4.
        y: Values there, shape (K, columns).
    """

    def __init__(self, x: Floats, y: Floats) -> None:
        width = np.diff(x)
        slope = np.diff(y, axis=0) / width[:, np.newaxis]
        derivative = _derivatives(x, width, slope)
        start, end = derivative[:-1], derivative[1:]
        bend = (start + end - 2.0 * slope) / width[:, np.newaxis]
        self._x = x
        # Of (s - x)^0 to (s - x)^3 in each stretch.
        self._factors = (
            y[:-1],
            start,
            (slope - start) / width[:, np.newaxis] - bend,
            bend / width[:, np.newaxis],
        )

    def at(self, s: Floats) -> tuple[Floats, Floats, Floats]:
        """The values and their first and second derivatives at `s`, each (N, columns)."""
        stretch = np.clip(np.searchsorted(self._x, s, side="right") - 1, 0, len(self._x) - 2)
        a, b, c, d = (factor[stretch] for factor in self._factors)
        along = (s - self._x[stretch])[:, np.newaxis]
        return (
            a + along * (b + along * (c + along * d)),
            b + along * (2.0 * c + 3.0 * along * d),
            2.0 * c + 6.0 * along * d,
        )


def _derivatives(x: Floats, width: Floats, slope: Floats) -> Floats:
    """The derivatives at the points, from equations of which each holds three neighbours."""
    h = width.tolist()
    first, last = float(x[2] - x[0]), float(x[-1] - x[-3])
    right = np.empty((len(x), slope.shape[1]))
    right[0] = ((h[0] + 2.0 * first) * h[1] * slope[0] + h[0] * h[0] * slope[1]) / first
    right[1:-1] = 3.0 * (width[1:, np.newaxis] * slope[:-1] + width[:-1, np.newaxis] * slope[1:])
    right[-1] = (h[-1] * h[-1] * slope[-2] + (2.0 * last + h[-1]) * h[-2] * slope[-1]) / last
    # Eliminated forwards, then inserted backwards; all pivots are positive.
    above = [first / h[1]]
    right[0] /= h[1]
    for i in range(1, len(x) - 1):
        pivot = 2.0 * (h[i - 1] + h[i]) - h[i] * above[-1]
        above.append(h[i - 1] / pivot)
        right[i] = (right[i] - h[i] * right[i - 1]) / pivot
    right[-1] = (right[-1] - last * right[-2]) / (h[-2] - last * above[-1])
    for i in range(len(x) - 2, -1, -1):
        right[i] -= above[i] * right[i + 1]
    return right
