"""Collision shapes from what is seen of links, for files that only say how a robot looks."""

from __future__ import annotations

from dataclasses import replace

from horus_sim.robots.description import Collision, RobotDescription
from horus_sim.robots.report import NoteKind, Report


def touching_as_seen(robot: RobotDescription, report: Report) -> RobotDescription:
    """A robot whose links without a collision shape touch as they look.

    Args:
        robot: What its file says.
        report: Gets a remark with the number of such links.
    """
    bare = {link.name for link in robot.links if link.visuals and not link.collisions}
    if not bare:
        return robot
    many = "1 link without a collision shape touches as it looks"
    if len(bare) > 1:
        many = f"{len(bare)} links without a collision shape touch as they look"
    report.add(NoteKind.SUBSTITUTION, f"robot '{robot.name}'", many)
    links = tuple(
        replace(
            link,
            collisions=tuple(
                Collision(visual.geometry, visual.T_link_visual, name=visual.name)
                for visual in link.visuals
            ),
        )
        if link.name in bare
        else link
        for link in robot.links
    )
    return replace(robot, links=links)
