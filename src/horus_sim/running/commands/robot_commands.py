"""Commands for the robots of a running world: checked, given by who may, and noted."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from horus_sim.errors import CommandError, HorusError
from horus_sim.hub.simulation_client import COMMAND_TOPICS, RobotCommand
from horus_sim.running.commands.commanders import Commanders
from horus_sim.running.commands.inputs import CommandInputs
from horus_sim.running.topic_plan import DRIVE_TYPES

if TYPE_CHECKING:
    from horus_sim.running.outlets.replay_log import ReplayLog
    from horus_sim.running.world.running_world import RunningWorld

_log = logging.getLogger("horus_sim.hub")
_MOST_TOLD = 1000


class RobotCommands:
    """Gives commands to robots, whoever they come from.

    Args:
        running: The world of the robots.
        replay_log: Takes what was commanded.

    Attributes:
        commanders: Who drives which robot.
        inputs: The commands that wait on topics.
        refused: Number of commands on topics that the robots did not understand.
        last_error: Why the last of them was refused, or None.
    """

    def __init__(self, running: RunningWorld[Any], replay_log: ReplayLog) -> None:
        self._running = running
        self._replay_log = replay_log
        self.commanders = Commanders()
        self.inputs = CommandInputs(running.hub, running.config, self._try)
        self.refused = 0
        self.last_error: HorusError | None = None
        self._told: set[tuple[str, str]] = set()

    def check(self, commands: Iterable[tuple[str, RobotCommand]]) -> None:
        """Raises what `obey` would raise, and changes nothing.

        Args:
            commands: Robots and what they are to do.

        Raises:
            CommandError: A robot cannot do this.
            UnknownNameError: There is no such robot.
        """
        for robot, command in commands:
            if type(command) not in COMMAND_TOPICS:
                raise CommandError(
                    f"robot '{robot}' got a {type(command).__name__}; give it a CmdVel, Twist, "
                    "JointCommand or JointTrajectory"
                )
            self._running.exchange.check_command(robot, command)

    def obey(
        self, commands: Sequence[tuple[str, RobotCommand]], commander: str | None = None
    ) -> None:
        """Gives several commands of one commander, as messages on topics would: all or none.

        Args:
            commands: Robots and what they are to do.
            commander: Whose commands these are; one who may not drive now is not obeyed. None is
                the program itself, which always is.

        Raises:
            CommandError: A robot cannot do this.
            UnknownNameError: There is no such robot.
        """
        self.check(commands)
        running = self._running
        for robot, command in commands:
            is_free = not isinstance(command, DRIVE_TYPES)
            if not (commander is None or is_free or self._may_drive(robot, commander)):
                continue
            running.start()
            running.exchange.command(robot, command)
            topic = running.exchange.naming.robot_topic(robot, COMMAND_TOPICS[type(command)])
            running.outgoing.record(topic, command)
            self._replay_log.note("command", robot=robot, message=command)

    def drive_by_hand(self, robot: str, command: RobotCommand) -> None:
        """Commands a robot by a held key or pad, which owns it until half a second later.

        Raises:
            CommandError: The robot cannot do this.
            UnknownNameError: There is no such robot.
        """
        self.commanders.take_by_hand(robot)
        self.obey(((robot, command),))

    def _may_drive(self, robot: str, commander: str) -> bool:
        return self.commanders.may_drive(robot, commander, self._running.world.stamp_ns)

    def _try(self, robot: str, command: RobotCommand, sender: str) -> None:
        try:
            self.obey(((robot, command),), sender)
        except HorusError as error:
            self.refused += 1
            self.last_error = error
            told = (robot, str(error))
            if told not in self._told and len(self._told) < _MOST_TOLD:
                self._told.add(told)
                # A text of its own: who shows the first of each kind shows each cause.
                _log.warning(f"a command for '{robot}' was refused: {error}")
