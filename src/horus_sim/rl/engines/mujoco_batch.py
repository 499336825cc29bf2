"""MuJoCo's batch as an engine of tasks."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.engines.controls import LiveControls, unusable_controls
from horus_sim.rl.engines.forked import lose_batch_in_forks
from horus_sim.rl.engines.interface import Backend, Floats, Ids, checked_like
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.sensors.rays.batch import batch_ranges
from horus_sim.sim3d.world.snapshot import layout_of
from horus_sim.sim3d.world.stepping import log_warnings
from horus_sim.system import available_cores

if TYPE_CHECKING:
    from horus_sim.rl.engines.mass_constants import MassConstants

_NO_STAGE = int(mujoco.mjtStage.mjSTAGE_NONE)
# Numbers of elements that MuJoCo abbreviates.
_COUNTS = {"joint": "njnt", "actuator": "nu"}
# Fields of the model that a simulation starts from.
_STARTS = frozenset({"qpos0", "body_pos", "body_quat", "eq_active0"})


class MujocoBackend(Backend):
    """`mujoco.batch.Batch` as a `Backend`: bit-identical at any number of threads.

    In a process that is forked from the one that made it, every use raises a `ForkError`, unless
    it has one thread.

    Args:
        model: The model.
        num_envs: How many simulations.
        threads: Most threads that step them; 0 for one a processor.
        owner: Name of the task, for errors.
        keeps_data: Whether all that the last step computed is kept for each simulation, for
            `forces_from_outside`; it takes more memory and a few per cent of time.

    Attributes:
        model: The model that all simulations share, apart from expanded fields.
        batch: MuJoCo's batch.
    """

    ctrl = LiveControls("self.sim.ctrl")
    dimensions = 3
    state_fields = ("qpos", "qvel")

    def __init__(
        self,
        model: mujoco.MjModel,
        num_envs: int,
        threads: int = 0,
        owner: str = "the task",
        *,
        keeps_data: bool = False,
    ) -> None:
        from mujoco import batch

        if not isinstance(model, mujoco.MjModel):
            is_spec = isinstance(model, mujoco.MjSpec)
            remedy = "call compile()" if is_spec else "return a mujoco.MjModel"
            raise TaskError(f"{owner}: build_model() gave {type(model).__name__}; {remedy}")
        log_warnings()
        self.owner = owner
        self.model = model
        self.num_envs = num_envs
        self.timestep = float(model.opt.timestep)
        self.threads = min(threads or available_cores(), num_envs)
        self.batch = batch.Batch(model, num_envs, self.threads, keeps_data)
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
        self._bases: dict[str, npt.NDArray[Any]] = {}
        self._has_begun = False
        self._constants: MassConstants | None = None
        self._has_constants = False

    def bind(self, field: str) -> npt.NDArray[Any]:
        """A field of the data, live, shape (num_envs, ...)."""
        try:
            values = self.batch.bind(field)
        except (ValueError, TypeError) as error:
            raise TaskError(f"{self.owner}: {error}") from error
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
            _overwrite(values, before)

    def expand(self, field: str) -> npt.NDArray[Any]:
        """A field of the model with values of each environment, live and writable."""
        try:
            values = self.batch.expand(field)
        except (ValueError, TypeError) as error:
            raise TaskError(f"{self.owner}: {error}") from error
        self._starts_differ |= field in _STARTS
        self._has_constants = False
        return values

    def base(self, field: str) -> npt.NDArray[Any]:
        """Values of each environment that randomizations of a field of the model start from."""
        if field not in self._bases:
            self._bases[field] = self.expand(field).copy()
        return self._bases[field]

    def own_base(self, field: str) -> npt.NDArray[Any] | None:
        """What `base` gave for a field, or None."""
        return self._bases.get(field)

    def nominal(self, field: str) -> npt.NDArray[Any]:
        """A field of the model that all environments share."""
        try:
            return attrgetter(field)(self.model)
        except AttributeError as error:
            raise TaskError(f"{self.owner}: {error}") from error

    def names(self, kind: str) -> tuple[str, ...]:
        """Names of all elements of a kind, at the places of their ids."""
        count = getattr(self.model, _COUNTS.get(kind, f"n{kind}"))
        return tuple(getattr(self.model, kind)(number).name for number in range(count))

    def control_ranges(self) -> tuple[Floats, Floats]:
        """Least and largest control of each actuator, shape (actuators,) each.

        The control of a motor, whose force is a factor times it, is bounded by the range of that
        force where it has no range of its own.
        """
        model = self.model
        fixed, none = int(mujoco.mjtGain.mjGAIN_FIXED), int(mujoco.mjtDyn.mjDYN_NONE)
        gain = model.actuator_gainprm[:, 0]
        is_motor = (
            (model.actuator_gaintype == fixed)
            & (model.actuator_dyntype == none)
            & (model.actuator_biasprm == 0).all(axis=1)
            & (gain > 0)
            & model.actuator_forcelimited.astype(bool)
        )
        forces = model.actuator_forcerange / np.where(is_motor, gain, 1.0)[:, None]
        ranges = np.where(is_motor[:, None], forces, (-np.inf, np.inf))
        is_limited = model.actuator_ctrllimited.astype(bool)
        low, high = np.where(is_limited[:, None], model.actuator_ctrlrange, ranges).T
        unbounded = np.flatnonzero(~np.isfinite(low))
        if len(unbounded):
            first = int(unbounded[0])
            name = model.actuator(first).name
            raise TaskError(
                f"{self.owner}: actuator {repr(name) if name else first} has no control range, so "
                f"its action would have no bounds ({len(unbounded)} in all); give it a ctrlrange "
                "in the model, or return bounds from action_bounds()"
            )
        return low, high

    def free_bodies(self) -> Ids:
        """First degree of freedom of each body that moves freely."""
        free = self.model.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)
        return self.model.jnt_dofadr[free]

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
            raise unusable_controls(self.owner, self.batch.bind("ctrl"), bad)

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
            from horus_sim.rl.engines.mass_constants import MassConstants

            self._constants = MassConstants(self.batch) if MassConstants.fits(self.batch) else None
            self._has_constants = True
        if self._constants is None:
            self.batch.set_const(ids)
        else:
            self._constants.update(ids)

    def ranges(
        self,
        origins: Floats,
        directions: Floats,
        range_max: float,
        groups: npt.NDArray[np.uint8] | None = None,
        ids: Ids | None = None,
    ) -> Floats:
        """Distances [m] that lidars measure, shape (n, rays)."""
        return batch_ranges(self.batch, origins, directions, range_max, groups, ids)

    @cached_property
    def _one(self) -> mujoco.MjData:
        return mujoco.MjData(self.model)

    def forces_from_outside(self, ids: Ids, out: Floats) -> None:
        """Writes torques and forces that contacts exerted on bodies in the last physics step.

        They are those of `mj_rnePostConstraint` as Gymnasium calls it, one simulation after the
        other; simulations must keep their data (`keeps_data`).

        Args:
            ids: The simulations.
            out: Torque [N m] about the centre of mass of the whole tree, then force [N], world
                frame, of each body; shape (num_envs, bodies, 6).
        """
        data = self._one
        for env in ids.tolist():
            self.batch.get_data(env, data)
            mujoco.mj_rnePostConstraint(self.model, data)
            out[env] = data.cfrc_ext

    def fingerprint(self) -> str:
        """What decides whether a state fits these simulations, in short."""
        return layout_of(self.model)

    def memory(self) -> list[npt.NDArray[Any]]:
        """States, what follows from them, and fields of the model of each environment."""
        return [self.batch.state, *self._derived.values(), *self._expanded().values()]

    def _expanded(self) -> dict[str, npt.NDArray[Any]]:
        from mujoco.batch import MODEL_FIELDS

        values = {field: self.batch.expanded(field) for field in sorted(MODEL_FIELDS)}
        return {field: given for field, given in values.items() if given is not None}

    def read_state(self) -> dict[str, Any]:
        """States, warnings, fields that follow, and fields of the model of each environment."""
        return {
            "has_begun": self._has_begun,
            "state": self.batch.state.copy(),
            "warnings": self._warnings.copy(),
            "derived": {field: np.array(values) for field, values in self._derived.items()},
            "model": {field: np.array(values) for field, values in self._expanded().items()},
        }

    def write_state(self, state: Mapping[str, Any]) -> None:
        """Puts back what `read_state` gave.

        Raises:
            ValueError: An array has another shape or type.
        """
        model = state["model"]
        for field in {*model, *self._expanded()}:
            values = self.batch.expand(field)
            # What only these simulations vary is as in the model that they share.
            shared = attrgetter(field)(self.model)
            values[...] = checked_like(values, model[field]) if field in model else shared
        derived = state["derived"]
        if self._derived.keys() - derived:
            self.batch.state[:] = checked_like(self.batch.state, state["state"])
            self.batch.forward()
        for field in self._derived.keys() & derived:
            _overwrite(self._derived[field], checked_like(self._derived[field], derived[field]))
        self.batch.state[:] = checked_like(self.batch.state, state["state"])
        self._warnings[:] = checked_like(self._warnings, state["warnings"])
        self._has_begun = bool(state["has_begun"])

    def snapshot(
        self, env: int, model: mujoco.MjModel | None = None
    ) -> tuple[mujoco.MjModel, mujoco.MjData]:
        """One environment as a model, written into `model` if given, and data of its own."""
        model = self.batch.get_model(env, model)
        data = self.batch.get_data(env)
        mujoco.mj_forward(model, data)
        return model, data


def _overwrite(values: npt.NDArray[Any], new: npt.NDArray[Any]) -> None:
    """Writes into an array that refuses to be written to."""
    ctypes.memmove(values.ctypes.data, np.ascontiguousarray(new).ctypes.data, new.nbytes)
