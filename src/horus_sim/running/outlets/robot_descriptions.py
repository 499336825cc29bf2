"""What each robot is made of, as URDF, for those who draw it or plan with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from horus_sim.hub import QoS
from horus_sim.hub.messages import String
from horus_sim.running.topic_plan import DESCRIPTION_TOPIC, TopicPlan

if TYPE_CHECKING:
    from horus_sim.running.world.running_world import RunningWorld

_LATCHED = QoS(depth=1, latched=True)


class RobotDescriptions:
    """Publishes ``{robot}/robot_description``, latched, once a run and when a robot comes.

    Args:
        running: The world.
    """

    def __init__(self, running: RunningWorld[Any]) -> None:
        self._running = running
        self._sent: dict[str, str] = {}
        self._revision: object = None

    def restart(self) -> None:
        """A run begins: what was sent in earlier ones is gone."""
        self._sent.clear()
        self._revision = None

    def publish(self, plan: TopicPlan) -> None:
        """Publishes the descriptions of robots that came, and ends those of robots that left.

        Args:
            plan: Topics that others publish, and robots that have none.
        """
        exchange, outgoing = self._running.exchange, self._running.outgoing
        revision = exchange.revision
        if revision == self._revision or not self._running.config.robot_descriptions:
            return
        self._revision = revision
        topics = {
            robot: exchange.naming.robot_topic(robot, DESCRIPTION_TOPIC)
            for robot in exchange.robots()
            if robot not in plan.robots
        }
        for robot in self._sent.keys() - topics.keys():
            outgoing.end(self._sent.pop(robot))
        for robot, topic in topics.items():
            if robot in self._sent or topic in plan.taken:
                continue
            text = exchange.robot_description(robot)
            if text is not None:
                outgoing.send(topic, String(text), _LATCHED)
                self._sent[robot] = topic
