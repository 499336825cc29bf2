"""A world that runs: it obeys commands and requests, and tells what happens to all its outlets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from horus_sim.errors import CommandError, HorusError, SceneError
from horus_sim.interruption import uninterrupted
from horus_sim.running.commands.commanders import Commanders
from horus_sim.running.outlets.outgoing import LATCHED, Outgoing, Outputs
from horus_sim.running.outlets.replay_log import ReplayLog
from horus_sim.running.topic_plan import (
    COMMAND_TYPES,
    DRIVE_TYPES,
    STATUS_TOPIC,
    RobotCommand,
    topic_part,
)
from horus_sim.running.world.config import RunningConfig
from horus_sim.running.world.lockstep import Lockstep, OnEnd
from horus_sim.running.world.stepped_world import SteppedWorld
from horus_sim.running.world.topic_links import TopicLinks, checked_plan

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.running.outlets.outgoing import Outlet
    from horus_sim.tf import Transform

_log = logging.getLogger("horus_sim.hub")
_MOST_TOLD = 1000
_World = TypeVar("_World", bound=SteppedWorld)


class RunningWorld(Generic[_World]):
    """Steps a world, 3D or 2D, that others command and watch.

    Before each step it takes in commands and requests, after it it publishes what is due. With the
    same messages before the same steps, the world does the same, bit by bit. It never waits for a
    listener: who cannot keep up misses messages.

    Args:
        world: The world; step it with `step` from now on, not by itself.
        hub: The connection; without it there are no topics, only outlets.
        config: Rates and rules.

    Attributes:
        world: The world.
        exchange: What it publishes and obeys.
        hub: The connection, or None.
        config: Rates and rules.
        is_paused: Whether steps wait for `resume`.
        refused: Commands that the robots did not understand.
        last_error: Why the last of them was refused, or None.
        observers: Each is called with the world after every step.
        commanders: Who drives which robot.

    Raises:
        SceneError: The topics of two robots or sensors clash, or one has a topic of the simulator.
    """

    def __init__(
        self, world: _World, hub: Hub | None = None, config: RunningConfig | None = None
    ) -> None:
        self.world = world
        self.exchange = world.exchange()
        self.hub = hub
        self.config = config or RunningConfig()
        self.is_paused = False
        self.refused = 0
        self.last_error: HorusError | None = None
        self.observers: list[Callable[[Any], object]] = []
        self.commanders = Commanders()
        self._is_started = False
        self._steps = 0
        self._jumps: int | None = world.jumps
        self._told: set[tuple[str, str]] = set()
        self._links = TopicLinks(self, hub, self._try_command)
        self._outgoing = Outgoing(world, self.exchange, hub)
        self._replay_log = ReplayLog(world, self.exchange, self._outgoing, self.config.digest_hz)
        self._lockstep = Lockstep(self._outgoing.sent, lambda: self.world.stamp_ns)
        self._outputs = Outputs(self.exchange, self._outgoing, self.config)

    @property
    def expired(self) -> int:
        """Commands that were discarded because they travelled too long."""
        return self._links.inputs.expired

    @property
    def simulated_time(self) -> float:
        """Simulated time [s] of all runs so far."""
        return self._steps * self.world.timestep

    @property
    def unsent(self) -> int:
        """Messages that were not published because topics clash; the log tells why."""
        return self._outgoing.unsent

    @property
    def sent(self) -> int:
        """Messages that were published on topics so far."""
        return sum(self._outgoing.sent().values())

    def drivers(self) -> dict[str, str]:
        """Who drives which robot: 'page', the name of a connection, or '' for nobody."""
        stamp_ns = self.world.stamp_ns
        return {robot: self.commanders.driver(robot, stamp_ns) for robot in self.exchange.robots()}

    def status(self) -> dict[str, Any]:
        """How it is doing, as plain data."""
        return {
            "scene": self.exchange.name,
            "paused": self.is_paused,
            "timestep": self.world.timestep,
        }

    def on_arrival(self, wake: Callable[[], object]) -> None:
        """Calls `wake` from another thread whenever a request has arrived."""
        self._links.on_arrival(wake)

    def add_outlet(self, outlet: Outlet) -> None:
        """Gives every message to a recording, a live view or a log, too."""
        if self._is_started:
            self.start()
        self._outgoing.outlets.append(outlet)
        if self._is_started:
            self._replay_log.begin(outlet, with_state=self._is_away_from_start)
            self._outgoing.record_static()
            self._outgoing.record_shapes()

    def remove_outlet(self, outlet: Outlet) -> None:
        """Ends an outlet; the others go on."""
        if outlet in self._outgoing.outlets:
            with uninterrupted():
                if self._is_started:
                    self._replay_log.end(outlet)
                self._outgoing.outlets.remove(outlet)
                outlet.close()

    def start(self) -> None:
        """Begins the run: what was sent in earlier ones is discarded everywhere.

        `step` does it when nobody did. When the world was set to another state by itself, as
        `World.apply_snapshot` or `World.reset` do, a new run begins, too.
        """
        if not self._is_started:
            self._is_started = True
            self._links.warn_of_others()
            self._begin_run(with_state=self._is_away_from_start)
        elif self._jumps is not None and self.world.jumps != self._jumps:
            self._replay_log.note_jump()
            self._begin_run(with_state=True)

    def step(self, n: int = 1) -> int:
        """Takes in, steps and publishes, up to `n` times; a pause ends it.

        Returns:
            How many steps were made.

        Raises:
            PhysicsError: The motion diverged.
        """
        self.start()
        for done in range(n):
            # A command must not be obeyed and yet miss in a recording.
            with uninterrupted():
                self.poll()
                if not self.can_step:
                    return done
                # A request may have put another world in place.
                world = self.world
                self._links.inputs.take_in()
                self.exchange.before_step()
                if world.step() is False:
                    return done
                self._steps += 1
                self._publish()
                for observer in self.observers:
                    observer(world)
                self._lockstep.step_made()
        return n

    def poll(self) -> None:
        """Serves requests; for the time in which no steps are made."""
        self.start()
        self._links.serve()

    @property
    def can_step(self) -> bool:
        """Whether `step` would do something."""
        return not self.is_paused or self._lockstep.has_steps

    def command(self, robot: str, command: RobotCommand) -> None:
        """Commands a robot now, as a message on its topic would, and notes it in the log.

        Args:
            robot: Its name.
            command: A CmdVel, Twist or JointCommand.

        Raises:
            CommandError: The robot cannot do this.
            UnknownNameError: There is no such robot.
        """
        self.check_commands(((robot, command),))
        self._give(robot, command)

    def check_commands(self, commands: Iterable[tuple[str, RobotCommand]]) -> None:
        """Raises what `obey` would raise, and changes nothing.

        Args:
            commands: Robots and what they are to do.

        Raises:
            CommandError: A robot cannot do this.
            UnknownNameError: There is no such robot.
        """
        for robot, command in commands:
            if type(command) not in COMMAND_TYPES.values():
                raise CommandError(
                    f"robot '{robot}' got a {type(command).__name__}; give it a CmdVel, Twist or "
                    "JointCommand"
                )
            self.exchange.check_command(robot, command)

    def obey(self, commands: Sequence[tuple[str, RobotCommand]], commander: str) -> None:
        """Gives several commands of one commander, as messages on topics would: all or none.

        Args:
            commands: Robots and what they are to do.
            commander: Whose commands these are; one who may not drive now is not obeyed.

        Raises:
            CommandError: A robot cannot do this.
            UnknownNameError: There is no such robot.
        """
        self.check_commands(commands)
        for robot, command in commands:
            if self._may_command(robot, command, commander):
                self._give(robot, command)

    def drive_by_hand(self, robot: str, command: RobotCommand) -> None:
        """Commands a robot by a held key or pad, which owns it until half a second later.

        Raises:
            CommandError: The robot cannot do this.
            UnknownNameError: There is no such robot.
        """
        self.commanders.take_by_hand(robot)
        self.command(robot, command)

    def pause(self) -> None:
        """No steps are made until `resume`; `allow_steps` lets some through."""
        self.is_paused = True
        self._lockstep.cancel("a pause")
        self._tell_status()

    def resume(self) -> None:
        """Steps are made again; what was commanded meanwhile is forgotten."""
        if self.is_paused:
            self._links.inputs.clear()
        self.is_paused = False
        self._lockstep.cancel("the end of the pause")
        self._tell_status()

    def allow_steps(self, n: int, on_end: OnEnd | None = None) -> None:
        """Pauses, but lets `n` steps through.

        Args:
            n: Number of steps.
            on_end: Called when they are made and their messages are sent, or when they will not be
                made: a pause, a reset or the end of the simulation cancels them.
        """
        if not self.is_paused:
            self.pause()
        self._lockstep.order(n, on_end)

    def reset(self, seed: int | None = None) -> None:
        """Puts everything where it started and begins a new run.

        Args:
            seed: Seed of the random numbers; the earlier one unless given.
        """
        self.start()
        self._replay_log.note_state()
        self._replay_log.note("reset", seed=self.world.seed if seed is None else seed)
        self.world.reset(seed)
        self._begin_run()
        # In the new run, whose beginning discards what is still under way.
        self._lockstep.cancel("a reset")

    def replace(self, world: _World) -> None:
        """Goes on with another world, on the same topics and with the same outlets.

        Raises:
            SceneError: Topics of the new world clash; the old one stays.
        """
        exchange = world.exchange()
        plan = checked_plan(exchange)
        if self._is_started:
            self._replay_log.note_state("end")
        self._lockstep.cancel("another scene")
        self.exchange.close()
        self.world, self.exchange = world, exchange
        self._outgoing.show(world, exchange)
        self._replay_log.show(world, exchange)
        self._outputs.show(exchange)
        self._links.show(exchange, plan)
        if self._is_started:
            self._begin_run(with_state=self._is_away_from_start)
        self._jumps = world.jumps

    def spawn(self, thing: Any, described: Any = None) -> str:  # noqa: ANN401 - what the world takes
        """Puts a robot or an object into the running world.

        Args:
            thing: A configuration, the name or file of a robot, or what `remove` gave.
            described: The configuration by which a record tells of it, where `thing` is built.

        Returns:
            Its name.

        Raises:
            SceneError: The name is taken, the thing does not fit, or its topics clash with others.
        """
        self.start()
        name, record = self.exchange.spawn(thing, described)
        plan = self.exchange.plan()
        if name in plan.robots:
            self.exchange.remove(name)
            raise SceneError(plan.robots[name])
        self._replay_log.note_change("spawn", **record)
        self._follow()
        return name

    def remove(self, name: str) -> Any:  # noqa: ANN401 - what `spawn` takes
        """Takes a robot or an object out of the running world.

        Returns:
            What was taken out; `spawn` puts it back.
        """
        self.start()
        taken = self.exchange.remove(name)
        self._replay_log.note_change("remove", name=name)
        self._follow()
        return taken

    def move(self, name: str, pose: Transform) -> None:
        """Puts a robot or an object elsewhere at once, at rest.

        Args:
            name: Of the robot or object.
            pose: T_world_root or T_world_object.
        """
        self.start()
        self.exchange.move(name, pose)
        translation, rotation = pose.translation.tolist(), pose.rotation.tolist()
        self._replay_log.note(
            "move", name=name, pose={"translation": translation, "rotation": rotation}
        )

    def close(self) -> None:
        """Ends topics and outlets; the world stays as it is."""
        for outlet in tuple(self._outgoing.outlets):
            self.remove_outlet(outlet)
        self.exchange.close()
        self._lockstep.cancel("the end of the simulation")
        self._links.close()
        self._outgoing.close()
        self._is_started, self._jumps = True, None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _is_away_from_start(self) -> bool:
        """Whether the world may not be as its scene says."""
        return self.world.steps > 0 or self.world.jumps > 0

    def _begin_run(self, *, with_state: bool = False) -> None:
        self._jumps = self.world.jumps
        if self.hub is not None:
            self.hub.begin_epoch()
        self._links.inputs.clear()
        self.commanders.clear()
        self._outputs.restart(keeps_odometry=self.world.steps > 0)
        self._replay_log.begin_run(with_state=with_state)
        self._outgoing.record_static()
        self._outgoing.record_shapes()
        self._tell_status()
        self._publish()

    def _publish(self) -> None:
        if self._outgoing.is_wanted:
            if self._links.is_stale:
                self._follow()
            self._outputs.publish(self.world.stamp_ns, self._links.plan)
        else:
            self.exchange.drop_readings()
        self._replay_log.after_step()

    def _give(self, robot: str, command: RobotCommand) -> None:
        """Gives a command that was checked, and notes it in the log."""
        self.start()
        self.exchange.command(robot, command)
        topic = next(name for name, kind in COMMAND_TYPES.items() if type(command) is kind)
        self._outgoing.record(f"{topic_part(robot)}/{topic}", command)
        self._replay_log.note("command", robot=robot, message=command)

    def _may_command(self, robot: str, command: RobotCommand, commander: str) -> bool:
        is_drive = isinstance(command, DRIVE_TYPES)
        return not is_drive or self.commanders.may_drive(robot, commander, self.world.stamp_ns)

    def _try_command(self, robot: str, command: RobotCommand, sender: str) -> None:
        try:
            self.obey(((robot, command),), sender)
        except HorusError as error:
            self.refused += 1
            self.last_error = error
            told = (robot, str(error))
            if told not in self._told and len(self._told) < _MOST_TOLD:
                self._told.add(told)
                _log.warning("a command for '%s' was refused: %s", robot, error)

    def _follow(self) -> None:
        """Plans the topics anew, after robots or sensors came or left."""
        if self._is_started:
            self._outgoing.record_shapes()
        self._links.follow()
        for name, cause in self._links.plan.robots.items():
            self._outgoing.leave_out(name, cause)

    def _tell_status(self) -> None:
        if self.config.requests:
            self._outgoing.send(STATUS_TOPIC, self.status(), LATCHED)
