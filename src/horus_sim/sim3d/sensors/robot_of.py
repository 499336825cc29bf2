"""The robot that a sensor needs, and its joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.errors import SceneError

if TYPE_CHECKING:
    from horus_sim.sim3d.sensors.mount import Mount
    from horus_sim.sim3d.world_robot import WorldRobot


def robot_of(mount: Mount, sensor: str) -> WorldRobot:
    """The robot that carries a sensor.

    Raises:
        SceneError: No robot does.
    """
    if mount.robot is None:
        raise SceneError(
            f"sensor '{sensor}' measures joints, but its mount '{mount.frame}' is no robot; mount "
            "it on a robot or on a robot's link"
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
