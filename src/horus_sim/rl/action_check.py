"""Actions are checked before anything moves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.errors import ActionError
from horus_sim.rl.backend import Ids


def checked_actions(
    actions: npt.ArrayLike, shape: tuple[int, ...], ignored: Ids | None = None
) -> npt.NDArray[np.generic]:
    """Actions as an array of that shape, every number finite.

    Args:
        actions: A row for each environment.
        shape: (num_envs, actions).
        ignored: Environments whose action does not count; 0 stands for it where it is not finite.

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
    if b"\x00" not in finite.tobytes():
        return array
    bad = np.flatnonzero(~finite.reshape(len(array), -1).all(axis=1))
    if ignored is not None:
        array = array.copy()
        array[np.intersect1d(bad, ignored)] = 0
        bad = np.setdiff1d(bad, ignored)
    if len(bad):
        first = int(bad[0])
        more = f", as are those of {len(bad) - 1} others" if len(bad) > 1 else ""
        raise ActionError(
            f"the action of environment {first} is {array[first].tolist()}, which is not "
            f"finite{more}; look for a policy that diverged. Nothing moved",
            tuple(int(env) for env in bad),
        )
    return array
