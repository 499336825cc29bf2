"""How large a robot may be, and remarks about the bounds of its joints."""

from __future__ import annotations

from collections.abc import Mapping

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Joint, RobotDescription
from horus_sim.robots.report import NoteKind, Report
from horus_sim.sim3d.compile.robot.coordinates import Coordinate

_MOST_LINKS = 2000
_LONGEST_CHAIN = 500
_ROUNDING = 1e-3


def check_size(robot: RobotDescription, name: str) -> None:
    """Refuses a robot that is too large to be simulated.

    Args:
        robot: The robot.
        name: What it is called in the world.

    Raises:
        DescriptionError: It has too many links, or too many joints in a row.
    """
    if len(robot.links) > _MOST_LINKS:
        raise DescriptionError(
            f"robot '{name}' has {len(robot.links)} links, more than the limit of {_MOST_LINKS}; "
            "join those that do not move against each other"
        )
    parents = {joint.child: joint.parent for joint in robot.joints}
    depths = {robot.root: 0}
    for link in robot.links:
        way = [link.name]
        while way[-1] not in depths and len(way) <= len(robot.links):
            way.append(parents.get(way[-1], robot.root))
        for below in reversed(way[:-1]):
            depths[below] = depths.get(parents.get(below, robot.root), 0) + 1
    deepest = max(depths, key=lambda link: depths[link])
    if depths[deepest] > _LONGEST_CHAIN:
        raise DescriptionError(
            f"robot '{name}': link '{deepest}' hangs from the root '{robot.root}' by "
            f"{depths[deepest]} joints, more than the limit of {_LONGEST_CHAIN}; shorten the chain"
        )


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
