"""Robots on legs as text, whose stances are known in closed form."""

from __future__ import annotations

from collections.abc import Sequence

from horus_sim.robots import load_robot
from horus_sim.robots.robot import Robot

BODY = 10.0
SEGMENT = 0.2
FOOT = 0.02
CORNERS = ((0.2, 0.15), (0.2, -0.15), (-0.2, 0.15), (-0.2, -0.15))


def quadruped_text(
    *,
    name: str = "dog",
    corners: Sequence[tuple[float, float]] = CORNERS,
    knee: tuple[float, float] = (-2.5, -0.9),
    load: tuple[float, float] = (0.0, 0.0),
    effort: float = 40.0,
    extra: str = "",
) -> str:
    """A box on legs of two equal segments with balls as feet, in URDF.

    Args:
        name: Name of the robot.
        corners: Where the hips are [m].
        knee: Bounds of the knees [rad].
        load: Where the body's centre of mass is, from its middle [m].
        effort: Limit of all joints [N m].
        extra: More elements.
    """
    x, y = load
    parts = [
        f"""<robot name="{name}"><link name="base">
  <inertial><origin xyz="{x} {y} 0"/><mass value="{BODY}"/>
    <inertia ixx="0.1" iyy="0.15" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.4 0.2 0.1"/></geometry></collision></link>"""
    ]
    for i, (ahead, left) in enumerate(corners):
        side = 1 if left > 0 else -1
        parts.append(
            _joint(f"roll{i}", "base", f"hip{i}", (ahead, left, 0.0), "1 0 0", (-0.8, 0.8), effort)
            + _link(f"hip{i}", 0.3, "")
            + _joint(
                f"pitch{i}", f"hip{i}", f"thigh{i}", (0, 0.05 * side, 0), "0 1 0", (-2, 2), effort
            )
            + _link(f"thigh{i}", 0.5, "")
            + _joint(f"knee{i}", f"thigh{i}", f"calf{i}", (0, 0, -SEGMENT), "0 1 0", knee, effort)
            + _link(f"calf{i}", 0.1, f'<sphere radius="{FOOT}"/>', -SEGMENT)
        )
    return "".join(parts) + extra + "</robot>"


def loaded(tmp_path, text: str) -> Robot:
    """The robot in a text."""
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    return load_robot(file)


def _joint(
    name: str,
    parent: str,
    child: str,
    at: tuple[float, float, float],
    axis: str,
    bounds: tuple[float, float],
    effort: float,
) -> str:
    x, y, z = at
    return f"""
<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
  <origin xyz="{x} {y} {z}"/><axis xyz="{axis}"/>
  <limit lower="{bounds[0]}" upper="{bounds[1]}" effort="{effort}" velocity="20"/></joint>"""


def _link(name: str, mass: float, shape: str, depth: float = 0.0) -> str:
    moment = 0.001 * mass
    touching = f'<collision><origin xyz="0 0 {depth}"/><geometry>{shape}</geometry></collision>'
    return f"""
<link name="{name}"><inertial><origin xyz="0 0 {depth / 2}"/><mass value="{mass}"/>
  <inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/></inertial>
  {touching if shape else ""}</link>"""
