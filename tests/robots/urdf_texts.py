"""Small URDF texts for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from horus_sim.robots.description import RobotDescription
from horus_sim.robots.report import Report
from horus_sim.robots.urdf.reading import describe_urdf
from horus_sim.robots.xml import parse_xml

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1" rpy="0 0 1.5"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="3" velocity="4"/>
  </joint>
</robot>"""


def parse_urdf(data: bytes | str, path: Path, **options: Any) -> tuple[RobotDescription, Report]:
    """The description and the report of a document that lies at `path`."""
    return describe_urdf(parse_xml(data, str(path)), data, path, **options)


def read_urdf(path: Path, **options: Any) -> tuple[RobotDescription, Report]:
    """The description and the report of a file."""
    return parse_urdf(path.read_bytes(), path, **options)


def read(text: str, folder: Path = Path("/nonexistent"), **options):
    """The description and the report of a text."""
    return parse_urdf(text, folder / "robot.urdf", **options)


def link(inside: str) -> tuple[RobotDescription, Report]:
    return read(f'<robot name="r"><link name="a">{inside}</link></robot>')


def joint(inside: str, kind: str = "revolute") -> tuple[RobotDescription, Report]:
    """A robot with one joint, which has parent and child already."""
    return read(
        f'<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="{kind}">'
        f'<parent link="a"/><child link="b"/>{inside}</joint></robot>'
    )


def robot(inside: str) -> tuple[RobotDescription, Report]:
    """Two links and a hinge, and something else."""
    return read(ARM.replace("</robot>", f"{inside}</robot>"))
