"""Builds a model of the top level: links, joints and trees become descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from horus_sim.files.names import free_name
from horus_sim.robots.description import (
    IDENTITY,
    Joint,
    JointType,
    Link,
    Mimic,
    RobotDescription,
)
from horus_sim.robots.gazebo.parts import DrivePart, SdfSensor
from horus_sim.robots.gazebo.reading import GazeboTags
from horus_sim.robots.sdf.context import Loading
from horus_sim.robots.sdf.frames import (
    WORLD,
    Frame,
    FrameGraph,
    FrameKind,
    circle_text,
)
from horus_sim.robots.sdf.joints import BuiltJoint, Gearbox, build_joint, follow_gears
from horus_sim.robots.sdf.links import BuiltLink, build_link, build_sensor
from horus_sim.robots.sdf.nodes import Member, Node
from horus_sim.robots.sdf.trees import Tree, find_trees
from horus_sim.robots.sdf.world import SdfModel
from horus_sim.robots.xml_values import shown
from horus_sim.tf import Transform


def build_model(
    nodes: Sequence[Node], world_joints: Sequence[Member], graph: FrameGraph, loading: Loading
) -> SdfModel:
    """A model, or several that joints of the world connect.

    Args:
        nodes: The models; the first gives the name.
        world_joints: Joints of the world between them, or from them to the world.
        graph: Resolves references and poses.
        loading: The import.

    Raises:
        DescriptionError: Anything in it is wrong; the text names file, line, culprit and remedy.
    """
    return _Builder(nodes, world_joints, graph, loading).build()


@dataclass(slots=True)
class _Builder:
    nodes: Sequence[Node]
    world_joints: Sequence[Member]
    graph: FrameGraph
    loading: Loading

    def build(self) -> SdfModel:
        top = self.nodes[0]
        name = top.frame.name
        inner = [node for model in self.nodes for node in model.walk()]
        for node in inner:
            if not (node.is_static or node.links or node.models):
                outer = replace(node.place, element=node.frame.element)
                outer.tolerate("has no <link>", "add one or remove it")
        members = {link.frame: link for node in inner for link in node.links}
        self._check_names(members)
        links = {
            frame: build_link(link, self._short(link.name), self.graph)
            for frame, link in members.items()
        }
        joints, gears = self._joints(inner)
        is_static = all(link.is_static for link in members.values())
        canonical = self.graph.canonical_link(top.scope, top.frame.element)
        if is_static and canonical is not None:
            trees = [_welded(canonical, members, self.graph)]
        else:
            moving = follow_gears(self._with_static(joints, members), gears)
            trees = find_trees(tuple(members), moving, canonical)
        frames = self._frames_of_links(inner)
        descriptions = [
            self._description(tree, k, links, frames, is_static=is_static)
            for k, tree in enumerate(trees, start=1)
        ]
        sensors = [sensor for link in links.values() for sensor in link.sensors]
        sensors += [
            built
            for joint in joints
            for sensor in joint.member.place.find_all("sensor")
            for built in build_sensor(
                sensor,
                joint.member,
                self.graph,
                link=links[joint.child].link.name,
                joint=self._short(joint.member.name),
            )
        ]
        more, drives = self._plugins(inner, descriptions)
        sensors += more
        return SdfModel(
            name,
            tuple(_equipped(tree, sensors, drives) for tree in descriptions),
            is_static or (not members and top.is_static),
            self.graph.T_world(top.frame),
            tuple(sensors),
            tuple(light for link in links.values() for light in link.lights),
        )

    def _plugins(
        self, inner: Sequence[Node], trees: Sequence[RobotDescription]
    ) -> tuple[tuple[SdfSensor, ...], tuple[DrivePart, ...]]:
        """Sensors and drives that are plugins of the model and of those nested in it."""
        tags = GazeboTags(self.loading.tell)
        for node in inner:
            prefix = self._short(node.scope.prefix)
            for plugin in node.plugins:
                tags.read_plugin(plugin.element, f"model '{node.scope.prefix[:-2]}'", prefix)
        if not trees:
            return (), ()
        links = {link.name: link for tree in trees for link in tree.links}
        joints = {joint.name: joint for tree in trees for joint in tree.joints}
        return tags.checked(links, joints, trees[0].root)

    def _short(self, full_name: str) -> str:
        """A name seen from inside the model; several models keep their names before it."""
        if len(self.nodes) > 1:
            return full_name
        return full_name.removeprefix(self.nodes[0].scope.prefix)

    def _check_names(self, members: dict[Frame, Member]) -> None:
        """Names with '::' of their own could be those of a nested model."""
        taken: dict[str, Member] = {}
        for member in members.values():
            other = taken.setdefault(member.name, member)
            if other is not member:
                raise member.element.error(
                    f"link {shown(member.name)} has the full name of the link in line "
                    f"{other.element.line}; rename one of them"
                )

    def _joints(self, inner: Sequence[Node]) -> tuple[list[BuiltJoint], list[Gearbox]]:
        joints: list[BuiltJoint] = []
        gears: list[Gearbox] = []
        names: set[str] = set()
        for member in (*(joint for node in inner for joint in node.joints), *self.world_joints):
            built = build_joint(member, self.graph)
            if built is None:
                continue
            if self._short(member.name) in names:
                raise member.element.error(
                    f"joint {shown(member.name)} has the full name of another joint; rename it"
                )
            names.add(self._short(member.name))
            if isinstance(built, Gearbox):
                gears.append(built)
                continue
            joints.append(built)
        return joints, gears

    def _with_static(
        self, joints: list[BuiltJoint], members: dict[Frame, Member]
    ) -> list[BuiltJoint]:
        """Nested static models are held to the world by joints of ours instead of their own."""

        def is_held(frame: Frame) -> bool:
            return frame.kind is FrameKind.WORLD or members[frame].is_static

        held = [link for link in members.values() if link.is_static]
        if not held:
            return joints
        scope = self.nodes[0].frame.scope
        taken = {joint.joint.name for joint in joints}
        welds = [
            BuiltJoint(
                link,
                Joint(free_name(f"{link.name}_static", taken), JointType.FIXED, "", ""),
                scope.frames[WORLD],
                link.frame,
                self.graph.T_world(link.frame),
            )
            for link in held
        ]
        return welds + [
            joint for joint in joints if not (is_held(joint.parent) and is_held(joint.child))
        ]

    def _description(
        self,
        tree: Tree,
        number: int,
        links: dict[Frame, BuiltLink],
        frames: dict[Frame, list[Frame]],
        *,
        is_static: bool,
    ) -> RobotDescription:
        top = self.nodes[0]
        names = {
            frame: WORLD if frame.kind is FrameKind.WORLD else links[frame].link.name
            for frame in tree.links
        }
        root = names[tree.root]
        poses = {
            frame: IDENTITY if frame.kind is FrameKind.WORLD else self.graph.T_world(frame)
            for frame in tree.links
        }
        joint_names = {joint.joint.name for joint in tree.joints}
        joints = tuple(self._joint(joint, names, poses, joint_names) for joint in tree.joints)
        _check_mimics(joints, tree)
        return RobotDescription(
            top.frame.name if number == 1 else f"{top.frame.name}#{number}",
            tuple(Link(WORLD) if name == WORLD else links[f].link for f, name in names.items()),
            joints,
            root,
            tuple(self._joint(joint, names, poses, joint_names) for joint in tree.loops),
            is_static,
            top.self_collide,
            self.loading.path,
            poses[tree.root],
            {
                self._short(f"{extra.scope.prefix}{extra.name}"): (
                    name,
                    self.graph.T_frame(frame, extra),
                )
                for frame, name in names.items()
                for extra in frames.get(frame, ())
            },
        )

    def _joint(
        self,
        built: BuiltJoint,
        names: dict[Frame, str],
        poses: dict[Frame, Transform],
        joint_names: set[str],
    ) -> Joint:
        mimic = built.joint.mimic
        if mimic is not None and mimic.joint not in joint_names:
            built.member.place.tolerate(
                f"follows '{mimic.joint}', which is in another tree of links or closes a loop",
                "follow a joint of the same tree, or remove <mimic>",
                done="<mimic> is left out",
            )
            mimic = None
        if mimic is not None:
            mimic = Mimic(self._short(mimic.joint), mimic.multiplier, mimic.offset)
        return replace(
            built.joint,
            name=self._short(built.joint.name),
            parent=names[built.parent],
            child=names[built.child],
            T_parent_joint=poses[built.parent].inverse() @ built.T_world_joint,
            T_joint_child=built.T_world_joint.inverse() @ poses[built.child],
            mimic=mimic,
        )

    def _frames_of_links(self, inner: Sequence[Node]) -> dict[Frame, list[Frame]]:
        frames: dict[Frame, list[Frame]] = {}
        for node in inner:
            if node.explicit_frames and not self._has_link(node):
                node.place.tolerate(
                    "has frames but no link that they could move with",
                    "give it a <link>",
                    done="its frames are left out",
                )
                continue
            for frame in node.explicit_frames:
                link = self.graph.link_of(frame)
                if link.kind is FrameKind.LINK and not frame.name.startswith("_merged__"):
                    frames.setdefault(link, []).append(frame)
        return frames

    def _has_link(self, node: Node) -> bool:
        return self.graph.canonical_link(node.scope, node.frame.element) is not None


def _equipped(
    tree: RobotDescription, sensors: Sequence[SdfSensor], drives: Sequence[DrivePart]
) -> RobotDescription:
    """A tree with the sensors on its links and the drives of its joints."""
    links = {link.name for link in tree.links}
    joints = {joint.name for joint in tree.joints}
    return replace(
        tree,
        sensors=tuple(sensor for sensor in sensors if sensor.link in links),
        drives=tuple(part for part in drives if joints.issuperset(part.joints)),
    )


def _welded(canonical: Frame, members: dict[Frame, Member], graph: FrameGraph) -> Tree:
    """A static model: every link is fixed to the canonical one, whatever its joints are."""
    joints = [
        BuiltJoint(
            link,
            Joint(f"{link.name}_static", JointType.FIXED, "", ""),
            canonical,
            frame,
            graph.T_world(frame),
        )
        for frame, link in members.items()
        if frame is not canonical
    ]
    return Tree(canonical, list(members), joints)


def _check_mimics(joints: tuple[Joint, ...], tree: Tree) -> None:
    leaders = {joint.name: joint.mimic.joint for joint in joints if joint.mimic is not None}
    done: set[str] = set()
    for start in leaders:
        way = [start]
        seen = {start}
        while (leader := leaders.get(way[-1])) is not None and leader not in done:
            if leader in seen:
                circle = circle_text([f"'{name}'" for name in way[way.index(leader) :]])
                names = [joint.name for joint in joints]
                raise tree.joints[names.index(leader)].member.element.error(
                    f"joints follow each other in a circle ({circle}); remove one <mimic>"
                )
            way.append(leader)
            seen.add(leader)
        done |= seen
