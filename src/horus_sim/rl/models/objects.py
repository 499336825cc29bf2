"""Things to be grasped: boxes, cylinders and meshes of several sizes, as settings of a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, Field

from horus_sim.errors import DescriptionError, TaskError
from horus_sim.files.config import Positive
from horus_sim.rl.settings import Config, ordered
from horus_sim.robots.description import Mesh
from horus_sim.robots.engine import mujoco
from horus_sim.robots.mesh.meshes import load_mesh
from horus_sim.robots.report import Report
from horus_sim.sim3d.compile.assets import AssetStore

# A hull of more faces collides more slowly, and grasps no better.
_MOST_FACES = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """A shape of one size; its frame is the middle of the box about it.

    Attributes:
        name: What it is, for errors.
        kind: Kind of MuJoCo's shape.
        size: MuJoCo's sizes [m]; of no meaning for meshes.
        half: Half lengths of the box about it [m], shape (3,).
        mass: [kg].
        vertices: Those of a mesh [m], shape (n, 3), or None.
        faces: Its triangles, shape (m, 3), or None.
    """

    name: str
    kind: mujoco.mjtGeom
    size: tuple[float, float, float]
    half: npt.NDArray[np.float64]
    mass: float
    vertices: npt.NDArray[np.float64] | None = None
    faces: npt.NDArray[np.int32] | None = None

    def half_width(self, yaw: float) -> float:
        """How far it reaches along y where it is turned by up to an angle [m].

        Args:
            yaw: The angle about z, either way [rad].
        """
        if self.kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
            return float(self.half[1])
        corners = self.half * [(1, 1, 1), (1, -1, 1)] if self.vertices is None else self.vertices
        turns = np.linspace(-yaw, yaw, 9)[:, None]
        across = corners[:, 0] * np.sin(turns) + corners[:, 1] * np.cos(turns)
        return float(np.abs(across).max())


class _ObjectConfig(Config):
    """What all of them have.

    Attributes:
        mass: At scale 1 [kg]; other sizes are as dense.
        scale: Least and largest factor on lengths.
        sizes: How many sizes there are from the least to the largest scale.
    """

    mass: Positive = 0.1
    scale: Annotated[tuple[Positive, Positive], AfterValidator(ordered)] = (1.0, 1.0)
    sizes: Annotated[int, Field(ge=1, le=100)] = 1

    def things(self) -> list[Thing]:
        """One of each size."""
        low, high = self.scale
        scales = np.linspace(low, high, self.sizes) if self.sizes > 1 else [0.5 * (low + high)]
        return [self._thing(float(scale)) for scale in scales]

    def _thing(self, scale: float) -> Thing:
        raise NotImplementedError


class BoxConfig(_ObjectConfig):
    """A box.

    Attributes:
        shape: 'box'.
        size: Length along x, width between the fingers, and height [m].
    """

    shape: Literal["box"]
    size: tuple[Positive, Positive, Positive] = (0.04, 0.04, 0.04)

    def _thing(self, scale: float) -> Thing:
        half = scale * np.array(self.size) / 2
        size = (float(half[0]), float(half[1]), float(half[2]))
        return Thing("box", mujoco.mjtGeom.mjGEOM_BOX, size, half, self.mass * scale**3)


class CylinderConfig(_ObjectConfig):
    """An upright cylinder.

    Attributes:
        shape: 'cylinder'.
        radius: [m].
        height: [m].
    """

    shape: Literal["cylinder"]
    radius: Positive = 0.02
    height: Positive = 0.05

    def _thing(self, scale: float) -> Thing:
        radius, half = scale * self.radius, scale * self.height / 2
        size = (radius, half, 0.0)
        box = np.array([radius, radius, half])
        return Thing("cylinder", mujoco.mjtGeom.mjGEOM_CYLINDER, size, box, self.mass * scale**3)


class MeshConfig(_ObjectConfig):
    """A mesh, whose convex hull is grasped; it lies as the file has it, Z up.

    Attributes:
        shape: 'mesh'.
        file: STL, OBJ, COLLADA, glTF or PLY file, in metres.
    """

    shape: Literal["mesh"]
    file: Path

    def _thing(self, scale: float) -> Thing:
        try:
            mesh = Mesh(self.file, str(self.file))
            loaded = load_mesh(mesh, max_faces=_MOST_FACES)
        except DescriptionError as error:
            raise TaskError(f"objects: {error}") from error
        vertices = scale * loaded.vertices.astype(np.float64)
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        half, mass = (high - low) / 2, self.mass * scale**3
        kind, name = mujoco.mjtGeom.mjGEOM_MESH, f"mesh '{self.file.name}'"
        middle = vertices - (low + half)
        return Thing(name, kind, (0.0, 0.0, 0.0), half, mass, middle, loaded.faces)


ObjectConfig = Annotated[BoxConfig | CylinderConfig | MeshConfig, Field(discriminator="shape")]


def things_of(objects: Sequence[_ObjectConfig]) -> list[Thing]:
    """Every object in every size.

    Raises:
        TaskError: A mesh cannot be read.
    """
    return [thing for config in objects for thing in config.things()]


def compile_things(
    spec: mujoco.MjSpec, shape: mujoco.MjsGeom, things: Sequence[Thing]
) -> list[mujoco.MjModel]:
    """A model for each thing in the place of a shape; see `ModelVariants`.

    Args:
        spec: The spec of all else.
        shape: The shape; its body has `simple=False`, for not all are.
        things: The things.
    """
    assets = AssetStore(spec, Report())
    names = [
        ""
        if thing.vertices is None or thing.faces is None
        else assets.mesh(thing.vertices, thing.faces)
        for thing in things
    ]
    models = []
    for thing, name in zip(things, names, strict=True):
        shape.type, shape.size, shape.mass, shape.meshname = (
            thing.kind,
            thing.size,
            thing.mass,
            name,
        )
        models.append(spec.compile())
    return models
