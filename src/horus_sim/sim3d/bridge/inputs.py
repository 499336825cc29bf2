"""What a world is told: commands for its robots."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import TYPE_CHECKING, Any

from horus_sim.hub import QoS
from horus_sim.hub.inproc import InprocHub
from horus_sim.sim3d.bridge.topics import COMMAND_TYPES, RobotCommand, topic_part

if TYPE_CHECKING:
    from horus_sim.hub import Hub, Subscription
    from horus_sim.sim3d.bridge.config import BridgeConfig
    from horus_sim.sim3d.world import World

_DEPTH = 100


class CommandInputs:
    """Takes the commands that wait on the topics of all robots.

    Args:
        world: Its robots.
        hub: The connection.
        config: How old commands may be.
        apply: Called with the name of the robot and the command.
    """

    def __init__(
        self,
        world: World,
        hub: Hub,
        config: BridgeConfig,
        apply: Callable[[str, RobotCommand], None],
    ) -> None:
        self._world = world
        self._hub = hub
        self._apply = apply
        max_age = None if isinstance(hub, InprocHub) else config.command_max_age
        self._qos = QoS(depth=_DEPTH, max_age=max_age)
        self._ends: list[tuple[str, Subscription[Any]]] = []
        self._known: tuple[str, ...] = ()

    @property
    def expired(self) -> int:
        """Commands that were too old."""
        return sum(end.expired for _, end in self._ends)

    def follow(self, without: Container[str] = ()) -> None:
        """Subscribes for robots that came, and ends what belongs to robots that left.

        Args:
            without: Robots that have no topics.
        """
        names = tuple(name for name in self._world.robots if name not in without)
        if names == self._known:
            return
        for name, end in self._ends:
            if name not in names:
                end.close()
        self._ends = [pair for pair in self._ends if pair[0] in names]
        for name in names:
            if name not in self._known:
                self._ends += [
                    (name, self._hub.subscribe(f"{topic_part(name)}/{topic}", kind, self._qos))
                    for topic, kind in COMMAND_TYPES.items()
                ]
        self._known = names

    def take_in(self) -> None:
        """Applies all that waits, robot by robot and oldest first."""
        for name, end in self._ends:
            while (command := end.take()) is not None:
                self._apply(name, command)

    def clear(self) -> None:
        """Forgets what waits."""
        for _, end in self._ends:
            end.clear()

    def close(self) -> None:
        """Ends the subscriptions."""
        for _, end in self._ends:
            end.close()
        self._ends, self._known = [], ()
