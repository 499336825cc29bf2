"""Which links of a robot move, and which never touch each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from horus_sim.robots.description import JointType, RobotDescription
from horus_sim.robots.inertia import is_moving
from horus_sim.sim3d.compile.robot.drives import joints_below, outwards


def moving_links(robot: RobotDescription, *, root_moves: bool) -> set[str]:
    """The links that a joint, or the free root, lets move."""
    children = joints_below(robot)
    moving = {robot.root} if root_moves else set()
    for parent in outwards(robot.root, children):
        moving |= {
            joint.child
            for joint in children.get(parent, ())
            if parent in moving or is_moving(joint)
        }
    return moving


def untouching_pairs(robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Pairs of links with collision shapes that must not touch, each once.

    Links that fixed joints hold together count as one part. Parts that a joint connects do not
    touch, and no parts do in a robot that does not collide with itself. Links of one part never do.
    """
    above = {joint.child: joint for joint in robot.joints}

    def part_of(link: str) -> str:
        """The uppermost link that fixed joints hold a link to."""
        while link in above and above[link].kind is JointType.FIXED:
            link = above[link].parent
        return link

    members: dict[str, list[str]] = {}
    for link in robot.links:
        if link.collisions:
            members.setdefault(part_of(link.name), []).append(link.name)
    if robot.self_collide:
        joints = (*robot.joints, *robot.loops)
        joined = {tuple(sorted((part_of(each.parent), part_of(each.child)))) for each in joints}
        parts = sorted(pair for pair in joined if pair[0] != pair[1])
    else:
        parts = list(itertools.combinations(sorted(members), 2))
    for first, second in parts:
        yield from itertools.product(members.get(first, ()), members.get(second, ()))
