"""The group states of an SRDF file that lies near a URDF file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from horus_sim.errors import DescriptionError
from horus_sim.robots.report import NoteKind, Report
from horus_sim.robots.stance.named_pose import NamedPose
from horus_sim.robots.uris import UriResolver
from horus_sim.robots.xml import Element, read_xml
from horus_sim.robots.xml_values import parse_floats

_FOLDERS = (".", "srdf", "config")
_SUFFIX = ".srdf"


def read_group_states(
    robot: str, path: Path, resolver: UriResolver, report: Report
) -> tuple[NamedPose, ...]:
    """The poses that the robot's SRDF names; nothing where there is none.

    It is looked for beside the URDF, in the folders `srdf` and `config` beside its folder or in its
    package, and in a package `..._moveit_config` beside that. It must speak of a robot of the same
    name or be called as the URDF.

    Args:
        robot: Name of the robot.
        path: The URDF file.
        resolver: Where its files may come from.
        report: Gets a remark on a file that cannot be read.
    """
    stems = (path.stem, robot)
    for file in _candidates(path, resolver.home, stems):
        try:
            root = read_xml(file)
            if root.tag == "robot" and (root.get("name") == robot or file.stem in stems):
                return tuple(_state(each) for each in root.find_all("group_state"))
        except DescriptionError as error:
            report.add(NoteKind.WARNING, f"'{file.name}'", f"its poses are not used: {error}")
    return ()


def _candidates(path: Path, home: Path, stems: Sequence[str]) -> list[Path]:
    """Files that may be it; those called as the description or the robot first."""
    own = path.resolve().parent
    folders = [own, *(above / name for above in (own.parent, home) for name in _FOLDERS)]
    beside = sorted(home.parent.glob("*_moveit_config/config")) if home.name else []
    seen: set[Path] = set()
    found: list[Path] = []
    for folder in (*folders, *beside):
        real = folder.resolve()
        if real not in seen and real.is_dir():
            seen.add(real)
            found += sorted(real.glob(f"*{_SUFFIX}"))
    return sorted(found, key=lambda file: file.stem not in stems)


def _state(element: Element) -> NamedPose:
    positions: dict[str, float] = {}
    name = element.get("name") or ""
    for joint in element.find_all("joint"):
        text = joint.get("value") or ""
        if len(text.split()) == 1:
            (value,) = parse_floats(
                text, 1, element=joint, what="value", culprit=f"<group_state> '{name}'"
            )
            positions[joint.get("name") or ""] = value
    return NamedPose(name, "group state", positions, {})
