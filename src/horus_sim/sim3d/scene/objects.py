"""Objects of a scene: what stands, lies or moves by itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from horus_sim.sim3d.scene.base import Config, Name, PoseConfig
from horus_sim.sim3d.scene.shapes import MaterialConfig, PartConfig, Shape, SurfaceConfig

DENSITY = 500.0
"""Density [kg/m^3] of an object that gives neither mass nor density."""


class WaypointConfig(Config):
    """A pose at a time [s]."""

    time: Annotated[float, Field(ge=0)]
    pose: PoseConfig


class MotionConfig(Config):
    """A path along which an object is carried, whatever stands in its way.

    Attributes:
        waypoints: Poses in the world at increasing times; straight lines between them.
        loop: After the last waypoint: jump to the first, go back the same way, or stay.
    """

    waypoints: tuple[WaypointConfig, ...] = Field(min_length=2, max_length=100_000)
    loop: Literal["repeat", "pingpong", "once"] = "repeat"

    @model_validator(mode="after")
    def _increasing(self) -> Self:
        times = [waypoint.time for waypoint in self.waypoints]
        if times[0] != 0.0:
            raise ValueError("the first waypoint is at time 0")
        if any(later <= earlier for earlier, later in itertools.pairwise(times)):
            raise ValueError("the times of waypoints increase")
        return self


class ObjectConfig(Config):
    """A thing in the world.

    Attributes:
        name: Unique in the scene; also the name of its frame.
        shape: Its shape, or
        parts: several shapes that stay together.
        pose: Where it starts; where the path begins if it has a `motion`.
        dynamic: Whether forces move it; else it stands still or follows its `motion`.
        motion: A path on which it is carried.
        mass: [kg]; of a dynamic object.
        density: [kg/m^3]; instead of a mass.
        material: Name of a material of the scene, or one written here.
        surface: How it touches.
        collides: Whether it touches at all.
        visible: Whether it is seen.
    """

    name: Name
    shape: Shape | None = None
    parts: tuple[PartConfig, ...] = Field(default=(), max_length=10_000)
    pose: PoseConfig = PoseConfig()
    dynamic: bool = False
    motion: MotionConfig | None = None
    mass: Annotated[float, Field(gt=0)] | None = None
    density: Annotated[float, Field(gt=0)] | None = None
    material: str | MaterialConfig | None = None
    surface: SurfaceConfig = SurfaceConfig()
    collides: bool = True
    visible: bool = True

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.shape is None) == (not self.parts):
            raise ValueError("an object takes either 'shape' or 'parts'")
        if self.mass is not None and self.density is not None:
            raise ValueError("give 'mass' or 'density', not both")
        if self.dynamic and self.motion is not None:
            raise ValueError("an object is 'dynamic' or has a 'motion', not both")
        if not self.dynamic and (self.mass is not None or self.density is not None):
            raise ValueError("'mass' and 'density' need 'dynamic: true'")
        if self.dynamic:
            for part in self.all_parts():
                if part.shape.kind in ("plane", "heightmap"):
                    raise ValueError(f"a {part.shape.kind} cannot be dynamic")
        return self

    def files(self, materials: Mapping[str, MaterialConfig]) -> Iterator[str]:
        """The files that it names: of its shapes, and textures of its materials.

        Args:
            materials: The materials of the scene by name.
        """
        for part in self.all_parts():
            file = getattr(part.shape, "file", None)
            if file is not None:
                yield file
        for chosen in (self.material, *(part.material for part in self.parts)):
            config = materials.get(chosen) if isinstance(chosen, str) else chosen
            if config is not None and config.texture is not None:
                yield config.texture

    def all_parts(self) -> tuple[PartConfig, ...]:
        """The parts; one for an object with a single shape."""
        return self.parts if self.shape is None else (PartConfig(shape=self.shape),)
