"""One world: sensors, controllers, physics, step by step."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Container
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horus_sim._native import Sim2dWorld
from horus_sim.errors import ControllerError, Sim2dError, SnapshotError
from horus_sim.sim2d.controllers.slot import ControllerSlot
from horus_sim.sim2d.controllers.watchdog import Watchdog
from horus_sim.sim2d.engine.build import build_model
from horus_sim.sim2d.engine.frames import FramePublisher
from horus_sim.sim2d.engine.named import ByBody, ByRobot, BySensor
from horus_sim.sim2d.engine.records import Contact, SimWarning
from horus_sim.sim2d.engine.robot import Body, Robot
from horus_sim.sim2d.engine.sensors import Sensor, Value
from horus_sim.sim2d.engine.solver_config import SolverConfig
from horus_sim.sim2d.engine.values import as_number, check_seed
from horus_sim.sim2d.scenario.scenario import Scenario, load_scenario
from horus_sim.sim2d.scenario.schema import LONGEST_STEP, SHORTEST_STEP
from horus_sim.sim2d.simulation.snapshot import Snapshot, names_of, sealed_world

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.sim2d.exchange.exchange import Exchange2d
    from horus_sim.tf import TFTree

_GUARDS = {
    "not_finite": "had a state that is not finite and was reset",
    "linear_speed": "was slowed down to max_linear_speed",
    "angular_speed": "was slowed down to max_angular_speed",
    "step_translation": "was held back to max_step_translation",
}


class Simulator:
    """A scenario that runs: sensors, controllers, forces, velocities, poses, in steps.

    Args:
        scenario: What to simulate.
        seed: Seed of all random numbers; None for the one that the scenario's files say, or 0.
        top_down: Seen from above: without gravity.
        ignore_terrain: Only robots, on an empty plane.
        solver: Settings of the solver.
        controllers: Whether the robots' controllers are loaded and run.
        controller_budget: Time for a controller's step [s] before it counts as slow; None for the
            length of a step.
        controller_timeout: Time after which a controller's Python code is broken off [s]; a call
            into C that it waits for ends first.

    Attributes:
        scenario: The scenario.
        timestep: Length of a step [s].
        bodies: All bodies by name; those of robots are called 'robot/body'.
        robots: The robots by id.
        sensors: The sensors by name: plain names with one robot, 'robot/sensor' with several.
        error: Why it is paused, or None.
        held: Ids of robots whose controllers wait, since somebody else drives them.
        jumps: How many times the state was set as a whole, by `reset` and `apply_snapshot`.
    """

    def __init__(
        self,
        scenario: Scenario,
        seed: int | None = None,
        *,
        top_down: bool = True,
        ignore_terrain: bool = False,
        solver: SolverConfig | None = None,
        controllers: bool = True,
        controller_budget: float | None = None,
        controller_timeout: float = 5.0,
    ) -> None:
        self.scenario = scenario
        self.solver = solver or SolverConfig()
        self.top_down = top_down
        self.ignore_terrain = ignore_terrain
        self.seed = scenario.seed if seed is None else check_seed(seed)
        self.timestep = scenario.world.timestep
        self._model, self.layout = build_model(
            scenario, self.solver, top_down=top_down, ignore_terrain=ignore_terrain
        )
        self._world = Sim2dWorld(self._model, self.seed)
        self._names = names_of(self.layout.bodies)
        self.bodies = ByBody(
            (name, Body(self._world, index, name)) for name, index in self.layout.bodies.items()
        )
        self.robots = ByRobot(
            (spec.id, Robot(self._world, self.layout, spec.id, self.timestep, spec.entry.role))
            for spec in scenario.robots
        )
        self.sensors = BySensor(
            (self.layout.short(name), Sensor(self._world, slot))
            for name, slot in self.layout.sensors.items()
        )
        self.error: ControllerError | None = None
        self.held: set[str] = set()
        self.jumps = 0
        self._paused = False
        self._budget = self.timestep if controller_budget is None else controller_budget
        self._controllers: list[ControllerSlot] = []
        self._frames: FramePublisher | None = None
        if controllers:
            watchdog = Watchdog(controller_timeout)
            for spec in scenario.robots:
                path = spec.controller_path
                if path is not None and (spec.names_controller or path.is_file()):
                    self._controllers.append(ControllerSlot(self.robots[spec.id], path, watchdog))

    @classmethod
    def load(
        cls,
        scenario: str | Path | Scenario,
        seed: int | None = None,
        top_down: bool = True,  # noqa: FBT001, FBT002 - the names and order that programs rely on
        ignore_terrain: bool = False,  # noqa: FBT001, FBT002
        **options: Any,  # noqa: ANN401
    ) -> Simulator:
        """Loads a shipped scenario by name, or one from a folder; see the class for the options.

        Raises:
            UnknownNameError: No scenario has this name or path.
            ScenarioError: A file does not fit.
            ControllerError: A controller cannot be loaded, or the file that is named for it is
                missing.
        """
        loaded = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
        return cls(loaded, seed, top_down=top_down, ignore_terrain=ignore_terrain, **options)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._world.time

    @property
    def stamp_ns(self) -> int:
        """Simulated time [ns]."""
        return round(self._world.time * 1e9)

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return self._world.step_index

    @property
    def paused(self) -> bool:
        """Whether steps do nothing, since `pause` or an error of a controller."""
        return self._paused or self.error is not None

    @property
    def readings(self) -> BySensor[Value]:
        """Values after the last step, by the names of `sensors`, which know their time too."""
        return BySensor((name, sensor.value) for name, sensor in self.sensors.items())

    def raw_readings(self) -> npt.NDArray[np.float64]:
        """All readings one after the other, in the order of `layout.sensors`."""
        return self._world.readings()

    def states(self) -> npt.NDArray[np.float64]:
        """Pose and velocity of all bodies in the order of `layout.bodies`, shape (bodies, 6)."""
        return self._world.states()

    def wheels(self) -> npt.NDArray[np.float64]:
        """Command and speed [rad/s] of all wheels in the order of the model, shape (wheels, 2)."""
        return self._world.wheel_states()[:, :2]

    @property
    def contacts(self) -> list[Contact]:
        """What touched in the last step."""
        names = list(self.layout.bodies)
        return [Contact(names[c[0]], names[c[1]], *c[2:]) for c in self._world.contacts()]

    @property
    def warnings(self) -> list[SimWarning]:
        """What the guards put right, and controllers that are slower than their budget."""
        names = list(self.layout.bodies)
        found = [
            SimWarning(kind, names[body], count, f"'{names[body]}' {_GUARDS[kind]} at step {step}")
            for kind, body, step, count in self._world.warnings()
        ]
        for slot in self._controllers:
            if slot.slow_steps:
                text = (
                    f"controller of '{slot.robot.id}' took up to {1e3 * slot.slowest:.1f} ms "
                    f"a step, its budget is {1e3 * self._budget:.1f} ms"
                )
                found.append(SimWarning("slow_controller", slot.robot.id, slot.slow_steps, text))
        return found

    def step(self, dt: float | None = None, *, n: int = 1) -> bool:
        """Steps sensors, controllers and physics; then the sensors that are due are read again.

        The next step's controllers get the readings of the end of this one.

        Args:
            dt: Length of a step [s]; None for the scenario's.
            n: Number of steps.

        Returns:
            False when it is paused and goes no further; `error` may say why.

        Raises:
            Sim2dError: No step has that length, or there are fewer than 0.
        """
        if dt is None:
            dt = self.timestep
        elif not SHORTEST_STEP <= (as_number(dt) or 0.0) <= LONGEST_STEP:
            raise Sim2dError(
                f"a step of {dt!r} s is not possible; choose one from {SHORTEST_STEP:g} to "
                f"{LONGEST_STEP:g} s"
            )
        if n < 0:
            raise Sim2dError(f"n must not be negative, got {n}")
        for _ in range(n):
            if self._controllers and not self._run_controllers(dt):
                return False
            if self._paused or self.error is not None:
                return False
            self._world.step(dt)
            if self._frames is not None:
                self._publish()
        return True

    def run(self, duration: float, on_step: Callable[[Simulator], object] | None = None) -> bool:
        """Steps for a duration [s]; False when it was paused before the end.

        Args:
            duration: Simulated time [s].
            on_step: Called after each step; returning False ends the run.

        Raises:
            Sim2dError: The duration is negative or not a finite number.
        """
        for _ in range(self.steps_in(duration)):
            if not self.step():
                return False
            if on_step is not None and on_step(self) is False:
                return True
        return True

    def steps_in(self, duration: float) -> int:
        """Number of steps in a simulated time [s].

        Raises:
            Sim2dError: The time is negative or not a finite number.
        """
        seconds = as_number(duration)
        if seconds is None or not 0.0 <= seconds < math.inf:
            raise Sim2dError(
                f"a duration of {duration!r} s is not possible; give a number from 0 on"
            )
        return round(seconds / self.timestep)

    def pause(self) -> None:
        """Steps do nothing until `resume`; a controller's new file does not end it."""
        self._paused = True

    def resume(self) -> None:
        """Goes on, forgetting an error."""
        self._paused = False
        self.error = None

    def reload_controllers(self, *, now: bool = True) -> None:
        """Loads the controllers whose files changed; running ones do so by themselves.

        Args:
            now: Whether the files are looked at even if they were a moment ago.
        """
        for slot in self._controllers:
            if slot.reload_if_changed(now=now):
                self.error = None

    def world_state(self) -> bytes:
        """The state without what controllers remember, as in `Snapshot.world`."""
        world = self._world
        return sealed_world(world.time, world.step_index, self._names, world.states(), world.save())

    def snapshot(self) -> Snapshot:
        """The whole state; a replay from it gives the same bits.

        Raises:
            ControllerError: A controller holds something that cannot be copied.
        """
        return Snapshot(self.world_state(), self._remembered(self.robots))

    def apply_snapshot(self, snapshot: Snapshot) -> None:
        """Back to a snapshot of this scenario.

        Raises:
            SnapshotError: It was altered or belongs to another world; nothing has changed.
            ControllerError: A controller does not take its state; nothing has changed.
        """
        content = snapshot.world_content
        before, remembered = self._world.save(), self._remembered(snapshot.controllers)
        if not self._world.load(content):
            raise SnapshotError(
                "the snapshot does not belong to this world; it can be applied to a simulator of "
                "the same scenario and the same version"
            )
        with contextlib.ExitStack() as undoing:
            undoing.callback(self._world.load, before)
            for slot in self._controllers:
                if slot.robot.id in snapshot.controllers:
                    slot.restore(snapshot.controllers[slot.robot.id])
                    undoing.callback(slot.restore, remembered[slot.robot.id])
            undoing.pop_all()
        self.jumps += 1
        self._publish()

    def _remembered(self, robots: Container[str]) -> dict[str, Any]:
        """What the controllers of these robots remember."""
        return {
            slot.robot.id: slot.state() for slot in self._controllers if slot.robot.id in robots
        }

    def reset(self, seed: int | None = None) -> None:
        """Back to the start, with new controllers; None keeps the seed."""
        if seed is not None:
            self.seed = check_seed(seed)
        self._world.reset(self.seed)
        self.jumps += 1
        self.resume()
        for slot in self._controllers:
            slot.restart()
        self._publish()

    def body(self, name: str) -> Body:
        """A body by name; 'body' alone is enough with one robot.

        Raises:
            UnknownPartError: No body has this name.
        """
        return self.bodies[self.layout.body(name)]

    def line_intensity(self, x: float, y: float) -> float:
        """Strength of the marks at a point of the floor [m], world frame; 0 off all of them.

        Bodies over it are not looked at.
        """
        return self._model.line_intensity(x, y)

    def publish_frames(self, tree: TFTree | None = None, hub: Hub | None = None) -> TFTree:
        """From now on every step tells where all bodies and sensors are.

        Args:
            tree: The tree to fill; a new one when None.
            hub: Where to broadcast too, or None.

        Returns:
            The tree.
        """
        self._frames = FramePublisher(self.layout, tree, hub)
        self._publish()
        return self._frames.tree

    def exchange(self) -> Exchange2d:
        """What it publishes and obeys, for `RunningWorld`."""
        from horus_sim.sim2d.exchange.exchange import Exchange2d

        return Exchange2d(self)

    def _publish(self) -> None:
        if self._frames is not None:
            self._frames.publish(self._world.states(), self._world.time)

    def _run_controllers(self, dt: float) -> bool:
        try:
            self.reload_controllers(now=False)
            if self.paused:
                return False
            self._world.sense()
            for slot in self._controllers:
                if slot.robot.id not in self.held:
                    slot.step(dt, self._budget)
        except ControllerError as error:
            self.error = error
            return False
        return True
