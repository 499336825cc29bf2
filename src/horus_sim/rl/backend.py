"""What tasks need of a physics engine that runs many simulations, and MuJoCo's batch behind it.

The interface is all that a task sees, so that another engine with the same fields can stand behind
it; `horus_sim.rl.warp_backend` has one.
"""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.control_check import unusable_controls
from horus_sim.rl.forked import lose_batch_in_forks
from horus_sim.rl.live_controls import LiveControls
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.stepping import log_warnings

if TYPE_CHECKING:
    from horus_sim.rl.constants import MassConstants

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

_NO_STAGE = int(mujoco.mjtStage.mjSTAGE_NONE)
# Fields of the model that a simulation starts from.
_STARTS = frozenset({"qpos0", "body_pos", "body_quat", "eq_active0"})


class Backend(Protocol):
    """Simulations of one model, with their fields as arrays over environments.

    Attributes:
        model: The model that all share, apart from expanded fields.
        num_envs: How many simulations.
        threads: Most threads that work on them.
    """

    model: mujoco.MjModel
    num_envs: int
    threads: int

    def bind(self, field: str) -> npt.NDArray[Any]:
        """A field of the data, such as 'qpos', live, shape (num_envs, ...); state is writable.

        Fields that are no state describe the state before the last physics step, after a reset
        the state that the reset left (see `forward`); where one is bound only then, the present.
        """
        ...

    def expand(self, field: str) -> npt.NDArray[Any]:
        """A field of the model with values of each environment, live and writable."""
        ...

    def step(self, count: int, ids: Ids | None = None) -> Ids | None:
        """Advances environments, all unless told; gives the ids of those that diverged, or None.

        Raises:
            TaskError: Controls of one cannot be used.
        """
        ...

    def reset(self, ids: Ids) -> None:
        """Sets environments to the model's start, without computing what follows from it."""
        ...

    def forward(self, ids: Ids) -> None:
        """Computes the bound fields that follow from the state; nothing where there are none."""
        ...

    def set_const(self, ids: Ids) -> None:
        """Computes the constants that follow from expanded fields such as masses."""
        ...

    def ray(
        self,
        origins: Floats,
        directions: Floats,
        groups: npt.NDArray[np.uint8] | None = None,
        ids: Ids | None = None,
    ) -> Floats:
        """Distances [m] along rays, world frame, shape (n, rays); -1 where nothing is hit.

        Args:
            origins: Where rays start, (n, rays, 3) or broadcast to it.
            directions: Unit vectors, (n, rays, 3) or broadcast to it.
            groups: Which groups of shapes count, shape (6,), or all.
            ids: The n environments, or all.
        """
        ...

    def snapshot(
        self, env: int, model: mujoco.MjModel | None = None
    ) -> tuple[mujoco.MjModel, mujoco.MjData]:
        """One environment as a model, written into `model` if given, and data of its own."""
        ...


class MujocoBackend:
    """`mujoco.batch.Batch` as a `Backend`: bit-identical at any number of threads.

    In a process that is forked from the one that made it, every use raises a `ForkError`, unless
    it has one thread.

    Args:
        model: The model.
        num_envs: How many simulations.
        threads: Most threads that step them; 0 for one a processor.
        owner: Whose model it is, for errors.
    """

    ctrl = LiveControls("self.sim.ctrl")

    def __init__(
        self, model: mujoco.MjModel, num_envs: int, threads: int = 0, owner: str = "the task"
    ) -> None:
        from mujoco import batch

        log_warnings()
        self._owner = owner
        self.model = model
        self.num_envs = num_envs
        self.threads = min(threads or len(os.sched_getaffinity(0)), num_envs)
        self.batch = batch.Batch(model, num_envs, self.threads)
        lose_batch_in_forks(self)
        self._failure = batch.SimulationError
        warnings = mujoco.mjtWarning
        first, last = int(warnings.mjWARN_BADQPOS), int(warnings.mjWARN_BADCTRL)
        self._bad = self.batch.warning[:, first : last + 1, 1]
        self._no_warnings = bytes(self._bad.nbytes)
        self._warnings = self.batch.warning
        # Where a simulation starts; MuJoCo's own reset is asked where that differs between them.
        self._start = self.batch.state[0].copy()
        self._starts_differ = False
        self._derived: dict[str, npt.NDArray[Any]] = {}
        self._has_begun = False
        self._constants: MassConstants | None = None
        self._has_constants = False

    def bind(self, field: str) -> npt.NDArray[Any]:
        """A field of the data, live, shape (num_envs, ...)."""
        try:
            values = self.batch.bind(field)
        except (ValueError, TypeError) as error:
            raise TaskError(f"{self._owner}: {error}") from error
        if not values.flags.writeable and field not in self._derived:
            if self._has_begun:
                self._compute_late()
            self._derived[field] = values
        return values

    def _compute_late(self) -> None:
        """Computes what was just bound, and leaves everything else as it was."""
        state, warnings = self.batch.state.copy(), self._warnings.copy()
        held = [(values, values.copy()) for values in self._derived.values()]
        self.batch.forward()
        self.batch.state[:], self._warnings[:] = state, warnings
        for values, before in held:
            # Such arrays refuse to be written to.
            ctypes.memmove(values.ctypes.data, before.ctypes.data, before.nbytes)

    def expand(self, field: str) -> npt.NDArray[Any]:
        """A field of the model with values of each environment, live and writable."""
        try:
            values = self.batch.expand(field)
        except (ValueError, TypeError) as error:
            raise TaskError(f"{self._owner}: {error}") from error
        self._starts_differ |= field in _STARTS
        self._has_constants = False
        return values

    def step(self, count: int, ids: Ids | None = None) -> Ids | None:
        """Advances environments; gives the ids of those that diverged, or None."""
        failed = None
        try:
            self.batch.step(ids, count)
        except self._failure as error:
            failed = error.ids
        # Bytes are compared several times faster than NumPy reduces a short array.
        if self._bad.tobytes() != self._no_warnings:
            self._check_controls()
            bad = np.flatnonzero(self._bad.any(axis=1))
            return bad if failed is None else np.union1d(bad, failed)
        return failed

    def _check_controls(self) -> None:
        bad = np.flatnonzero(self._bad[:, -1])
        if len(bad):
            self._bad[bad, -1] = 0
            raise unusable_controls(self._owner, self.batch.bind("ctrl"), bad)

    def reset(self, ids: Ids) -> None:
        """Sets environments to the model's start."""
        self._has_begun = True
        if self._starts_differ or self._derived:
            self.batch.reset(ids, stage=_NO_STAGE)
        else:
            # What that does, without the way to its threads.
            self.batch.state[ids] = self._start
            self._warnings[ids] = 0

    def forward(self, ids: Ids) -> None:
        """Computes the bound fields that follow from the state; nothing where there are none."""
        if self._derived:
            self.batch.forward(ids)

    def set_const(self, ids: Ids) -> None:
        """Computes the constants that follow from expanded fields."""
        if not self._has_constants:
            from horus_sim.rl.constants import MassConstants

            self._constants = MassConstants(self.batch) if MassConstants.fits(self.batch) else None
            self._has_constants = True
        if self._constants is None:
            self.batch.set_const(ids)
        else:
            self._constants.update(ids)

    def ray(
        self,
        origins: Floats,
        directions: Floats,
        groups: npt.NDArray[np.uint8] | None = None,
        ids: Ids | None = None,
    ) -> Floats:
        """Distances [m] along rays, world frame, shape (n, rays); -1 where nothing is hit."""
        return self.batch.ray(origins, directions, geomgroup=groups, ids=ids)[0]

    def snapshot(
        self, env: int, model: mujoco.MjModel | None = None
    ) -> tuple[mujoco.MjModel, mujoco.MjData]:
        """One environment as a model, written into `model` if given, and data of its own."""
        model = self.batch.get_model(env, model)
        data = self.batch.get_data(env)
        mujoco.mj_forward(model, data)
        return model, data
