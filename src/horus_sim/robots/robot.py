"""Robots: loaded by the name of a shipped one or from a file, with a report of the import."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from horus_sim.assets import asset_names
from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Inertial, Joint, JointType, Link, RobotDescription
from horus_sim.robots.finding.find import OUR_SUFFIXES, find_robot
from horus_sim.robots.finding.robot_file import RobotFile
from horus_sim.robots.inertia import is_moving, physical_inertials
from horus_sim.robots.report import NoteKind, Report

if TYPE_CHECKING:
    from horus_sim.robots.mjcf.file import MjcfFile
    from horus_sim.tf import TFTree, Transform

Base = Literal["fixed", "floating"]

ROBOT_SUFFIXES = OUR_SUFFIXES
_WORLD = "world"
_LINK0 = re.compile(r"(^|_)link_?(0|base)$", re.IGNORECASE)
_FOOTPRINT = "base_footprint"
_ARM_JOINTS = 5


@dataclass(frozen=True, slots=True)
class Robot:
    """A robot that is ready to be put into a world.

    Attributes:
        name: Its name, which prefixes its links in a world with several robots.
        description: What it is made of, as its file says.
        base: Whether its root is held by the world or moves freely.
        report: What the importer changed, assumed or left out.
        mjcf: The file whose bodies the engine gets as they are, for a robot in MJCF.
        inertials: Mass properties with which its links are simulated on this base, by link: those
            of the description, repaired where they are impossible. Links that are absent have no
            mass. None for a robot that was not weighed, such as one in MJCF, which MuJoCo weighs.
    """

    name: str
    description: RobotDescription
    base: Base
    report: Report = field(repr=False)
    mjcf: MjcfFile | None = field(default=None, repr=False)
    inertials: Mapping[str, Inertial] | None = field(default=None, repr=False)

    @property
    def mjcf_path(self) -> Path | None:
        """The file of a robot in MJCF; None for the others."""
        return None if self.mjcf is None else self.mjcf.path

    @property
    def links(self) -> dict[str, Link]:
        """The links by name, in the order of the file."""
        return {link.name: link for link in self.description.links}

    @property
    def joints(self) -> dict[str, Joint]:
        """The joints by name, fixed ones too, in the order of the file."""
        return {joint.name: joint for joint in self.description.joints}

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that move, in the order of the file."""
        return tuple(
            joint.name for joint in self.description.joints if joint.kind is not JointType.FIXED
        )

    def tf_tree(
        self,
        positions: Mapping[str, float | Transform] | None = None,
        *,
        stamp_ns: int = 0,
        frame_prefix: str = "",
    ) -> TFTree:
        """The frames of its links, without physics: fixed joints are static, the others stamped.

        The root link is the root of the tree; a robot of one link has no transforms.

        Args:
            positions: Positions of joints [rad] or [m]; what is missing is zero, and joints that
                follow others follow. A `Transform` for a ball joint, whose rotation counts, and
                for a floating one. Bounds are not checked.
            stamp_ns: Time of the joints that move [ns].
            frame_prefix: Text before the name of each link.

        Raises:
            UnknownNameError: A joint is unknown; the text proposes close names.
            CommandError: A position is not finite, or not what its joint takes.
        """
        from horus_sim.robots.robot_frames import frame_tree

        return frame_tree(self.description, positions or {}, stamp_ns, frame_prefix)


def load_robot(
    name_or_path: str | Path | RobotFile,
    *,
    package_roots: Iterable[str | Path] = (),
    base: Literal["auto", "fixed", "floating"] = "auto",
    strict: bool = False,
    name: str | None = None,
    xacro_args: Mapping[str, str] | None = None,
    allow_missing: bool = False,
    decompose: bool = False,
    collide_visuals: bool = False,
) -> Robot:
    """A robot by its name or from a URDF, xacro or MJCF file.

    Args:
        name_or_path: The name of a robot such as 'turtlebot3_burger': one that ships with the
            package, or one of the sources of `known_robots`, also as ``source/name``. Or a file, a
            folder or a zip archive with one robot in it, or a file in an archive, such as
            ``robots.zip/arm/arm.urdf``.
        package_roots: Folders that hold the packages of ``package://`` URIs, besides those of
            ``ROS_PACKAGE_PATH``.
        base: 'fixed' holds the root link, 'floating' leaves it free. 'auto' holds it when the
            description starts from a link called 'world', and when it is an arm whose root has no
            mass or is called 'link0'; the report says which it was.
        strict: Refuses a description that needed a repair or gave a warning.
        name: Name of the robot; that in the file by default.
        xacro_args: Values of ``<xacro:arg>``.
        allow_missing: Whether a missing collision mesh is left out with a warning.
        decompose: Whether collision meshes are cut into convex pieces, so that a hollow one stays
            hollow; else each touches as its convex hull. It takes seconds the first time.
        collide_visuals: Whether links without a collision shape touch as they look: meshes as their
            convex hulls or, with `decompose`, in convex pieces.

    Raises:
        UnknownNameError: No file and no robot has that name.
        DescriptionError: The file cannot be used; names file, line, culprit and remedy.
        MissingExtraError: The file is unexpanded xacro and the extra is not installed.
    """
    found = name_or_path if isinstance(name_or_path, RobotFile) else find_robot(name_or_path)
    path = found.path
    if base not in ("auto", "fixed", "floating"):
        raise DescriptionError(f"base is '{base}'; it must be 'auto', 'fixed' or 'floating'")
    description, report, given, mjcf = _read(
        path,
        (*package_roots, *found.package_roots),
        {**found.xacro_args, **(xacro_args or {})},
        allow_missing,
    )
    report.notes[:0] = found.notes
    if mjcf is not None and (decompose or collide_visuals):
        option = "decompose" if decompose else "collide_visuals"
        raise DescriptionError(
            f"{path}: {option}=True is for URDF; the geoms of an MJCF file say themselves how they "
            "touch: change contype and conaffinity there"
        )
    if collide_visuals:
        from horus_sim.robots.seen_shapes import touching_as_seen

        description = touching_as_seen(description, report)
    if decompose:
        from horus_sim.robots.mesh.decompose import decomposed

        description = decomposed(description)
    description, chosen = _based(description, given, base, report)
    inertials = None
    if given is None:
        inertials, repairs = physical_inertials(description, root_moves=chosen == "floating")
        report.notes.extend(repairs)
        _remark_on_touching(description, chosen, report)
        if chosen == "floating":
            description = _with_poses(description, path, package_roots, report)
    if strict:
        report.refuse_if_mended(str(path))
    return Robot(name or description.name, description, chosen, report, mjcf, inertials)


def robot_names() -> tuple[str, ...]:
    """Names of the shipped robots."""
    return asset_names("robots", ROBOT_SUFFIXES)


def find_robot_file(name_or_path: str | Path) -> Path:
    """The file of a robot; see `load_robot`.

    Raises:
        UnknownNameError: No robot has that name.
        DescriptionError: It is a folder or an archive without a robot, or with several.
    """
    return find_robot(name_or_path).path


def _read(
    path: Path,
    package_roots: Iterable[str | Path],
    xacro_args: Mapping[str, str],
    allow_missing: bool,  # noqa: FBT001 - passed on
) -> tuple[RobotDescription, Report, Base | None, MjcfFile | None]:
    """The description, its remarks, and for MJCF the base, which it decides, and the file."""
    from horus_sim.files.document import read_bytes
    from horus_sim.robots.mesh.data import MESH_SUFFIXES
    from horus_sim.robots.urdf.reading import describe_urdf
    from horus_sim.robots.xml import MAX_BYTES, parse_xml

    if path.suffix.lower() in MESH_SUFFIXES:
        raise DescriptionError(
            f"{path}: is a mesh and no robot; name it in a link of a URDF, or put it as an object "
            "into a scene"
        )
    data = read_bytes(path, MAX_BYTES, DescriptionError)
    root = parse_xml(data, str(path))
    if root.tag == "mujoco":
        from horus_sim.robots.mjcf.file import load_mjcf
        from horus_sim.robots.mjcf.reading import describe_mjcf

        mjcf = load_mjcf(path, package_roots, root, allow_missing=allow_missing)
        return *describe_mjcf(mjcf), mjcf
    if root.tag in ("sdf", "gazebo"):
        raise root.error(
            "this is SDF, which describes worlds and models; load it as a scene: "
            f"horus-sim sim3d run {path}, or World.load"
        )
    description, report = describe_urdf(
        root,
        data,
        path,
        package_roots=package_roots,
        allow_missing=allow_missing,
        xacro_args=xacro_args,
    )
    return description, report, None, None


def _based(
    description: RobotDescription, given: Base | None, base: str, report: Report
) -> tuple[RobotDescription, Base]:
    """The description and its base; a `world` link is cut off when the rest is to float."""
    if given is not None:
        if base not in ("auto", given):
            raise DescriptionError(
                f"robot '{description.name}' is {given} in its MJCF file; change its free joint "
                f"there instead of passing base='{base}'"
            )
        return description, given
    if base == "auto":
        cause = _held_by(description)
        chosen: Base = "floating" if cause is None else "fixed"
        text = f"is {chosen}, since {cause or f'the root link is {description.root!r}'}"
        if cause is not None and description.root != _WORLD:
            text += "; base='floating' frees it"
        report.add(NoteKind.SUBSTITUTION, "base", text)
        return description, chosen
    if base == "fixed":
        return description, "fixed"
    return _without_world(description) if description.root == _WORLD else description, "floating"


def _held_by(description: RobotDescription) -> str | None:
    """Why the world is to hold the root, or None for a robot that floats.

    An arm is one chain from its root. Files of arms leave it to others to bolt the root down, and
    then often do not weigh it.
    """
    root = description.root
    if root == _WORLD:
        return f"the root link is '{root}'"
    below: dict[str, list[Joint]] = {}
    for joint in description.joints:
        below.setdefault(joint.parent, []).append(joint)
    part, movers = _rigid_part(below, root)
    if len(movers) != 1:
        return None
    masses = {
        link.name: link.inertial.mass if link.inertial else 0.0
        for link in description.links
        if link.name in part
    }
    if movers[0].kind in (JointType.REVOLUTE, JointType.PRISMATIC):
        if _LINK0.search(root):
            return f"it is an arm with the root link '{root}'"
        if not any(masses.values()):
            return f"it is an arm whose root link '{root}' has no mass"
    if _joints_in_a_row(below, movers[0]) < _ARM_JOINTS:
        return None
    named = next((name for name in part if _LINK0.search(name)), None)
    if named is not None:
        return f"it is an arm with the link '{named}' at its root"
    if masses[root] == 0.0 and root != _FOOTPRINT:
        return f"it is an arm whose root link '{root}' has no mass"
    return None


def _rigid_part(below: Mapping[str, list[Joint]], link: str) -> tuple[list[str], list[Joint]]:
    """A link with all that is fixed to it, and the joints that move against that."""
    part, movers = [link], []
    for name in part:
        for joint in below.get(name, ()):
            if is_moving(joint):
                movers.append(joint)
            else:
                part.append(joint.child)
    return part, movers


def _joints_in_a_row(below: Mapping[str, list[Joint]], joint: Joint) -> int:
    """How many joints follow each other, this one included, before the robot branches or ends."""
    count = 1
    while len(movers := _rigid_part(below, joint.child)[1]) == 1:
        joint, count = movers[0], count + 1
    return count


def _remark_on_touching(description: RobotDescription, base: Base, report: Report) -> None:
    if base == "fixed" or any(link.collisions for link in description.links):
        return
    lost = any(note.culprit.endswith("collision") for note in report.of(NoteKind.WARNING))
    lost = lost or any(note.culprit.startswith("package") for note in report.of(NoteKind.WARNING))
    text = "it floats and has no shape that touches: it falls through the ground"
    if any(link.visuals for link in description.links):
        text += "; collide_visuals=True (--collide-visuals) lets its links touch as they look"
    kind = NoteKind.WARNING if lost else NoteKind.SUBSTITUTION
    report.add(kind, f"robot '{description.name}'", text)


def _with_poses(
    description: RobotDescription,
    path: Path,
    package_roots: Iterable[str | Path],
    report: Report,
) -> RobotDescription:
    """A robot that may stand on legs, with the poses that its SRDF names."""
    from horus_sim.robots.stance.srdf import read_group_states
    from horus_sim.robots.uris import resolver_for

    resolver = resolver_for(path, package_roots)
    return replace(description, poses=read_group_states(description.name, path, resolver, report))


def _without_world(description: RobotDescription) -> RobotDescription:
    world = next(link for link in description.links if link.name == _WORLD)
    below = [joint for joint in description.joints if joint.parent == _WORLD]
    if len(below) != 1 or world.visuals or world.collisions or world.inertial:
        raise DescriptionError(
            f"robot '{description.name}' cannot float: its link 'world' has {len(below)} children "
            "or shapes of its own; use base='fixed'"
        )
    return replace(
        description,
        links=tuple(link for link in description.links if link.name != _WORLD),
        joints=tuple(joint for joint in description.joints if joint is not below[0]),
        root=below[0].child,
        T_world_root=description.T_world_root @ below[0].T_parent_joint @ below[0].T_joint_child,
    )
