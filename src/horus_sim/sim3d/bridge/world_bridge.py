"""A world on a hub."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from horus_sim.errors import CommandError, HorusError, MessageError, SceneError, Sim3dError
from horus_sim.hub import QoS, connect
from horus_sim.hub.inproc import InprocHub
from horus_sim.interruption import uninterrupted
from horus_sim.sim3d.bridge.config import BridgeConfig
from horus_sim.sim3d.bridge.due import Due
from horus_sim.sim3d.bridge.inputs import CommandInputs
from horus_sim.sim3d.bridge.lockstep import Lockstep, OnEnd
from horus_sim.sim3d.bridge.origin import Origin, spawn_record, state_digest
from horus_sim.sim3d.bridge.outlet import NEVER_WAIT, Outlet
from horus_sim.sim3d.bridge.outputs import WorldOutputs
from horus_sim.sim3d.bridge.requests import Requests
from horus_sim.sim3d.bridge.sink import Sink
from horus_sim.sim3d.bridge.topics import (
    CLOCK_TOPIC,
    COMMAND_LOG_TOPIC,
    COMMAND_TYPES,
    STATUS_TOPIC,
    RobotCommand,
    TopicPlan,
    topic_part,
)

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.sim3d.scene.objects import ObjectConfig
    from horus_sim.sim3d.scene.scene import RobotConfig
    from horus_sim.sim3d.world import World

_log = logging.getLogger("horus_sim.hub")
_LATCHED = QoS(depth=1, latched=True)
_MOST_TOLD = 1000


class WorldBridge:
    """Steps a world that is on topics.

    Before each step it takes in commands and requests, after it it publishes what is due. With the
    same messages before the same steps, the world does the same, bit by bit. It never waits for a
    listener: who cannot keep up misses messages.

    Args:
        world: The world; step it with `step` from now on, not by itself.
        hub: The connection; topics of its own inside this process unless given.
        config: Rates and rules.

    Attributes:
        world: The world.
        hub: The connection.
        config: Rates and rules.
        is_paused: Whether steps wait for `resume`.
        refused: Commands that the robots did not understand.
        last_error: Why the last of them was refused, or None.
        observers: Each is called with the world after every step.

    Raises:
        SceneError: The topics of two robots or sensors clash, or one has a topic of the bridge.
    """

    def __init__(
        self, world: World, hub: Hub | None = None, config: BridgeConfig | None = None
    ) -> None:
        self.world = world
        self.hub = connect(session=f"sim-{uuid.uuid4().hex[:12]}") if hub is None else hub
        self._owns_hub = hub is None
        self.config = config or BridgeConfig()
        self.is_paused = False
        self.refused = 0
        self.last_error: HorusError | None = None
        self.observers: list[Callable[[World], object]] = []
        self._is_started = False
        self._digest = Due(self.config.digest_hz)
        self._generation = world.generation
        self._seen_steps = self._seen_ns = self._steps = 0
        self._jumps: int | None = world.jumps
        self._told: set[tuple[str, str]] = set()
        self._origin = Origin(world)
        self._changes: list[dict[str, Any]] = []
        self._sensor_names = tuple(world.sensors)
        self._plan = TopicPlan.of(world)
        try:
            self._plan.check()
        except SceneError:
            if self._owns_hub:
                self.hub.close()
            raise
        self._outlet = Outlet(world, self.hub)
        self._lockstep = Lockstep(self._outlet.sent)
        self._outputs = WorldOutputs(world, self._outlet, self.config)
        self._inputs = CommandInputs(world, self.hub, self.config, self._try_command)
        self._inputs.follow()
        self._requests = Requests(self, self.hub) if self.config.requests else None
        world.sensors.listeners.append(self._on_sensor)
        world.sensors.guards.append(self._check_sensor)

    @property
    def expired(self) -> int:
        """Commands that were discarded because they travelled too long."""
        return self._inputs.expired

    @property
    def simulated_s(self) -> float:
        """Simulated time [s] of all runs so far."""
        return self._steps * self.world.timestep

    @property
    def unsent(self) -> int:
        """Messages that were not published because topics clash; the log tells why."""
        return self._outlet.unsent

    def add_sink(self, sink: Sink) -> None:
        """Gives every message of this bridge to a recording, a live view or a log, too."""
        if self._is_started:
            self.start()
        self._outlet.sinks.append(sink)
        if self._is_started:
            self._begin_sink(sink, with_state=self._is_away_from_start)
            self._outlet.record_static()
            self._outlet.record_shapes()

    def start(self) -> None:
        """Begins the run: what was sent in earlier ones is discarded everywhere.

        `step` does it when nobody did. When the world was set to another state by itself, as
        `World.load_state` or `World.reset` do, a new run begins, too.
        """
        if not self._is_started:
            self._is_started = True
            self._look_for_others()
            self._begin_run(with_state=self._is_away_from_start)
        elif self._jumps is not None and self.world.jumps != self._jumps:
            entry = {"kind": "state set", "step": self._seen_steps}
            for sink in self._outlet.sinks:
                sink.log(COMMAND_LOG_TOPIC, entry, self._seen_ns)
            self._begin_run(with_state=True)

    def step(self, n: int = 1) -> int:
        """Takes in, steps and publishes, up to `n` times; a pause ends it.

        Returns:
            How many steps were made.

        Raises:
            PhysicsError: The motion diverged.
        """
        self.start()
        world = self.world
        for done in range(n):
            # A command must not be obeyed and yet miss in a recording.
            with uninterrupted():
                self.poll()
                if not self.can_step:
                    return done
                self._inputs.take_in()
                world.step()
                self._steps += 1
                self._publish()
                for observer in self.observers:
                    observer(world)
                self._lockstep.step_made()
        return n

    def poll(self) -> None:
        """Serves requests; for the time in which no steps are made."""
        self.start()
        if self._requests is not None:
            self._requests.serve()

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
        if type(command) not in COMMAND_TYPES.values():
            raise CommandError(
                f"robot '{robot}' got a {type(command).__name__} over the bridge; give it a "
                "CmdVel, Twist or JointCommand"
            )
        self.start()
        self.world.robots[robot].command(command)
        topic = next(name for name, kind in COMMAND_TYPES.items() if type(command) is kind)
        self._outlet.record(f"{topic_part(robot)}/{topic}", command)
        self._note("command", robot=robot, message=command)

    def pause(self) -> None:
        """No steps are made until `resume`; `allow_steps` lets some through."""
        self.is_paused = True
        self._lockstep.cancel("a pause")
        self._tell_status()

    def resume(self) -> None:
        """Steps are made again; what was commanded meanwhile is forgotten."""
        if self.is_paused:
            self._inputs.clear()
        self.is_paused = False
        self._tell_status()

    def allow_steps(self, n: int, on_end: OnEnd | None = None) -> None:
        """Pauses, but lets `n` steps through.

        Args:
            n: Number of steps.
            on_end: Called when they are made and their messages are sent, or when they will not be
                made: a pause, a reset or the end of the bridge cancels them.
        """
        if not self.is_paused:
            self.pause()
        self._lockstep.order(n, on_end)

    def reset(self, seed: int | None = None) -> None:
        """Puts everything where it started and begins a new run.

        Args:
            seed: Of the random numbers; the earlier one unless given.
        """
        self.start()
        if self._outlet.sinks:
            self._note("state", sha256=state_digest(self.world))
        self._note("reset", seed=self.world.seed if seed is None else seed)
        self.world.reset(seed)
        self._begin_run()
        # In the new run, whose beginning discards what is still under way.
        self._lockstep.cancel("a reset")

    def spawn(self, thing: RobotConfig | ObjectConfig | str | Path) -> str:
        """Puts a robot or an object into the running world.

        Args:
            thing: A configuration, or the name or file of a robot.

        Returns:
            Its name.

        Raises:
            SceneError: The name is taken, the thing does not fit, or its topics clash with others.
        """
        self.start()
        name = self.world.spawn(thing).name
        plan = TopicPlan.of(self.world)
        if name in plan.robots:
            self.world.remove(name)
            raise SceneError(plan.robots[name])
        self._change("spawn", **spawn_record(self.world, name, thing))
        return name

    def remove(self, name: str) -> None:
        """Takes a robot or an object out of the running world."""
        self.start()
        self.world.remove(name)
        self._change("remove", name=name)

    def close(self) -> None:
        """Ends topics and sinks; the world stays as it is."""
        with uninterrupted():
            if self._is_started:
                self._note("end", sha256=state_digest(self.world))
            for sink in self._outlet.sinks:
                sink.close()
            self._outlet.sinks.clear()
        listeners, guards = self.world.sensors.listeners, self.world.sensors.guards
        if self._on_sensor in listeners:
            listeners.remove(self._on_sensor)
        if self._check_sensor in guards:
            guards.remove(self._check_sensor)
        self._inputs.close()
        self._lockstep.cancel("the end of the simulation")
        if self._requests is not None:
            self._requests.close()
        self._outlet.close()
        if self._owns_hub:
            self.hub.close()
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
        self.hub.begin_epoch()
        self._inputs.clear()
        self._outputs.restart(keeps_odometry=self.world.steps > 0)
        self._digest.restart()
        for sink in self._outlet.sinks:
            self._begin_sink(sink, with_state=with_state)
        self._outlet.record_static()
        self._outlet.record_shapes()
        self._tell_status()
        self._publish()

    def _begin_sink(self, sink: Sink, *, with_state: bool) -> None:
        world = self.world
        sink.begin_run(world)
        entry = self._origin.start_entry(self._changes, with_state=with_state)
        sink.log(COMMAND_LOG_TOPIC, entry, world.stamp_ns)

    def _publish(self) -> None:
        world = self.world
        stamp_ns = world.stamp_ns
        self._seen_steps, self._seen_ns = world.steps, stamp_ns
        if world.generation != self._generation or tuple(world.sensors) != self._sensor_names:
            self._follow()
        self._outputs.publish(stamp_ns, self._plan)
        if stamp_ns >= self._digest.next_ns and self._outlet.sinks:
            self._digest.pop(stamp_ns)
            self._note("state", sha256=state_digest(world))

    def _on_sensor(self, sensor: Any, message: Any) -> None:  # noqa: ANN401 - any sensor
        if not self._is_started:
            return
        cause = self._plan.sensors.get(sensor.name)
        if cause is not None:
            self._outlet.leave_out(sensor.name, cause)
            return
        topic = topic_part(sensor.topic)
        self._outlet.send(topic, message, NEVER_WAIT)
        info = getattr(sensor, "info", None)
        if info is not None:
            self._outlet.send(f"{topic}/camera_info", info(), NEVER_WAIT)

    def _try_command(self, robot: str, command: RobotCommand) -> None:
        try:
            self.command(robot, command)
        except (CommandError, MessageError, Sim3dError) as error:
            self.refused += 1
            self.last_error = error
            told = (robot, str(error))
            if told not in self._told and len(self._told) < _MOST_TOLD:
                self._told.add(told)
                _log.warning("a command for '%s' was refused: %s", robot, error)

    def _follow(self) -> None:
        """Plans the topics anew, after robots or sensors came or left."""
        world = self.world
        if self._is_started and world.generation != self._generation:
            self._outlet.record_shapes()
        self._generation, self._sensor_names = world.generation, tuple(world.sensors)
        self._plan = TopicPlan.of(world)
        for name, cause in self._plan.robots.items():
            self._outlet.leave_out(name, cause)
        self._inputs.follow(self._plan.robots)

    def _check_sensor(self, sensor: Any) -> None:  # noqa: ANN401 - any sensor
        """Refuses a sensor whose topic clashes, before it is in the world."""
        cause = TopicPlan.of(self.world, (sensor,)).sensors.get(sensor.name)
        if cause is not None:
            raise SceneError(cause)

    def _look_for_others(self) -> None:
        """Warns of another simulator in the session; inside one process it is meant."""
        if isinstance(self.hub, InprocHub):
            return
        if any(info.name == CLOCK_TOPIC and info.publishers for info in self.hub.topics()):
            _log.warning(
                "another program publishes '%s' in session '%s' already, so that listeners get the "
                "messages of both; give one of them another session",
                CLOCK_TOPIC,
                self.hub.session,
            )

    def _change(self, kind: str, **fields: Any) -> None:  # noqa: ANN401 - plain data
        """Notes a spawn or a removal; later runs begin with it."""
        self._note(kind, **fields)
        self._changes.append({"kind": kind, **fields})
        self._follow()

    def _note(self, kind: str, **fields: Any) -> None:  # noqa: ANN401 - plain data
        self._outlet.record(COMMAND_LOG_TOPIC, {"kind": kind, "step": self.world.steps, **fields})

    def _tell_status(self) -> None:
        if self.config.requests:
            status = {
                "scene": self.world.scene.name,
                "paused": self.is_paused,
                "timestep": self.world.timestep,
            }
            self._outlet.send(STATUS_TOPIC, status, _LATCHED)
