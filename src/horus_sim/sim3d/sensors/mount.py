"""Where a sensor is fixed: the body that carries it and the pose on that body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

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
    named: dict[str, Mount] = {}
    for own, mount in _mounts(world):
        named.setdefault(own, mount)
    if name in named:
        return named[name]
    if world.tf.has_frame(name):
        # Up over fixed frames to that of a body.
        bodies = {each.frame: each for each in named.values() if each.T_body_mount == _IDENTITY}
        frame, info = name, world.tf.frame(name)
        while frame not in bodies and info.parent is not None and info.is_static:
            frame, info = info.parent, world.tf.frame(info.parent)
        if frame in bodies:
            T_body_mount = world.tf.frame_pose(name, frame)
            return replace(bodies[frame], frame=name, T_body_mount=T_body_mount)
    known = {*named, *world.tf.get_all_frames()}
    raise UnknownNameError(propose(name, known, "the world", "mount"))


def _mounts(world: MeasuredWorld) -> Iterator[tuple[str, Mount]]:
    """What the world, its robots and its objects offer, by name."""
    yield WORLD_FRAME, Mount(WORLD_FRAME, 0)
    for robot in world.robots.values():
        links = {
            link: Mount(robot.frame(link), robot.body_id(link), _IDENTITY, robot.name, robot, link)
            for link in robot.link_names
        }
        yield robot.name, links[robot.description.root]
        for link, mount in links.items():
            yield f"{robot.name}/{link}", mount
        for name, (link, T_link_frame) in robot.description.extra_frames.items():
            frame = frame_name(f"{robot.frame_prefix}{name}")
            mount = replace(links[link], frame=frame, T_body_mount=T_link_frame)
            yield f"{robot.name}/{name}", mount
    for name, item in world.objects.items():
        yield name, Mount(item.frame, item.body, owner=name)


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
