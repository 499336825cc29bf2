"""The transforms that a running world publishes: below the world, or below its robots' odometry."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from horus_sim.errors import SceneError
from horus_sim.hub.messages import Odometry
from horus_sim.tf import StaticTransformStamped, TransformStamped

if TYPE_CHECKING:
    from horus_sim.hub.message import Message
    from horus_sim.running.world.config import RunningConfig
    from horus_sim.running.world.stepped_world import Exchange

Fixed = dict[str, StaticTransformStamped]
Moving = list[TransformStamped]


class Transforms:
    """The frames of a world, under the names that it has on topics.

    Usually the tree below 'world' is the truth: ``{robot}/odom`` is fixed in it where the robot was
    when the run began, and ``{robot}/odom`` messages drift from it where the wheels slip. By the
    names of ROS, a robot stands below its ``odom`` where its odometry sees it, and nothing but a
    localization tells where that is.

    Args:
        config: Says which tree, and what odometry is.
    """

    def __init__(self, config: RunningConfig) -> None:
        self._is_below_odom = config.ros_names
        self._by_wheels = config.odometry == "wheels"
        self._sensed: dict[str, Odometry] = {}

    def restart(self) -> None:
        """A run begins: what sensors said in earlier ones is forgotten."""
        self._sensed.clear()

    def note(self, topic: str, message: Message) -> None:
        """Notes what a sensor said: one that takes a robot's ``odom`` over places its frame."""
        if self._is_below_odom and isinstance(message, Odometry):
            self._sensed[topic] = message

    def odometry(self, exchange: Exchange, stamp_ns: int) -> Iterable[tuple[str, Odometry]]:
        """Odometry by robot."""
        return exchange.odometry(stamp_ns, by_wheels=self._by_wheels)

    def now(self, exchange: Exchange, stamp_ns: int) -> tuple[Fixed, Moving]:
        """The fixed frames by name, and the moving ones."""
        fixed, moving = exchange.frames(stamp_ns)
        if self._is_below_odom:
            for robot, message in self.odometry(exchange, stamp_ns):
                sensed = self._sensed.get(exchange.naming.robot_topic(robot, "odom"))
                moving = _below_odom(robot, sensed or message, fixed, moving)
        naming = exchange.naming
        renamed = map(naming.fixed, fixed.values())
        return {each.child_frame: each for each in renamed}, list(map(naming.moving, moving))


def _below_odom(robot: str, message: Odometry, fixed: Fixed, moving: Moving) -> Moving:
    """Puts a robot below the frame of its odometry, which loses its place in the world.

    Args:
        robot: Name of the robot.
        message: Where its odometry sees it.
        fixed: The fixed frames; that of the odometry is taken out.
        moving: The moving frames.
    """
    place = fixed.pop(message.frame_id, None)
    world = None if place is None else place.parent_frame
    base = message.child_frame_id
    T_world_base = next((each.transform for each in moving if each.child_frame == base), None)
    if world is None or T_world_base is None:
        return moving
    T_base_world = T_world_base.inverse()
    found = [TransformStamped(message.frame_id, base, message.stamp_ns, message.pose)]
    for each in moving:
        if each.child_frame == base:
            continue
        if each.parent_frame == world and each.child_frame.startswith(f"{robot}/"):
            # A part that no joint of the tree ties to the base, as a trailer.
            T_base_part = T_base_world @ each.transform
            each = TransformStamped(base, each.child_frame, each.stamp_ns, T_base_part)  # noqa: PLW2901
        found.append(each)
    return found


def check_frames(exchange: Exchange) -> None:
    """Refuses a world in which two frames have one name.

    Raises:
        SceneError: The text names both.
    """
    naming = exchange.naming
    if not naming.bare:
        return
    taken: dict[str, str] = {}
    fixed, moving = exchange.frames(0)
    for frame in (*fixed, *(each.child_frame for each in moving)):
        name = naming.frame(frame)
        if name in taken:
            raise SceneError(
                f"the frames '{taken[name]}' and '{frame}' are both called '{name}' by the names "
                "of ROS; rename one, or run without them"
            )
        taken[name] = frame
