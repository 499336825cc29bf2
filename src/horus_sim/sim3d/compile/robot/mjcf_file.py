"""Robots written as MJCF files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from horus_sim.errors import DescriptionError
from horus_sim.files.whole_file import write_whole
from horus_sim.sim3d.compile.robot.mjcf_text import to_mjcf
from horus_sim.sim3d.compile.robot.robot import build_robot_spec

if TYPE_CHECKING:
    from horus_sim.robots.robot import Robot


def write_mjcf(robot: Robot, output: Path) -> None:
    """Writes a robot; the files of one that was MJCF already go into a folder beside it.

    Raises:
        DescriptionError: A file cannot be written.
    """
    spec = build_robot_spec(robot)
    try:
        spec.compile()
        if robot.mjcf is not None and robot.mjcf.files:
            folder = output.with_name(f"{output.stem}_files")
            folder.mkdir(exist_ok=True)
            for name, content in robot.mjcf.files.items():
                write_whole(folder / name, content, DescriptionError)
            spec.meshdir = spec.texturedir = folder.name
        text = to_mjcf(spec)
    except (OSError, ValueError) as error:
        raise DescriptionError(f"'{output}' cannot be written: {error}") from error
    write_whole(output, text, DescriptionError)
