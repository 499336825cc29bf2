"""A file that holds a robot, and what it takes to read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from horus_sim.robots.report import Note


@dataclass(frozen=True, slots=True)
class RobotFile:
    """A file that holds a robot.

    Attributes:
        path: The file.
        package_roots: Folders from which its own files may come, besides those that a caller gives.
        xacro_args: Values of its ``<xacro:arg>``, where a caller gives no others.
        notes: Remarks on how it was found.
    """

    path: Path
    package_roots: tuple[Path, ...] = ()
    xacro_args: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedRobot:
    """A robot that has a name on this machine.

    Attributes:
        address: What to write for it: its name, or ``source/name`` where the name alone means
            another one.
        name: Its name, unique in its source.
        source: Where it comes from: 'horus-sim', a package, or a folder.
        format: 'urdf', 'xacro' or 'mjcf'.
        file: The file, and what it takes to read it.
    """

    address: str
    name: str
    source: str
    format: str
    file: RobotFile
