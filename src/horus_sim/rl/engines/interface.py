"""What tasks need of an engine that runs many simulations.

The interface is all that a task sees of physics: live arrays of the state, questions about the
model by name, steps and resets. MuJoCo's batch (`mujoco_batch`), the same with its steps on a GPU
(`warp_batch`) and the worlds of the 2D simulator (`planar_batch`) are behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from horus_sim.errors import UnknownTaskError
from horus_sim.files.names import propose

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ids = npt.NDArray[np.int64]
Rows = slice | Ids
ALL: Rows = slice(None)


class Backend(Protocol):
    """Simulations of one model, with their fields as arrays over environments.

    Attributes:
        owner: Name of the task, for errors.
        num_envs: Number of simulations.
        threads: Most threads that work on them.
        timestep: Length of a physics step [s].
        dimensions: 3 where the model is MuJoCo's; 2 for worlds of the 2D simulator.
        state_fields: Fields that `reset` of a task writes and that must be finite then.
    """

    owner: str
    num_envs: int
    threads: int
    timestep: float
    dimensions: int
    state_fields: tuple[str, ...]

    def bind(self, field: str) -> npt.NDArray[Any]:
        """A field of the data, such as 'qpos', live, shape (num_envs, ...); state is writable.

        Other fields describe the state before the last physics step, after a reset the state that
        the reset left (see `forward`); where one is bound only then, the present.

        Raises:
            TaskError: There is no such field.
        """
        ...

    def expand(self, field: str) -> npt.NDArray[Any]:
        """A field of the model with values of each environment, live and writable.

        Raises:
            TaskError: There is no such field, or it cannot differ between environments.
        """
        ...

    def nominal(self, field: str) -> npt.NDArray[Any]:
        """A field of the model that all environments share, such as 'body_mass' or 'opt.gravity'.

        Raises:
            TaskError: There is no such field.
        """
        ...

    def base(self, field: str) -> npt.NDArray[Any]:
        """Values of each environment that randomizations of a field of the model start from.

        They are those of the model until they are written to; see `ModelVariants`.

        Raises:
            TaskError: There is no such field, or it cannot differ between environments.
        """
        ...

    def own_base(self, field: str) -> npt.NDArray[Any] | None:
        """What `base` gave for a field, or None where all environments start from the model's."""
        ...

    def names(self, kind: str) -> tuple[str, ...]:
        """Names of all elements of a kind, at the places of their ids; '' for those without one.

        Args:
            kind: Such as 'body', 'geom', 'site', 'joint' or 'actuator'.
        """
        ...

    def ids(self, kind: str, names: Iterable[str]) -> Ids:
        """Ids of elements of a kind by their names.

        Raises:
            UnknownTaskError: A name is unknown; the text proposes close ones.
        """
        known = {name: number for number, name in enumerate(self.names(kind))}
        chosen = tuple(names)
        for name in chosen:
            if name not in known:
                raise UnknownTaskError(propose(name, known, f"the model of {self.owner}", kind))
        return np.array([known[name] for name in chosen], np.int64)

    def id(self, kind: str, name: str) -> int:
        """Id of one element of a kind by its name; see `ids`."""
        return int(self.ids(kind, (name,))[0])

    def control_ranges(self) -> tuple[Floats, Floats]:
        """Least and largest control of each actuator, shape (actuators,) each.

        Raises:
            TaskError: The model does not bound the control of an actuator.
        """
        ...

    def free_bodies(self) -> Ids:
        """First degree of freedom of each body that moves freely."""
        ...

    def step(self, count: int, ids: Ids | None = None) -> Ids | None:
        """Advances environments, all unless told; gives the ids of those that diverged, or None.

        Raises:
            TaskError: Controls of one cannot be used.
        """
        ...

    def reset(self, ids: Ids) -> None:
        """Sets environments to the model's start, without computing what follows from it."""

    def forward(self, ids: Ids) -> None:
        """Computes the bound fields that follow from the state; nothing where there are none."""

    def set_const(self, ids: Ids) -> None:
        """Computes the constants that follow from expanded fields such as masses."""

    def fingerprint(self) -> str:
        """What decides whether a state fits these simulations, in short."""
        ...

    def memory(self) -> list[npt.NDArray[Any]]:
        """The arrays that `read_state` covers; those that tasks bind lie in them."""
        ...

    def read_state(self) -> dict[str, Any]:
        """All that decides how the simulations go on, as plain data with arrays; copies."""
        ...

    def write_state(self, state: Mapping[str, Any]) -> None:
        """Puts back what `read_state` gave, of these or of others with the same fingerprint.

        Raises:
            ValueError: It does not fit.
        """
        ...

    def ranges(
        self,
        origins: Floats,
        directions: Floats,
        range_max: float,
        groups: npt.NDArray[np.uint8] | None = None,
        ids: Ids | None = None,
    ) -> Floats:
        """Distances [m] that lidars measure, shape (n, rays); infinite where nothing is in range.

        Args:
            origins: Where rays start [m], world frame, shape (n, 3).
            directions: Unit vectors, world frame, shape (n, rays, 3).
            range_max: How far rays see [m].
            groups: Which groups of shapes are met, shape (6,), or all that are drawn.
            ids: The n environments, or all.

        Raises:
            TaskError: Rays of this engine start elsewhere.
        """
        ...


def checked_like(values: npt.NDArray[Any], new: object) -> npt.NDArray[Any]:
    """The new values of an array.

    Raises:
        ValueError: They have another shape or type.
    """
    given = np.asarray(new)
    if (given.shape, given.dtype) != (values.shape, values.dtype):
        raise ValueError(
            f"{given.dtype} of shape {given.shape} stand where {values.dtype} of shape "
            f"{values.shape} are"
        )
    return given
