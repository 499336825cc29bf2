"""Actions are checked before anything moves."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from horus_sim.errors import ActionError


def checked_actions(actions: npt.ArrayLike, shape: tuple[int, int]) -> npt.NDArray[np.generic]:
    """Actions as an array of that shape, every number finite.

    Raises:
        ActionError: The shape is another, or an action is not finite.
    """
    array = np.asarray(actions)
    if array.shape != shape or array.dtype.kind not in "fiu":
        raise ActionError(
            f"actions have shape {array.shape} and type {array.dtype}; give numbers of shape "
            f"{shape}, a row for each environment"
        )
    # One pass that is almost free; only where it is not finite are the rows looked at.
    flat = array.ravel()
    if array.dtype.kind == "f" and not math.isfinite(np.dot(flat, flat)):
        bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
        if len(bad):
            first = int(bad[0])
            more = f", as are those of {len(bad) - 1} others" if len(bad) > 1 else ""
            raise ActionError(
                f"the action of environment {first} is {array[first].tolist()}, which is not "
                f"finite{more}; look for a policy that diverged. Nothing moved",
                tuple(int(env) for env in bad),
            )
    return array
