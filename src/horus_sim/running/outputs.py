"""What a running world tells by itself: clock, transforms, odometry, joints, readings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.hub.messages import Clock
from horus_sim.running.due import Due
from horus_sim.running.topics.plan import CLOCK_TOPIC, TopicPlan, topic_part

if TYPE_CHECKING:
    from horus_sim.running.config import RunningConfig
    from horus_sim.running.outgoing import Outgoing
    from horus_sim.running.stepped_world import Exchange


class Outputs:
    """Publishes the state of a world at the configured rates of simulated time.

    The frame ``{robot}/odom`` is where the robot was when the run began, fixed in the world. The
    tree below 'world' is the truth; where the wheels slip, ``{robot}/odom`` messages drift from it.

    Args:
        exchange: What the world tells.
        outgoing: The way out.
        config: Rates and rules.
    """

    def __init__(self, exchange: Exchange, outgoing: Outgoing, config: RunningConfig) -> None:
        self._exchange = exchange
        self._outgoing = outgoing
        self._by_wheels = config.odometry == "wheels"
        self._has_odom = config.odom_hz is not None
        self._clock = Due(config.clock_hz)
        self._tf = Due(config.tf_hz)
        self._odom = Due(config.odom_hz)
        self._joints = Due(config.joint_states_hz)
        self._all = (self._clock, self._tf, self._odom, self._joints)
        self._next_ns = 0

    def show(self, exchange: Exchange) -> None:
        """Goes on with another world."""
        self._exchange = exchange

    def restart(self, *, keeps_odometry: bool = False) -> None:
        """A run begins: everything is due.

        Args:
            keeps_odometry: Whether odometry goes on from where it started earlier; else it starts
                where the robots are.
        """
        self._exchange.begin_run(keeps_odometry=keeps_odometry)
        for due in self._all:
            due.restart()
        self._next_ns = 0

    def publish(self, stamp_ns: int, plan: TopicPlan) -> None:
        """Publishes what is due.

        Args:
            stamp_ns: Simulated time now [ns].
            plan: Topics that others publish, and robots that have none.
        """
        outgoing = self._outgoing
        for sensor, topic, message in self._exchange.take_readings():
            cause = plan.sensors.get(sensor)
            if cause is None:
                outgoing.send(topic, message)
            else:
                outgoing.leave_out(sensor, cause)
        if stamp_ns < self._next_ns:
            return
        if self._clock.pop(stamp_ns):
            outgoing.send(CLOCK_TOPIC, Clock(stamp_ns))
        if self._tf.pop(stamp_ns):
            fixed, moving = self._exchange.frames(stamp_ns)
            outgoing.send_static(fixed)
            outgoing.send_moving(moving)
        if self._odom.pop(stamp_ns):
            self._send(self._exchange.odometry(stamp_ns, by_wheels=self._by_wheels), "odom", plan)
        if self._joints.pop(stamp_ns):
            self._send(self._exchange.joint_states(stamp_ns), "joint_states", plan)
        self._next_ns = min(due.next_ns for due in self._all)

    def _send(self, messages: object, what: str, plan: TopicPlan) -> None:
        for robot, message in messages:  # type: ignore[attr-defined]
            topic = f"{topic_part(robot)}/{what}"
            if robot not in plan.robots and topic not in plan.taken:
                self._outgoing.send(topic, message)
