"""Where a sensor is fixed: the body that carries it and the pose on that body."""

from __future__ import annotations

from dataclasses import dataclass

from horus_sim.errors import SceneError, UnknownNameError
from horus_sim.files.names import propose
from horus_sim.robots.frame_name import frame_name
from horus_sim.sim3d.scene.base import WORLD_FRAME
from horus_sim.sim3d.sensors.measured_world import MeasuredRobot, MeasuredWorld
from horus_sim.tf import Transform

_IDENTITY = Transform.identity()


@dataclass(frozen=True, slots=True)
class Mount:
    """What carries a sensor.

    Attributes:
        frame: Frame of the mount in ``world.tf``.
        body: Index of the carrying body in the MuJoCo model; 0 is the world itself.
        T_body_mount: Where the mount is on that body.
        owner: Name of the robot or object, or '' for the world.
        robot: The robot, or None where no robot carries it.
        link: Link of the robot that carries it, or None.
    """

    frame: str
    body: int
    T_body_mount: Transform = _IDENTITY
    owner: str = ""
    robot: MeasuredRobot | None = None
    link: str | None = None


def find_mount(world: MeasuredWorld, name: str) -> Mount:
    """The mount of that name.

    Args:
        world: The world.
        name: 'world', a robot's link as 'robot/link', a robot (then its root link), an object, or
            any frame of ``world.tf`` that is fixed to one of those.

    Raises:
        UnknownNameError: There is none; the text proposes close names.
    """
    if name == WORLD_FRAME:
        return Mount(WORLD_FRAME, 0)
    found = _on_robot(world, name)
    if found is not None:
        return found
    if name in world.objects:
        item = world.objects[name]
        return Mount(item.frame, item.body, owner=name)
    found = _on_frame(world, name)
    if found is not None:
        return found
    links = [f"{robot.name}/{link}" for robot in world.robots.values() for link in robot.link_names]
    known = (*links, *world.robots, *world.objects, *world.tf.get_all_frames(), WORLD_FRAME)
    raise UnknownNameError(propose(name, dict.fromkeys(known), "the world", "mount"))


def _on_robot(world: MeasuredWorld, name: str) -> Mount | None:
    for robot in world.robots.values():
        if name == robot.name:
            return _link_mount(robot, robot.description.root)
        if name.startswith(f"{robot.name}/"):
            rest = name.removeprefix(f"{robot.name}/")
            if rest in robot.link_names:
                return _link_mount(robot, rest)
            if rest in robot.description.extra_frames:
                link, T_link_frame = robot.description.extra_frames[rest]
                return _link_mount(robot, link, T_link_frame, rest)
    return None


def _link_mount(
    robot: MeasuredRobot, link: str, T_link_mount: Transform = _IDENTITY, frame: str | None = None
) -> Mount:
    mount = robot.frame(link) if frame is None else frame_name(f"{robot.frame_prefix}{frame}")
    return Mount(mount, robot.body_id(link), T_link_mount, robot.name, robot, link)


def _on_frame(world: MeasuredWorld, name: str) -> Mount | None:
    """A mount on a frame of the tree: up over fixed links to one that a body has."""
    bodies: dict[str, Mount] = {WORLD_FRAME: Mount(WORLD_FRAME, 0)}
    for item in world.objects.values():
        bodies[item.frame] = Mount(item.frame, item.body, owner=item.name)
    for robot in world.robots.values():
        for link in robot.link_names:
            bodies[robot.frame(link)] = _link_mount(robot, link)
    if not world.tf.has_frame(name):
        return None
    frame = name
    while frame not in bodies:
        info = world.tf.frame(frame)
        if info.parent is None or not info.is_static:
            return None
        frame = info.parent
    base = bodies[frame]
    if frame == name:
        return base
    T_body_mount = world.tf.frame_pose(name, frame)
    return Mount(name, base.body, T_body_mount, base.owner, base.robot, base.link)


def robot_of(mount: Mount, sensor: str) -> MeasuredRobot:
    """The robot that carries a sensor.

    Raises:
        SceneError: No robot does.
    """
    if mount.robot is None:
        raise SceneError(
            f"sensor '{sensor}' measures joints, but its mount '{mount.frame}' is not a robot; "
            "mount it on a robot or on a robot's link"
        )
    return mount.robot


def joint_above(mount: Mount, sensor: str) -> str:
    """Name of the joint that moves the mount's link.

    Raises:
        SceneError: No joint does.
    """
    robot = robot_of(mount, sensor)
    for joint in robot.description.joints:
        if joint.child == mount.link:
            return joint.name
    names = ", ".join(robot.joint_names[:10]) or "none"
    raise SceneError(
        f"sensor '{sensor}' is on '{mount.link}', the root of robot '{robot.name}', which no joint "
        f"moves; give 'joint' (known: {names}) or mount it on another link"
    )
