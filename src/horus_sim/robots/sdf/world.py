"""What an SDF file holds, after everything it includes has been read and every pose resolved."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from horus_sim.robots.description import IDENTITY, RobotDescription
from horus_sim.robots.gazebo.parts import SdfSensor
from horus_sim.robots.report import Report
from horus_sim.tf import Transform

LightKind = Literal["directional", "point", "spot"]


@dataclass(frozen=True, slots=True)
class SdfLight:
    """A lamp.

    Attributes:
        name: Name in the file.
        kind: 'directional', 'point' or 'spot'.
        T_parent_light: Its pose in the world, or in `link`.
        link: The link that carries it, as 'model::link', or None for the world.
        direction: Unit vector of the beam, in the light's frame; directional and spot only.
        diffuse: Colour and alpha, each from 0 to 1.
        specular: Colour and alpha of its highlights.
        intensity: Factor on both colours.
        casts_shadows: Whether things stand in its way.
        range: Where it ends [m].
        attenuation: Constant, linear [1/m] and quadratic [1/m^2] factor of the distance.
        inner_angle: Full brightness within this cone [rad]; spot only.
        outer_angle: Dark outside this cone [rad]; spot only.
        falloff: Exponent of the fading between the two cones.
    """

    name: str
    kind: LightKind
    T_parent_light: Transform = IDENTITY
    link: str | None = None
    direction: tuple[float, float, float] = (0.0, 0.0, -1.0)
    diffuse: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    specular: tuple[float, float, float, float] = (0.1, 0.1, 0.1, 1.0)
    intensity: float = 1.0
    casts_shadows: bool = False
    range: float = 10.0
    attenuation: tuple[float, float, float] = (1.0, 1.0, 0.0)
    inner_angle: float = 0.0
    outer_angle: float = 0.0
    falloff: float = 0.0


@dataclass(frozen=True, slots=True)
class SdfPhysics:
    """How the file wants the world to be stepped.

    Attributes:
        name: Name of the profile, or ''.
        engine: The engine it was tuned for; no wish that is followed here.
        max_step_size: Time step [s].
        real_time_factor: Simulated seconds in one real second.
        real_time_update_rate: Steps per real second [Hz].
    """

    name: str = ""
    engine: str = ""
    max_step_size: float = 0.001
    real_time_factor: float = 1.0
    real_time_update_rate: float = 1000.0


@dataclass(frozen=True, slots=True)
class SdfSphericalCoordinates:
    """Where on a planet the origin of the world lies.

    Attributes:
        surface_model: Shape of the planet, such as 'EARTH_WGS84'.
        world_frame_orientation: Which way the axes point: 'ENU', 'NED' or 'NWU'.
        latitude_deg: North of the equator [deg].
        longitude_deg: East of Greenwich [deg].
        elevation: Above the surface [m].
        heading_deg: From east to the x axis, counter-clockwise [deg].
    """

    surface_model: str = "EARTH_WGS84"
    world_frame_orientation: str = "ENU"
    latitude_deg: float = 0.0
    longitude_deg: float = 0.0
    elevation: float = 0.0
    heading_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class SdfAmbience:
    """Light from everywhere and the sky.

    Attributes:
        ambient: Colour and alpha of the light that has no source.
        background: Colour and alpha behind everything.
        shadows: Whether shadows are drawn.
    """

    ambient: tuple[float, float, float, float] = (0.4, 0.4, 0.4, 1.0)
    background: tuple[float, float, float, float] = (0.7, 0.7, 0.7, 1.0)
    shadows: bool = True


@dataclass(frozen=True, slots=True)
class SdfModel:
    """A model of the top level, with all that is nested in it.

    SDF joins any links or none, so a model is one description per tree of links. Links of nested
    models are called 'inner::link'.

    Attributes:
        name: Name of the model.
        trees: Its trees: first that of the canonical link, called as the model, then 'model#2' and
            so on. A tree that a joint holds to the world has the root link 'world'. Empty for a
            model without links.
        is_static: Whether nothing of it ever moves.
        T_world_model: Pose of the model's own frame.
        sensors: Sensors in the order of the file.
        lights: Those on its links.
    """

    name: str
    trees: tuple[RobotDescription, ...]
    is_static: bool = False
    T_world_model: Transform = IDENTITY
    sensors: tuple[SdfSensor, ...] = ()
    lights: tuple[SdfLight, ...] = ()


@dataclass(frozen=True, slots=True)
class SdfWorld:
    """A world.

    Attributes:
        name: Name of the world.
        models: Models in the order of the file.
        lights: Those of the world itself; those on links are in `SdfModel.lights`.
        gravity: [m/s^2].
        magnetic_field: [T].
        physics: The profile that is marked as default, or the first.
        ambience: Light from everywhere and the sky.
        spherical_coordinates: Where on a planet the origin lies, or None.
        frames: Named frames of the world: name -> T_world_frame.
    """

    name: str
    models: tuple[SdfModel, ...] = ()
    lights: tuple[SdfLight, ...] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.8)
    magnetic_field: tuple[float, float, float] = (5.5645e-6, 22.8758e-6, -42.3884e-6)
    physics: SdfPhysics = SdfPhysics()
    ambience: SdfAmbience = SdfAmbience()
    spherical_coordinates: SdfSphericalCoordinates | None = None
    frames: dict[str, Transform] = field(default_factory=dict)

    @property
    def descriptions(self) -> tuple[RobotDescription, ...]:
        """All trees of all models."""
        return tuple(tree for model in self.models for tree in model.trees)


@dataclass(frozen=True, slots=True)
class SdfFile:
    """An SDF file.

    Attributes:
        path: The file.
        version: Version of the format that the file declares.
        worlds: Worlds in the order of the file.
        models: Models outside of worlds.
        lights: Lights outside of worlds.
        report: What was assumed, replaced or left out.
    """

    path: Path
    version: str
    worlds: tuple[SdfWorld, ...]
    models: tuple[SdfModel, ...]
    lights: tuple[SdfLight, ...]
    report: Report

    @property
    def descriptions(self) -> tuple[RobotDescription, ...]:
        """All trees of all models, inside worlds and outside."""
        of_worlds = tuple(tree for world in self.worlds for tree in world.descriptions)
        return of_worlds + tuple(tree for model in self.models for tree in model.trees)
