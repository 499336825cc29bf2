"""What a world tells: clock, transforms, odometry, joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.hub.messages import Clock, JointState, Odometry
from horus_sim.sim3d.bridge.due import Due
from horus_sim.sim3d.bridge.outlet import Outlet
from horus_sim.sim3d.bridge.topics import CLOCK_TOPIC, TopicPlan, topic_part
from horus_sim.sim3d.frame_table import frame_name
from horus_sim.sim3d.frames import WORLD_FRAME
from horus_sim.tf import StaticTransformStamped, Transform, TransformStamped

if TYPE_CHECKING:
    from horus_sim.sim3d.bridge.config import BridgeConfig
    from horus_sim.sim3d.world import World
    from horus_sim.sim3d.world_robot import WorldRobot


class WorldOutputs:
    """Publishes the state of a world at the configured rates of simulated time.

    The frame ``{robot}/odom`` is where the robot was when the run began, fixed in the world. The
    tree below 'world' is the truth; where the wheels slip, ``{robot}/odom`` messages drift from it.

    Args:
        world: The world.
        outlet: The way out.
        config: Rates and rules.
    """

    def __init__(self, world: World, outlet: Outlet, config: BridgeConfig) -> None:
        self._world = world
        self._outlet = outlet
        self._wheels = config.odometry == "wheels"
        self._has_odom = config.odom_hz is not None
        self._clock = Due(config.clock_hz)
        self._tf = Due(config.tf_hz)
        self._odom = Due(config.odom_hz)
        self._joints = Due(config.joint_states_hz)
        self._all = (self._clock, self._tf, self._odom, self._joints)
        self._starts: dict[str, Transform] = {}
        self._next_ns = 0

    def restart(self, *, keeps_odometry: bool = False) -> None:
        """A run begins: everything is due.

        Args:
            keeps_odometry: Whether odometry goes on from where it started earlier; else it starts
                where the robots are.
        """
        if not keeps_odometry:
            self._starts.clear()
        for due in self._all:
            due.restart()
        self._next_ns = 0

    def publish(self, stamp_ns: int, plan: TopicPlan) -> None:
        """Publishes what is due.

        Args:
            stamp_ns: Simulated time now [ns].
            plan: Topics that others publish, and robots that have none.
        """
        if stamp_ns < self._next_ns:
            return
        if self._clock.pop(stamp_ns):
            self._outlet.send(CLOCK_TOPIC, Clock(stamp_ns))
        if self._tf.pop(stamp_ns):
            self._publish_frames(stamp_ns)
        self._publish_robots(stamp_ns, plan)
        self._next_ns = min(due.next_ns for due in self._all)

    def _publish_robots(self, stamp_ns: int, plan: TopicPlan) -> None:
        odom, joints = self._odom.pop(stamp_ns), self._joints.pop(stamp_ns)
        if not (odom or joints):
            return
        for name, robot in self._world.robots.items():
            if name in plan.robots:
                continue
            prefix, taken = topic_part(name), plan.taken
            if odom and robot.is_floating and f"{prefix}/odom" not in taken:
                self._outlet.send(f"{prefix}/odom", self._odometry(robot, stamp_ns))
            if joints and robot.joint_names and f"{prefix}/joint_states" not in taken:
                self._outlet.send(f"{prefix}/joint_states", _joint_state(robot, stamp_ns))

    def _odometry(self, robot: WorldRobot, stamp_ns: int) -> Odometry:
        frame, child = odom_frame(robot.name), robot.frame(robot.description.root)
        counted = None
        if self._wheels and robot.has_control:
            counted = getattr(robot.control.drive, "odometry", None)
        if counted is not None:
            self._start_of(robot)
            return counted.message(stamp_ns, frame, child)
        T_world_base = robot.pose
        linear_w, angular_w = robot.velocity
        into_base = T_world_base.inverse()
        return Odometry(
            stamp_ns,
            frame,
            child,
            self._start_of(robot).inverse() @ T_world_base,
            tuple(into_base.transform_vector(linear_w)),
            tuple(into_base.transform_vector(angular_w)),
        )

    def _start_of(self, robot: WorldRobot) -> Transform:
        """T_world_odom."""
        found = self._starts.get(robot.name)
        if found is None:
            found = self._starts[robot.name] = robot.pose
        return found

    def _publish_frames(self, stamp_ns: int) -> None:
        tree = self._world.tf
        fixed: dict[str, StaticTransformStamped] = {}
        moving: list[TransformStamped] = []
        for info in tree.frames():
            if info.parent is None or info.is_orphan:
                continue
            T_parent_child = tree.lookup_transform(info.name, info.parent)
            if info.is_static:
                fixed[info.name] = StaticTransformStamped(info.parent, info.name, T_parent_child)
            else:
                moving.append(TransformStamped(info.parent, info.name, stamp_ns, T_parent_child))
        for name, robot in self._world.robots.items():
            frame = odom_frame(name)
            if self._has_odom and robot.is_floating and frame not in fixed:
                T_world_odom = self._start_of(robot)
                fixed[frame] = StaticTransformStamped(WORLD_FRAME, frame, T_world_odom)
        self._outlet.send_static(fixed)
        self._outlet.send_moving(moving)


def odom_frame(robot: str) -> str:
    """Name of a robot's odometry frame."""
    return frame_name(f"{robot}/odom")


def _joint_state(robot: WorldRobot, stamp_ns: int) -> JointState:
    return JointState(
        stamp_ns,
        robot.joint_names,
        robot.joint_positions(),
        robot.joint_velocities(),
        robot.joint_efforts(),
    )
