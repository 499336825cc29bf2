"""The way out: messages to the topics of a hub and to every outlet."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from horus_sim.errors import HubError
from horus_sim.hub import QoS, StaticTFBroadcaster
from horus_sim.hub.inproc import InprocHub
from horus_sim.hub.messages import Clock
from horus_sim.hub.transforms.broadcaster import TF_STATIC_TOPIC, TF_TOPIC
from horus_sim.running.outlets.due_times import Due
from horus_sim.running.outlets.robot_descriptions import RobotDescriptions
from horus_sim.running.outlets.transforms import Transforms
from horus_sim.running.topic_plan import CLOCK_TOPIC, SCENE_TOPIC, TopicPlan
from horus_sim.tf import StaticTransformStamped, TFMessage, TransformStamped

if TYPE_CHECKING:
    from horus_sim.hub import Message, Publisher
    from horus_sim.running.outlets.shapes import SceneShapes
    from horus_sim.running.world.running_world import RunningWorld
    from horus_sim.running.world.stepped_world import SteppedWorld

LATCHED = QoS(depth=1, latched=True)
NEVER_WAIT = QoS(depth=10, reliable=False)
"""A listener that cannot keep up misses messages; the simulation goes on."""

_log = logging.getLogger("horus_sim.hub")


class Outlet(Protocol):
    """Gets every message of a running world, in the thread that steps it."""

    def begin_run(self, world: SteppedWorld) -> None:
        """A run begins: the world has started, or was reset or replaced."""

    def log(self, topic: str, message: Any, stamp_ns: int) -> None:  # noqa: ANN401 - any message
        """Takes a message.

        Args:
            topic: Where it is published.
            message: A message of `horus_sim.hub.messages`, a dict, on ``tf_static`` a tuple of
                static transforms, or on ``scene`` a `SceneShapes`.
            stamp_ns: Simulated time [ns] at which it went out or was taken in.
        """

    def close(self) -> None:
        """No more will come."""


class Outgoing:
    """Sends messages out.

    Args:
        running: World whose messages are sent; without a hub there are outlets alone.

    Attributes:
        outlets: Each gets every message.
        unsent: Messages that their topic could not take.
    """

    def __init__(self, running: RunningWorld[Any]) -> None:
        self._running = running
        self._hub = hub = running.hub
        self.outlets: list[Outlet] = []
        self.unsent = 0
        self._told: set[str] = set()
        self._shapes: SceneShapes | None = None
        self._publishers: dict[str, Publisher[Any]] = {}
        if hub is not None and running.config.clock_hz is not None:
            # From the beginning: it tells other simulators that this session has a world.
            self._publishers[CLOCK_TOPIC] = hub.publisher(CLOCK_TOPIC, Clock, NEVER_WAIT)
        # As TFBroadcaster, which would wait for listeners.
        self._moving = None if hub is None else hub.publisher(TF_TOPIC, TFMessage, NEVER_WAIT)
        self._static = None if hub is None else StaticTFBroadcaster(hub)
        self._fixed: dict[str, StaticTransformStamped] = {}

    @property
    def is_wanted(self) -> bool:
        """Whether anybody may get what is sent."""
        return self._hub is not None or bool(self.outlets)

    def forget_shapes(self) -> None:
        """Another world comes, which has nothing of the one before."""
        self._shapes = None

    def warn_of_others(self) -> None:
        """Warns of another simulator in the session; inside one process it is meant."""
        if self._hub is None or isinstance(self._hub, InprocHub):
            return
        if self._hub.publishers_of(CLOCK_TOPIC):
            _log.warning(
                "another program publishes '%s' in session '%s' already, so that listeners get the "
                "messages of both; give one of them another session",
                CLOCK_TOPIC,
                self._hub.session,
            )

    def send(self, topic: str, message: Any, qos: QoS = NEVER_WAIT) -> None:  # noqa: ANN401
        """Sends a message; a publisher is made with the first one.

        Args:
            topic: Where.
            message: What; one type a topic.
            qos: How it is delivered, where the topic is new.
        """
        if self._hub is not None:
            publisher = self._publishers.get(topic)
            try:
                if publisher is None:
                    publisher = self._hub.publisher(topic, type(message), qos)
                    self._publishers[topic] = publisher
                publisher.send(message)
            except HubError as error:
                # The simulation goes on; who looks finds the count and the text.
                self.leave_out(topic, str(error))
                return
        self.record(topic, message)

    def end(self, topic: str) -> None:
        """Ends a topic; what it latched is gone."""
        publisher = self._publishers.pop(topic, None)
        if publisher is not None:
            publisher.close()

    def end_others(self, plan: TopicPlan) -> None:
        """Ends the topics of robots and sensors that left."""
        for topic in [topic for topic in self._publishers if not plan.has(topic)]:
            self.end(topic)

    def sent(self) -> dict[str, int]:
        """Messages sent on topics so far, by topic."""
        counts = {topic: publisher.sent for topic, publisher in self._publishers.items()}
        return counts if self._moving is None else counts | {TF_TOPIC: self._moving.sent}

    def leave_out(self, whom: str, cause: str) -> None:
        """Counts a message that is not sent; the cause is logged once for `whom`."""
        self.unsent += 1
        if whom not in self._told:
            self._told.add(whom)
            _log.warning("messages are not published: %s", cause)

    def send_moving(self, transforms: list[TransformStamped]) -> None:
        """Sends where frames are now."""
        if transforms:
            message = TFMessage(transforms)
            if self._moving is not None:
                self._moving.send(message)
            self.record(TF_TOPIC, message)

    def send_static(self, frames: dict[str, StaticTransformStamped]) -> None:
        """Sends fixed frames, by child; only what changed goes out."""
        if frames == self._fixed:
            return
        if self._hub is not None and self._static is not None:
            if not frames.keys() >= self._fixed.keys():
                # Late listeners must not get frames that have left the world.
                self._static.close()
                self._static = StaticTFBroadcaster(self._hub)
                self._fixed = {}
            self._static.send_transforms(
                frame for child, frame in frames.items() if self._fixed.get(child) != frame
            )
        self._fixed = dict(frames)
        self.record_static()

    def record_static(self) -> None:
        """Gives all fixed frames to the outlets, as at the start of a run."""
        if self._fixed:
            self.record(TF_STATIC_TOPIC, tuple(self._fixed.values()))

    def record_shapes(self) -> None:
        """Gives what the world looks like to the outlets, as when a run begins or a part came."""
        if self.outlets:
            exchange = self._running.exchange
            self._shapes = exchange.shapes(self._shapes)
            self.record(SCENE_TOPIC, self._shapes.renamed(exchange.naming.frame))

    def record(self, topic: str, message: Any) -> None:  # noqa: ANN401 - any message
        """Gives a message to the outlets alone."""
        if not self.outlets:
            return
        stamp_ns = self._running.world.stamp_ns
        for outlet in self.outlets:
            outlet.log(topic, message, stamp_ns)

    def close(self) -> None:
        """Ends the publishers."""
        for publisher in self._publishers.values():
            publisher.close()
        self._publishers.clear()
        if self._moving is not None:
            self._moving.close()
        if self._static is not None:
            self._static.close()


class Outputs:
    """Publishes the state of a world at the configured rates of simulated time.

    Args:
        running: World whose state is published, with its rates.
    """

    def __init__(self, running: RunningWorld[Any]) -> None:
        self._running = running
        config = running.config
        self._clock = Due(config.clock_hz)
        self._tf = Due(config.tf_hz)
        self._odom = Due(config.odom_hz)
        self._joints = Due(config.joint_states_hz)
        self._descriptions = RobotDescriptions(running)
        self._transforms = Transforms(config)
        self._all = (self._clock, self._tf, self._odom, self._joints)
        self._next_ns = 0

    def restart(self) -> None:
        """A run begins: everything is due."""
        self._descriptions.restart()
        self._transforms.restart()
        for due in self._all:
            due.restart()
        self._next_ns = 0

    def publish(self, plan: TopicPlan) -> None:
        """Publishes what is due.

        Args:
            plan: Topics that others publish, and robots that have none.
        """
        outgoing, exchange = self._running.outgoing, self._running.exchange
        stamp_ns = self._running.world.stamp_ns
        naming = exchange.naming
        for sensor, topic, message in exchange.take_readings():
            cause = plan.sensors.get(sensor)
            if cause is None:
                name = naming.topic(topic)
                self._transforms.note(name, message)
                outgoing.send(name, naming.message(message))
            else:
                outgoing.leave_out(sensor, cause)
        if stamp_ns < self._next_ns:
            return
        self._descriptions.publish(plan)
        if self._clock.pop(stamp_ns):
            outgoing.send(CLOCK_TOPIC, Clock(stamp_ns))
        if self._tf.pop(stamp_ns):
            fixed, moving = self._transforms.now(exchange, stamp_ns)
            outgoing.send_static(fixed)
            outgoing.send_moving(moving)
        if self._odom.pop(stamp_ns):
            self._send(self._transforms.odometry(exchange, stamp_ns), "odom", plan)
        if self._joints.pop(stamp_ns):
            self._send(exchange.joint_states(stamp_ns), "joint_states", plan)
        self._next_ns = min(due.next_ns for due in self._all)

    def _send(self, messages: Iterable[tuple[str, Message]], what: str, plan: TopicPlan) -> None:
        naming = self._running.exchange.naming
        for robot, message in messages:
            topic = naming.robot_topic(robot, what)
            if robot not in plan.robots and topic not in plan.taken:
                self._running.outgoing.send(topic, naming.message(message))
