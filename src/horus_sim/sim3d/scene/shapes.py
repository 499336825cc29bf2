"""Shapes, materials and surfaces in a scene."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from horus_sim.sim3d.scene.base import Config, Finite, PoseConfig, Rgba, Share, Vector3

Length = Annotated[float, Field(ge=1e-6, le=1e6)]
"""A size [m]; below a micrometre, volumes and masses vanish in the rounding."""
FilePath = Annotated[str, Field(min_length=1, max_length=4096)]


class _Shape(Config):
    @model_validator(mode="after")
    def _keep_kind(self) -> Self:
        # Saved files hold what was set; without its kind a shape could not be read back.
        self.__pydantic_fields_set__.add("kind")
        return self


class BoxShape(_Shape):
    """A cuboid centred on its pose; `size` holds the full edge lengths [m]."""

    kind: Literal["box"] = "box"
    size: tuple[Length, Length, Length]


class SphereShape(_Shape):
    """A ball; `radius` [m]."""

    kind: Literal["sphere"] = "sphere"
    radius: Length


class CylinderShape(_Shape):
    """A cylinder along z; `radius` and full `length` [m]."""

    kind: Literal["cylinder"] = "cylinder"
    radius: Length
    length: Length


class CapsuleShape(_Shape):
    """A cylinder along z with half-balls on its ends; `length` [m] without them."""

    kind: Literal["capsule"] = "capsule"
    radius: Length
    length: Length


class ConeShape(_Shape):
    """A cone along z with the tip up; `radius` and full `length` [m]."""

    kind: Literal["cone"] = "cone"
    radius: Length
    length: Length


class EllipsoidShape(_Shape):
    """An ellipsoid; half axes `radii` [m]."""

    kind: Literal["ellipsoid"] = "ellipsoid"
    radii: tuple[Length, Length, Length]


class PlaneShape(_Shape):
    """A plane across z; infinite, drawn with `size` [m]."""

    kind: Literal["plane"] = "plane"
    size: tuple[Length, Length] = (100.0, 100.0)


class MeshShape(_Shape):
    """A mesh from a file beside the scene; `scale` per axis. It touches as its convex hull."""

    kind: Literal["mesh"] = "mesh"
    file: FilePath
    scale: Vector3 = (1.0, 1.0, 1.0)


class PolylineShape(_Shape):
    """A prism over closed outlines [m], from z = 0 to `height` [m]; inner outlines are holes."""

    kind: Literal["polyline"] = "polyline"
    outlines: tuple[Annotated[tuple[tuple[Finite, Finite], ...], Field(min_length=3)], ...] = Field(
        min_length=1, max_length=1000
    )
    height: Length


class TerrainNoiseConfig(Config):
    """Hills from random numbers.

    Attributes:
        seed: The same seed gives the same hills.
        resolution: Points along each side.
        feature_size: Width [m] of the largest hills.
        octaves: How many times finer and flatter hills are added.
        flat_radius: Distance [m] from the middle within which the ground stays flat.
    """

    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    resolution: Annotated[int, Field(ge=3, le=1025)] = 129
    feature_size: Length = 4.0
    octaves: Annotated[int, Field(ge=1, le=8)] = 3
    flat_radius: Annotated[float, Field(ge=0)] = 0.0


class HeightmapShape(_Shape):
    """Terrain from a grey image or from noise.

    Attributes:
        file: Image, black low and white high; its top is at +y.
        noise: Random hills instead of an image.
        size: Extent along x and y, and height from black to white [m].
    """

    kind: Literal["heightmap"] = "heightmap"
    file: FilePath | None = None
    noise: TerrainNoiseConfig | None = None
    size: tuple[Length, Length, Length]

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.file is None) == (self.noise is None):
            raise ValueError("a heightmap takes either 'file' or 'noise'")
        return self


Shape = Annotated[
    BoxShape
    | SphereShape
    | CylinderShape
    | CapsuleShape
    | ConeShape
    | EllipsoidShape
    | PlaneShape
    | MeshShape
    | HeightmapShape
    | PolylineShape,
    Field(discriminator="kind"),
]


class MaterialConfig(Config):
    """How a surface looks.

    Attributes:
        rgba: Colour and opacity, each from 0 to 1.
        texture: Image file beside the scene.
        metallic: 0 for plastic, 1 for metal.
        roughness: 0 for a mirror, 1 for chalk.
        emission: Share of the colour that shines by itself.
    """

    rgba: Rgba = (0.8, 0.8, 0.8, 1.0)
    texture: FilePath | None = None
    metallic: Share = 0.1
    roughness: Share = 0.8
    emission: Share = 0.0


class SurfaceConfig(Config):
    """How a shape touches; what is not given is as the scene's physics says.

    Attributes:
        friction: Coulomb coefficient of sliding.
        torsional: Coefficient of spinning [m].
        rolling: Coefficient of rolling [m].
        restitution: Share of the speed kept in a bounce.
        contact_dimensions: 1 without friction, 3 sliding, 4 spinning, 6 rolling.
        priority: The shape of the higher priority decides how two touch.
        stiffness: [N/m].
        damping: [N s/m].
    """

    friction: Annotated[float, Field(ge=0)] | None = None
    torsional: Annotated[float, Field(ge=0)] | None = None
    rolling: Annotated[float, Field(ge=0)] | None = None
    restitution: Share | None = None
    contact_dimensions: Literal[1, 3, 4, 6] | None = None
    priority: Annotated[int, Field(ge=-1000, le=1000)] = 0
    stiffness: Annotated[float, Field(gt=0)] | None = None
    damping: Annotated[float, Field(ge=0)] | None = None


class PartConfig(Config):
    """One shape of an object made of several.

    Attributes:
        shape: The shape.
        pose: Where it is in the object.
        material: Name of a material of the scene, or one written here; the object's by default.
    """

    shape: Shape
    pose: PoseConfig = PoseConfig()
    material: str | MaterialConfig | None = None
