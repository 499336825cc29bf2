"""Builds joints: between which links, where, about which axes, with which limits and gears."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Joint, JointDynamics, JointLimit, JointType, Mimic
from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.frames import WORLD, Frame, FrameGraph, FrameKind
from horus_sim.robots.sdf.nodes import Member
from horus_sim.robots.sdf.values import Place
from horus_sim.robots.xml_values import Vector, read_text, shown, unit_vector
from horus_sim.tf import Transform

_KINDS = {
    "revolute": JointType.REVOLUTE,
    "continuous": JointType.CONTINUOUS,
    "prismatic": JointType.PRISMATIC,
    "ball": JointType.BALL,
    "universal": JointType.UNIVERSAL,
    "revolute2": JointType.UNIVERSAL,
    "screw": JointType.SCREW,
    "fixed": JointType.FIXED,
}
_WITHOUT_AXIS = (JointType.FIXED, JointType.BALL)
_HINGES = (JointType.REVOLUTE, JointType.CONTINUOUS)
_LARGEST_ANGLE_COSINE = 0.999
# Old files write a missing bound as 1e16.
_UNBOUNDED = 1e15


@dataclass(frozen=True, slots=True, eq=False)
class BuiltJoint:
    """A joint between two links of the file, in world coordinates.

    Attributes:
        member: The joint of the file.
        joint: Everything but links and poses, which depend on the tree: names are full names.
        parent: Frame of the parent link, or the world's.
        child: Frame of the child link.
        T_world_joint: Where it is.
    """

    member: Member
    joint: Joint
    parent: Frame
    child: Frame
    T_world_joint: Transform

    def turned(self) -> BuiltJoint:
        """The same joint seen from its child; positions keep their meaning."""
        axis = _negative(self.joint.axis)
        axis2 = self.joint.axis2
        if axis2 is not None:
            axis, axis2 = _negative(axis2), axis
        joint = replace(self.joint, axis=axis, axis2=axis2)
        return replace(self, joint=joint, parent=self.child, child=self.parent)


@dataclass(frozen=True, slots=True, eq=False)
class Gearbox:
    """A gearbox: the angle of `child` in `reference` is -ratio times that of `parent`."""

    member: Member
    parent: Frame
    child: Frame
    reference: Frame
    ratio: float
    axis_w: Vector
    axis2_w: Vector


def build_joint(member: Member, graph: FrameGraph) -> BuiltJoint | Gearbox | None:
    """A joint; None for a gearbox that cannot be had.

    Raises:
        DescriptionError: Its type, a link, an axis or a number is wrong.
    """
    place = member.place
    place.check()
    place.ignore_plugins()
    word = read_text(place.element, "type", culprit=place.culprit)
    parent, child = linked(member, graph)
    if word == "gearbox":
        return _gearbox(member, graph, parent, child)
    kind = _KINDS.get(word)
    if kind is None:
        known = ", ".join((*_KINDS, "gearbox"))
        raise place.error(f"type {shown(word)} is not known; use one of {known}")
    first, second = place.find("axis"), place.find("axis2")
    axis = (0.0, 0.0, 1.0) if kind in _WITHOUT_AXIS else _axis(first, member, graph)
    axis2 = _axis(second, member, graph) if kind is JointType.UNIVERSAL else None
    if kind in _WITHOUT_AXIS:
        first = None
    limit = _limit(first)
    if kind is JointType.REVOLUTE and limit.lower is None and limit.upper is None:
        kind = JointType.CONTINUOUS
    elif kind is JointType.CONTINUOUS:
        limit = replace(limit, lower=None, upper=None)
    if kind is JointType.UNIVERSAL:
        _note_second_axis(place, word, second)
    joint = Joint(
        member.name,
        kind,
        "",
        "",
        axis=axis,
        axis2=axis2,
        limit=limit,
        dynamics=_dynamics(first),
        mimic=_mimic(first, member, graph),
        thread_pitch=_thread_pitch(place) if kind is JointType.SCREW else 0.0,
        initial_position=0.0 if first is None else first.float("initial_position", 0.0),
    )
    return BuiltJoint(member, joint, parent, child, graph.T_world(member.frame))


def linked(member: Member, graph: FrameGraph) -> tuple[Frame, Frame]:
    """The frames of a joint's parent link, or the world's, and of its child link.

    Raises:
        DescriptionError: They are unknown, or the same.
    """
    parent, child = _link(member, "parent", graph), _link(member, "child", graph)
    if parent is child:
        raise member.place.error(f"<parent> and <child> are both {parent}; a joint needs two links")
    return parent, child


def _link(member: Member, tag: str, graph: FrameGraph) -> Frame:
    reference = member.local(member.place.text(tag))
    place = member.place.find(tag) or member.place
    if reference == WORLD:
        if tag == "child":
            raise place.error("<child> is 'world', which only a <parent> can be")
        frame = member.frame.scope
        while WORLD not in frame.frames:
            frame = frame.frames["__model__"].scope
        return frame.frames[WORLD]
    found = _found(member, reference, graph, place, f"<{tag}>")
    if found is member.frame:
        raise place.error(f"<{tag}> is the joint itself; name a link or frame")
    link = graph.link_of(found)
    if tag == "child" and link.kind is FrameKind.WORLD:
        raise place.error(f"<child> {found} is fixed to the world; name a link")
    return link


def _found(member: Member, reference: str, graph: FrameGraph, place: Place, what: str) -> Frame:
    culprit = f"{place.culprit}, {what}"
    return graph.find(member.frame.scope, reference, place.element, culprit)


def _axis(axis: Place | None, member: Member, graph: FrameGraph) -> Vector:
    """The axis in the joint's frame, of length 1."""
    if axis is None:
        member.place.tolerate(
            "an axis must be specified",
            "add <axis><xyz>0 0 1</xyz></axis>",
            done="the joint's z axis is taken",
        )
        return (0.0, 0.0, 1.0)
    axis.check()
    vector = axis.vector("xyz", (0.0, 0.0, 1.0))
    unit = unit_vector(vector)
    if unit is None:
        raise axis.error(f"<xyz> has the length {math.hypot(*vector):g}; give a unit vector")
    place = axis.find("xyz") or axis
    frame = member.local(place.attribute("expressed_in"))
    if not frame and member.file.version < (1, 7):
        # Until 1.4 axes were meant in the model's frame, from 1.5 to 1.6 on demand.
        in_model = axis.bool("use_parent_model_frame", default=member.file.version < (1, 5))
        frame = member.home if in_model else ""
    if not frame:
        return unit
    base = _found(member, frame, graph, place, "<xyz> expressed_in")
    x, y, z = graph.T_frame(member.frame, base).transform_vector(unit)
    return float(x), float(y), float(z)


def _limit(axis: Place | None) -> JointLimit:
    place = axis and axis.find("limit")
    if place is None:
        return JointLimit()
    usual = {"lower": -math.inf, "upper": math.inf, "effort": -1.0, "velocity": -1.0}
    values = [place.float(tag, value, finite=False) for tag, value in usual.items()]
    lower, upper, effort, velocity = values
    if any(map(math.isnan, values)):
        raise place.error("<limit> holds nan; remove the bound instead")
    if lower > upper:
        raise place.error(f"<lower> {lower:g} is above <upper> {upper:g}; swap or correct them")
    return JointLimit(
        lower if abs(lower) < _UNBOUNDED else None,
        upper if abs(upper) < _UNBOUNDED else None,
        effort if 0 <= effort < _UNBOUNDED else None,
        velocity if 0 <= velocity < _UNBOUNDED else None,
    )


def _dynamics(axis: Place | None) -> JointDynamics:
    place = axis and axis.find("dynamics")
    if place is None:
        return JointDynamics()
    values: list[float] = []
    for tag in ("damping", "friction", "spring_stiffness"):
        values.append(place.float(tag, 0.0))
        if values[-1] < 0:
            raise place.error(f"<{tag}> is {values[-1]:g} and must not be negative")
    damping, friction, stiffness = values
    reference = place.float("spring_reference", 0.0)
    return JointDynamics(damping, friction, stiffness=stiffness, spring_reference=reference)


def _mimic(axis: Place | None, member: Member, graph: FrameGraph) -> Mimic | None:
    place = axis and axis.find("mimic")
    if place is None:
        return None
    reference = read_text(place.element, "joint", culprit=place.culprit)
    try:
        leader = _found(member, reference, graph, place, "<mimic>")
    except DescriptionError as error:
        problem = str(error).rsplit("<mimic>: ", 1)[-1]
        place.tolerate(f"<mimic>: {problem}", "name a joint", done="<mimic> is left out")
        return None
    if leader.kind is not FrameKind.JOINT or leader is member.frame:
        place.tolerate(
            f"<mimic>: {leader} cannot be followed",
            "name another joint",
            done="<mimic> is left out",
        )
        return None
    if (place.attribute("axis") or "axis") != "axis":
        place.tolerate("<mimic> of a second axis is not possible here", "remove it")
        return None
    multiplier, offset = place.float("multiplier", 1.0), place.float("offset", 0.0)
    shift = place.float("reference", 0.0)
    name = f"{leader.scope.prefix}{leader.name}"
    return Mimic(name, multiplier, offset - multiplier * shift)


def _thread_pitch(place: Place) -> float:
    """Advance for one turn [m], positive for a right-handed thread."""
    if place.text("screw_thread_pitch") or not place.text("thread_pitch"):
        return place.float("screw_thread_pitch", 1.0)
    # The old parameter is in rad/m, positive for a left-handed thread.
    old = place.float("thread_pitch", 1.0)
    if old == 0:
        raise place.error("<thread_pitch> is 0; give <screw_thread_pitch> [m/turn]")
    return -2 * math.pi / old


def _note_second_axis(place: Place, word: str, axis2: Place | None) -> None:
    if word == "revolute2":
        place.note(NoteKind.SUBSTITUTION, "revolute2 becomes a universal joint")
    kept = ("xyz", "use_parent_model_frame")
    if axis2 is not None and any(child.tag not in kept for child in axis2.element.children):
        axis2.note(NoteKind.IGNORED, "limits and dynamics of the second axis are left out")


def _gearbox(member: Member, graph: FrameGraph, parent: Frame, child: Frame) -> Gearbox | None:
    place = member.place
    reference = member.local(place.text("gearbox_reference_body"))
    if not reference:
        place.tolerate(
            "a gearbox needs <gearbox_reference_body>", "name the link that both gears turn in"
        )
        return None
    found = _found(member, reference, graph, place, "<gearbox_reference_body>")
    T = graph.T_world(member.frame)
    axes: list[Vector] = []
    for tag in ("axis", "axis2"):
        x, y, z = T.transform_vector(_axis(place.find(tag), member, graph))
        axes.append((float(x), float(y), float(z)))
    ratio = place.float("gearbox_ratio", 1.0)
    return Gearbox(member, parent, child, graph.link_of(found), ratio, *axes)


def _negative(vector: Vector) -> Vector:
    x, y, z = vector
    return -x, -y, -z


def follow_gears(joints: Sequence[BuiltJoint], gears: Sequence[Gearbox]) -> list[BuiltJoint]:
    """The joints, with those of driven gears following those of driving ones.

    Raises:
        DescriptionError: The import is strict, and a gearbox cannot be expressed so.
    """
    result = list(joints)
    for gear in gears:
        driver = _hinge(result, gear.reference, gear.parent, gear.axis_w)
        driven = _hinge(result, gear.reference, gear.child, gear.axis2_w)
        if driver is None or driven is None or result[driven[0]].joint.mimic is not None:
            gear.member.place.tolerate(
                "<parent> and <child> do not each turn on one hinge of "
                f"{gear.reference} about the gearbox's axes",
                "add the hinges, or use <mimic>",
            )
            continue
        (k_driver, sign_driver), (k_driven, sign_driven) = driver, driven
        follows = Mimic(result[k_driver].joint.name, -gear.ratio * sign_driver * sign_driven)
        built = result[k_driven]
        result[k_driven] = replace(built, joint=replace(built.joint, mimic=follows))
    return result


def _hinge(
    joints: Sequence[BuiltJoint], reference: Frame, link: Frame, axis_w: Vector
) -> tuple[int, float] | None:
    """The hinge between two links, and whether it turns with (1) or against (-1) the axis."""
    for k, built in enumerate(joints):
        if built.joint.kind not in _HINGES or {built.parent, built.child} != {reference, link}:
            continue
        hinge_w = built.T_world_joint.transform_vector(built.joint.axis)
        cosine = float(np.dot(hinge_w, axis_w))
        if abs(cosine) < _LARGEST_ANGLE_COSINE:
            return None
        towards = 1.0 if built.parent is reference else -1.0
        return k, towards if cosine > 0 else -towards
    return None
