"""Which links of a robot do not touch each other: neighbours, and all where it says so."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from horus_sim.robots.description import JointType, RobotDescription


def rigid_groups(robot: RobotDescription) -> dict[str, str]:
    """For each link the uppermost link that fixed joints hold it to."""
    leader = {link.name: link.name for link in robot.links}
    above = {joint.child: joint for joint in robot.joints}

    def find(link: str) -> str:
        chain = []
        while link in above and above[link].kind is JointType.FIXED:
            chain.append(link)
            link = above[link].parent
        for passed in chain:
            leader[passed] = link
        return link

    return {link.name: find(link.name) for link in robot.links}


def untouching_pairs(robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Pairs of links with collision shapes that must not touch, each once.

    Links that fixed joints hold together count as one part. Parts that a joint connects do not
    touch, and no parts do in a robot that does not collide with itself. Links of one part never do.
    """
    solid = [link.name for link in robot.links if link.collisions]
    group = rigid_groups(robot)
    members: dict[str, list[str]] = {}
    for link in solid:
        members.setdefault(group[link], []).append(link)
    if robot.self_collide:
        apart = {
            tuple(sorted((group[joint.parent], group[joint.child])))
            for joint in (*robot.joints, *robot.loops)
            if group[joint.parent] != group[joint.child]
        }
        parts = sorted(apart)
    else:
        parts = list(itertools.combinations(sorted(members), 2))
    for first, second in parts:
        yield from itertools.product(members.get(first, ()), members.get(second, ()))
