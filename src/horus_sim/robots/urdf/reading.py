"""URDF: a robot from the XML of ROS, checked and with a report of what was assumed or left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from horus_sim.errors import HorusError
from horus_sim.robots.description import RobotDescription
from horus_sim.robots.mending import mend_numbers
from horus_sim.robots.report import Report
from horus_sim.robots.urdf.context import UrdfContext
from horus_sim.robots.urdf.extensions import read_extensions
from horus_sim.robots.urdf.joints import read_joints
from horus_sim.robots.urdf.links import read_links
from horus_sim.robots.urdf.schema import report_unread
from horus_sim.robots.urdf.shapes import read_materials
from horus_sim.robots.urdf.tree import find_root
from horus_sim.robots.urdf.xacro import (
    expand_xacro,
    has_leftovers_only,
    is_xacro,
    without_macros,
)
from horus_sim.robots.uris import resolver_for
from horus_sim.robots.xml import Element, parse_xml


def describe_urdf(
    robot: Element,
    data: bytes | str,
    path: Path,
    *,
    package_roots: Iterable[Path | str] = (),
    allow_missing: bool = False,
    xacro_args: Mapping[str, str] | None = None,
) -> tuple[RobotDescription, Report]:
    """The robot in a URDF or xacro document.

    Args:
        robot: Root element of the document.
        data: The document as it was read; xacro is expanded from it.
        path: Its file, from which relative URIs start.
        package_roots: Folders that hold ROS packages, besides those of the environment.
        allow_missing: Whether a missing collision mesh is a warning instead of an error.
        xacro_args: Values of ``<xacro:arg>``.

    Returns:
        The robot and the remarks on its import.

    Raises:
        DescriptionError: The file cannot be used; names file, line, culprit and remedy.
        MissingExtraError: The file is unexpanded xacro and the extra is not installed.
    """
    report = Report()
    resolver = resolver_for(path, package_roots, report)
    context = UrdfContext(resolver, report, allow_missing)
    if is_xacro(robot, path):
        robot = _expanded(robot, data, path, xacro_args or {}, context)
    report.notes.extend(mend_numbers(robot))
    return _describe(robot, path, context)


def _expanded(
    robot: Element,
    data: bytes | str,
    path: Path,
    arguments: Mapping[str, str],
    context: UrdfContext,
) -> Element:
    """The document with its macros expanded; as it is where they are leftovers."""
    try:
        return parse_xml(expand_xacro(data, path, context.resolver, arguments), str(path))
    except HorusError as error:
        if path.suffix.lower() == ".xacro" or not has_leftovers_only(robot):
            raise
        first = next(each for each in robot.iter() if each.tag.startswith("xacro:"))
        context.warn(f"<{first.tag}>", f"is left out, as all of xacro in the file: {error}", first)
        return without_macros(robot)


def _describe(robot: Element, path: Path, context: UrdfContext) -> tuple[RobotDescription, Report]:
    """The robot in an expanded ``<robot>`` element, and the remarks on its import."""
    if robot.tag != "robot":
        raise robot.error(f"the root element is <{robot.tag}>; URDF has <robot>")
    name = (robot.get("name") or "").strip()
    if not name:
        name = path.stem
        context.warn("<robot>", f"has no name; '{name}' is used, after the file", robot)
    read_materials(robot, context)
    extensions = read_extensions(robot, context)
    links = read_links(robot, extensions.links, context)
    joints = read_joints(robot, extensions, context)
    root = find_root(robot, links, joints, context)
    report_unread(robot, context)
    context.report_ignored()
    context.report_missing()
    sensors, drives = extensions.tags.checked(
        {name: link for name, (link, _) in links.items()},
        {name: joint for name, (joint, _) in joints.items()},
        root,
    )
    description = RobotDescription(
        name,
        tuple(link for link, _ in links.values()),
        tuple(joint for joint, _ in joints.values()),
        root,
        self_collide=True if extensions.self_collide is None else extensions.self_collide,
        source=path,
        transmissions=tuple(
            transmission
            for transmission in extensions.transmissions
            if _drives_a_joint(transmission.joint, transmission.name, joints, context)
        ),
        sensors=sensors,
        drives=drives,
    )
    return description, context.report


def _drives_a_joint(
    joint: str, transmission: str, joints: Mapping[str, object], context: UrdfContext
) -> bool:
    if joint in joints:
        return True
    text = f"drives joint '{joint}', which does not exist; it is left out"
    context.warn(f"transmission '{transmission}'", text)
    return False
