"""Robots from files: a shipped one, one of your own, what the report says, and export.

The same from the command line: `horus-sim robot info turtlebot3_burger` and
`horus-sim robot check FILE`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from horus_sim.errors import HorusError
from horus_sim.robots import load_robot
from horus_sim.robots.urdf.writing import write_urdf

ARM = """<robot name="arm">
  <link name="world"/>
  <link name="upper">
    <inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.5"/></inertial>
    <visual><geometry><capsule radius="0.05" length="0.4"/></geometry></visual>
    <visual><geometry><mesh filename="package://arm_meshes/cover.dae"/></geometry></visual>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="world"/><child link="{child}"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="20" velocity="2"/>
  </joint>
</robot>
"""


def shipped() -> None:
    """A robot that comes with the package is loaded by its name."""
    robot = load_robot("turtlebot3_burger")
    print(f"{robot.name}: base {robot.base}, moving joints {', '.join(robot.joint_names)}")
    for name, link in robot.links.items():
        mass = link.inertial.mass if link.inertial is not None else 0.0
        print(f"  {name:18} {mass:.3f} kg, {len(link.collisions)} collision shapes")


def own(folder: Path) -> None:
    """A file of your own: the report says what was changed, supposed or left out."""
    path = folder / "arm.urdf"
    path.write_text(ARM.format(child="upper"))
    robot = load_robot(path)
    print(f"\n{robot.name}: base {robot.base}")
    for note in robot.report:
        print(f"  {note.kind}: {note.culprit}: {note.text.split(';')[0]}")

    write_urdf(robot.description, folder / "exported.urdf")
    print(f"exported: {list(load_robot(folder / 'exported.urdf').links)}")


def mistaken(folder: Path) -> None:
    """Errors name the file, the line, the culprit and the remedy."""
    path = folder / "mistaken.urdf"
    path.write_text(ARM.format(child="uper"))
    try:
        load_robot(path)
    except HorusError as error:
        print(f"\n{str(error).replace(str(folder), '...')}")


if __name__ == "__main__":
    shipped()
    with tempfile.TemporaryDirectory() as name:
        own(Path(name))
        mistaken(Path(name))
