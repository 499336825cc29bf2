"""Actions are checked before anything moves."""

from __future__ import annotations

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
    finite = np.isfinite(array)
    if b"\x00" in finite.tobytes():
        bad = np.flatnonzero(~finite.all(axis=1))
        first = int(bad[0])
        more = f", as are those of {len(bad) - 1} others" if len(bad) > 1 else ""
        raise ActionError(
            f"the action of environment {first} is {array[first].tolist()}, which is not "
            f"finite{more}; look for a policy that diverged. Nothing moved",
            tuple(int(env) for env in bad),
        )
    return array
