"""How deep the bodies of a scene are in each other, worked out from their poses alone."""

from __future__ import annotations

import itertools

import numpy as np
from sim2d_engines import Floats
from sim2d_scenes import Part, Scene


def deepest_overlap(scene: Scene, states: Floats) -> float:
    """The deepest overlap of two parts that may collide [m]; 0 if none touch.

    Args:
        scene: Where the shapes are from.
        states: Poses and velocities of its parts, shape (parts, 6).
    """
    pinned = {(pin.a, pin.b) for pin in scene.pins}
    reach = [part.radius or 0.5 * float(np.hypot(part.width, part.height)) for part in scene.parts]
    deepest = 0.0
    for a, b in itertools.combinations(range(len(scene.parts)), 2):
        if scene.parts[a].is_fixed and scene.parts[b].is_fixed:
            continue
        if {(a, b), (b, a)} & pinned:
            continue
        apart = float(np.hypot(*(states[a, :2] - states[b, :2])))
        if apart >= reach[a] + reach[b]:
            continue
        deepest = max(deepest, overlap(scene.parts[a], states[a], scene.parts[b], states[b]))
    return deepest


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
