"""Looks and surfaces of SDF: ``<material>`` and ``<surface>``."""

from __future__ import annotations

from pathlib import Path

from horus_sim.robots.description import Material, Surface
from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.context import SourceFile
from horus_sim.robots.sdf.geometry import find_resource
from horus_sim.robots.sdf.values import (
    Color,
    child_bool,
    child_color,
    child_float,
    child_text,
)
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import shown

_WHITE: Color = (1.0, 1.0, 1.0, 1.0)

# Colours that stand in for the material scripts that old Gazebo shipped.
_GAZEBO_COLORS: dict[str, Color] = {
    "Grey": (0.7, 0.7, 0.7, 1.0),
    "Gray": (0.7, 0.7, 0.7, 1.0),
    "DarkGrey": (0.175, 0.175, 0.175, 1.0),
    "DarkGray": (0.175, 0.175, 0.175, 1.0),
    "White": (1.0, 1.0, 1.0, 1.0),
    "FlatBlack": (0.1, 0.1, 0.1, 1.0),
    "Black": (0.0, 0.0, 0.0, 1.0),
    "Red": (1.0, 0.0, 0.0, 1.0),
    "RedBright": (0.87, 0.26, 0.07, 1.0),
    "Green": (0.0, 1.0, 0.0, 1.0),
    "Blue": (0.0, 0.0, 1.0, 1.0),
    "SkyBlue": (0.13, 0.44, 0.7, 1.0),
    "Yellow": (1.0, 1.0, 0.0, 1.0),
    "ZincYellow": (0.9742, 0.9, 0.0, 1.0),
    "DarkYellow": (0.7, 0.7, 0.0, 1.0),
    "Purple": (1.0, 0.0, 1.0, 1.0),
    "Turquoise": (0.0, 1.0, 1.0, 1.0),
    "Orange": (1.0, 0.51, 0.12, 1.0),
    "Indigo": (0.33, 0.0, 0.5, 1.0),
    "Gold": (0.8, 0.65, 0.25, 1.0),
    "Wood": (0.6, 0.44, 0.27, 1.0),
    "WoodFloor": (0.6, 0.44, 0.27, 1.0),
    "WoodPallet": (0.65, 0.5, 0.33, 1.0),
    "Residential": (0.6, 0.58, 0.55, 1.0),
    "Road": (0.3, 0.3, 0.3, 1.0),
}


def material_of(visual: Element, file: SourceFile, culprit: str) -> Material:
    """How a visual looks.

    Raises:
        DescriptionError: A number is wrong; or, in a strict import, a texture is not there.
    """
    transparency = child_float(visual, "transparency", culprit, 0.0)
    opacity = 1.0 - min(max(transparency, 0.0), 1.0)
    element = visual.find("material")
    if element is None:
        r, g, b, a = Material().rgba
        return Material(rgba=(r, g, b, a * opacity))
    file.loading.check_children(element, culprit)
    script = element.find("script")
    name = child_text(script, "name") if script is not None else ""
    color = _color(element, name, file, culprit)
    emissive = child_color(element, "emissive", culprit, (0.0, 0.0, 0.0, 1.0))
    metal = _workflow(element, "metal")
    glossy = _workflow(element, "specular")
    texture = None
    metallic, roughness = Material().metallic, Material().roughness
    if metal is not None:
        texture = _texture(metal, file, culprit)
        metallic = _share(metal, "metalness", culprit, 0.5)
        roughness = _share(metal, "roughness", culprit, 0.5)
    elif glossy is not None:
        texture = _texture(glossy, file, culprit)
        roughness = 1.0 - _share(glossy, "glossiness", culprit, 0.0)
    r, g, b, a = color
    return Material(name, (r, g, b, a * opacity), texture, metallic, roughness, max(emissive[:3]))


def surface_of(collision: Element, file: SourceFile, culprit: str) -> Surface | None:
    """How a collision touches; None if it only detects and never pushes.

    Raises:
        DescriptionError: A number is wrong.
    """
    element = collision.find("surface")
    if element is None:
        return Surface()
    file.loading.check_children(element, culprit)
    contact = element.find("contact")
    if contact is not None and child_bool(
        contact, "collide_without_contact", culprit, default=False
    ):
        file.loading.note(
            NoteKind.IGNORED, contact, culprit, "only detects and never pushes, and is left out"
        )
        return None
    friction, torsional, rolling = _friction(element, file, culprit)
    bounce = element.find("bounce")
    restitution = None
    if bounce is not None and bounce.find("restitution_coefficient") is not None:
        restitution = _share(bounce, "restitution_coefficient", culprit, 0.0)
    engine = _engine(contact, ("ode", "bullet"))
    stiffness = _positive(engine, "kp", culprit)
    damping = _positive(engine, "kd", culprit)
    return Surface(
        friction,
        torsional,
        rolling,
        restitution,
        # Gazebo lets the slipperier of two shapes decide, MuJoCo the rougher one; the priority
        # makes a shape that is slipperier than the usual 1 win over an ordinary one.
        priority=1 if friction is not None and friction < 1.0 else 0,
        stiffness=stiffness,
        damping=damping,
    )


def _friction(
    surface: Element, file: SourceFile, culprit: str
) -> tuple[float | None, float | None, float | None]:
    element = surface.find("friction")
    if element is None:
        return None, None, None
    ode, bullet = element.find("ode"), element.find("bullet")
    friction = _positive(ode, "mu", culprit)
    second = _positive(ode, "mu2", culprit)
    if ode is None:
        friction = _positive(bullet, "friction", culprit)
        second = _positive(bullet, "friction2", culprit)
    if friction is not None and second is not None and friction != second:
        file.loading.note(
            NoteKind.SUBSTITUTION,
            element,
            culprit,
            f"friction is the same in all directions here: mu = {friction:g} is taken, "
            f"mu2 = {second:g} is not",
        )
    rolling = _positive(bullet, "rolling_friction", culprit)
    torsion = element.find("torsional")
    torsional = None
    if torsion is not None and torsion.find("coefficient") is not None:
        coefficient = child_float(torsion, "coefficient", culprit, 1.0)
        patch = child_float(torsion, "patch_radius", culprit, 0.0)
        # Gazebo's torque is 3 pi / 16 * patch radius * coefficient * normal force.
        torsional = max(0.0, 0.5890486225480862 * patch * coefficient) or None
    return friction, torsional, rolling


def _color(element: Element, script: str, file: SourceFile, culprit: str) -> Color:
    for tag in ("diffuse", "ambient"):
        if element.find(tag) is not None:
            return child_color(element, tag, culprit, _WHITE)
    if not script:
        return _WHITE
    base = script.rpartition("/")[2]
    color = _GAZEBO_COLORS.get(base)
    file.loading.note(
        NoteKind.SUBSTITUTION,
        element,
        culprit,
        f"the material script {shown(script)} is not read; "
        + ("a colour like it is taken" if color else "the usual grey is taken"),
    )
    return color or Material().rgba


def _workflow(material: Element, tag: str) -> Element | None:
    pbr = material.find("pbr")
    return None if pbr is None else pbr.find(tag)


def _texture(workflow: Element, file: SourceFile, culprit: str) -> Path | None:
    uri = child_text(workflow, "albedo_map")
    if not uri:
        return None
    return find_resource(uri, workflow, file, f"{culprit}, <albedo_map>")


def _share(element: Element, tag: str, culprit: str, default: float) -> float:
    return min(max(child_float(element, tag, culprit, default), 0.0), 1.0)


def _positive(element: Element | None, tag: str, culprit: str) -> float | None:
    if element is None or not child_text(element, tag):
        return None
    return max(0.0, child_float(element, tag, culprit, 0.0))


def _engine(element: Element | None, tags: tuple[str, ...]) -> Element | None:
    if element is None:
        return None
    return next((found for tag in tags if (found := element.find(tag)) is not None), None)
