"""Reads ``<light>``, and what a world says about its physics, sky and place."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import cast, get_args

from horus_sim.robots.sdf.values import Place
from horus_sim.robots.sdf.world import (
    LightKind,
    SdfAmbience,
    SdfLight,
    SdfPhysics,
    SdfSphericalCoordinates,
    SdfWorld,
)
from horus_sim.robots.xml_values import Vector, shown, unit_vector
from horus_sim.tf import Transform


def light_of(place: Place, name: str, T_parent_light: Transform, *, link: str | None) -> SdfLight:
    """A light.

    Args:
        place: ``<light>``.
        name: Its name.
        T_parent_light: Its pose in the world, or in the link that carries it.
        link: That link as 'model::link', or None.

    Raises:
        DescriptionError: The type is unknown or a number is wrong.
    """
    place = replace(place, culprit=f"light {shown(name)}")
    place.check()
    kind = place.attribute("type")
    if kind not in get_args(LightKind):
        raise place.error(
            f"type {shown(place.element.get('type') or '')} is not known; use 'directional', "
            "'point' or 'spot'"
        )
    light = place.filled(SdfLight(name, cast(LightKind, kind), T_parent_light, link))
    direction = unit_vector(light.direction)
    if direction is None:
        length = math.hypot(*light.direction)
        raise place.error(f"<direction> has the length {length:g}; give a unit vector")
    fading, spot = place.find("attenuation") or place, place.find("spot") or place
    decay = (
        fading.float("constant", 1.0),
        fading.float("linear", 1.0),
        fading.float("quadratic", 0.0),
    )
    shadows = place.bool("cast_shadows", default=False)
    light = spot.filled(fading.filled(light))
    return replace(light, direction=direction, casts_shadows=shadows, attenuation=decay)


def physics_of(world: Place) -> SdfPhysics:
    """The default profile of a world, or SDF's own values.

    Raises:
        DescriptionError: A number is wrong.
    """
    place = _default_profile(world)
    if place is None:
        return SdfPhysics()
    physics = place.filled(SdfPhysics(place.attribute("name"), place.attribute("type")))
    if not 1e-6 <= physics.max_step_size <= 1.0:
        raise place.error(
            f"<max_step_size> is {physics.max_step_size:g} s and must be from 1e-06 to 1; 0.001 is "
            "usual"
        )
    return physics


def gravity_of(world: Place) -> Vector:
    """Gravity [m/s^2]; up to version 1.5 it stood in the physics profile.

    Raises:
        DescriptionError: A number is wrong.
    """
    place = world
    profile = _default_profile(world)
    if world.file.version < (1, 6) and world.find("gravity") is None and profile is not None:
        place = profile
    return place.vector("gravity", SdfWorld("").gravity)


def ambience_of(world: Place) -> SdfAmbience:
    """Light from everywhere and the sky.

    Raises:
        DescriptionError: A number is wrong.
    """
    place = world.find("scene")
    return SdfAmbience() if place is None else place.filled(SdfAmbience())


def place_of(world: Place) -> SdfSphericalCoordinates | None:
    """Where on a planet the world lies.

    Raises:
        DescriptionError: A number is wrong.
    """
    place = world.find("spherical_coordinates")
    return None if place is None else place.filled(SdfSphericalCoordinates())


def _default_profile(world: Place) -> Place | None:
    profiles = world.find_all("physics")
    default = next((profile for profile in profiles if profile.flag("default")), None)
    return default or (profiles[0] if profiles else None)
