"""Remarks about bounds of joints: starts outside them, and followers that cannot keep theirs."""

from __future__ import annotations

from collections.abc import Mapping

from horus_sim.robots.description import Joint, RobotDescription
from horus_sim.robots.report import NoteKind, Report
from horus_sim.sim3d.compile.robot.coordinates import Coordinate

_ROUNDING = 1e-3


def add_bound_notes(
    robot: RobotDescription, coordinates: Mapping[str, tuple[Coordinate, ...]], report: Report
) -> None:
    """Notes what the builder did about bounds.

    Args:
        robot: The robot.
        coordinates: What each joint became.
        report: Gets the notes.
    """
    joints = {joint.name: joint for joint in robot.joints}
    for joint in robot.joints:
        if joint.mimic is not None:
            leader = joints.get(joint.mimic.joint)
            if leader is not None and _contradicts(joint, leader):
                text = (
                    f"its bounds {_shown(joint)} forbid where '{leader.name}' leads it; they are "
                    "ignored"
                )
                report.add(NoteKind.IGNORED, f"joint '{joint.name}'", text)
            continue
        for coordinate in coordinates[joint.name]:
            stated = joint.initial_position if coordinate.name == joint.name else 0.0
            if coordinate.initial != stated:
                # Nobody states a start at zero: descriptions leave it out.
                kind = NoteKind.WARNING if stated else NoteKind.SUBSTITUTION
                text = (
                    f"{stated:.6g} is outside its bounds {_shown(joint)}; it starts at "
                    f"{coordinate.initial:.6g}"
                )
                report.add(kind, f"joint '{joint.name}'", text)


def _contradicts(follower: Joint, leader: Joint) -> bool:
    """Whether the leader's range takes a follower out of its own bounds."""
    mimic = follower.mimic
    if mimic is None:
        return False
    ends = [
        mimic.multiplier * bound + mimic.offset
        for bound in (leader.limit.lower, leader.limit.upper)
        if bound is not None
    ]
    lower, upper = follower.limit.lower, follower.limit.upper
    too_low = lower is not None and any(end < lower - _ROUNDING for end in ends)
    return too_low or (upper is not None and any(end > upper + _ROUNDING for end in ends))


def _shown(joint: Joint) -> str:
    lower, upper = joint.limit.lower, joint.limit.upper
    low = "-inf" if lower is None else f"{lower:.6g}"
    return f"[{low}, {'inf' if upper is None else f'{upper:.6g}'}]"
