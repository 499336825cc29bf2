"""The state of a world: saved, restored, and carried over to a changed model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from horus_sim.errors import Sim3dError
from horus_sim.files.checked_bytes import seal, unseal
from horus_sim.files.packing import pack, unpack
from horus_sim.files.whole_file import write_whole
from horus_sim.robots.engine import mujoco

INTEGRATION = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_MARK = b"HS3D"
_VERSION = 3
_WIDTHS = {int(mujoco.mjtJoint.mjJNT_FREE): (7, 6), int(mujoco.mjtJoint.mjJNT_BALL): (4, 3)}
"""Numbers of positions and velocities of joints that have several."""


@dataclass(frozen=True, slots=True, eq=False)
class WorldSnapshot:
    """All that decides how a world goes on.

    Attributes:
        steps: Steps since the start.
        physics: MuJoCo's integration state: positions, velocities, warm start, controls, applied
            forces, carried bodies; shape (n,).
        gains: Gain and bias of every actuator, shape (n_actuators, 20).
        rng: State of the random numbers, as text.
        controllers: State of each controller, in their order.
        layout: What the model is made of, in short.
        parts: Names of robots and objects.
        sensors: State of each sensor, by name.
    """

    steps: int
    physics: npt.NDArray[np.float64]
    gains: npt.NDArray[np.float64]
    rng: str
    controllers: tuple[Any, ...]
    layout: str
    parts: tuple[str, ...]
    sensors: dict[str, Any] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WorldSnapshot):
            return NotImplemented
        return self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash

    def save(self, path: Path | str) -> None:
        """Writes a file of plain data, with a version and a checksum.

        Raises:
            Sim3dError: The file cannot be written.
        """
        write_whole(Path(path), self.to_bytes(), Sim3dError)

    @classmethod
    def load(cls, path: Path | str) -> WorldSnapshot:
        """Reads what `save` wrote; nothing in the file is run.

        Raises:
            Sim3dError: The file cannot be read, was altered, or another version wrote it.
        """
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            reason = error.strerror or error
            raise Sim3dError(f"'{path}' cannot be read: {reason}; check the path") from error
        return cls._read(data, f"the bytes of '{path}'", "save the snapshot anew")

    def to_bytes(self) -> bytes:
        """The state as bytes, with a version and a checksum; equal states give equal bytes."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return seal(pack(fields), _MARK, _VERSION)

    @classmethod
    def from_bytes(cls, data: bytes) -> WorldSnapshot:
        """The state from what `to_bytes` gave.

        Raises:
            Sim3dError: These are not such bytes, they were altered, or another version wrote them.
        """
        return cls._read(data, "these bytes", "give what WorldSnapshot.to_bytes gave")

    @classmethod
    def _read(cls, data: bytes, subject: str, remedy: str) -> WorldSnapshot:
        try:
            content = unseal(data, _MARK, _VERSION)
            fields = unpack(content)
            fields["controllers"] = tuple(fields["controllers"])
            fields["parts"] = tuple(fields["parts"])
            return cls(**fields)
        except (msgspec.DecodeError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise Sim3dError(f"{subject} hold no state of a world: {error}; {remedy}") from error


def layout_of(model: mujoco.MjModel) -> str:
    """What decides whether a state fits a model, in short."""
    sizes = (model.nq, model.nv, model.na, model.nu, model.nmocap, model.neq, model.nbody)
    sizes = (*sizes, model.opt.timestep)
    return hashlib.sha256(bytes(model.names) + repr(sizes).encode()).hexdigest()[:16]


def read_physics(model: mujoco.MjModel, data: mujoco.MjData) -> npt.NDArray[np.float64]:
    """MuJoCo's integration state, shape (n,)."""
    state = np.empty(mujoco.mj_stateSize(model, INTEGRATION))
    mujoco.mj_getState(model, data, state, INTEGRATION)
    return state


def read_gains(model: mujoco.MjModel) -> npt.NDArray[np.float64]:
    """Gain and bias of every actuator, shape (n_actuators, 20)."""
    return np.concatenate((model.actuator_gainprm, model.actuator_biasprm), axis=1)


def write_gains(model: mujoco.MjModel, gains: npt.NDArray[np.float64]) -> None:
    """Sets gain and bias of every actuator."""
    half = model.actuator_gainprm.shape[1]
    model.actuator_gainprm[:] = gains[:, :half]
    model.actuator_biasprm[:] = gains[:, half:]


def carry_over(
    old: mujoco.MjModel, old_data: mujoco.MjData, new: mujoco.MjModel, new_data: mujoco.MjData
) -> None:
    """Copies the state of everything that both models have, by name, bit by bit."""

    def common(kind: mujoco.mjtObj, count: int) -> Iterator[tuple[int, int]]:
        """Index of each element in both models, the new one first."""
        for i in range(count):
            name = mujoco.mj_id2name(new, int(kind), i)
            j = mujoco.mj_name2id(old, int(kind), name) if name else -1
            if j >= 0:
                yield i, j

    new_data.time = old_data.time
    for i, j in common(mujoco.mjtObj.mjOBJ_JOINT, new.njnt):
        positions, velocities = _WIDTHS.get(int(new.jnt_type[i]), (1, 1))
        a, b = int(old.jnt_qposadr[j]), int(new.jnt_qposadr[i])
        new_data.qpos[b : b + positions] = old_data.qpos[a : a + positions]
        a, b = int(old.jnt_dofadr[j]), int(new.jnt_dofadr[i])
        for quantity in ("qvel", "qacc_warmstart", "qfrc_applied"):
            values = getattr(old_data, quantity)[a : a + velocities]
            getattr(new_data, quantity)[b : b + velocities] = values
    for i, j in common(mujoco.mjtObj.mjOBJ_BODY, new.nbody):
        new_data.xfrc_applied[i] = old_data.xfrc_applied[j]
        a, b = int(old.body_mocapid[j]), int(new.body_mocapid[i])
        if a >= 0 and b >= 0:
            new_data.mocap_pos[b] = old_data.mocap_pos[a]
            new_data.mocap_quat[b] = old_data.mocap_quat[a]
    for i, j in common(mujoco.mjtObj.mjOBJ_ACTUATOR, new.nu):
        new_data.ctrl[i] = old_data.ctrl[j]
        new.actuator_gainprm[i] = old.actuator_gainprm[j]
        new.actuator_biasprm[i] = old.actuator_biasprm[j]
        count = int(new.actuator_actnum[i])
        if count > 0:
            a, b = int(old.actuator_actadr[j]), int(new.actuator_actadr[i])
            new_data.act[b : b + count] = old_data.act[a : a + count]
    for i, j in common(mujoco.mjtObj.mjOBJ_EQUALITY, new.neq):
        new_data.eq_active[i] = old_data.eq_active[j]
