"""Gearboxes of SDF: the hinge of one gear follows that of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from horus_sim.robots.description import JointType, Mimic
from horus_sim.robots.sdf.context import Loading
from horus_sim.robots.sdf.frames import Frame
from horus_sim.robots.sdf.joints import BuiltJoint, Gearbox

_HINGES = (JointType.REVOLUTE, JointType.CONTINUOUS)
_LARGEST_ANGLE_COSINE = 0.999


def follow_gears(
    joints: Sequence[BuiltJoint], gears: Sequence[Gearbox], loading: Loading
) -> list[BuiltJoint]:
    """The joints, with those of driven gears following those of driving ones.

    Raises:
        DescriptionError: The import is strict, and a gearbox cannot be expressed so.
    """
    result = list(joints)
    for gear in gears:
        driver = _hinge(result, gear.reference, gear.parent, gear.axis_w)
        driven = _hinge(result, gear.reference, gear.child, gear.axis2_w)
        culprit = f"joint '{gear.member.name}'"
        if driver is None or driven is None or result[driven[0]].joint.mimic is not None:
            loading.tolerate(
                gear.member.element,
                culprit,
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
    joints: Sequence[BuiltJoint], reference: Frame, link: Frame, axis_w: tuple[float, float, float]
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
