"""A robot as an SDF model, with its sensors and drives.

SDF has no planar joint, which becomes two sliders and a hinge, and no floating one: what hangs from
it becomes a tree of its own, as SDF allows. It has no armature, transmissions or soft limits
either; these are left out. A link without mass gets a negligible one, since SDF has none without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from horus_sim.errors import DescriptionError
from horus_sim.files.names import free_name
from horus_sim.files.whole_file import write_whole
from horus_sim.robots.description import (
    IDENTITY,
    Inertial,
    Joint,
    JointDynamics,
    JointLimit,
    JointType,
    Link,
    Mesh,
    RobotDescription,
)
from horus_sim.robots.gazebo.writing import is_plugin, plugins_of, sensor_element
from horus_sim.robots.inertia import physical_inertials, repaired_inertial
from horus_sim.robots.joint_motion import perpendicular
from horus_sim.robots.mesh.copying import MeshUri, copies_in
from horus_sim.robots.sdf.writing.names import WORLD, Names
from horus_sim.robots.sdf.writing.shapes import add_collision, add_visual
from horus_sim.robots.xml_writing import add, add_pose

VERSION = "1.11"
NEGLIGIBLE = Inertial(1e-6, IDENTITY, (1e-10, 1e-10, 1e-10, 0.0, 0.0, 0.0))
"""Mass properties of a link without mass that something with a mass holds."""


def to_sdf(
    description: RobotDescription,
    *,
    held: bool = False,
    mesh_uri: MeshUri | None = None,
) -> str:
    """A robot as SDF.

    Reading it back gives the same kinematics, masses, limits, shapes and sensors, and the inertias
    with which it is simulated: impossible ones are repaired.

    Args:
        description: The robot.
        held: Whether the world holds its root, although that is not called 'world'.
        mesh_uri: The ``<uri>`` to write for a mesh; ``file://`` and its absolute path by default.
            `write_sdf` can copy the meshes.

    Raises:
        DescriptionError: Its root is 'world' and has a mass or shapes, which SDF's world has not.
    """
    model = _Model(_with_chains(description), mesh_uri or _file_uri)
    root = ET.Element("sdf", version=VERSION)
    model.add_to(root, held=held)
    ET.indent(root)
    return f'<?xml version="1.0"?>\n{ET.tostring(root, encoding="unicode")}\n'


def write_sdf(
    description: RobotDescription,
    path: Path,
    *,
    held: bool = False,
    copy_meshes: bool = False,
) -> None:
    """Writes a robot as an SDF file.

    Args:
        description: The robot.
        path: The file to write.
        held: Whether the world holds its root, although that is not called 'world'.
        copy_meshes: Whether its meshes are written as STL files into the folder ``meshes`` beside
            it, which makes it independent of their first place but loses their own colours.

    Raises:
        DescriptionError: The robot has something that SDF cannot say, or a file cannot be written.
    """
    uri = copies_in(path.parent) if copy_meshes else None
    text = to_sdf(description, held=held, mesh_uri=uri)
    write_whole(path, text, DescriptionError)


def _file_uri(mesh: Mesh) -> str:
    return mesh.path.resolve().as_uri()


def _with_chains(description: RobotDescription) -> RobotDescription:
    """The same with planar joints as chains."""
    links, joints = list(description.links), list[Joint]()
    for joint in description.joints:
        chain = list(_planar_chain(joint)) if joint.kind is JointType.PLANAR else [joint]
        joints += chain
        links += [Link(step.child) for step in chain[:-1]]
    return replace(description, links=tuple(links), joints=tuple(joints))


def _planar_chain(joint: Joint) -> Iterator[Joint]:
    normal = np.array(joint.axis)
    first = perpendicular(normal)
    second = np.cross(normal, first)
    x, y = (f"{joint.child}_{joint.name}_{axis}" for axis in "xy")
    slide = Joint("", JointType.PRISMATIC, "", "", dynamics=joint.dynamics)
    yield replace(
        slide,
        name=f"{joint.name}_x",
        parent=joint.parent,
        child=x,
        T_parent_joint=joint.T_parent_joint,
        axis=tuple(first.tolist()),
    )
    yield replace(slide, name=f"{joint.name}_y", parent=x, child=y, axis=tuple(second.tolist()))
    yield replace(
        joint,
        kind=JointType.CONTINUOUS,
        name=f"{joint.name}_yaw",
        parent=y,
        T_parent_joint=IDENTITY,
        limit=JointLimit(),
        mimic=None,
    )


class _Model:
    def __init__(self, description: RobotDescription, mesh_uri: MeshUri) -> None:
        self.description = description
        self.names = Names(description)
        self.sensors = [sensor for sensor in description.sensors if not is_plugin(sensor)]
        self.mesh_uri = mesh_uri
        self.inertials: Mapping[str, Inertial] = {}
        if any(link.inertial is None or link.inertial.mass <= 0.0 for link in description.links):
            self.inertials, _ = physical_inertials(description, root_moves=True)
        self._check_world()

    def _check_world(self) -> None:
        for link in self.description.links:
            if self.names.links[link.name] == WORLD and (
                link.inertial or link.visuals or link.collisions
            ):
                raise DescriptionError(
                    f"robot '{self.description.name}': SDF's world has no mass or shapes, and the "
                    "link 'world' has; rename it, and hold it by a fixed joint"
                )

    def add_to(self, sdf: ET.Element, *, held: bool) -> None:
        """Adds the ``<model>``."""
        robot, links = self.description, self.names.links
        model = add(sdf, "model", name=robot.name)
        if links[robot.root] != WORLD:
            model.set("canonical_link", links[robot.root])
        if robot.is_static:
            add(model, "static", value=True)
        add(model, "self_collide", value=robot.self_collide)
        above = {joint.child: joint for joint in robot.joints}
        for link in robot.links:
            if links[link.name] != WORLD:
                self._add_link(model, link, above.get(link.name))
        for joint in (*robot.joints, *robot.loops):
            # What hangs from a floating joint is a tree of its own.
            if joint.kind is not JointType.FLOATING:
                self._add_joint(model, joint)
        if held and links[robot.root] != WORLD and not robot.is_static:
            joint = add(model, "joint", name=self.names.new("world_fixed"), type="fixed")
            add(joint, "parent", WORLD)
            add(joint, "child", links[robot.root])
        for name, (link, T_link_frame) in robot.extra_frames.items():
            if links[link] != WORLD:
                frame = add(model, "frame", name=self.names.frames[name], attached_to=links[link])
                add_pose(frame, T_link_frame)

        model.extend(plugins_of(robot.sensors, robot.drives, links, self.names.joints))

    def _add_link(self, model: ET.Element, link: Link, joint: Joint | None) -> None:
        element = add(model, "link", name=self.names.links[link.name])
        if joint is None:
            add_pose(element, self.description.T_world_root)
        else:
            T_parent_link = joint.T_parent_joint @ joint.T_joint_child
            parent = self.names.links[joint.parent]
            if parent == WORLD:
                add_pose(element, self.description.T_world_root @ T_parent_link)
            else:
                add_pose(element, T_parent_link, parent)
        if not link.has_gravity:
            add(element, "gravity", value=False)
        self._add_inertial(element, link)
        names = _unlike([visual.name for visual in link.visuals], "visual")
        for name, visual in zip(names, link.visuals, strict=True):
            add_visual(element, visual, name, self.mesh_uri)
        names = _unlike([shape.name for shape in link.collisions], "collision")
        for name, shape in zip(names, link.collisions, strict=True):
            add_collision(element, shape, name, self.mesh_uri)
        for sensor in self.sensors:
            if sensor.link == link.name and sensor.joint is None:
                element.append(sensor_element(sensor, sensor.T_link_sensor))

    def _add_inertial(self, link: ET.Element, given: Link) -> None:
        inertial = given.inertial
        if inertial is None or inertial.mass <= 0.0:
            inertial = self.inertials.get(given.name, NEGLIGIBLE)
        else:
            inertial = repaired_inertial(inertial)  # Gazebo refuses models with impossible ones
        element = add(link, "inertial")
        add_pose(element, inertial.T_link_inertia)
        add(element, "mass", inertial.mass)
        inertia = add(element, "inertia")
        tags = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        for tag, value in zip(tags, inertial.inertia, strict=True):
            add(inertia, tag, value)

    def _add_joint(self, model: ET.Element, joint: Joint) -> None:
        element = add(model, "joint", name=self.names.joints[joint.name], type=str(joint.kind))
        add_pose(element, joint.T_joint_child.inverse())
        add(element, "parent", self.names.links[joint.parent])
        add(element, "child", self.names.links[joint.child])
        if joint.kind is JointType.SCREW:
            add(element, "screw_thread_pitch", joint.thread_pitch)
        if joint.kind not in (JointType.FIXED, JointType.BALL):
            self._add_axis(element, joint)
        if joint.kind is JointType.UNIVERSAL:
            second = joint.axis2 or perpendicular(np.array(joint.axis))
            add(add(element, "axis2"), "xyz", second)
        for sensor in self.sensors:
            if sensor.joint == joint.name:
                T_joint_sensor = joint.T_joint_child @ sensor.T_link_sensor
                element.append(sensor_element(sensor, T_joint_sensor))

    def _add_axis(self, element: ET.Element, joint: Joint) -> None:
        axis = add(element, "axis")
        if joint.initial_position:
            add(axis, "initial_position", joint.initial_position)
        add(axis, "xyz", joint.axis)
        limit = add(axis, "limit")
        bounds = joint.limit
        for tag in ("lower", "upper", "effort", "velocity"):
            value = getattr(bounds, tag)
            if value is not None:
                add(limit, tag, float(value))
        dynamics = joint.dynamics
        if replace(dynamics, armature=None) != JointDynamics():
            holder = add(axis, "dynamics")
            add(holder, "damping", dynamics.damping)
            add(holder, "friction", dynamics.friction)
            add(holder, "spring_stiffness", dynamics.stiffness)
            add(holder, "spring_reference", dynamics.spring_reference)
        mimic = joint.mimic
        if mimic is not None:
            holder = add(axis, "mimic", joint=self.names.joints[mimic.joint])
            add(holder, "multiplier", mimic.multiplier)
            add(holder, "offset", mimic.offset)
            add(holder, "reference", 0.0)


def _unlike(names: Sequence[str], tag: str) -> list[str]:
    """Names of the shapes of a link, each different; those without one are numbered."""
    unlike: list[str] = []
    for number, name in enumerate(names):
        plain = name.replace("::", "_") or f"{tag}_{number}"
        unlike.append(free_name(plain, unlike))
    return unlike
