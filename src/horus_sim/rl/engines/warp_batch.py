"""MuJoCo's batch with its physics steps on a GPU, by `mujoco_warp`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.engines.controls import check_controls_are_numbers
from horus_sim.rl.engines.interface import Ids, checked_like
from horus_sim.rl.engines.mujoco_batch import MujocoBackend
from horus_sim.rl.engines.warp_device import READABLE, VARIABLE, WarpDevice
from horus_sim.robots.engine import mujoco

# Kinds of states are bits in their order: from time to the acceleration that the solver starts
# with; commands come after them.
_MOTION = int(mujoco.mjtState.mjSTATE_WARMSTART) * 2 - 1
# What places shapes.
_POSES = frozenset({"body_pos", "body_quat", "geom_pos", "geom_quat"})


class WarpBackend(MujocoBackend):
    """A `Backend` that steps in single precision on Warp's device.

    States, resets, constants and rays are those of MuJoCo's batch, in double precision on the
    processor, where tasks see them. A step takes all states to the device and back; so do fields of
    the model that differ between environments, when they changed.

    Args:
        model: The model.
        num_envs: How many simulations.
        threads: Most threads for what is left to the processor; 0 for one a processor.
        owner: Name of the task, for errors.

    Raises:
        MissingExtraError: mujoco_warp is not installed.
        TaskError: The model has what mujoco_warp has not.
    """

    def __init__(
        self, model: mujoco.MjModel, num_envs: int, threads: int = 0, owner: str = "the task"
    ) -> None:
        super().__init__(model, num_envs, threads, owner)
        self._device = WarpDevice(model, num_envs, owner)
        self._motion = mujoco.mj_stateSize(model, _MOTION)
        self._every = np.arange(num_envs)
        # What the processor computes, and what tasks see.
        self._shown: dict[str, tuple[npt.NDArray[Any], npt.NDArray[Any]]] = {}
        # Values of each environment, and those that the device has.
        self._varied: dict[str, tuple[npt.NDArray[Any], npt.NDArray[Any] | None]] = {}
        self._constants_vary = False
        fixed = (model.body_weldid == 0) & (model.body_mocapid[model.body_rootid] < 0)
        self._fixed = {
            "body": np.flatnonzero(fixed),
            "geom": np.flatnonzero(fixed[model.geom_bodyid]),
        }

    def bind(self, field: str) -> npt.NDArray[Any]:
        """A field of the data, live, shape (num_envs, ...)."""
        values = super().bind(field)
        if values.flags.writeable:
            return values
        if field not in self._shown:
            if field not in READABLE or self._device.read(field).size != values.size:
                raise TaskError(
                    f"{self.owner}: mujoco_warp has no field '{field}' like MuJoCo's; compute it "
                    "from others, or leave out backend='warp'"
                )
            self._shown[field] = values, np.array(values)
        shown = self._shown[field][1].view()
        shown.flags.writeable = False
        return shown

    def expand(self, field: str) -> npt.NDArray[Any]:
        """A field of the model with values of each environment, live and writable."""
        values = super().expand(field)
        if field not in VARIABLE:
            raise TaskError(
                f"{self.owner}: mujoco_warp has one '{field}' for all environments; leave out "
                "what varies it, or backend='warp'"
            )
        self._constants_vary = False
        self._vary(field)
        return values

    def _vary(self, field: str) -> None:
        if field not in self._varied:
            self._device.vary(field)
            values = self.batch.expand(field)
            self._varied[field] = values, None

    def set_const(self, ids: Ids) -> None:
        """Computes the constants that follow from expanded fields."""
        super().set_const(ids)
        if not self._constants_vary:
            from mujoco.batch import MODEL_FIELDS

            for field in VARIABLE & MODEL_FIELDS:
                if self.batch.expanded(field) is not None:
                    self._vary(field)
            self._constants_vary = True

    def memory(self) -> list[npt.NDArray[Any]]:
        """Those of the processor, and what tasks see of the device."""
        return [*super().memory(), *(shown for _, shown in self._shown.values())]

    def read_state(self) -> dict[str, Any]:
        """That of the processor, and what tasks see of the device."""
        shown = {field: shown.copy() for field, (_, shown) in self._shown.items()}
        return {**super().read_state(), "shown": shown}

    def write_state(self, state: Mapping[str, Any]) -> None:
        """Puts back what `read_state` gave.

        Raises:
            ValueError: An array has another shape or type.
        """
        super().write_state(state)
        for field in VARIABLE & state["model"].keys():
            self._vary(field)
        for field, (computed, shown) in self._shown.items():
            shown[:] = checked_like(shown, state["shown"].get(field, computed))

    def forward(self, ids: Ids) -> None:
        """Computes the bound fields that follow from the state; nothing where there are none."""
        super().forward(ids)
        for computed, shown in self._shown.values():
            shown[ids] = computed[ids]

    def step(self, count: int, ids: Ids | None = None) -> Ids | None:
        """Advances environments; gives the ids of those that diverged, or None."""
        check_controls_are_numbers(self.owner, self.batch.bind("ctrl"))
        self._send_fields()
        states = self.batch.state
        bad = self._diverged(states)
        # What is beyond single precision becomes infinite, and is found to have diverged.
        with np.errstate(over="ignore"):
            sent = states.astype(np.float32)
        if bad.any():
            sent[bad] = self._start
        moved = self._device.advance(sent, count)
        bad |= self._diverged(moved)
        rows = self._every if ids is None else ids
        failed = rows[bad[rows]]
        if len(failed):
            rows = rows[~bad[rows]]
        states[rows] = moved[rows]
        for field, (_, shown) in self._shown.items():
            shown[rows] = self._device.read(field).reshape(shown.shape)[rows]
        if not len(failed):
            return None
        self.reset(failed)
        return failed

    def _diverged(self, states: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Where motion is not finite or beyond what MuJoCo allows, shape (num_envs,)."""
        return ~(np.abs(states[:, : self._motion]) <= mujoco.mjMAXVAL).all(axis=1)

    def _send_fields(self) -> None:
        for field, (values, sent) in self._varied.items():
            if sent is None or not np.array_equal(values, sent):
                if field in _POSES:
                    self._check_fixed(field, values)
                self._device.write(field, values)
                self._varied[field] = values, values.copy()

    def _check_fixed(self, field: str, values: npt.NDArray[Any]) -> None:
        fixed = self._fixed[field[:4]]
        if not np.array_equal(
            values[:, fixed],
            np.broadcast_to(getattr(self.model, field)[fixed], values[:, fixed].shape),
        ):
            raise TaskError(
                f"{self.owner}: mujoco_warp keeps shapes that are fixed to the world where the "
                f"model has them, and '{field}' moves one; make its body a mocap body, or leave "
                "out backend='warp'"
            )
