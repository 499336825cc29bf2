"""URDF from any description, whatever format it came from.

Joints that URDF does not have become chains, see `chains`. Capsules, cones, ellipsoids and
planes are written as elements that other readers may not know.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import quoteattr

from horus_sim.errors import DescriptionError
from horus_sim.files.whole_file import write_whole
from horus_sim.robots.description import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Joint,
    JointDynamics,
    JointLimit,
    JointType,
    Link,
    Material,
    Mesh,
    Plane,
    RobotDescription,
    Sphere,
    Surface,
    Transmission,
    Visual,
)
from horus_sim.robots.gazebo.writing import is_plugin, plugins_of, sensor_element
from horus_sim.robots.mesh.copying import MeshUri, copies_in
from horus_sim.robots.urdf.chains import is_identity, plain_tree
from horus_sim.tf import Transform


def to_urdf(description: RobotDescription, *, mesh_uri: MeshUri | None = None) -> str:
    """A robot as URDF.

    Reading it back gives the same kinematics, inertias, limits and shapes.

    Args:
        description: The robot.
        mesh_uri: The ``filename`` to write for a mesh; ``file://`` and its absolute path by
            default. `write_urdf` can copy the meshes.

    Raises:
        DescriptionError: The robot has something that URDF cannot say: loops, a height map, a
            prism, or a part of a mesh.
    """
    if description.loops:
        names = ", ".join(f"'{joint.name}'" for joint in description.loops)
        raise DescriptionError(
            f"robot '{description.name}': URDF has no loops, and {names} close some; remove them"
        )
    links, joints = plain_tree(description)
    lines = ['<?xml version="1.0"?>', f"<robot{_attributes(name=description.name)}>"]
    for link in links:
        lines += _link(link, mesh_uri or _file_uri)
    for joint in joints:
        lines += _joint(joint)
    for transmission in description.transmissions:
        lines += _transmission(transmission)
    lines += _start([joint for joint in joints if joint.initial_position])
    for link in links:
        lines += _gazebo(link)
    lines += _tags(description, {joint.name for joint in joints})
    if not description.self_collide:
        lines += ["  <gazebo>", "    <self_collide>false</self_collide>", "  </gazebo>"]
    return "\n".join([*lines, "</robot>", ""])


def _tags(description: RobotDescription, joints: set[str]) -> list[str]:
    """Sensors and drives; those of joints that became chains are left out."""
    lines: list[str] = []
    for sensor in description.sensors:
        if is_plugin(sensor) or (sensor.joint is not None and sensor.joint not in joints):
            continue
        holder = ET.Element("gazebo", reference=sensor.joint or sensor.link)
        holder.append(sensor_element(sensor, sensor.T_link_sensor))
        lines += _xml_lines(holder)
    links = {link.name: link.name for link in description.links}
    own = {name: name for name in joints}
    holder = ET.Element("gazebo")
    holder.extend(plugins_of(description.sensors, description.drives, links, own))
    return lines + (_xml_lines(holder) if len(holder) else [])


def _xml_lines(element: ET.Element) -> list[str]:
    ET.indent(element)
    return [f"  {line}" for line in ET.tostring(element, encoding="unicode").splitlines()]


def write_urdf(description: RobotDescription, path: Path, *, copy_meshes: bool = False) -> None:
    """Writes a robot as a URDF file.

    Args:
        description: The robot.
        path: The file to write.
        copy_meshes: Whether its meshes are written as STL files into the folder ``meshes`` beside
            it, which makes it independent of their first place but loses their own colours.

    Raises:
        DescriptionError: The robot has something that URDF cannot say, or a file cannot be written.
    """
    uri = copies_in(path.parent) if copy_meshes else None
    write_whole(path, to_urdf(description, mesh_uri=uri), DescriptionError)


def _file_uri(mesh: Mesh) -> str:
    if mesh.submesh is not None:
        raise DescriptionError(
            f"URDF cannot refer to the part '{mesh.submesh}' of '{mesh.path}'; copy the meshes "
            "(copy_meshes=True, --copy-meshes)"
        )
    return mesh.path.resolve().as_uri()


def _attributes(**values: str | float | tuple[float, ...] | None) -> str:
    """Attributes with their values, each exact; None leaves one out."""
    text = ""
    for key, value in values.items():
        if isinstance(value, str):
            text += f" {key}={quoteattr(value)}"
        elif isinstance(value, tuple):
            text += f' {key}="{" ".join(repr(float(number)) for number in value)}"'
        elif value is not None:
            text += f' {key}="{float(value)!r}"'
    return text


def _origin(T: Transform, indent: str) -> list[str]:
    if is_identity(T):
        return []
    xyz, rpy = tuple(map(float, T.translation)), tuple(map(float, T.to_euler()))
    return [f"{indent}<origin{_attributes(xyz=xyz, rpy=rpy)}/>"]


def _link(link: Link, mesh_uri: MeshUri) -> list[str]:
    body: list[str] = []
    if link.inertial is not None:
        ixx, iyy, izz, ixy, ixz, iyz = link.inertial.inertia
        moments = _attributes(ixx=ixx, ixy=ixy, ixz=ixz, iyy=iyy, iyz=iyz, izz=izz)
        body += [
            "    <inertial>",
            *_origin(link.inertial.T_link_inertia, "      "),
            f"      <mass{_attributes(value=link.inertial.mass)}/>",
            f"      <inertia{moments}/>",
            "    </inertial>",
        ]
    for visual in link.visuals:
        body += _shape("visual", visual, visual.T_link_visual, mesh_uri)
    for collision in link.collisions:
        body += _shape("collision", collision, collision.T_link_collision, mesh_uri)
    body += _contact(link)
    head = f"  <link{_attributes(name=link.name)}"
    return [f"{head}>", *body, "  </link>"] if body else [f"{head}/>"]


def _shape(tag: str, shape: Visual | Collision, T: Transform, mesh_uri: MeshUri) -> list[str]:
    return [
        f"    <{tag}{_attributes(name=shape.name or None)}>",
        *_origin(T, "      "),
        f"      <geometry>{_geometry(shape.geometry, mesh_uri)}</geometry>",
        *(_material(shape.material) if isinstance(shape, Visual) else ()),
        f"    </{tag}>",
    ]


def _geometry(geometry: Geometry, mesh_uri: MeshUri) -> str:
    match geometry:
        case Box() | Sphere() | Cylinder() | Capsule() | Cone() | Ellipsoid():
            return f"<{type(geometry).__name__.lower()}{_attributes(**asdict(geometry))}/>"
        case Plane(normal):
            return f"<plane{_attributes(normal=normal)}/>"
        case Mesh():
            scale = None if geometry.scale == (1.0, 1.0, 1.0) else geometry.scale
            return f"<mesh{_attributes(filename=mesh_uri(geometry), scale=scale)}/>"
        case _:
            kind = type(geometry).__name__.lower()
            raise DescriptionError(f"URDF has no {kind}; replace it by a mesh or a primitive shape")


def _material(material: Material) -> list[str]:
    if material == Material():
        return []
    lines = [f"      <material{_attributes(name=material.name)}>"]
    lines.append(f"        <color{_attributes(rgba=material.rgba)}/>")
    if material.texture is not None:
        lines.append(f"        <texture{_attributes(filename=str(material.texture))}/>")
    return [*lines, "      </material>"]


def _surface(link: Link) -> Surface:
    return link.collisions[0].surface if link.collisions else Surface()


def _contact(link: Link) -> list[str]:
    surface = _surface(link)
    values = {
        "restitution": surface.restitution,
        "rolling_friction": surface.rolling,
        "spinning_friction": surface.torsional,
    }
    lines = [
        f"      <{tag}{_attributes(value=value)}/>"
        for tag, value in values.items()
        if value is not None
    ]
    return ["    <contact>", *lines, "    </contact>"] if lines else []


def _gazebo(link: Link) -> list[str]:
    surface = _surface(link)
    values = {"mu1": surface.friction, "mu2": surface.friction}
    values |= {"kp": surface.stiffness, "kd": surface.damping}
    lines = [f"    <{tag}>{value!r}</{tag}>" for tag, value in values.items() if value is not None]
    if not link.has_gravity:
        lines.append("    <turnGravityOff>true</turnGravityOff>")
    return [f"  <gazebo{_attributes(reference=link.name)}>", *lines, "  </gazebo>"] if lines else []


def _joint(joint: Joint) -> list[str]:
    lines = [
        f"  <joint{_attributes(name=joint.name, type=str(joint.kind))}>",
        *_origin(joint.T_parent_joint, "    "),
        f"    <parent{_attributes(link=joint.parent)}/>",
        f"    <child{_attributes(link=joint.child)}/>",
    ]
    if joint.kind not in (JointType.FIXED, JointType.FLOATING):
        lines.append(f"    <axis{_attributes(xyz=joint.axis)}/>")
    limit, dynamics, safety = joint.limit, joint.dynamics, joint.safety
    if limit != JointLimit():
        numbers = _attributes(
            lower=limit.lower, upper=limit.upper, effort=limit.effort, velocity=limit.velocity
        )
        lines.append(f"    <limit{numbers}/>")
    if dynamics != JointDynamics(
        stiffness=dynamics.stiffness, spring_reference=dynamics.spring_reference
    ):
        numbers = _attributes(
            damping=dynamics.damping, friction=dynamics.friction, armature=dynamics.armature
        )
        lines.append(f"    <dynamics{numbers}/>")
    if joint.mimic is not None:
        mimic = joint.mimic
        numbers = _attributes(joint=mimic.joint, multiplier=mimic.multiplier, offset=mimic.offset)
        lines.append(f"    <mimic{numbers}/>")
    if safety is not None:
        numbers = _attributes(
            soft_lower_limit=safety.soft_lower,
            soft_upper_limit=safety.soft_upper,
            k_position=safety.k_position,
            k_velocity=safety.k_velocity,
        )
        lines.append(f"    <safety_controller{numbers}/>")
    lines.append("  </joint>")
    if dynamics.stiffness:
        lines += [
            f"  <gazebo{_attributes(reference=joint.name)}>",
            f"    <springStiffness>{dynamics.stiffness!r}</springStiffness>",
            f"    <springReference>{dynamics.spring_reference!r}</springReference>",
            "  </gazebo>",
        ]
    return lines


def _start(joints: list[Joint]) -> list[str]:
    """Where joints start, in the form of ros2_control."""
    if not joints:
        return []
    lines = ['  <ros2_control name="start" type="system">']
    for joint in joints:
        value = f'<param name="initial_value">{float(joint.initial_position)!r}</param>'
        lines += [
            f"    <joint{_attributes(name=joint.name)}>",
            f'      <state_interface name="position">{value}</state_interface>',
            "    </joint>",
        ]
    return [*lines, "  </ros2_control>"]


def _transmission(transmission: Transmission) -> list[str]:
    lines = [f"  <transmission{_attributes(name=transmission.name)}>"]
    if transmission.kind:
        lines.append(f"    <type>{_escaped(transmission.kind)}</type>")
    interface = ""
    if transmission.interface:
        interface = f"<hardwareInterface>{_escaped(transmission.interface)}</hardwareInterface>"
    reduction = f"<mechanicalReduction>{transmission.reduction!r}</mechanicalReduction>"
    lines.append(f"    <joint{_attributes(name=transmission.joint)}>{interface}</joint>")
    lines.append(f"    <actuator{_attributes(name=transmission.actuator)}>{reduction}</actuator>")
    return [*lines, "  </transmission>"]


def _escaped(text: str) -> str:
    return quoteattr(text)[1:-1]
