"""MJCF: links and joints of a robot in MuJoCo's own format, read through MuJoCo.

The engine gets the bodies of such a file as they are; the description here serves tables, TF,
kinematics, drives and export.
"""

# mujoco is a binary module without type stubs.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Geometry,
    Inertial,
    Joint,
    JointDynamics,
    JointLimit,
    JointType,
    Link,
    Material,
    RobotDescription,
    Sphere,
    Surface,
    Visual,
)
from horus_sim.robots.mjcf.drives import followers, joint_efforts
from horus_sim.robots.mjcf.file import MjcfFile
from horus_sim.robots.mjcf.keyframes import read_keyframes
from horus_sim.robots.mjcf.robot import acts_on_joint, robot_spec
from horus_sim.robots.report import NoteKind, Report
from horus_sim.tf import Transform

if TYPE_CHECKING:
    import mujoco

WORLD = "world"


Described = tuple[RobotDescription, Report, Literal["fixed", "floating"]]


def describe_mjcf(file: MjcfFile) -> Described:
    """The robot in an MJCF file, the remarks on its import, and its base.

    A body with several joints becomes a chain of links, the upper ones without mass and named
    ``body/joint``. Meshes are not described.

    Raises:
        DescriptionError: MuJoCo refuses the file.
    """
    import mujoco

    path, report = file.path, Report()
    spec = robot_spec(file, report)
    try:
        model = spec.compile()
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise file.refusal(error) from error
    if model.nbody < 2:
        raise DescriptionError(f"{path}: the MJCF file has no body; it needs at least one")
    reader = _ModelReader(model)
    links, joints, root = reader.tree()
    if reader.left_out:
        text = f"{reader.left_out} shapes that are not primitives are not part of the description"
        report.add(NoteKind.IGNORED, "<geom>", text)
    _remark_on_actuators(spec, report)
    moving = sum(1 for top in spec.worldbody.bodies if top.find_all("joint"))
    if moving > 1:
        text = (
            f"the world has {moving} bodies that move: they are one robot, whose parts move freely"
        )
        report.add(NoteKind.SUBSTITUTION, "<worldbody>", text)
    is_loose = (model.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)).any()
    if is_loose and not (model.geom_contype.any() or model.geom_conaffinity.any()):
        text = (
            "it floats and has no shape that touches, since all have contype and conaffinity 0: it "
            "falls through the ground"
        )
        report.add(NoteKind.SUBSTITUTION, f"robot '{spec.modelname or path.stem}'", text)
    name = spec.modelname or path.stem
    description = RobotDescription(
        name,
        tuple(links),
        tuple(joints),
        root,
        source=path,
        T_world_root=reader.T_world_root,
        poses=read_keyframes(file, model, report),
    )
    return description, report, "floating" if reader.is_floating else "fixed"


class _ModelReader:
    """Reads a compiled model."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model = model
        self.efforts = joint_efforts(model)
        self.mimics = followers(model, set(self.efforts))
        self.left_out = 0
        self.is_floating = False
        self.T_world_root = Transform.identity()

    def tree(self) -> tuple[list[Link], list[Joint], str]:
        model = self.model
        tops = [body for body in range(1, model.nbody) if model.body_parentid[body] == 0]
        is_rooted = len(tops) > 1 or self._moves_on_an_axis(tops[0]) or model.body_geomnum[0] > 0
        if not is_rooted:
            self.is_floating = int(model.body_jntnum[tops[0]]) > 0
            self.T_world_root = _pose(model.body_pos[tops[0]], model.body_quat[tops[0]])
        links: list[Link] = [self._link(0, WORLD)] if is_rooted else []
        joints: list[Joint] = []
        for body in range(1, model.nbody):
            name = self._name(body)
            links.append(self._link(body, name))
            parent = int(model.body_parentid[body])
            if parent == 0 and not is_rooted:
                continue
            for upper, joint in self._chain(body, name, self._name(parent)):
                if upper is not None:
                    links.append(upper)
                joints.append(joint)
        return links, joints, WORLD if is_rooted else self._name(tops[0])

    def _moves_on_an_axis(self, body: int) -> bool:
        count = int(self.model.body_jntnum[body])
        return count > 0 and int(self.model.jnt_type[self.model.body_jntadr[body]]) != 0

    def _name(self, body: int) -> str:
        return WORLD if body == 0 else self.model.body(body).name

    def _link(self, body: int, name: str) -> Link:
        model = self.model
        inertial = None
        if model.body_mass[body] > 0.0:
            T_link_inertia = _pose(model.body_ipos[body], model.body_iquat[body])
            ixx, iyy, izz = map(float, model.body_inertia[body])
            mass = float(model.body_mass[body])
            inertial = Inertial(mass, T_link_inertia, (ixx, iyy, izz, 0.0, 0.0, 0.0))
        visuals: list[Visual] = []
        collisions: list[Collision] = []
        first = int(model.body_geomadr[body])
        for geom in range(first, first + int(model.body_geomnum[body])):
            shape = _shape(int(model.geom_type[geom]), model.geom_size[geom])
            if shape is None:
                self.left_out += 1
                continue
            T_link_geom = _pose(model.geom_pos[geom], model.geom_quat[geom])
            title = model.geom(geom).name
            red, green, blue, alpha = map(float, model.geom_rgba[geom])
            visuals.append(
                Visual(shape, T_link_geom, Material(rgba=(red, green, blue, alpha)), title)
            )
            if model.geom_contype[geom] or model.geom_conaffinity[geom]:
                friction = float(model.geom_friction[geom][0])
                collisions.append(Collision(shape, T_link_geom, Surface(friction), title))
        gravity = float(model.body_gravcomp[body]) < 1.0
        return Link(name, inertial, tuple(visuals), tuple(collisions), gravity)

    def _chain(self, body: int, name: str, parent: str) -> Iterator[tuple[Link | None, Joint]]:
        model = self.model
        T_parent_body = _pose(model.body_pos[body], model.body_quat[body])
        count = int(model.body_jntnum[body])
        if count == 0:
            yield None, Joint(f"{name}_fixed", JointType.FIXED, parent, name, T_parent_body)
        first = int(model.body_jntadr[body])
        for k, number in enumerate(range(first, first + count)):
            joint = self._joint(number, name)
            is_last = k == count - 1
            child = name if is_last else f"{name}/{joint.name}"
            yield (
                None if is_last else Link(child),
                replace(
                    joint,
                    parent=parent,
                    child=child,
                    T_parent_joint=T_parent_body @ joint.T_parent_joint,
                ),
            )
            parent, T_parent_body = child, Transform.identity()

    def _joint(self, number: int, body: str) -> Joint:
        """A joint with its frame in the body's."""
        model = self.model
        kind = (JointType.FLOATING, JointType.BALL, JointType.PRISMATIC, JointType.REVOLUTE)[
            int(model.jnt_type[number])
        ]
        limited = bool(model.jnt_limited[number])
        if kind is JointType.REVOLUTE and not limited:
            kind = JointType.CONTINUOUS
        anchor = model.jnt_pos[number]
        axis = np.asarray(model.jnt_axis[number], dtype=np.float64)
        is_axial = kind not in (JointType.FLOATING, JointType.BALL)
        zero = float(model.qpos0[model.jnt_qposadr[number]]) if is_axial else 0.0
        T_body_joint = Transform(anchor)
        if kind is JointType.PRISMATIC:
            T_body_joint = Transform(anchor - zero * axis)
        elif zero:
            turn = (*(-np.sin(zero / 2) * axis), np.cos(zero / 2))
            T_body_joint = Transform(anchor, turn)
        dof = int(model.jnt_dofadr[number])
        low, high = map(float, model.jnt_range[number]) if limited and is_axial else (None, None)
        x, y, z = map(float, axis)
        return Joint(
            model.joint(number).name,
            kind,
            "",
            body,
            T_body_joint,
            (x, y, z),
            limit=JointLimit(low, high, self._effort(number)),
            dynamics=JointDynamics(
                float(model.dof_damping[dof]),
                float(model.dof_frictionloss[dof]),
                float(model.dof_armature[dof]),
                float(np.ravel(model.jnt_stiffness[number])[0]),
                float(model.qpos_spring[model.jnt_qposadr[number]]) if is_axial else 0.0,
            ),
            mimic=self.mimics.get(number),
            T_joint_child=Transform(-np.asarray(anchor)),
            initial_position=zero,
        )

    def _effort(self, number: int) -> float | None:
        """Largest torque or force on a joint, of its actuators or of the joint itself."""
        model = self.model
        effort = self.efforts.get(number)
        if not bool(model.jnt_actfrclimited[number]):
            return effort
        most = float(np.abs(model.jnt_actfrcrange[number]).max())
        return most if effort is None else min(most, effort)


def _remark_on_actuators(spec: mujoco.MjSpec, report: Report) -> None:
    on_joints = {actuator.target for actuator in spec.actuators if acts_on_joint(actuator)}
    others = sum(not acts_on_joint(actuator) for actuator in spec.actuators)
    if on_joints:
        text = (
            f"those of {len(on_joints)} joints are replaced by drives that take positions, "
            "velocities or efforts; their bounds of effort are kept"
        )
        report.add(NoteKind.SUBSTITUTION, "<actuator>", text)
    if others:
        text = f"{others} act on tendons, sites or bodies; they are kept and take no commands"
        report.add(NoteKind.IGNORED, "<actuator>", text)


def _pose(position: np.ndarray, quat_wxyz: np.ndarray) -> Transform:
    w, x, y, z = map(float, quat_wxyz)
    return Transform(position, (x, y, z, w))


def _shape(kind: int, size: np.ndarray) -> Geometry | None:
    import mujoco

    a, b, c = map(float, size)
    shapes: dict[int, Geometry] = {
        int(mujoco.mjtGeom.mjGEOM_SPHERE): Sphere(a),
        int(mujoco.mjtGeom.mjGEOM_CAPSULE): Capsule(a, 2 * b),
        int(mujoco.mjtGeom.mjGEOM_ELLIPSOID): Ellipsoid((a, b, c)),
        int(mujoco.mjtGeom.mjGEOM_CYLINDER): Cylinder(a, 2 * b),
        int(mujoco.mjtGeom.mjGEOM_BOX): Box((2 * a, 2 * b, 2 * c)),
    }
    return shapes.get(kind)
