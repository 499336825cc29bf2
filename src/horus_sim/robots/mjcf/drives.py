"""What moves the joints of a compiled MJCF robot: their actuators and the joints they follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from horus_sim.robots.description import Mimic

if TYPE_CHECKING:
    import mujoco

_SCALAR = (2, 3)  # slide and hinge


def joint_efforts(model: mujoco.MjModel) -> dict[int, float | None]:
    """Largest torque [N m] or force [N] of the actuators of each joint that has any.

    None where one of them has no bound.
    """
    from horus_sim.robots.engine import mujoco

    on_joint = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    found: dict[int, float | None] = {}
    for i in range(model.nu):
        if int(model.actuator_trntype[i]) not in on_joint:
            continue
        joint = int(model.actuator_trnid[i, 0])
        if int(model.jnt_type[joint]) not in _SCALAR:
            continue
        effort = _effort(model, i)
        before = found.get(joint, 0.0)
        found[joint] = None if effort is None or before is None else before + effort
    return found


def _effort(model: mujoco.MjModel, actuator: int) -> float | None:
    from horus_sim.robots.engine import mujoco

    gear = abs(float(model.actuator_gear[actuator, 0]))
    bounds: list[float] = []
    if model.actuator_forcelimited[actuator]:
        bounds.append(float(np.abs(model.actuator_forcerange[actuator]).max()))
    is_motor = (
        int(model.actuator_gaintype[actuator]) == int(mujoco.mjtGain.mjGAIN_FIXED)
        and int(model.actuator_biastype[actuator]) == int(mujoco.mjtBias.mjBIAS_NONE)
        and int(model.actuator_dyntype[actuator]) == int(mujoco.mjtDyn.mjDYN_NONE)
    )
    if is_motor and model.actuator_ctrllimited[actuator]:
        gain = abs(float(model.actuator_gainprm[actuator, 0]))
        bounds.append(gain * float(np.abs(model.actuator_ctrlrange[actuator]).max()))
    return min(bounds) * gear if bounds else None


def followers(model: mujoco.MjModel, driven: set[int]) -> dict[int, Mimic]:
    """The joints that an equality makes follow another in a straight line."""
    from horus_sim.robots.engine import mujoco

    found: dict[int, Mimic] = {}
    leaders: dict[int, int] = {}
    for i in range(model.neq):
        first, second = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        if (
            int(model.eq_type[i]) != int(mujoco.mjtEq.mjEQ_JOINT)
            or not model.eq_active0[i]
            or second < 0
            or int(model.jnt_type[first]) not in _SCALAR
            or int(model.jnt_type[second]) not in _SCALAR
            or np.any(model.eq_data[i, 2:5])
            or model.eq_data[i, 1] == 0.0
        ):
            continue
        offset, slope = float(model.eq_data[i, 0]), float(model.eq_data[i, 1])
        if first in driven:
            # q1 = a + b q2 is q2 = -a / b + q1 / b: the joint without a drive follows.
            first, second, offset, slope = second, first, -offset / slope, 1.0 / slope
        if first in driven or first in leaders or _leads_to(second, first, leaders):
            continue
        # MuJoCo counts both from where they start.
        zero1, zero2 = (float(model.qpos0[model.jnt_qposadr[joint]]) for joint in (first, second))
        leaders[first] = second
        found[first] = Mimic(model.joint(second).name, slope, zero1 + offset - slope * zero2)
    return found


def _leads_to(joint: int, other: int, leaders: dict[int, int]) -> bool:
    while joint != other and joint in leaders:
        joint = leaders[joint]
    return joint == other
