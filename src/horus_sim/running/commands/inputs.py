"""What a world is told on topics: commands for its robots."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from horus_sim.hub import QoS, sender
from horus_sim.hub.inproc import InprocHub
from horus_sim.running.topic_plan import COMMAND_TYPES, RobotCommand, topic_part

if TYPE_CHECKING:
    from horus_sim.hub import Hub, Subscription
    from horus_sim.running.world.config import RunningConfig

_DEPTH = 100
Apply = Callable[[str, RobotCommand, str], None]


class CommandInputs:
    """Takes the commands that wait on the topics of all robots.

    Args:
        hub: The connection; None is no topics.
        config: How old commands may be.
        apply: Called with the name of the robot, the command and the sender's name.
    """

    def __init__(self, hub: Hub | None, config: RunningConfig, apply: Apply) -> None:
        self._hub = hub
        self._apply = apply
        max_age = None if isinstance(hub, InprocHub) else config.command_max_age
        self._qos = QoS(depth=_DEPTH, max_age=max_age)
        self._lines: list[_Line] = []
        self._known: tuple[str, ...] = ()
        self._expired = 0

    @property
    def expired(self) -> int:
        """Commands that were too old."""
        return self._expired + sum(line.expired for line in self._lines)

    def follow(self, robots: Iterable[str]) -> None:
        """Subscribes for robots that came, and ends what belongs to robots that left.

        Args:
            robots: Names of the robots that have topics.
        """
        names = tuple(robots)
        if self._hub is None or names == self._known:
            return
        for line in self._lines:
            if line.robot not in names:
                self._expired += line.expired
                line.end.close()
        self._lines = [line for line in self._lines if line.robot in names]
        for name in names:
            if name not in self._known:
                self._lines += [
                    _Line(self._hub, name, f"{topic_part(name)}/{topic}", kind, self._qos)
                    for topic, kind in COMMAND_TYPES.items()
                ]
        self._known = names

    def take_in(self) -> None:
        """Applies all that waits and is not too old, robot by robot and oldest first."""
        for line in self._lines:
            for command, source in line.take():
                self._apply(line.robot, command, source)

    def clear(self) -> None:
        """Forgets what waits."""
        for line in self._lines:
            line.waiting.clear()

    def close(self) -> None:
        """Ends the subscriptions."""
        for line in self._lines:
            line.end.close()
        self._lines, self._known = [], ()


class _Line:
    """The commands on one topic of a robot, with their senders.

    Attributes:
        robot: Name of the robot.
        end: The subscription.
        waiting: When they arrived [ns], commands and their senders, oldest first.
    """

    def __init__(self, hub: Hub, robot: str, topic: str, kind: type[Any], qos: QoS) -> None:
        self.robot = robot
        self.waiting: deque[tuple[int, RobotCommand, str]] = deque(maxlen=_DEPTH)
        self._hub = hub
        self._max_age_ns = None if qos.max_age is None else round(qos.max_age * 1e9)
        self._late = 0
        self.end: Subscription[Any] = hub.subscribe(topic, kind, qos, self._arrive)

    @property
    def expired(self) -> int:
        """Commands that travelled or waited too long."""
        return self.end.expired + self._late

    def take(self) -> Iterator[tuple[RobotCommand, str]]:
        """All that waits and is not too old, oldest first."""
        while self.waiting:
            arrived_ns, command, source = self.waiting.popleft()
            if self._max_age_ns is not None and self._hub.now_ns() - arrived_ns > self._max_age_ns:
                self._late += 1
                continue
            yield command, source

    def _arrive(self, command: RobotCommand) -> None:
        self.waiting.append((self._hub.now_ns(), command, sender()))
