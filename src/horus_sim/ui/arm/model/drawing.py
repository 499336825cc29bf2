"""What the view draws of an arm: its parts once, and as bytes what changes from frame to frame."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from horus_sim.arm import manipulability, random_configurations, velocity_ellipsoid
from horus_sim.arm.description import matrix_of
from horus_sim.ui.stream.frames import header

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm import Arm
    from horus_sim.ui.arm.model.moving_arm import ArmState

CLOUD_POINTS = 6000
_MOST_PATH_POINTS = 2000
# How thick links look, in parts of the reach.
_THINNEST, _THICKEST = 0.014, 0.045
_SHORTEST = 1e-9


def describe(arm: Arm, number: int) -> dict[str, Any]:
    """The parts of an arm, as `arm_view.js` reads them.

    Part 0 stands still in the world, part i is moved by joint i. Lines are the middle of links, in
    the frame of their part [m]. A joint's `T_part_axis` is the frame that its position is counted
    in: about or along z, from `zero`.

    Args:
        arm: The arm.
        number: Counts arms, so that frames of another one are not drawn.
    """
    joints = arm.description.joints
    T_part_flange = [arm.description.T_world_base.to_matrix()]
    T_part_flange += [matrix_of(joint.after) for joint in joints]
    befores = [matrix_of(joint.before) for joint in joints]
    befores.append(arm.description.T_flange_tool.to_matrix())
    ends = [T @ before for T, before in zip(T_part_flange, befores, strict=True)]
    lines = [_lines([T_part_flange[0][:3, 3], ends[0][:3, 3]])]
    for joint, T, end in zip(joints, T_part_flange[1:], ends[1:], strict=True):
        back = joint.upper - joint.lower if joint.is_prismatic else joint.d
        lines.append(_lines([np.array([0.0, 0.0, -back]), np.zeros(3), T[:3, 3], end[:3, 3]]))
    radius = float(
        np.clip(arm.description.link_radius, _THINNEST * arm.reach, _THICKEST * arm.reach)
    )
    return {
        "number": number,
        "name": arm.name,
        "reach": arm.reach,
        "radius": radius,
        "base": arm.description.T_world_base.translation.tolist(),
        "lines": lines,
        "joints": [
            {
                "name": joint.name,
                "slides": joint.is_prismatic,
                "endless": not np.isfinite(joint.lower),
                "zero": joint.d if joint.is_prismatic else joint.theta_offset,
                "lower": joint.lower if np.isfinite(joint.lower) else -np.pi,
                "upper": joint.upper if np.isfinite(joint.upper) else np.pi,
                "axis": axis.ravel().tolist(),
            }
            for joint, axis in zip(joints, ends, strict=False)
        ],
    }


def parts(arm: Arm, q: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Poses of the moving parts, then of the tool, world coordinates, shape (dof + 1, 4, 4)."""
    poses = arm.frames(q)
    for pose, joint in zip(poses, arm.description.joints, strict=False):
        pose[:] = pose @ np.linalg.inv(matrix_of(joint.after))
    return poses


def arm_frame(state: ArmState) -> bytes:
    """Poses of everything that moves.

    float32: number of joints, whether the target is out of reach, whether it is a pose, what is
    left [m] and [rad]; joint positions (dof,); poses of the parts and the tool (dof + 1, 4, 4); the
    target (4, 4); half axes of the velocity ellipsoid as columns (3, 3) [m/s].
    """
    arm, answer = state.arm, state.answer
    ellipsoid = velocity_ellipsoid(arm, state.q)
    left = (0.0, 0.0) if answer is None else (answer.position_error, answer.rotation_error)
    flags = [arm.dof, state.is_unreachable, state.mode == "pose", *left]
    numbers = np.concatenate(
        [
            flags,
            state.q,
            parts(arm, state.q).ravel(),
            state.T_world_target.to_matrix().ravel(),
            (ellipsoid.axes * ellipsoid.radii).ravel(),
        ]
    )
    return header(state.revision, 0.0) + numbers.astype(np.float32).tobytes()


def cloud_frame(arm: Arm, number: int, count: int = CLOUD_POINTS) -> bytes:
    """Points that the tool reaches, with how well it moves there from 0 to 1: float32 (n, 4)."""
    configurations = random_configurations(arm, count)
    rows = np.empty((count, 4), np.float32)
    rows[:, :3] = arm.fk_batch(configurations)[:, :3, 3]
    measure = np.asarray(manipulability(arm, configurations))
    rows[:, 3] = measure / max(float(measure.max()), np.finfo(float).tiny)
    return header(number, 0.0) + rows.tobytes()


def path_frame(number: int, points: npt.NDArray[np.float64]) -> bytes:
    """The way of the tool, shape (n, 3) [m]: float32, thinned out; none for no way."""
    every = max(1, -(-len(points) // _MOST_PATH_POINTS))
    rows = np.ascontiguousarray(points[::every], dtype=np.float32)
    return header(number, 0.0) + rows.tobytes()


def _lines(points: list[npt.NDArray[np.float64]]) -> list[list[list[float]]]:
    """Pairs of neighbouring points that are apart."""
    return [
        [begin.tolist(), end.tolist()]
        for begin, end in pairwise(points)
        if np.linalg.norm(end - begin) > _SHORTEST
    ]
