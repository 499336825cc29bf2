"""Joints of URDF."""

from __future__ import annotations

import math
from dataclasses import replace

from horus_sim.files.names import did_you_mean
from horus_sim.robots.description import (
    Joint,
    JointDynamics,
    JointLimit,
    JointType,
    Mimic,
    Safety,
)
from horus_sim.robots.report import NoteKind
from horus_sim.robots.urdf.chains import FAR
from horus_sim.robots.urdf.context import (
    UrdfContext,
    duplicate,
    read_origin,
    require_child,
)
from horus_sim.robots.urdf.extensions import Extensions, JointSettings
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import read_float, read_floats, read_text, shown, unit_vector

_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_AXIAL = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
_MOST_SHOWN = 10
_BOUNDED = (JointType.REVOLUTE, JointType.PRISMATIC)


def read_joints(
    robot: Element, extensions: Extensions, context: UrdfContext
) -> dict[str, tuple[Joint, Element]]:
    """The joints by name, in order, each with its element; their links are not checked yet.

    Raises:
        DescriptionError: A name is missing or used twice, or a joint is wrong.
    """
    joints: dict[str, tuple[Joint, Element]] = {}
    for element in robot.find_all("joint"):
        name = read_text(element, "name")
        if name in joints:
            raise duplicate(element, "joint", name, joints[name][1])
        joints[name] = (_read_joint(element, name, extensions, context), element)
    _leave_out_impossible_mimics(joints, context)
    _check_mimics(joints)
    return joints


def _read_joint(element: Element, name: str, extensions: Extensions, context: UrdfContext) -> Joint:
    culprit = f"joint '{name}'"
    kind = _read_kind(element, culprit)
    parent = read_text(require_child(element, "parent", culprit), "link", culprit=culprit)
    child = read_text(require_child(element, "child", culprit), "link", culprit=culprit)
    dynamics = _read_dynamics(element, culprit, extensions.joints.get(name), context)
    rotor = extensions.rotor_inertias.get(name)
    if rotor is not None and dynamics.armature is None:
        if not 0.0 <= rotor < math.inf:
            raise element.error(f"{culprit}: rotor inertia {rotor:g} must be finite and positive")
        dynamics = replace(dynamics, armature=rotor)
    return Joint(
        name,
        kind,
        parent,
        child,
        read_origin(element, culprit),
        axis=_read_axis(element, kind, culprit, context),
        limit=_read_limit(element, kind, culprit, context),
        dynamics=dynamics,
        mimic=_read_mimic(element, kind, culprit, context),
        initial_position=extensions.start_positions.get(name, 0.0),
        safety=_read_safety(element, culprit),
    )


def _read_kind(element: Element, culprit: str) -> JointType:
    text = read_text(element, "type", culprit=culprit)
    if text in _TYPES:
        return JointType(text)
    hint = did_you_mean(text, _TYPES, most=1)
    raise element.error(f"{culprit}: the type {shown(text)} is not known; {hint}")


def _read_axis(
    element: Element, kind: JointType, culprit: str, context: UrdfContext
) -> tuple[float, float, float]:
    axis = element.find("axis")
    if axis is None or kind in (JointType.FIXED, JointType.FLOATING):
        return (1.0, 0.0, 0.0)
    vector = read_floats(axis, "xyz", 3, culprit=culprit, default=(1.0, 0.0, 0.0))
    unit = unit_vector(vector)
    if unit is None:
        raise axis.error(
            f"{culprit}: <axis> xyz = {shown(axis.get('xyz') or '')} gives no direction"
        )
    if abs(math.hypot(*vector) - 1.0) > 1e-3:
        text = f"the axis {shown(axis.get('xyz') or '')} was brought to unit length"
        context.report.add(NoteKind.REPAIR, culprit, text, axis.line)
    return unit


def _read_limit(
    element: Element, kind: JointType, culprit: str, context: UrdfContext
) -> JointLimit:
    limit = element.find("limit")
    if limit is None:
        if kind in _BOUNDED:
            text = f"is {kind} without <limit>; it moves without bounds"
            context.warn(culprit, text, element)
        return JointLimit()
    lower = read_float(limit, "lower", culprit=culprit, default=0.0, finite=False)
    upper = read_float(limit, "upper", culprit=culprit, default=0.0, finite=False)
    effort = read_float(limit, "effort", culprit=culprit, default=math.inf, finite=False)
    velocity = read_float(limit, "velocity", culprit=culprit, default=math.inf, finite=False)
    for value, key in ((lower, "lower"), (upper, "upper"), (effort, "effort")):
        if math.isnan(value):
            raise limit.error(f"{culprit}: <limit> {key} = 'nan': the value nan is not a bound")
    bounds = (None, None)
    if kind in _BOUNDED:
        if lower < upper:
            bounds = (_reachable(lower), _reachable(upper))
        else:
            text = f"its bounds {lower:g} to {upper:g} leave no room; it moves without bounds"
            context.warn(culprit, text, limit)
    largest = {"effort": effort, "velocity": velocity}
    for key, value in largest.items():
        # Exporters write 0 for what nobody filled in; a motor that can do nothing is not meant.
        if not value > 0.0 and kind is not JointType.FIXED:
            context.warn(culprit, f"its {key} {value:g} is taken as no bound", limit)
    effort_or_none, velocity_or_none = (
        value if 0.0 < value < math.inf else None for value in largest.values()
    )
    return JointLimit(*bounds, effort_or_none, velocity_or_none)


def _reachable(value: float) -> float | None:
    return value if abs(value) < FAR else None


def _read_dynamics(
    element: Element, culprit: str, spring: JointSettings | None, context: UrdfContext
) -> JointDynamics:
    spring = spring or JointSettings()
    dynamics = element.find("dynamics")
    if dynamics is None:
        dynamics = element.find("joint_properties")
        if dynamics is not None:
            context.substitute(culprit, "<joint_properties> is read as <dynamics>", dynamics)
    found = JointDynamics(stiffness=spring.stiffness, spring_reference=spring.spring_reference)
    if dynamics is None:
        return found
    values: dict[str, float] = {}
    for key in ("damping", "friction", "armature"):
        if key not in dynamics.attributes:
            continue
        values[key] = read_float(dynamics, key, culprit=culprit)
        if values[key] < 0.0:
            text = shown(dynamics.get(key) or "")
            raise dynamics.error(f"{culprit}: <{dynamics.tag}> {key} = {text} must not be negative")
    return replace(found, **values)


def _read_safety(element: Element, culprit: str) -> Safety | None:
    safety = element.find("safety_controller")
    if safety is None:
        return None
    keys = ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity")
    return Safety(*(read_float(safety, key, culprit=culprit, default=0.0) for key in keys))


def _read_mimic(
    element: Element, kind: JointType, culprit: str, context: UrdfContext
) -> Mimic | None:
    mimic = element.find("mimic")
    if mimic is None:
        return None
    if kind not in _AXIAL:
        context.ignore(f"<mimic> of a {kind} joint", mimic)
        return None
    return Mimic(
        read_text(mimic, "joint", culprit=culprit),
        read_float(mimic, "multiplier", culprit=culprit, default=1.0),
        read_float(mimic, "offset", culprit=culprit, default=0.0),
    )


def _check_mimics(joints: dict[str, tuple[Joint, Element]]) -> None:
    """Every follower must end at a joint that follows none."""
    settled: set[str] = set()
    for name in joints:
        joint, element = joints[name]
        way = {name: None}  # a dictionary, as an ordered set: chains may be long
        while joint.mimic is not None and joint.name not in settled:
            master = joint.mimic.joint
            if master in way:
                names = list(way)
                loop = [*names[names.index(master) :][:_MOST_SHOWN], master]
                shown_loop = " -> ".join(f"'{each}'" for each in loop)
                raise element.error(
                    f"joint '{joint.name}': <mimic> forms a cycle: {shown_loop}; one of them must "
                    "move freely"
                )
            joint, element = joints[master]
            way[master] = None
        settled.update(way)


def _leave_out_impossible_mimics(
    joints: dict[str, tuple[Joint, Element]], context: UrdfContext
) -> None:
    """Joints that follow what is not there, or has no position, move by themselves."""
    for name, (joint, element) in joints.items():
        if joint.mimic is None:
            continue
        master = joint.mimic.joint
        if master not in joints:
            problem = f"which does not exist; {did_you_mean(master, joints, most=1)}"
        elif joints[master][0].kind not in _AXIAL:
            kind = joints[master][0].kind
            problem = f"which is {kind} and has no position; follow a {', '.join(_AXIAL)} joint"
        else:
            continue
        text = f"its <mimic> is left out: it follows joint {shown(master)}, {problem}"
        context.warn(f"joint '{name}'", text, element.find("mimic") or element)
        joints[name] = (replace(joint, mimic=None), element)
