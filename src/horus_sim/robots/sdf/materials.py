"""Looks and surfaces of SDF: ``<material>`` and ``<surface>``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from horus_sim.robots.description import Material, Surface
from horus_sim.robots.gazebo.colors import gazebo_color
from horus_sim.robots.gazebo.friction import stated_friction
from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.geometry import find_resource
from horus_sim.robots.sdf.values import Color, Place
from horus_sim.robots.xml_values import shown

_WHITE: Color = (1.0, 1.0, 1.0, 1.0)


def material_of(visual: Place) -> Material:
    """How a visual looks.

    Raises:
        DescriptionError: A number is wrong; or, in a strict import, a texture is not there.
    """
    usual = Material()
    opacity = 1.0 - visual.share("transparency", 0.0)
    place = visual.find("material")
    if place is None:
        return replace(usual, rgba=_faded(usual.rgba, opacity))
    place.check()
    script = place.find("script")
    name = script.text("name") if script is not None else ""
    rgba = _faded(_color(place, name), opacity)
    emission = max(place.color("emissive", (0.0, 0.0, 0.0, 1.0))[:3])
    pbr = place.find("pbr")
    metal, glossy = pbr and pbr.find("metal"), pbr and pbr.find("specular")
    look = replace(usual, name=name, rgba=rgba, emission=emission)
    if metal is not None:
        metallic, roughness = metal.share("metalness", 0.5), metal.share("roughness", 0.5)
        return replace(look, texture=_texture(metal), metallic=metallic, roughness=roughness)
    if glossy is not None:
        roughness = 1.0 - glossy.share("glossiness", 0.0)
        return replace(look, texture=_texture(glossy), roughness=roughness)
    return look


def surface_of(collision: Place) -> Surface | None:
    """How a collision touches; None if it only detects and never pushes.

    Raises:
        DescriptionError: A number is wrong.
    """
    place = collision.find("surface")
    if place is None:
        return Surface()
    place.check()
    contact = place.find("contact")
    if contact is not None and contact.bool("collide_without_contact", default=False):
        contact.note(NoteKind.IGNORED, "only detects and never pushes, and is left out")
        return None
    friction, torsional, rolling = _friction(place)
    bounce = place.find("bounce")
    restitution = None
    if bounce is not None and bounce.find("restitution_coefficient") is not None:
        restitution = bounce.share("restitution_coefficient", 0.0)
    engine = contact and (contact.find("ode") or contact.find("bullet"))
    return Surface(
        friction,
        torsional,
        rolling,
        restitution,
        # Gazebo lets the slipperier of two shapes decide, MuJoCo the rougher one; the priority
        # makes a shape that is slipperier than the usual 1 win over an ordinary one.
        priority=1 if friction is not None and friction < 1.0 else 0,
        stiffness=_positive(engine, "kp"),
        damping=_positive(engine, "kd"),
    )


def _friction(surface: Place) -> tuple[float | None, float | None, float | None]:
    place = surface.find("friction")
    if place is None:
        return None, None, None
    ode, bullet = place.find("ode"), place.find("bullet")
    friction, second = _positive(ode, "mu"), _positive(ode, "mu2")
    if ode is None:
        friction, second = _positive(bullet, "friction"), _positive(bullet, "friction2")
    if friction is not None and second is not None and friction != second:
        place.note(
            NoteKind.SUBSTITUTION,
            f"friction is the same in all directions here: mu = {friction:g} is taken, "
            f"mu2 = {second:g} is not",
        )
    torsion = place.find("torsional")
    torsional = None
    if torsion is not None and torsion.find("coefficient") is not None:
        coefficient, patch = torsion.float("coefficient", 1.0), torsion.float("patch_radius", 0.0)
        # Gazebo's torque is 3 pi / 16 * patch radius * coefficient * normal force.
        torsional = max(0.0, 0.5890486225480862 * patch * coefficient) or None
    return stated_friction(friction), torsional, _positive(bullet, "rolling_friction")


def _faded(color: Color, opacity: float) -> Color:
    r, g, b, a = color
    return r, g, b, a * opacity


def _color(place: Place, script: str) -> Color:
    for tag in ("diffuse", "ambient"):
        if place.find(tag) is not None:
            return place.color(tag, _WHITE)
    if not script:
        return _WHITE
    color = gazebo_color(script)
    place.note(
        NoteKind.SUBSTITUTION,
        f"the material script {shown(script)} is not read; "
        + ("a colour like it is taken" if color else "the usual grey is taken"),
    )
    return color or Material().rgba


def _texture(workflow: Place) -> Path | None:
    uri = workflow.text("albedo_map")
    named = replace(workflow, culprit=f"{workflow.culprit}, <albedo_map>")
    return find_resource(uri, named) if uri else None


def _positive(place: Place | None, tag: str) -> float | None:
    if place is None or not place.text(tag):
        return None
    return max(0.0, place.float(tag, 0.0))
