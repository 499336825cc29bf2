"""Arguments of `reset` and `step`, checked before anything moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import ActionError, ResetError
from horus_sim.files.names import propose
from horus_sim.rl.engines.interface import Ids
from horus_sim.rl.settings import is_whole

_LARGEST = 2**63
_REMEDY = "give a whole number from 0 to 2**63 - 1"


def chosen_rows(options: Mapping[str, Any] | None, num_envs: int) -> Ids:
    """Ids of the environments that `options` choose, all unless it has a 'reset_mask'.

    Raises:
        ResetError: An option is unknown, or the mask has another shape, type or nothing in it.
    """
    if not options:
        return np.arange(num_envs)
    for key in options:
        if key != "reset_mask":
            raise ResetError(propose(key, ("reset_mask",), "reset", "option"))
    mask = np.asarray(options["reset_mask"])
    if mask.shape != (num_envs,) or mask.dtype != np.bool_:
        raise ResetError(
            f"'reset_mask' has shape {mask.shape} and type {mask.dtype}; give bool, ({num_envs},)"
        )
    ids = np.flatnonzero(mask)
    if not len(ids):
        raise ResetError("'reset_mask' chooses no environment; give at least one True")
    return ids


def environment_seeds(
    seed: int | Sequence[int | None], ids: Ids, num_envs: int
) -> tuple[Ids, npt.NDArray[np.uint64]]:
    """The environments among `ids` that get a seed, and the seeds.

    Raises:
        ResetError: A seed is not a whole number, negative or too large, or a list of them has
            another length.
    """
    if isinstance(seed, (int, np.integer)):
        if not _fits(seed):
            raise ResetError(f"seed is {seed}; {_REMEDY}")
        return ids, np.uint64(seed) + ids.astype(np.uint64)
    rows = seed.tolist() if isinstance(seed, np.ndarray) else seed
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise ResetError(f"seed is {seed!r}; {_REMEDY}, or a list with one for each environment")
    if len(rows) != num_envs:
        raise ResetError(f"{len(rows)} seeds for {num_envs} environments; give one for each")
    pairs = [(env, rows[env]) for env in ids.tolist()]
    given = [(env, value) for env, value in pairs if value is not None]
    for env, value in given:
        if not _fits(value):
            raise ResetError(f"the seed of environment {env} is {value!r}; {_REMEDY}")
    return (
        np.array([env for env, _ in given], np.int64),
        np.array([value for _, value in given], np.uint64),
    )


def _fits(seed: Any) -> bool:  # noqa: ANN401 - whatever was given
    return is_whole(seed) and 0 <= seed < _LARGEST


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
