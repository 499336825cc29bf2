"""A robot in a MuJoCo spec: one body a link, one joint a degree of freedom."""

from __future__ import annotations

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import (
    Box,
    Geometry,
    Heightmap,
    Inertial,
    Joint,
    JointType,
    Link,
    Plane,
    RobotDescription,
    Visual,
)
from horus_sim.robots.engine import mujoco
from horus_sim.robots.inertia import (
    inertia_problem,
    physical_inertials,
    repaired_inertial,
)
from horus_sim.robots.report import NoteKind, Report
from horus_sim.robots.robot import Robot
from horus_sim.sim3d.compile.assets import AssetStore
from horus_sim.sim3d.compile.geoms import add_collision, add_visual
from horus_sim.sim3d.compile.mujoco_types import quat_wxyz, rotation_from_z
from horus_sim.sim3d.compile.options import new_spec
from horus_sim.sim3d.compile.robot.coordinates import Base, BuiltRobot, Coordinate, free_joint_name
from horus_sim.sim3d.compile.robot.drives import (
    Drive,
    drives,
    joints_below,
    loads,
    outwards,
    principal_axes,
)
from horus_sim.sim3d.compile.robot.joints import JointBuilder, add_bound_notes, add_loop
from horus_sim.sim3d.compile.robot.parts import moving_links, untouching_pairs
from horus_sim.sim3d.compile.surface import contact_parameters
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.placed import PlacedRobot
from horus_sim.tf import Transform

WORLD = "world"
_MOST_LINKS = 2000
_LONGEST_CHAIN = 500
_SHEET = 1e-3


def build_robot_spec(
    robot: RobotDescription | Robot,
    base: Base | None = None,
    physics: PhysicsConfig | None = None,
    report: Report | None = None,
) -> mujoco.MjSpec:
    """A spec that holds one robot, with its names as they are.

    Args:
        robot: A description or a loaded robot; one that was loaded from MJCF is read from there.
        base: Whether the world holds the root; as the loaded robot says, or fixed, unless given.
        physics: Physics of the model; the defaults unless given.
        report: Gets a note for each assumption.
    """
    placed = PlacedRobot.of(robot, base or "auto")
    if placed.mjcf is not None:
        return placed.mjcf.spec()
    physics = physics or PhysicsConfig()
    spec = new_spec(placed.description.name, physics)
    assets = AssetStore(spec, Report() if report is None else report)
    built = add_robot(spec, assets, placed, physics, prefix="")
    if built.root_body != WORLD:
        # Only a running world places its robots anew.
        spec.body(built.root_body).mocap = False
    return spec


def add_robot(
    spec: mujoco.MjSpec,
    assets: AssetStore,
    placed: PlacedRobot,
    physics: PhysicsConfig,
    prefix: str | None = None,
) -> BuiltRobot:
    """Adds a robot to a scene.

    The root of a robot on a fixed base is a body that the world can place anew at any time. A
    static robot is always held, and stiff.

    Args:
        spec: The scene's spec.
        assets: Its assets, with the report that gets notes.
        placed: The robot.
        physics: The scene's physics.
        prefix: What stands before the names of all its elements; ``<name>/`` unless given.
    """
    prefix = f"{placed.name}/" if prefix is None else prefix
    return _RobotBuilder(spec, assets, placed, physics, prefix).build()


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
    children = joints_below(robot)
    depths = {robot.root: 0}
    for link in outwards(robot.root, children):
        depths |= {joint.child: depths[link] + 1 for joint in children.get(link, ())}
    deepest = max(depths, key=lambda link: depths[link])
    if depths[deepest] > _LONGEST_CHAIN:
        raise DescriptionError(
            f"robot '{name}': link '{deepest}' hangs from the root '{robot.root}' by "
            f"{depths[deepest]} joints, more than the limit of {_LONGEST_CHAIN}; shorten the chain"
        )


class _RobotBuilder:
    def __init__(
        self,
        spec: mujoco.MjSpec,
        assets: AssetStore,
        placed: PlacedRobot,
        physics: PhysicsConfig,
        prefix: str,
    ) -> None:
        self.spec = spec
        self.assets = assets
        self.placed = placed
        self.robot = placed.description
        self.name = placed.name
        self.base: Base = "fixed" if self.robot.is_static else placed.base
        self.physics = physics
        self.prefix = prefix
        self.joint_builder = JointBuilder(spec, prefix, physics)
        self.links = {link.name: link for link in self.robot.links}
        self.bodies: dict[str, mujoco.MjsBody] = {}
        self.coordinates: dict[str, tuple[Coordinate, ...]] = {}
        self.spherical: dict[str, str] = {}
        self.inertials: dict[str, Inertial | None] = {}
        self.total_mass = 0.0
        self.moving: set[str] = set()
        self.touches = False
        self.drives: dict[str, Drive] = {}

    def build(self) -> BuiltRobot:
        check_size(self.robot, self.name)
        self._weigh()
        root = self._add_root()
        children = joints_below(self.robot)
        order = outwards(self.robot.root, children)
        for parent in order:
            for joint in children.get(parent, ()):
                self._add_child(joint)
        if len(order) != len(self.links):
            lost = sorted(self.links.keys() - set(order))
            raise DescriptionError(
                f"robot '{self.name}': no joint leads from the root '{self.robot.root}' to link "
                f"'{lost[0]}'; connect it"
            )
        self._couple()
        self._exclude()
        self._remark()
        return BuiltRobot(
            self.name,
            self.base,
            root.name,
            {link: body.name for link, body in self.bodies.items()},
            tuple(
                coordinate
                for joint in self.robot.joints
                for coordinate in self.coordinates[joint.name]
            ),
            self.spherical,
        )

    def _weigh(self) -> None:
        """Masses, what each joint carries, and the drives that follow from it."""
        robot, known = self.robot, self.placed.inertials
        if robot.is_static:
            self.inertials = {link.name: self._of_rest(link) for link in robot.links}
            return
        self.moving = moving_links(robot, root_moves=self.base == "floating")
        if known is None:
            known, notes = physical_inertials(robot, root_moves=self.base == "floating")
            self.assets.report.notes.extend(notes)
        self.inertials = {link.name: known.get(link.name) for link in robot.links}
        self.total_mass = sum(
            inertial.mass for inertial in self.inertials.values() if inertial is not None
        )
        self.drives = drives(
            robot,
            loads(robot, self.inertials),
            self.total_mass,
            self.physics.timestep,
            is_floating=self.base == "floating",
            inertials=self.inertials,
            standing=None if self.placed.stance is None else self.placed.stance.carried,
        )

    def _of_rest(self, link: Link) -> Inertial | None:
        """What a link weighs that never moves; nothing where that is impossible."""
        if link.inertial is None or link.inertial.mass == 0.0:
            return None
        problem = inertia_problem(link.inertial)
        if problem is None:
            return repaired_inertial(link.inertial)
        text = f"its inertia is not used: {problem}; what cannot move needs none"
        self.assets.report.add(NoteKind.WARNING, f"link '{link.name}'", text)
        return None

    def _add_root(self) -> mujoco.MjsBody:
        link = self.links[self.robot.root]
        name = f"{self.prefix}{link.name}"
        if name == WORLD:
            # MuJoCo has a world of its own; a free root of that name cannot be meant.
            self.base = "fixed"
            root = self.spec.worldbody
            self._furnish(root, link, weigh=False)
            return root
        root = self.spec.worldbody.add_body(
            name=name,
            pos=self.placed.pose.translation,
            quat=quat_wxyz(self.placed.pose),
            mocap=self.base == "fixed",
        )
        if self.base == "floating":
            root.add_freejoint(name=free_joint_name(name))
        self._furnish(root, link)
        return root

    def _add_child(self, joint: Joint) -> None:
        link = self.links[joint.child]
        T_parent_child = joint.T_parent_joint @ joint.T_joint_child
        body = self.bodies[joint.parent].add_body(
            name=f"{self.prefix}{link.name}",
            pos=T_parent_child.translation,
            quat=quat_wxyz(T_parent_child),
        )
        if self.robot.is_static:
            self.coordinates[joint.name] = ()
        else:
            drive = self.drives.get(joint.name)
            self.coordinates[joint.name], ball = self.joint_builder.add(body, joint, drive)
            if ball is not None:
                self.spherical[joint.name] = ball
        self._furnish(body, link)

    def _furnish(self, body: mujoco.MjsBody, link: Link, *, weigh: bool = True) -> None:
        """Mass and shapes of a link."""
        self.bodies[link.name] = body
        inertial = self.inertials[link.name]
        if inertial is not None and weigh and inertial.mass > 0:
            moments, T_link_axes = principal_axes(inertial)
            body.explicitinertial = True
            body.mass = inertial.mass
            body.ipos = T_link_axes.translation
            body.iquat = quat_wxyz(T_link_axes)
            body.inertia = moments
        if not link.has_gravity:
            body.gravcomp = 1.0
        label = f"{self.prefix}{link.name}"
        culprit = f"{self.robot.source or self.name}: link '{link.name}'"
        for i, visual in enumerate(link.visuals):
            try:
                geometry, T_link_visual = self._drawable(link, visual)
                add_visual(
                    body,
                    self.assets,
                    geometry,
                    T_link_visual,
                    self.assets.material(visual.material),
                    f"{label}#visual{i}",
                    f"{culprit}, visual",
                )
            except DescriptionError as error:
                # As one that is missing: only the picture suffers.
                text = f"left out: {error}"
                self.assets.report.add(NoteKind.WARNING, f"link '{link.name}', visual", text)
        for i, collision in enumerate(link.collisions):
            try:
                self._check_ends(link, collision.geometry)
                add_collision(
                    body,
                    self.assets,
                    collision.geometry,
                    collision.T_link_collision,
                    contact_parameters(collision.surface, self.physics, self.total_mass),
                    self.physics.contact.margin,
                    f"{label}#collision{i}",
                    culprit=f"{culprit}, collision",
                )
                self.touches = True
            except DescriptionError as error:
                text = f"left out, nothing touches it: {error}"
                self.assets.report.add(NoteKind.WARNING, f"link '{link.name}', collision", text)

    def _warn_of_falling(self) -> None:
        """Says that a robot falls through the ground whose shapes were all left out."""
        described = any(link.collisions for link in self.robot.links)
        floats = self.base == "floating" and any(self.physics.gravity)
        if described and floats and not self.touches:
            text = "none of its shapes that touch can be used: it falls through the ground"
            self.assets.report.add(NoteKind.WARNING, f"robot '{self.name}'", text)

    def _drawable(self, link: Link, visual: Visual) -> tuple[Geometry, Transform]:
        """A shape that MuJoCo can draw: it has planes only where nothing moves."""
        if not (isinstance(visual.geometry, Plane) and link.name in self.moving):
            self._check_ends(link, visual.geometry)
            return visual.geometry, visual.T_link_visual
        plane = visual.geometry
        text = f"the plane moves with the link, so it is drawn as a box {_SHEET} m thick"
        self.assets.report.add(NoteKind.SUBSTITUTION, f"link '{link.name}', visual", text)
        T_link_box = visual.T_link_visual @ rotation_from_z(plane.normal)
        return Box((*plane.size, _SHEET)), T_link_box

    def _check_ends(self, link: Link, geometry: Geometry) -> None:
        """Refuses ground on a link that moves, which the engine does not have."""
        if isinstance(geometry, Plane | Heightmap) and link.name in self.moving:
            kind = type(geometry).__name__.lower()
            raise DescriptionError(
                f"a {kind} cannot move, and its link does; give it another shape"
            )

    def _couple(self) -> None:
        """Joints that follow others, and joints that close loops."""
        if self.robot.is_static:
            return
        for joint in self.robot.joints:
            if joint.mimic is not None and self.coordinates[joint.name]:
                follower, leader = self.prefix + joint.name, self.prefix + joint.mimic.joint
                self.joint_builder.couple(
                    follower, leader, joint.mimic.offset, joint.mimic.multiplier
                )
        for joint in self.robot.loops:
            try:
                add_loop(self.spec, joint, self.prefix, self.bodies, self.physics)
            except DescriptionError as error:
                text = f"left out, its links move freely: {error}"
                self.assets.report.add(NoteKind.WARNING, f"joint '{joint.name}'", text)

    def _exclude(self) -> None:
        for first, second in untouching_pairs(self.robot):
            self.spec.add_exclude(
                name=f"{self.prefix}{first}|{second}",
                bodyname1=self.bodies[first].name,
                bodyname2=self.bodies[second].name,
            )

    def _remark(self) -> None:
        self._warn_of_falling()
        assumed = [name for name, drive in self.drives.items() if drive.is_assumed]
        if assumed:
            least = min(self.drives[name].armature for name in assumed)
            most = max(self.drives[name].armature for name in assumed)
            count = f"{len(assumed)} joint{'s' if len(assumed) > 1 else ''}"
            text = (
                f"{count} with a drive and without an armature: {least:.3g} to {most:.3g} kg m^2 "
                "(sliders: kg) are assumed"
            )
            self.assets.report.add(NoteKind.SUBSTITUTION, f"robot '{self.name}'", text)
        for joint in self.robot.joints:
            if joint.kind is JointType.UNIVERSAL and joint.axis2 is None:
                text = "the second axis is not given; one across the first is assumed"
                self.assets.report.add(NoteKind.SUBSTITUTION, f"joint '{joint.name}'", text)
        if not self.robot.is_static:
            add_bound_notes(self.robot, self.coordinates, self.assets.report)
