"""What the page writes of the tool and the joints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from horus_sim.arm import manipulability, singularity
from horus_sim.ui.arm.model.address import to_shown

if TYPE_CHECKING:
    from horus_sim.ui.arm.model.bench import BenchState
    from horus_sim.ui.shell.units import Units

_SINGULAR = 0.02


def tool_lines(state: BenchState, units: Units) -> str:
    """Position and rotation of the tool, and how well it can move there."""
    digits = 4 if units.system == "m" else 1
    xyz = units.show(state.T_world_tool.translation)
    names = ("X", "Y", "Z")
    position = "  ".join(
        f"{name} {_number(value, digits)}" for name, value in zip(names, xyz, strict=True)
    )
    angles = "  ".join(
        f"{name} {_number(math.degrees(angle), 1)}"
        for name, angle in zip("RPY", state.T_world_tool.to_euler(), strict=True)
    )
    measure = float(manipulability(state.arm, state.q))
    near = float(singularity(state.arm, state.q))
    warning = "\nnear a singularity" if near < _SINGULAR else ""
    return (
        f"{position} {units.system}\n{angles} deg\n"
        f"manipulability {measure:.4f}, evenness {near:.2f}{warning}"
    )


def joint_lines(state: BenchState, metre: float, unit: str) -> str:
    """A line for each joint: its name and where it is.

    Args:
        state: Of the bench.
        metre: How many of the chosen units of length a metre is.
        unit: Their name.
    """
    lines = []
    width = max(len(joint.name) for joint in state.arm.description.joints)
    for joint, value in zip(
        state.arm.description.joints, to_shown(state.arm, state.q, metre), strict=True
    ):
        digits = 2 if not joint.is_prismatic or metre > 1.0 else 4
        shown = _number(value, digits)
        lines.append(f"{joint.name:<{width}} {shown:>8} {unit if joint.is_prismatic else 'deg'}")
    return "\n".join(lines)


def _number(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}"
