"""How large a robot may be that physics can step."""

from __future__ import annotations

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import RobotDescription

_MOST_LINKS = 2000
_LONGEST_CHAIN = 500


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
