"""Where a gripper takes something: between the tips of its fingers."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Joint, RobotDescription
from horus_sim.sim3d.control.gripper import GripperConfig
from horus_sim.sim3d.world.world import World
from horus_sim.tf import Transform

Floats = npt.NDArray[np.float64]
_SIGNS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
_SHORT = 1e-3  # [m]; a hand that is not this far from its fingers' middle points nowhere


@dataclass(frozen=True, slots=True)
class GripPlace:
    """A place between the fingers, in the world.

    Attributes:
        T_world_grip: x is the way from one finger to the other, z the way out of the hand. The
            origin is between the tips.
        fingers: The links that move.
        hand: The link that carries the fingers.
        depth: How far the fingers reach inwards from the tips [m].
    """

    T_world_grip: Transform
    fingers: tuple[str, str]
    hand: str
    depth: float


def fingers_of(description: RobotDescription, gripper: GripperConfig) -> tuple[Joint, Joint]:
    """The joints of both fingers, followers included."""
    driven = [joint for joint in description.joints if joint.name in gripper.joints]
    following = [
        joint
        for joint in description.joints
        if joint.mimic is not None and joint.mimic.joint in gripper.joints
    ]
    first, second = (*driven, *following)[:2]
    return first, second


def grip_place(world: World, robot: str, gripper: GripperConfig) -> GripPlace:
    """Where a robot takes something, as its fingers stand now.

    Args:
        world: The world.
        robot: Name of the robot.
        gripper: Its gripper.

    Raises:
        DescriptionError: A finger has no shape that touches.
    """
    held = world.robots[robot]
    first, second = fingers_of(held.description, gripper)
    points = [_corners(world, robot, joint) for joint in (first, second)]
    across = _axis_w(world, robot, first)
    middles = [each.mean(axis=0) for each in points]
    if across @ (middles[1] - middles[0]) < 0.0:
        across = -across
    hand = np.asarray(held.link_pose(first.parent).translation)
    out = (middles[0] + middles[1]) / 2.0 - hand
    out -= (out @ across) * across
    if np.linalg.norm(out) < _SHORT:
        out = _longest(np.vstack(points), across)
    out /= np.linalg.norm(out)
    aside = np.cross(out, across)
    inner = (points[0] @ across).max(), (points[1] @ across).min()
    low, high = _common(points, out)
    origin = sum(inner) / 2.0 * across + sum(_common(points, aside)) / 2.0 * aside + high * out
    matrix = np.eye(4)
    matrix[:3, :3] = np.column_stack((across, aside, out))
    matrix[:3, 3] = origin
    return GripPlace(
        Transform.from_matrix(matrix), (first.child, second.child), first.parent, high - low
    )


def _axis_w(world: World, robot: str, joint: Joint) -> Floats:
    """The way a finger slides, in the world."""
    T_world_joint = world.robots[robot].link_pose(joint.child) @ joint.T_joint_child.inverse()
    return np.asarray(T_world_joint.transform_vector(joint.axis))


def _corners(world: World, robot: str, joint: Joint) -> Floats:
    """Corners [m] of the boxes around the shapes of a finger that touch, shape (n, 3)."""
    model, data = world.model, world.forward()
    root = world.robots[robot].body_id(joint.child)
    welded = [body for body in range(model.nbody) if model.body_weldid[body] == root] or [root]
    touches = (model.geom_contype | model.geom_conaffinity) != 0
    geoms = np.flatnonzero(np.isin(model.geom_bodyid, welded) & touches)
    if not len(geoms):
        raise DescriptionError(
            f"robot '{robot}': finger '{joint.child}' has no shape that touches; give it a "
            "<collision>"
        )
    inside = model.geom_aabb[geoms, None, :3] + _SIGNS * model.geom_aabb[geoms, None, 3:]
    R_world_geom = data.geom_xmat[geoms].reshape(-1, 3, 3)
    corners = data.geom_xpos[geoms, None] + inside @ R_world_geom.transpose(0, 2, 1)
    return corners.reshape(-1, 3)


def _common(points: list[Floats], axis: Floats) -> tuple[float, float]:
    """Where both fingers are, along an axis; the middle between them where they do not overlap."""
    spans = [(float((each @ axis).min()), float((each @ axis).max())) for each in points]
    low, high = max(span[0] for span in spans), min(span[1] for span in spans)
    middle = (low + high) / 2.0
    return (low, high) if low < high else (middle, middle)


def _longest(points: Floats, across: Floats) -> Floats:
    """The direction across an axis in which points lie farthest apart."""
    flat = points - points.mean(axis=0)
    flat -= np.outer(flat @ across, across)
    return np.linalg.svd(flat)[2][0]
