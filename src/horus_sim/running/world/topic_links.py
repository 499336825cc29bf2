"""What joins a running world to the topics of a hub: who has which topic, and what comes in."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from horus_sim.errors import SceneError
from horus_sim.hub.inproc import InprocHub
from horus_sim.running.commands.inputs import Apply, CommandInputs
from horus_sim.running.commands.requests import Requests
from horus_sim.running.topic_plan import CLOCK_TOPIC, TopicPlan

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.running.world.running_world import RunningWorld
    from horus_sim.running.world.stepped_world import Exchange

_log = logging.getLogger("horus_sim.hub")


class TopicLinks:
    """The plan of the topics, commands and requests.

    Args:
        running: Does what is asked for.
        hub: The connection; None is no topics.
        apply: Called with the robot, the command and the sender of each command that comes.

    Attributes:
        plan: Which topics belong to whom.
        inputs: The commands that wait.

    Raises:
        SceneError: Topics clash.
    """

    def __init__(self, running: RunningWorld[Any], hub: Hub | None, apply: Apply) -> None:
        self._hub = hub
        self._exchange = running.exchange
        self.plan = checked_plan(self._exchange)
        self._revision = self._exchange.revision
        self._exchange.on_new_sensor(_refuse_clash)
        self.inputs = CommandInputs(hub, running.config, apply)
        self.inputs.follow(self._exchange.robots())
        has_requests = hub is not None and running.config.requests
        self._requests = Requests(running, hub) if has_requests and hub is not None else None

    @property
    def is_stale(self) -> bool:
        """Whether robots, objects or sensors came or left since `follow`."""
        return self._exchange.revision != self._revision

    def show(self, exchange: Exchange, plan: TopicPlan) -> None:
        """Goes on with another world."""
        self._exchange, self.plan, self._revision = exchange, plan, exchange.revision
        exchange.on_new_sensor(_refuse_clash)
        self.inputs.follow(exchange.robots())

    def follow(self) -> None:
        """Plans the topics anew, after robots or sensors came or left."""
        self._revision = self._exchange.revision
        self.plan = self._exchange.plan()
        self.inputs.follow(name for name in self._exchange.robots() if name not in self.plan.robots)

    def serve(self) -> None:
        """Serves requests."""
        if self._requests is not None:
            self._requests.serve()

    def on_arrival(self, wake: Callable[[], object]) -> None:
        """Calls `wake` from another thread whenever a request has arrived."""
        if self._requests is not None:
            self._requests.wake = wake

    def warn_of_others(self) -> None:
        """Warns of another simulator in the session; inside one process it is meant."""
        if self._hub is None or isinstance(self._hub, InprocHub):
            return
        if any(info.name == CLOCK_TOPIC and info.publishers for info in self._hub.topics()):
            _log.warning(
                "another program publishes '%s' in session '%s' already, so that listeners get the "
                "messages of both; give one of them another session",
                CLOCK_TOPIC,
                self._hub.session,
            )

    def close(self) -> None:
        """Ends commands and requests."""
        self.inputs.close()
        if self._requests is not None:
            self._requests.close()


def checked_plan(exchange: Exchange) -> TopicPlan:
    """The plan of a world whose topics do not clash.

    Raises:
        SceneError: They clash; the exchange is closed.
    """
    plan = exchange.plan()
    try:
        plan.check()
    except SceneError:
        exchange.close()
        raise
    return plan


def _refuse_clash(name: str, plan: TopicPlan) -> None:
    """Refuses a sensor whose topic clashes, before it is in the world."""
    cause = plan.sensors.get(name)
    if cause is not None:
        raise SceneError(cause)
