"""Reads ``<light>``, and what a world says about its physics, sky and place."""

from __future__ import annotations

import math

from horus_sim.robots.sdf.context import SourceFile
from horus_sim.robots.sdf.values import (
    child_bool,
    child_color,
    child_float,
    child_text,
    child_vector,
)
from horus_sim.robots.sdf.world import (
    LightKind,
    SdfAmbience,
    SdfLight,
    SdfPhysics,
    SdfSphericalCoordinates,
    SdfWorld,
)
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import parse_bool, shown
from horus_sim.tf import Transform

_KINDS: dict[str, LightKind] = {"directional": "directional", "point": "point", "spot": "spot"}


def light_of(
    element: Element, file: SourceFile, name: str, T_parent_light: Transform, *, link: str | None
) -> SdfLight:
    """A light.

    Args:
        element: ``<light>``.
        file: Where it stands.
        name: Its name.
        T_parent_light: Its pose in the world, or in the link that carries it.
        link: That link as 'model::link', or None.

    Raises:
        DescriptionError: The type is unknown or a number is wrong.
    """
    culprit = f"light {shown(name)}"
    file.loading.check_children(element, culprit)
    kind = _KINDS.get((element.get("type") or "").strip())
    if kind is None:
        raise element.error(
            f"{culprit}: type {shown(element.get('type') or '')} is not known; use 'directional', "
            "'point' or 'spot'"
        )
    direction = child_vector(element, "direction", culprit, (0.0, 0.0, -1.0))
    length = math.hypot(*direction)
    if not 1e-9 < length < 1e9:
        raise element.error(f"{culprit}: <direction> has the length {length:g}; give a unit vector")
    x, y, z = (value / length for value in direction)
    fading = element.find("attenuation") or element
    spot = element.find("spot") or element
    return SdfLight(
        name,
        kind,
        T_parent_light,
        link,
        (x, y, z),
        child_color(element, "diffuse", culprit, (1.0, 1.0, 1.0, 1.0)),
        child_color(element, "specular", culprit, (0.1, 0.1, 0.1, 1.0)),
        child_float(element, "intensity", culprit, 1.0),
        child_bool(element, "cast_shadows", culprit, default=False),
        child_float(fading, "range", culprit, 10.0),
        (
            child_float(fading, "constant", culprit, 1.0),
            child_float(fading, "linear", culprit, 1.0),
            child_float(fading, "quadratic", culprit, 0.0),
        ),
        child_float(spot, "inner_angle", culprit, 0.0),
        child_float(spot, "outer_angle", culprit, 0.0),
        child_float(spot, "falloff", culprit, 0.0),
    )


def physics_of(world: Element, culprit: str) -> SdfPhysics:
    """The default profile of a world, or SDF's own values.

    Raises:
        DescriptionError: A number is wrong.
    """
    element = _default_profile(world, culprit)
    if element is None:
        return SdfPhysics()
    name = (element.get("name") or "").strip()
    step = child_float(element, "max_step_size", culprit, 0.001)
    if not 1e-6 <= step <= 1.0:
        raise element.error(
            f"{culprit}: <max_step_size> is {step:g} s and must be from 1e-06 to 1; 0.001 is usual"
        )
    return SdfPhysics(
        name,
        (element.get("type") or "").strip(),
        step,
        child_float(element, "real_time_factor", culprit, 1.0),
        child_float(element, "real_time_update_rate", culprit, 1000.0),
    )


def gravity_of(
    world: Element, culprit: str, version: tuple[int, int]
) -> tuple[float, float, float]:
    """Gravity [m/s^2]; up to version 1.5 it stood in the physics profile.

    Raises:
        DescriptionError: A number is wrong.
    """
    element = world
    profile = _default_profile(world, culprit)
    if version < (1, 6) and world.find("gravity") is None and profile is not None:
        element = profile
    return child_vector(element, "gravity", culprit, SdfWorld("").gravity)


def ambience_of(world: Element, culprit: str) -> SdfAmbience:
    """Light from everywhere and the sky.

    Raises:
        DescriptionError: A number is wrong.
    """
    usual = SdfAmbience()
    element = world.find("scene")
    if element is None:
        return usual
    return SdfAmbience(
        child_color(element, "ambient", culprit, usual.ambient),
        child_color(element, "background", culprit, usual.background),
        child_bool(element, "shadows", culprit, default=usual.shadows),
    )


def place_of(world: Element, culprit: str) -> SdfSphericalCoordinates | None:
    """Where on a planet the world lies.

    Raises:
        DescriptionError: A number is wrong.
    """
    element = world.find("spherical_coordinates")
    if element is None:
        return None
    usual = SdfSphericalCoordinates()
    return SdfSphericalCoordinates(
        child_text(element, "surface_model", usual.surface_model),
        child_text(element, "world_frame_orientation", usual.world_frame_orientation),
        child_float(element, "latitude_deg", culprit, 0.0),
        child_float(element, "longitude_deg", culprit, 0.0),
        child_float(element, "elevation", culprit, 0.0),
        child_float(element, "heading_deg", culprit, 0.0),
    )


def _default_profile(world: Element, culprit: str) -> Element | None:
    profiles = world.find_all("physics")
    for element in profiles:
        text = element.get("default") or "false"
        if parse_bool(text, element=element, what="<physics> default", culprit=culprit):
            return element
    return profiles[0] if profiles else None
