"""Cuts the links and joints of a model into trees, with the joints that are left over as loops."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.frames import Frame, FrameKind
from horus_sim.robots.sdf.joints import BuiltJoint


@dataclass(slots=True, eq=False)
class Tree:
    """Links that joints connect.

    Attributes:
        root: The link above all others, or the world's frame.
        links: All of them, in the order of the file; the world's frame first if it is the root.
        joints: One above each link but the root, in the order of the file.
        loops: The other joints.
    """

    root: Frame
    links: list[Frame] = field(default_factory=list)
    joints: list[BuiltJoint] = field(default_factory=list)
    loops: list[BuiltJoint] = field(default_factory=list)


def find_trees(
    links: Sequence[Frame],
    joints: Sequence[BuiltJoint],
    canonical: Frame | None,
) -> list[Tree]:
    """The trees of a model, that of the canonical link first.

    A tree hangs from the world if a joint holds it there; else from the link that is nobody's
    child, and of several such links from the canonical one, or the first.

    Args:
        links: Links in the order of the file.
        joints: Joints in the order of the file.
        canonical: The model's canonical link, or None.

    Raises:
        DescriptionError: The import is strict, and two joints connect the same links.
    """
    _remark_doubled(joints)
    touching: dict[Frame, list[BuiltJoint]] = {link: [] for link in links}
    for joint in joints:
        for end in (joint.parent, joint.child):
            touching.setdefault(end, []).append(joint)
    trees: list[Tree] = []
    placed: set[Frame] = set()
    for link in (*((canonical,) if canonical is not None else ()), *links):
        if link in placed:
            continue
        members = _connected(link, touching)
        placed |= members
        trees.append(_tree(members, links, canonical, touching))
    # A turned joint stands where the file has the original.
    place = {joint.member: k for k, joint in enumerate(joints)}
    for tree in trees:
        tree.joints.sort(key=lambda joint: place[joint.member])
        tree.loops.sort(key=lambda joint: place[joint.member])
    return trees


def _connected(start: Frame, touching: dict[Frame, list[BuiltJoint]]) -> set[Frame]:
    members = {start}
    pending = [start]
    while pending:
        for joint in touching[pending.pop()]:
            for end in (joint.parent, joint.child):
                if end not in members:
                    members.add(end)
                    pending.append(end)
    return members


def _tree(
    members: set[Frame],
    links: Sequence[Frame],
    canonical: Frame | None,
    touching: dict[Frame, list[BuiltJoint]],
) -> Tree:
    """The tree of connected links; its joints are in no order yet."""
    inside = [link for link in links if link in members]
    root = _root(members, inside, canonical, touching)
    above: dict[Frame, BuiltJoint] = {}
    reached = {root}
    forward, backward = deque([root]), deque[BuiltJoint]()
    used: set[BuiltJoint] = set()
    while forward or backward:
        if forward:
            link = forward.popleft()
            for joint in touching[link]:
                if joint.parent is not link:
                    backward.append(joint)
                elif joint.child not in reached:
                    reached.add(joint.child)
                    forward.append(joint.child)
                    above[joint.child] = joint
                    used.add(joint)
            continue
        joint = backward.popleft()
        if joint.parent in reached:
            continue
        joint.member.place.note(
            NoteKind.SUBSTITUTION,
            f"is turned round: {joint.child} has a joint above it already, so {joint.parent} "
            "hangs from it",
        )
        reached.add(joint.parent)
        forward.append(joint.parent)
        above[joint.parent] = joint.turned()
        used.add(joint)
    own = {joint for link in members for joint in touching[link]}
    all_links = [root, *inside] if root.kind is FrameKind.WORLD else inside
    return Tree(root, all_links, list(above.values()), list(own - used))


def _root(
    members: set[Frame],
    inside: list[Frame],
    canonical: Frame | None,
    touching: dict[Frame, list[BuiltJoint]],
) -> Frame:
    world = next((frame for frame in members if frame.kind is FrameKind.WORLD), None)
    if world is not None:
        return world
    tops = [
        link for link in inside if all(joint.child is not link for joint in touching[link])
    ] or inside
    return canonical if canonical is not None and canonical in tops else tops[0]


def _remark_doubled(joints: Sequence[BuiltJoint]) -> None:
    seen: dict[frozenset[Frame], BuiltJoint] = {}
    for joint in joints:
        earlier = seen.setdefault(frozenset((joint.parent, joint.child)), joint)
        if earlier is not joint:
            joint.member.place.tolerate(
                f"connects {joint.parent} to {joint.child}, which joint '{earlier.member.name}' "
                "connects already",
                "remove one of the two",
                done="kept as a joint that closes a loop",
            )
