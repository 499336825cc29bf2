"""What the page writes of the tool and the joints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from horus_sim.arm import manipulability, singularity
from horus_sim.ui.arm.model.address import to_shown
from horus_sim.ui.kit.fields import fixed

if TYPE_CHECKING:
    from horus_sim.ui.arm.model.moving_arm import ArmState
    from horus_sim.ui.shell.units import Units

_SINGULAR = 0.02


def tool_lines(state: ArmState, units: Units) -> str:
    """Position and rotation of the tool, and how well it can move there."""
    digits = 4 if units.system == "m" else 1
    xyz = units.show(state.T_world_tool.translation)
    position = "  ".join(
        f"{name} {fixed(value, digits)}" for name, value in zip("XYZ", xyz, strict=True)
    )
    angles = "  ".join(
        f"{name} {fixed(math.degrees(angle), 1)}"
        for name, angle in zip("RPY", state.T_world_tool.to_euler(), strict=True)
    )
    measure = float(manipulability(state.arm, state.q))
    near = float(singularity(state.arm, state.q))
    warning = "\nnear a singularity" if near < _SINGULAR else ""
    return (
        f"{position} {units.system}\n{angles} deg\n"
        f"manipulability {measure:.4f}, evenness {near:.2f}{warning}"
    )


def joint_lines(state: ArmState, units: Units) -> str:
    """A line for each joint: its name and where it is."""
    lines = []
    joints = state.arm.description.joints
    width = max(len(joint.name) for joint in joints)
    values = to_shown(state.arm, state.q, units.per_metre)
    for joint, value in zip(joints, values, strict=True):
        shown = fixed(value, 4 if joint.is_prismatic and units.system == "m" else 2)
        unit = units.system if joint.is_prismatic else "deg"
        lines.append(f"{joint.name:<{width}} {shown:>8} {unit}")
    return "\n".join(lines)
