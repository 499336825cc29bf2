"""A robot that is described in MuJoCo's own format, attached to a scene."""

from __future__ import annotations

from dataclasses import replace

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Joint, JointType
from horus_sim.robots.engine import mujoco
from horus_sim.robots.mjcf.robot import acts_on_joint, is_free, robot_spec
from horus_sim.sim3d.compile.assets import AssetStore
from horus_sim.sim3d.compile.mujoco_types import quat_wxyz
from horus_sim.sim3d.compile.robot.coordinates import Base, BuiltRobot, Coordinate, free_joint_name
from horus_sim.sim3d.compile.robot.drives import Drive, drives, loads
from horus_sim.sim3d.compile.robot.joints import add_drive
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.placed import PlacedRobot
from horus_sim.tf import Transform

WORLD = "world"
_SCALAR = frozenset({JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC})


def add_mjcf_robot(
    spec: mujoco.MjSpec,
    _assets: AssetStore,
    placed: PlacedRobot,
    physics: PhysicsConfig,
) -> BuiltRobot:
    """Adds a robot from an MJCF file, which brings its own assets.

    Each joint on which the file has an actuator gets a drive of ours instead of it. A fixed root
    is a body that the world can place anew at any time; it is made where the file has none.

    Args:
        spec: The scene's spec.
        placed: The robot, with its file.
        physics: The scene's physics.

    Raises:
        DescriptionError: The robot has no such file, or MuJoCo refuses it.
    """
    if placed.mjcf is None:
        raise DescriptionError(f"robot '{placed.name}' was not read from MJCF")
    name, robot, base = placed.name, placed.description, placed.base
    child = robot_spec(placed.mjcf)
    driven = _take_actuators(child)
    prefix = f"{name}/"
    tops = list(child.worldbody.bodies)
    root = tops[0]
    root_body = prefix + root.name
    bodies = {body.name: prefix + body.name for body in child.bodies if body.name != WORLD}
    holder = spec.worldbody
    T_holder_file = placed.pose @ robot.T_world_root.inverse()
    if base == "floating":
        root.joints[0].name = free_joint_name(root.name)
    elif robot.root != WORLD:
        root.mocap = True
    elif not any(is_free(top) for top in tops):
        # Free bodies must lie directly in the world: only without them there can be a holder.
        root_body = prefix + WORLD
        holder = spec.worldbody.add_body(
            name=root_body, pos=T_holder_file.translation, quat=quat_wxyz(T_holder_file), mocap=True
        )
        bodies[WORLD] = root_body
        T_holder_file = Transform.identity()
    frame = holder.add_frame(pos=T_holder_file.translation, quat=quat_wxyz(T_holder_file))
    spec.attach(child, frame=frame, prefix=prefix)
    found = _drives(placed, driven, base, physics)
    for joint, drive in found.items():
        add_drive(spec, prefix + joint, drive)
    coordinates = tuple(
        _coordinate(joint, prefix, found.get(joint.name))
        for joint in robot.joints
        if joint.kind in _SCALAR
    )
    spherical = {
        joint.name: prefix + joint.name for joint in robot.joints if joint.kind is JointType.BALL
    }
    return BuiltRobot(name, base, root_body, bodies, coordinates, spherical)


def _take_actuators(child: mujoco.MjSpec) -> set[str]:
    """Removes the actuators of joints, with the sensors that watch them; the joints."""
    taken = [actuator for actuator in child.actuators if acts_on_joint(actuator)]
    driven = {actuator.target for actuator in taken}
    names = {actuator.name for actuator in taken}
    for sensor in list(child.sensors):
        if sensor.objtype == mujoco.mjtObj.mjOBJ_ACTUATOR and sensor.objname in names:
            child.delete(sensor)
    for actuator in taken:
        child.delete(actuator)
    for actuator in child.actuators:
        if actuator.name in driven:
            # The drive of a joint has the name of the joint.
            actuator.name = f"{actuator.name}#actuator"
    return driven


def _drives(
    placed: PlacedRobot, driven: set[str], base: Base, physics: PhysicsConfig
) -> dict[str, Drive]:
    """The drives of the joints that have actuators."""
    robot = placed.description
    # An effort of zero says that a joint has no drive.
    joints = tuple(
        joint if joint.name in driven else replace(joint, limit=replace(joint.limit, effort=0.0))
        for joint in robot.joints
    )
    inertials = {link.name: link.inertial for link in robot.links}
    return drives(
        replace(robot, joints=joints),
        loads(robot, inertials),
        sum(inertial.mass for inertial in inertials.values() if inertial is not None),
        physics.timestep,
        is_floating=base == "floating",
        standing=None if placed.stance is None else placed.stance.carried,
    )


def _coordinate(joint: Joint, prefix: str, drive: Drive | None) -> Coordinate:
    return Coordinate(
        joint.name,
        joint.name,
        prefix + joint.name,
        joint.kind is not JointType.PRISMATIC,
        joint.limit.lower,
        joint.limit.upper,
        joint.limit.velocity,
        joint.limit.effort,
        joint.initial_position,
        joint.mimic,
        drive,
    )
