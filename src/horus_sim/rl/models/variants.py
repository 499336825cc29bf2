"""Different things in each environment: several models of one make, one of them in each episode.

Models that a spec gives for other shapes, meshes, sizes or lengths of links differ in values of
some fields, and in nothing else. Each environment has values of its own in these fields: those of
one of the models, with the constants that follow from them, as if it ran on that model alone. But
`stat.meaninertia`, by which the solver scales its tolerance, is that of the first model.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Backend, Ids
from horus_sim.robots.engine import mujoco

# What environments cannot differ in: the assets that they share, and names.
_SHARED = (
    *("mesh_vertadr", "mesh_vertnum", "mesh_vert", "mesh_faceadr", "mesh_face", "mesh_graphadr"),
    *("hfield_adr", "hfield_data", "hfield_size", "tex_adr", "skin_vertadr", "names"),
)


class ModelVariants:
    """Models of which each environment is one; a task chooses in its `vary`.

    Args:
        sim: The simulations, of the first of the models.
        models: The models, compiled from one spec with other values.

    Attributes:
        fields: Fields in which the models differ.
        chosen: Which model each environment is, shape (num_envs,).

    Raises:
        TaskError: The models are made otherwise, or the engine has one value of such a field.
    """

    def __init__(self, sim: Backend, models: Sequence[mujoco.MjModel]) -> None:
        self._values = differing(models, sim.owner)
        self.fields = tuple(self._values)
        self.chosen = np.zeros(sim.num_envs, np.int64)
        self._rows = []
        for field, values in self._values.items():
            expanded = sim.expand(field)
            # Boxes about parts of meshes come last in 'bvh_aabb', and no environment has own ones.
            own = values[:, : expanded.shape[1]] if field == "bvh_aabb" else values
            self._rows.append((expanded, sim.base(field), own))

    def choose(self, ids: Ids, which: npt.NDArray[np.int64]) -> None:
        """Makes environments into one of the models each.

        Args:
            ids: The environments.
            which: Numbers of the models, shape (len(ids),).
        """
        self.chosen[ids] = which
        for expanded, base, values in self._rows:
            base[ids] = expanded[ids] = values[which]

    def dress(self, model: mujoco.MjModel, env: int) -> None:
        """Writes what an environment is into a model of the same make."""
        for field, values in self._values.items():
            write_field(model, field, values[self.chosen[env]])


class PictureVariants:
    """Models for pictures, in the order of those for physics.

    Args:
        models: The models; pictures show the first.
    """

    def __init__(self, models: Sequence[mujoco.MjModel]) -> None:
        self.model = models[0]
        self._values = differing(models, "pictures")

    def dress(self, which: int) -> None:
        """Makes the model into one of them."""
        for field, values in self._values.items():
            write_field(self.model, field, values[which])


def differing(models: Sequence[mujoco.MjModel], owner: str) -> dict[str, npt.NDArray[Any]]:
    """Fields in which models differ, with the values of each, shape (models, ...).

    Args:
        models: The models.
        owner: Whose they are, for errors.

    Raises:
        TaskError: There are none, or they are of different makes.
    """
    from mujoco.batch import MODEL_FIELDS

    if not models:
        raise TaskError(f"{owner}: there are no models to vary between; give one at least")
    for field in _SHARED:
        if len({_bytes(model, field) for model in models}) > 1:
            what = "names" if field == "names" else f"assets ('{field}')"
            raise TaskError(
                f"{owner}: the models to vary between have different {what}; compile all of them "
                "from one spec that has all of their meshes"
            )
    found = {}
    for field in sorted(MODEL_FIELDS):
        values = [np.asarray(attrgetter(field)(model)) for model in models]
        if len({value.shape for value in values}) > 1:
            raise TaskError(
                f"{owner}: the models to vary between have '{field}' of shapes "
                f"{sorted({value.shape for value in values})}; compile them from one spec with the "
                "same bodies, joints and shapes, and simple=False for bodies that differ"
            )
        if len({value.tobytes() for value in values}) > 1:
            found[field] = np.stack(values)
    return found


def write_field(model: mujoco.MjModel, field: str, value: npt.NDArray[Any]) -> None:
    """Sets a field of a model, such as 'geom_size' or 'opt.gravity'."""
    holder, _, name = field.rpartition(".")
    owner = attrgetter(holder)(model) if holder else model
    if value.ndim:
        getattr(owner, name)[...] = value
    else:
        setattr(owner, name, value.item())


def _bytes(model: mujoco.MjModel, field: str) -> bytes:
    value = getattr(model, field)
    return value if isinstance(value, bytes) else np.asarray(value).tobytes()
