"""The robot alone in an MJCF file: without the world, the options and the keyframes around it."""

# mujoco is a binary module without type stubs.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.files.names import free_name
from horus_sim.robots.mjcf.file import NOT_ATTACHED, MjcfFile
from horus_sim.robots.report import NoteKind, Report

if TYPE_CHECKING:
    import mujoco

_TOUCHES_WORLD = 1 << 30


def robot_spec(file: MjcfFile, report: Report | None = None) -> mujoco.MjSpec:
    """A spec with the bodies of a file, each body, joint and actuator with a name.

    Planes and height fields of the world are left out, and around a floating robot everything that
    does not belong to it: ground and walls are the scene's.

    Args:
        file: The file.
        report: Gets a note for all that is left out.

    Raises:
        DescriptionError: MuJoCo refuses the file.
    """
    spec = file.spec(NOT_ATTACHED, report)
    # Bodies and shapes are found by name later.
    spec.compiler.fusestatic = False
    spec.compiler.discardvisual = False
    for kind, elements in (
        ("body", spec.bodies),
        ("joint", spec.joints),
        ("actuator", spec.actuators),
    ):
        _name_all(kind, elements)
    geoms = _without_surroundings(spec)
    if report is not None:
        _remark(file, report, geoms)
    return spec


def is_free(body: mujoco.MjsBody) -> bool:
    """Whether a body moves freely."""
    import mujoco

    return any(joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in body.joints)


def acts_on_joint(actuator: mujoco.MjsActuator) -> bool:
    """Whether an actuator drives a joint."""
    import mujoco

    return actuator.trntype in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)


def _name_all(kind: str, elements: list[mujoco.MjsElement]) -> None:
    """MuJoCo allows elements without names; here each has one."""
    known = {element.name for element in elements}
    for i, element in enumerate(elements):
        if not element.name:
            element.name = free_name(f"{kind}_{i}", known)
            known.add(element.name)


def _without_surroundings(spec: mujoco.MjSpec) -> int:
    """Removes shapes and lights of the world; the number of shapes."""
    import mujoco

    ground = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
    _without_bare_frames(spec)
    tops = list(spec.worldbody.bodies)
    floats = len(tops) == 1 and is_free(tops[0])
    removed = [geom for geom in spec.worldbody.geoms if floats or geom.type in ground]
    names = {geom.name for geom in removed if geom.name}
    own = {geom.name: geom for geom in spec.geoms if geom.name and geom.name not in names}
    for pair in list(spec.pairs):
        if pair.geomname1 in names or pair.geomname2 in names:
            for name in (pair.geomname1, pair.geomname2):
                if name in own:
                    _let_touch_world(own[name], pair)
            spec.delete(pair)
    shape = mujoco.mjtObj.mjOBJ_GEOM
    for sensor in list(spec.sensors):
        watched = (sensor.objtype, sensor.objname), (sensor.reftype, sensor.refname)
        if any(kind == shape and name in names for kind, name in watched):
            spec.delete(sensor)
    for element in (*removed, *list(spec.worldbody.lights)):
        spec.delete(element)
    return len(removed)


def _without_bare_frames(spec: mujoco.MjSpec) -> None:
    """Removes bodies beside a floating robot that are nothing but a frame of the world."""
    tops = list(spec.worldbody.bodies)
    if sum(map(is_free, tops)) != 1:
        return
    bare = [top for top in tops if _is_bare(top)]
    if len(bare) != len(tops) - 1:
        return
    names = {name for each in spec.equalities for name in (each.name1, each.name2)}
    names |= {name for each in spec.sensors for name in (each.objname, each.refname)}
    names |= {name for each in spec.excludes for name in (each.bodyname1, each.bodyname2)}
    names |= {each.targetbody for each in (*spec.cameras, *spec.lights)}
    for top in bare:
        if top.name not in names:
            spec.delete(top)


def _is_bare(body: mujoco.MjsBody) -> bool:
    held = (body.bodies, body.joints, body.geoms, body.sites, body.cameras, body.lights)
    return not (body.mocap or body.mass > 0.0 or any(map(len, held)))


def _let_touch_world(geom: mujoco.MjsGeom, pair: mujoco.MjsPair) -> None:
    """Lets a shape touch the ground of a scene as the pair says with that of its file.

    It touches nothing of its own robot by that, since no shape there is affected by its bit.
    """
    if geom.contype or geom.conaffinity:
        return
    geom.contype, geom.priority = _TOUCHES_WORLD, max(1, geom.priority)
    geom.condim = pair.condim
    geom.friction[0] = pair.friction[0]
    geom.solref, geom.solimp = pair.solref, pair.solimp


def _remark(file: MjcfFile, report: Report, geoms: int) -> None:
    options = file.root.find_all("option")
    written = {name: value for each in options for name, value in each.attributes.items()}
    for flag in (flag for each in options for flag in each.find_all("flag")):
        written |= flag.attributes
    used = [f"{name}='{value}'" for name, value in written.items() if name in file.physics]
    unused = [f"{name}='{value}'" for name, value in written.items() if name not in file.physics]
    if used:
        text = f"{', '.join(used)}: taken for the world, unless its scene says otherwise"
        report.add(NoteKind.SUBSTITUTION, "<option>", text, options[0].line)
    if unused:
        text = f"{', '.join(unused)}: not used, the physics of the scene counts"
        report.add(NoteKind.IGNORED, "<option>", text, options[0].line)
    keys = sum(len(element.find_all("key")) for element in file.root.find_all("keyframe"))
    if keys:
        text = (
            f"{keys} used only where a robot on legs stands in one; else give the scene the "
            "positions at which joints start"
        )
        report.add(NoteKind.IGNORED, "<keyframe>", text)
    if geoms:
        text = f"{geoms} of the world left out, such as the ground, which the scene gives"
        report.add(NoteKind.IGNORED, "<geom>", text)
