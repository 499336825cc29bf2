"""How deep the bodies of a scene are in each other, worked out from their poses alone."""

from __future__ import annotations

import numpy as np
from sim2d_engines import Floats
from sim2d_scenes import Part, Scene


def deepest_overlap(scene: Scene, states: Floats) -> float:
    """The deepest overlap of two parts that may collide [m]; negative if none touch.

    Args:
        scene: Where the shapes are from.
        states: Poses and velocities of its parts, shape (parts, 6).
    """
    parts = scene.parts
    pinned = {frozenset((pin.a, pin.b)) for pin in scene.pins}
    reach = np.array([p.radius or 0.5 * np.hypot(p.width, p.height) for p in parts])
    apart = np.hypot(*(states[:, None, :2] - states[None, :, :2]).transpose(2, 0, 1))
    near = np.argwhere(np.triu(apart < reach[:, None] + reach[None, :], 1))
    depths = [
        overlap(parts[a], states[a], parts[b], states[b])
        for a, b in near.tolist()
        if frozenset((a, b)) not in pinned and not (parts[a].is_fixed and parts[b].is_fixed)
    ]
    return max(depths, default=0.0)


def overlap(a: Part, pose_a: Floats, b: Part, pose_b: Floats) -> float:
    """How far one must be moved so that they do not overlap [m]; negative if they do not."""
    if a.radius > 0.0 and b.radius > 0.0:
        return a.radius + b.radius - float(np.hypot(*(pose_a[:2] - pose_b[:2])))
    if a.radius > 0.0:
        return overlap(b, pose_b, a, pose_a)
    axes = _turn(pose_a[2])
    if b.radius > 0.0:
        return _box_and_circle(a, (pose_b[:2] - pose_a[:2]) @ axes, b.radius)
    corners = np.array(a.corners) @ axes.T + pose_a[:2]
    others = np.array(b.corners) @ _turn(pose_b[2]).T + pose_b[:2]
    normals = np.concatenate([axes.T, _turn(pose_b[2]).T])
    mine, theirs = corners @ normals.T, others @ normals.T
    depths = np.minimum(
        mine.max(axis=0) - theirs.min(axis=0), theirs.max(axis=0) - mine.min(axis=0)
    )
    return float(depths.min())


def _box_and_circle(box: Part, center: Floats, radius: float) -> float:
    half = np.array([0.5 * box.width, 0.5 * box.height])
    beyond = np.abs(center) - half
    if (beyond <= 0.0).all():
        return radius - float(beyond.max())
    return radius - float(np.hypot(*np.maximum(beyond, 0.0)))


def _turn(angle: float) -> Floats:
    """The matrix whose columns are the axes of a body, in the world frame."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])
