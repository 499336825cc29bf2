"""A world that runs: it obeys commands and requests, and tells what happens to all its outlets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from horus_sim.hub.simulation_client import RobotCommand
from horus_sim.interruption import uninterrupted
from horus_sim.running.commands.requests import Requests
from horus_sim.running.commands.robot_commands import RobotCommands
from horus_sim.running.outlets.outgoing import LATCHED, Outgoing, Outputs
from horus_sim.running.outlets.replay_log import ReplayLog
from horus_sim.running.services.server import SimulationServices
from horus_sim.running.topic_plan import STATUS_TOPIC
from horus_sim.running.world.changes import Changes
from horus_sim.running.world.config import RunningConfig
from horus_sim.running.world.lockstep import Lockstep, OnEnd
from horus_sim.running.world.opening import open_exchange
from horus_sim.running.world.stepped_world import SteppedWorld

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.running.outlets.outgoing import Outlet
    from horus_sim.running.world.entity import Vector
    from horus_sim.tf import Transform

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
        observers: Each is called with the world after every step.
        commands: What its robots are told, and by whom.
        outgoing: The way to topics and outlets.
        changes: What came into the world, and left.
        on_replace: Each is called with another world before it is put in place.
        on_quit: Ends the program that runs the world, as a service may ask for; None where that is
            for others to decide.

    Raises:
        SceneError: The topics of two robots or sensors clash, or one has a topic of the simulator.
    """

    def __init__(
        self, world: _World, hub: Hub | None = None, config: RunningConfig | None = None
    ) -> None:
        self.world = world
        self.hub = hub
        self.config = config or RunningConfig()
        self.exchange, self._plan = open_exchange(world, self.config)
        self.is_paused = False
        self.observers: list[Callable[[Any], object]] = []
        self._is_started = False
        self._steps = 0
        self._jumps: int | None = world.jumps
        self._replay_log = ReplayLog(self)
        self.commands = RobotCommands(self, self._replay_log)
        self._follow_plan()
        self.changes = Changes(self, self._replay_log, self._follow)
        self.on_replace: list[Callable[[_World], object]] = []
        self.on_quit: Callable[[], object] | None = None
        self._askers: list[Requests | SimulationServices] = []
        if hub is not None and self.config.requests:
            self._askers.append(Requests(self, hub))
        if hub is not None and self.config.services:
            self._askers.append(SimulationServices(self, hub))
        self.outgoing = Outgoing(self)
        self._outputs = Outputs(self)
        self._lockstep = Lockstep(self.outgoing.sent, lambda: self.world.stamp_ns)

    @property
    def expired(self) -> int:
        """Commands that were discarded because they travelled too long."""
        return self.commands.inputs.expired

    @property
    def refused(self) -> int:
        """Commands on topics that the robots did not understand."""
        return self.commands.refused

    @property
    def simulated_time(self) -> float:
        """Simulated time [s] of all runs so far."""
        return self._steps * self.world.timestep

    @property
    def unsent(self) -> int:
        """Messages that were not published because topics clash; the log tells why."""
        return self.outgoing.unsent

    @property
    def sent(self) -> int:
        """Messages that were published on topics so far."""
        return sum(self.outgoing.sent().values())

    def drivers(self) -> dict[str, str]:
        """Who drives which robot: 'page', the name of a connection, or '' for nobody."""
        driver, stamp_ns = self.commands.commanders.driver, self.world.stamp_ns
        return {robot: driver(robot, stamp_ns) for robot in self.exchange.robots()}

    def status(self) -> dict[str, Any]:
        """How it is doing, as plain data."""
        return {
            "scene": self.exchange.name,
            "paused": self.is_paused,
            "timestep": self.world.timestep,
        }

    def on_arrival(self, wake: Callable[[], object]) -> None:
        """Calls `wake` from another thread whenever a request has arrived."""
        for asker in self._askers:
            asker.wake = wake

    def add_outlet(self, outlet: Outlet) -> None:
        """Gives every message to a recording, a live view or a log, too."""
        if self._is_started:
            self.start()
        self.outgoing.outlets.append(outlet)
        if self._is_started:
            self._replay_log.begin(outlet, with_state=self._is_away_from_start)
            self.outgoing.record_static()
            self.outgoing.record_shapes()

    def remove_outlet(self, outlet: Outlet) -> None:
        """Ends an outlet; the others go on."""
        if outlet in self.outgoing.outlets:
            with uninterrupted():
                if self._is_started:
                    self._replay_log.end(outlet)
                self.outgoing.outlets.remove(outlet)
                outlet.close()

    def start(self) -> None:
        """Begins the run: what was sent in earlier ones is discarded everywhere.

        `step` does it when nobody did. When the world was set to another state by itself, as
        `World.apply_snapshot` or `World.reset` do, a new run begins, too.
        """
        if not self._is_started:
            self._is_started = True
            self.outgoing.warn_of_others()
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
                self.commands.inputs.take_in()
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
        for asker in self._askers:
            asker.serve()

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
        self.commands.obey(((robot, command),))

    def pause(self) -> None:
        """No steps are made until `resume`; `allow_steps` lets some through."""
        self.is_paused = True
        self._lockstep.cancel("a pause")
        self._tell_status()

    def resume(self) -> None:
        """Steps are made again; what was commanded meanwhile is forgotten."""
        if self.is_paused:
            self.commands.inputs.clear()
        self.is_paused = False
        self._lockstep.cancel("the end of the pause")
        self._tell_status()

    def allow_steps(
        self,
        n: int,
        on_end: OnEnd | None = None,
        on_step: Callable[[], object] | None = None,
    ) -> None:
        """Pauses, but lets `n` steps through.

        Args:
            n: Number of steps.
            on_end: Called when they are made and their messages are sent, or when they will not be
                made: a pause, a reset or the end of the simulation cancels them.
            on_step: Called after each of them, when its messages are sent.
        """
        if not self.is_paused:
            self.pause()
        self._lockstep.order(n, on_end, on_step)

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
        exchange, plan = open_exchange(world, self.config)
        for hook in self.on_replace:
            hook(world)
        if self._is_started:
            self._replay_log.note_state("end")
        self._lockstep.cancel("another scene")
        self.exchange.close()
        self.world, self.exchange, self._plan = world, exchange, plan
        self.outgoing.forget_shapes()
        self.outgoing.end_others(plan)
        self._replay_log.forget_origin()
        self.changes.forget()
        self._follow_plan()
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
        return self.changes.spawn(thing, described)

    def remove(self, name: str) -> Any:  # noqa: ANN401 - what `spawn` takes
        """Takes a robot or an object out of the running world.

        Returns:
            What was taken out; `spawn` puts it back.
        """
        self.start()
        return self.changes.remove(name)

    def move(
        self, name: str, pose: Transform, velocity: tuple[Vector, Vector] | None = None
    ) -> None:
        """Puts a robot or an object elsewhere at once.

        Args:
            name: Name of the robot or object.
            pose: T_world_root or T_world_object.
            velocity: Linear [m/s] and angular [rad/s] velocity from then on, world frame; at rest
                unless given.
        """
        self.start()
        self.changes.move(name, pose, velocity)

    def close(self) -> None:
        """Ends topics and outlets; the world stays as it is."""
        for outlet in tuple(self.outgoing.outlets):
            self.remove_outlet(outlet)
        self.exchange.close()
        self._lockstep.cancel("the end of the simulation")
        self.commands.inputs.close()
        for asker in self._askers:
            asker.close()
        self.outgoing.close()
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
        self.commands.inputs.clear()
        self.commands.commanders.clear()
        self.exchange.begin_run(keeps_odometry=self.world.steps > 0)
        self._outputs.restart()
        self._replay_log.begin_run(with_state=with_state)
        self.outgoing.record_static()
        self.outgoing.record_shapes()
        self._tell_status()
        self._publish()

    def _publish(self) -> None:
        if self.outgoing.is_wanted:
            if self.exchange.revision != self._revision:
                self._follow()
            self._outputs.publish(self._plan)
        else:
            self.exchange.drop_readings()
        self._replay_log.after_step()

    def _follow(self) -> None:
        """Plans the topics anew, after robots or sensors came or left."""
        if self._is_started:
            self.outgoing.record_shapes()
        self._plan = self.exchange.plan()
        self.outgoing.end_others(self._plan)
        self._follow_plan()
        for name, cause in self._plan.robots.items():
            self.outgoing.leave_out(name, cause)

    def _follow_plan(self) -> None:
        self._revision = self.exchange.revision
        robots = self.exchange.robots()
        self.commands.inputs.naming = self.exchange.naming
        self.commands.inputs.follow(name for name in robots if name not in self._plan.robots)

    def _tell_status(self) -> None:
        # The beginning of a run tells it; before, it would stand in a file of its own.
        if self.config.requests and self._is_started:
            self.outgoing.send(STATUS_TOPIC, self.status(), LATCHED)
