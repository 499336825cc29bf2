"""Robots on legs start in a pose in which they stand; see `horus_sim.robots.stance`."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from horus_sim.robots.description import JointType, Mesh, RobotDescription
from horus_sim.robots.engine import mujoco
from horus_sim.robots.report import Report
from horus_sim.robots.stance.cache import load_stance, store_stance
from horus_sim.robots.stance.named_pose import NamedPose, by_preference
from horus_sim.robots.stance.stance import DrivenJoint, Stance, find_stance
from horus_sim.sim3d.compile.assets import AssetStore
from horus_sim.sim3d.compile.compile_spec import CompiledWorld
from horus_sim.sim3d.compile.options import new_spec
from horus_sim.sim3d.compile.placement import stands, stood_up
from horus_sim.sim3d.compile.robot.drives import has_drive
from horus_sim.sim3d.compile.robot.mjcf import add_mjcf_robot
from horus_sim.sim3d.compile.robot.robot import add_robot
from horus_sim.sim3d.compile.steady import steady_physics
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.placed import PlacedRobot, nearest_within
from horus_sim.sim3d.scene.world_spec import WorldSpec
from horus_sim.tf import Transform

# To be raised when the same robot gets another stance.
_VERSION = 1
_FEWEST_JOINTS = 4  # two legs with a hip and a knee each


def with_stance(robot: PlacedRobot) -> PlacedRobot:
    """A floating robot whose drives hold it, with the stance in which it starts; others as is."""
    if robot.stance is not None or not _may_stand(robot):
        return robot
    key = _key(robot)
    stance = load_stance(key)
    if stance is None:
        stance = _find(robot)
        if stance is None:
            return robot
        store_stance(key, stance)
    return replace(robot, stance=stance)


def settled(spec: WorldSpec, own: PhysicsConfig, report: Report) -> WorldSpec:
    """A world whose robots on legs stand: in their stance, and on z = 0 where no pose is given.

    Args:
        spec: What the world is made of.
        own: What the scene itself says of physics.
        report: Gets remarks.
    """
    robots: list[PlacedRobot] = []
    for robot in map(with_stance, spec.robots):
        stays = robot.is_put or not stands(robot)
        robots.append(robot if stays else stood_up(robot, spec.physics))
    return steady_physics(replace(spec, robots=tuple(robots)), own, report)


def _may_stand(robot: PlacedRobot) -> bool:
    if not (robot.is_free and robot.hold) or robot.description.is_static:
        return False
    return sum(has_drive(joint) for joint in robot.description.joints) >= _FEWEST_JOINTS


def _find(robot: PlacedRobot) -> Stance | None:
    """A stance; None for a robot that MuJoCo refuses, which the world then says."""
    description = robot.description
    # Without what is only seen: there is less to read.
    links = tuple(replace(link, visuals=()) for link in description.links)
    alone = replace(
        robot,
        description=replace(description, links=links),
        pose=Transform(rotation=description.T_world_root.rotation),
        joints={},
        stance=Stance(),
    )
    physics = PhysicsConfig()
    spec, report = new_spec("stance", physics), Report()
    add = add_robot if robot.mjcf is None else add_mjcf_robot
    built = add(spec, AssetStore(spec, report), alone, physics)
    world = WorldSpec("stance", physics, (alone,))
    try:
        model = spec.compile()
    except (ValueError, RuntimeError, mujoco.FatalError):
        return None
    compiled = CompiledWorld(world, model, {robot.name: built}, report)
    leaders = {each.mimic.joint for each in built.coordinates if each.mimic is not None}
    driven = [
        DrivenJoint(
            each.name,
            int(model.joint(each.mujoco_name).id),
            each.drive.effort,
            each.name not in leaders and each.mimic is None,
            None if each.drive.is_assumed else each.drive.inertia,
        )
        for each in built.coordinates
        if each.drive is not None
    ]
    poses = [
        (pose, replace(compiled, spec=_posed(world, pose)).initial_positions())
        for pose in by_preference(_fitting(pose, description) for pose in description.poses)
    ]
    told = robot.mjcf is None and any(joint.initial_position for joint in description.joints)
    root = int(model.body(built.root_body).id)
    start = compiled.initial_positions()
    return find_stance(model, root, start, driven, poses, is_told=told)


def _posed(world: WorldSpec, pose: NamedPose) -> WorldSpec:
    (robot,) = world.robots
    stance = Stance(pose.positions, pose.rotations)
    return replace(world, robots=(replace(robot, stance=stance),))


def _fitting(pose: NamedPose, description: RobotDescription) -> NamedPose:
    """A pose without what the robot does not have, within the bounds of its joints."""
    joints = {joint.name: joint for joint in description.joints}
    positions: dict[str, float] = {}
    for name, value in pose.positions.items():
        joint = joints.get(name)
        if joint is None or joint.mimic is not None or joint.kind is JointType.FIXED:
            continue
        limit = joint.limit
        endless = joint.kind is JointType.CONTINUOUS
        positions[name] = value if endless else nearest_within(value, limit.lower, limit.upper)
    return replace(pose, positions=positions)


def _key(robot: PlacedRobot) -> str:
    """Hash of all that a stance depends on."""
    description = robot.description
    parts: list[object] = [_VERSION, mujoco.__version__]
    if robot.mjcf is not None:
        parts.append(robot.mjcf.text)
    parts += [description.root, description.joints, description.loops, description.poses]
    parts += [description.T_world_root.rotation, description.self_collide]
    for link in description.links:
        parts += [link.name, link.inertial, link.has_gravity]
        for collision in link.collisions:
            parts.append((collision.geometry, collision.T_link_collision))
            if isinstance(collision.geometry, Mesh):
                about = collision.geometry.path.stat()
                parts += [about.st_size, about.st_mtime_ns]
    return hashlib.sha256(repr(parts).encode()).hexdigest()
