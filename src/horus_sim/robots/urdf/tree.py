"""The tree that a URDF's joints make of its links."""

from __future__ import annotations

from horus_sim.errors import DescriptionError
from horus_sim.files.names import close_names
from horus_sim.robots.description import Joint, Link
from horus_sim.robots.urdf.context import UrdfContext
from horus_sim.robots.xml import Element

WORLD = "world"
_MOST_SHOWN = 10

Links = dict[str, tuple[Link, Element]]
Joints = dict[str, tuple[Joint, Element]]


def find_root(robot: Element, links: Links, joints: Joints, context: UrdfContext) -> str:
    """The root link, after a check that links and joints are one tree.

    A link `world` that joints hang from but nobody declares is added to `links`.

    Raises:
        DescriptionError: A joint names a missing link, a link has two parents, the joints form a
            cycle, or there are several roots.
    """
    if not links:
        raise robot.error("the robot has no <link>; it needs at least one")
    _add_world(links, joints, context)
    above: dict[str, tuple[Joint, Element]] = {}
    below: dict[str, list[str]] = {}
    for joint, element in joints.values():
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                raise _missing_link(element, joint.name, role, name, links)
        if joint.child in above:
            other = above[joint.child][0].name
            raise element.error(
                f"link '{joint.child}' is the child of two joints, '{other}' and '{joint.name}'; "
                "URDF describes trees: remove one of the two"
            )
        above[joint.child] = (joint, element)
        below.setdefault(joint.parent, []).append(joint.child)
    roots = [name for name in links if name not in above]
    reached = _reachable(roots, below)
    stranded = next((name for name in links if name not in reached), None)
    if stranded is not None:
        raise _cycle(stranded, above)
    if len(roots) > 1:
        shown = ", ".join(f"'{name}' (line {links[name][1].line})" for name in roots[:_MOST_SHOWN])
        more = f" and {len(roots) - _MOST_SHOWN} more" if len(roots) > _MOST_SHOWN else ""
        raise robot.error(
            f"the robot has {len(roots)} root links, {shown}{more}; URDF describes one tree: "
            "connect them with joints or remove those that are not needed"
        )
    return roots[0]


def _add_world(links: Links, joints: Joints, context: UrdfContext) -> None:
    if WORLD in links:
        return
    for joint, element in joints.values():
        if joint.parent == WORLD:
            text = "hangs from 'world', which is not declared; an empty link 'world' was added"
            context.substitute(f"joint '{joint.name}'", text, element)
            first = {WORLD: (Link(WORLD), element), **links}
            links.clear()
            links.update(first)
            return


def _reachable(roots: list[str], below: dict[str, list[str]]) -> set[str]:
    reached: set[str] = set()
    pending = list(roots)
    while pending:
        name = pending.pop()
        reached.add(name)
        pending.extend(below.get(name, ()))
    return reached


def _cycle(start: str, above: dict[str, tuple[Joint, Element]]) -> DescriptionError:
    way: dict[str, None] = {}  # an ordered set: rings may be large
    name = start
    while name not in way:  # every stranded link has a parent, so the way up meets itself
        way[name] = None
        name = above[name][0].parent
    names = list(way)
    ring = names[names.index(name) :][::-1]
    element = above[ring[0]][1]
    shown = ring if len(ring) <= _MOST_SHOWN else [*ring[:_MOST_SHOWN], "..."]
    listed = ", ".join(f"'{link}'" for link in shown)
    joints = ", ".join(f"'{above[link][0].name}'" for link in ring[:_MOST_SHOWN])
    return element.error(
        f"the links {listed} form a cycle (kinematic loop) over the joints {joints}; URDF "
        "describes trees: remove one of these joints"
    )


def _missing_link(
    element: Element, joint: str, role: str, name: str, links: Links
) -> DescriptionError:
    close = close_names(name, links, most=1)
    if close:
        hint = f"did you mean '{close[0]}' (line {links[close[0]][1].line})?"
    else:
        first = list(links.items())[:5]
        known = ", ".join(f"'{link}' (line {where.line})" for link, (_, where) in first)
        more = ", ..." if len(links) > len(first) else ""
        hint = f"declared are {known}{more}: declare it or correct the name"
    return element.error(f"joint '{joint}': its {role} link '{name}' is not declared; {hint}")
