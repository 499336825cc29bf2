"""What a world is told on topics: commands for its robots."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from horus_sim.hub import QoS, sender
from horus_sim.hub.inproc import InprocHub
from horus_sim.hub.messages import CmdVel, Twist
from horus_sim.hub.simulation_client import RobotCommand
from horus_sim.running.naming import Naming
from horus_sim.running.topic_plan import COMMAND_TYPES

if TYPE_CHECKING:
    from horus_sim.hub import Hub, Subscription
    from horus_sim.running.world.config import RunningConfig

_DEPTH = 100
_Waiting = tuple[int, RobotCommand, str]
"""When a command arrived [ns], the command and its sender."""
Apply = Callable[[str, RobotCommand, str], None]


def planar(command: Twist) -> CmdVel | Twist:
    """The command of a ground robot, where it says no more than that."""
    (x, *others), (roll, pitch, yaw) = command.linear, command.angular
    return command if any((*others, roll, pitch)) else CmdVel(x, yaw)


class CommandInputs:
    """Takes the commands that wait on the topics of all robots.

    Args:
        hub: The connection; None is no topics.
        config: How old commands may be.
        apply: Called with the name of the robot, the command and the sender's name.

    Attributes:
        naming: What the topics of robots that come are called.
    """

    def __init__(self, hub: Hub | None, config: RunningConfig, apply: Apply) -> None:
        self._hub = hub
        self._apply = apply
        max_age = None if isinstance(hub, InprocHub) else config.command_max_age
        self._qos = QoS(depth=_DEPTH, max_age=max_age)
        self._max_age_ns = None if max_age is None else round(max_age * 1e9)
        self.naming = Naming()
        self._lines: dict[tuple[str, str], tuple[Subscription[Any], deque[_Waiting]]] = {}
        self._expired = 0

    @property
    def expired(self) -> int:
        """Commands that travelled or waited too long."""
        return self._expired + sum(end.expired for end, _ in self._lines.values())

    @property
    def received(self) -> int:
        """Commands that arrived for the robots that have topics now."""
        return sum(end.received for end, _ in self._lines.values())

    def follow(self, robots: Iterable[str]) -> None:
        """Subscribes for robots that came, and ends what belongs to robots that left.

        Args:
            robots: Names of the robots that have topics.
        """
        if self._hub is None:
            return
        wanted = [(name, topic) for name in robots for topic in COMMAND_TYPES]
        for key in self._lines.keys() - {*wanted}:
            end, _ = self._lines.pop(key)
            self._expired += end.expired
            end.close()
        for name, topic in wanted:
            if (name, topic) not in self._lines:
                self._lines[name, topic] = self._line(self._hub, name, topic)

    def take_in(self) -> None:
        """Applies all that waits and is not too old, robot by robot and oldest first."""
        for (robot, _), (_, waiting) in self._lines.items():
            while waiting:
                arrived_ns, command, source = waiting.popleft()
                if self._is_late(arrived_ns):
                    self._expired += 1
                else:
                    self._apply(robot, command, source)

    def clear(self) -> None:
        """Forgets what waits."""
        for _, waiting in self._lines.values():
            waiting.clear()

    def close(self) -> None:
        """Ends the subscriptions."""
        self.follow(())

    def _line(self, hub: Hub, robot: str, topic: str) -> tuple[Subscription[Any], deque[_Waiting]]:
        """Subscribes to a topic of a robot, whose commands wait with their senders."""
        waiting: deque[_Waiting] = deque(maxlen=_DEPTH)

        # In ROS every velocity is a Twist, those of ground robots, too.
        is_planar = COMMAND_TYPES[topic] is CmdVel

        def arrive(command: RobotCommand) -> None:
            if is_planar and isinstance(command, Twist):
                command = planar(command)
            waiting.append((hub.now_ns(), command, sender()))

        name = self.naming.robot_topic(robot, topic)
        kind = Twist if is_planar else COMMAND_TYPES[topic]
        return hub.subscribe(name, kind, self._qos, arrive), waiting

    def _is_late(self, arrived_ns: int) -> bool:
        if self._max_age_ns is None or self._hub is None:
            return False
        return self._hub.now_ns() - arrived_ns > self._max_age_ns
