"""A model and its simulations on the device of NVIDIA's Warp: they step there and keep no state.

Every step begins with the states that it is given, so that what is on the device can be made anew
at any time: with more room for contacts, or with another field that differs between environments.
"""

from __future__ import annotations

import copy
import dataclasses
import logging
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import MissingExtraError, TaskError
from horus_sim.robots.engine import mujoco

if find_spec("mujoco_warp") is None:
    raise MissingExtraError("mujoco-warp", "warp")

import mujoco_warp as mjw  # pyright: ignore[reportMissingImports]
import warp as wp  # pyright: ignore[reportMissingImports]

Rows32 = npt.NDArray[np.float32]

_log = logging.getLogger("horus_sim.rl")
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
# They change no result: how pairs are looked for, and what the batch makes of a divergence.
_NEEDLESS = int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE | mujoco.mjtDisableBit.mjDSBL_AUTORESET)
_FULL = mjw.OverflowType
_ROOM = _FULL.NEFC | _FULL.NJMAX_NNZ | _FULL.BROADPHASE | _FULL.NARROWPHASE | _FULL.CCD
# Iterations that end at their limit are as in MuJoCo, which does not tell them either.
_TOLD = _FULL.ALL & ~(_ROOM | _FULL.ITERATIONS | _FULL.LS_ITERATIONS)
_MOST_CONTACTS = 8192
# What is left out on the device where the model has none of it, by the fields that can bring it.
_SWITCHES = {
    "opt.wind": "has_fluid",
    "opt.density": "has_fluid",
    "opt.viscosity": "has_fluid",
    "tendon_stiffness": "has_tendon_stiffness",
    "tendon_stiffnesspoly": "has_tendon_stiffness",
    "tendon_damping": "has_tendon_damping",
    "tendon_dampingpoly": "has_tendon_damping",
}


def _names(kind: Any, first: str) -> frozenset[str]:  # noqa: ANN401 - a dataclass of mujoco_warp
    """Fields whose first dimension is that one."""
    return frozenset(
        field.name
        for field in dataclasses.fields(kind)
        if getattr(field.type, "shape", ())[:1] == (first,)
    )


VARIABLE = _names(mjw.Model, "*") | {f"opt.{name}" for name in _names(mjw.Option, "*")}
READABLE = _names(mjw.Data, "nworld")


class WarpDevice:
    """Simulations of one model on Warp's preferred device: the first GPU, else the processor.

    Args:
        model: The model.
        num_envs: How many simulations.
        owner: Name of the task, for errors.

    Raises:
        TaskError: The model has what mujoco_warp has not.
    """

    def __init__(self, model: mujoco.MjModel, num_envs: int, owner: str) -> None:
        self._host = host = copy.copy(model)
        host.opt.disableflags &= ~_NEEDLESS
        self._num_envs, self.owner = num_envs, owner
        wp.init()
        self.device = wp.get_preferred_device()
        with wp.ScopedDevice(self.device):
            try:
                self._model = mjw.put_model(host)
            except (NotImplementedError, ValueError) as error:
                raise TaskError(
                    f"{owner}: its model cannot run on mujoco_warp ({error}); change the model, or "
                    "leave out backend='warp'"
                ) from error
            self._data = mjw.make_data(host, nworld=num_envs)
            size = mujoco.mj_stateSize(model, _STATE)
            self._before: Any = wp.zeros((num_envs, size), dtype=float)
            self._after: Any = wp.zeros((num_envs, size), dtype=float)
        # Told by `advance`, not printed by kernels; the same seed is to be the same result.
        self._model.opt.warn_overflow = 0
        self._model.opt.deterministic = True
        if self.device.is_cuda and not wp.is_conditional_graph_supported():
            self._model.opt.graph_conditional = False
        self._graphs: dict[int, Any] = {}
        self._told = 0

    def vary(self, field: str) -> None:
        """Gives a field of the model, one of `VARIABLE`, values of each simulation."""
        holder, name = self._place(field)
        shared = getattr(holder, name)
        with wp.ScopedDevice(self.device):
            own = wp.zeros((self._num_envs, *shared.shape[1:]), dtype=shared.dtype)
        setattr(holder, name, own)
        if field in _SWITCHES:
            setattr(self._model, _SWITCHES[field], True)
        self._graphs.clear()

    def write(self, field: str, values: npt.NDArray[Any]) -> None:
        """Sets a field of the model that differs between simulations."""
        holder, name = self._place(field)
        array = getattr(holder, name)
        array.assign(values.reshape(*array.shape, *getattr(array.dtype, "_shape_", ())))

    def _place(self, field: str) -> tuple[Any, str]:
        if field.startswith("opt."):
            return self._model.opt, field.removeprefix("opt.")
        return self._model, field

    def advance(self, states: Rows32, count: int) -> Rows32:
        """States after a number of physics steps, as MuJoCo's `mjSTATE_INTEGRATION` orders them.

        Args:
            states: Before, shape (num_envs, numbers).
            count: How many steps.

        Raises:
            TaskError: There are more contacts than there can be room for.
        """
        with wp.ScopedDevice(self.device):
            self._before.assign(states)
            while True:
                wp.capture_launch(self._graph(count))
                lacking = int(np.bitwise_or.reduce(self._data.overflow.numpy()))
                if not lacking & _ROOM:
                    break
                self._make_room()
            if lacking & _TOLD & ~self._told:
                self._tell(lacking & _TOLD)
            return self._after.numpy()

    def read(self, field: str) -> npt.NDArray[Any]:
        """A field of the data, one of `READABLE`, shape (num_envs, ...)."""
        with wp.ScopedDevice(self.device):
            return getattr(self._data, field).numpy()

    def _graph(self, count: int) -> Any:  # noqa: ANN401 - Warp's
        graph = self._graphs.get(count)
        if graph is None:
            # Kernels are compiled and loaded by a first run; a capture is not to wait for that.
            self._run(1)
            with wp.ScopedCapture(self.device) as capture:
                self._run(count)
            self._graphs[count] = graph = capture.graph
        return graph

    def _run(self, count: int) -> None:
        model, data = self._model, self._data
        data.overflow.zero_()
        mjw.set_state(model, data, self._before, _STATE)
        for _ in range(count):
            mjw.step(model, data)
        mjw.get_state(model, data, self._after, _STATE)

    def _make_room(self) -> None:
        contacts = 2 * self._data.naconmax // self._num_envs
        if contacts > _MOST_CONTACTS:
            raise TaskError(
                f"{self.owner}: there are more than {_MOST_CONTACTS // 2} contacts in an "
                "environment; let fewer shapes touch, or leave out backend='warp'"
            )
        self._data = mjw.make_data(
            self._host, nworld=self._num_envs, nconmax=contacts, njmax=2 * self._data.njmax
        )
        self._graphs.clear()

    def _tell(self, kinds: int) -> None:
        self._told |= kinds
        _log.warning(
            "%s: mujoco_warp dropped contacts or readings beyond its limits (%s); make shapes "
            "simpler, or leave out backend='warp'",
            self.owner,
            ", ".join(str(kind.name) for kind in _FULL if kind & kinds and kind & (kind - 1) == 0),
        )
