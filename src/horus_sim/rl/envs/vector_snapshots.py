"""Snapshots, copies and pickles of many environments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import EnvSnapshotError, HorusError
from horus_sim.rl.engines.interface import Ids
from horus_sim.rl.envs.pickling import TaskReference
from horus_sim.rl.envs.snapshot import EnvSnapshot

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode

    from horus_sim.rl.envs.task_runner import TaskRunner
    from horus_sim.rl.tasks.task import Task

# What copies and pickles have besides a snapshot: samples of spaces, and what Gymnasium keeps.
_CARRIED = (
    *("single_observation_space", "single_action_space", "observation_space", "action_space"),
    *("spec", "_np_random", "_np_random_seed"),
)


class VectorSnapshots:
    """What `VectorEnv` can do with its whole state; the attributes are those of `VectorEnv`."""

    task: Task[Any]
    num_envs: int
    copies: bool
    diverged_total: int
    render_mode: str | None
    _runner: TaskRunner
    _threads: int
    _mode: AutoresetMode
    _over: Ids | None
    _resting: Ids | None
    _was_reset: bool
    _check_open: Callable[[], None]
    _observations: Callable[[], npt.NDArray[np.float32]]

    def snapshot(self) -> EnvSnapshot:
        """All that decides how the environments go on; `apply_snapshot` continues bit by bit.

        Raises:
            ResetError: They are closed.
            EnvSnapshotError: The task remembers something that cannot be kept.
        """
        self._check_open()
        task = self.task
        try:
            state = {
                **self._runner.read_state(),
                "over": self._over,
                "resting": self._resting,
                "was_reset": self._was_reset,
                "diverged_total": self.diverged_total,
            }
        except ValueError as error:
            raise EnvSnapshotError(f"{type(task).__name__}: {error}") from error
        return EnvSnapshot(
            type(task).__qualname__,
            task.config.model_dump_json(),
            task.sim.fingerprint(),
            self.num_envs,
            self._mode.value,
            state,
        )

    def apply_snapshot(self, snapshot: EnvSnapshot) -> npt.NDArray[np.float32]:
        """Goes back to a saved state, of these environments or of others made alike.

        The number of threads may be another.

        Args:
            snapshot: What `snapshot` gave.

        Returns:
            The observations as they were, shape (num_envs, columns).

        Raises:
            ResetError: They are closed.
            EnvSnapshotError: The snapshot is of other environments; these stay as they were.
        """
        before = self.snapshot()
        snapshot.check_fits(before)
        if snapshot.wrappers:
            raise EnvSnapshotError(
                f"the snapshot is of environments in {len(snapshot.wrappers)} wrappers; apply it "
                "to such ones"
            )
        try:
            self._load(snapshot.state)
        except Exception as error:
            self._load(before.state)
            if isinstance(error, HorusError):
                raise
            raise EnvSnapshotError(
                f"the snapshot does not fit these environments ({type(error).__name__}: {error}); "
                "they stay as they were"
            ) from error
        return self._observations()

    def _load(self, state: Mapping[str, Any]) -> None:
        every = np.arange(self.num_envs)
        for name in ("over", "resting"):
            if state[name] is not None and not np.isin(state[name], every).all():
                raise ValueError(f"'{name}' names environments that are not there")
        self._runner.write_state(state)
        self._over, self._resting = (
            None if state[name] is None else state[name].copy() for name in ("over", "resting")
        )
        self._was_reset, self.diverged_total = state["was_reset"], state["diverged_total"]

    def __reduce__(self) -> tuple[Callable[..., VectorSnapshots], tuple[Any, ...]]:
        own = {name: value for name, value in vars(self).items() if name in _CARRIED}
        given = (self.num_envs, self._threads, self._mode.value)
        words = {"copy": self.copies, "render_mode": self.render_mode}
        reference = TaskReference.of(self.task)
        return _rebuilt, (type(self), reference, given, words, own, self.snapshot())


def _rebuilt(
    kind: Callable[..., VectorSnapshots],
    task: TaskReference,
    given: tuple[Any, ...],
    words: dict[str, Any],
    own: dict[str, Any],
    snapshot: EnvSnapshot,
) -> VectorSnapshots:
    envs = kind(task.build(), *given, **words)
    envs.apply_snapshot(snapshot)
    vars(envs).update(own)
    return envs
