"""Thousands of worlds of one scenario."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError, field_validator

from horus_sim._native import Sim2dBatch
from horus_sim.errors import BatchError, SnapshotError
from horus_sim.files.config import Config, Finite, NotNegative, Positive
from horus_sim.files.document import Document
from horus_sim.files.explaining import explain
from horus_sim.sim2d.engine.build import build_model
from horus_sim.sim2d.engine.solver_config import SolverConfig
from horus_sim.sim2d.engine.values import POSE, check_seed
from horus_sim.sim2d.pose import Pose2D
from horus_sim.sim2d.scenario.scenario import Scenario, load_scenario
from horus_sim.sim2d.simulation.snapshot import Snapshot, names_of, sealed_world
from horus_sim.system import available_cores

Floats = npt.NDArray[np.float64]


class Randomization(Config):
    """What differs between worlds, drawn anew at each reset; factors scale the nominal values.

    Raises:
        BatchError: A range does not fit, or nothing of that name can differ.

    Attributes:
        mass: Factors on masses and inertias, from and to; above 0.
        friction: Factors on friction.
        grip: Factors on the wheels' traction.
        noise: Factors on the sensors' noise.
        x: Shifts of the robots' start along x [m].
        y: Shifts along y [m].
        theta: Turns of the robots' start [rad].
    """

    mass: tuple[Positive, Positive] = (1.0, 1.0)
    friction: tuple[NotNegative, NotNegative] = (1.0, 1.0)
    grip: tuple[NotNegative, NotNegative] = (1.0, 1.0)
    noise: tuple[NotNegative, NotNegative] = (1.0, 1.0)
    x: tuple[Finite, Finite] = (0.0, 0.0)
    y: tuple[Finite, Finite] = (0.0, 0.0)
    theta: tuple[Finite, Finite] = (0.0, 0.0)

    def __init__(self, **ranges: tuple[float, float]) -> None:
        try:
            super().__init__(**ranges)
        except ValidationError as error:
            raise BatchError(str(explain(error, Randomization, Document(ranges)))) from None

    @field_validator("*")
    @classmethod
    def _in_order(cls, span: tuple[float, float]) -> tuple[float, float]:
        if span[0] > span[1]:
            raise ValueError(f"the first end must not be above the second, got {span}; swap them")
        return span


class BatchSimulator:
    """Many worlds of one scenario, stepped together, bit for bit as single ones would be.

    World i has seed ``seed + i``: without randomization it equals
    ``Simulator.load(scenario, seed + i, controllers=False)`` that gets the same commands. The
    number of threads changes nothing but the time.

    Args:
        scenario: Name, path, or scenario.
        num_worlds: Number of worlds.
        threads: Number of threads that step them; 0 for all cores.
        seed: Seed of the first world; None for the one that the scenario's files say, or 0.
        top_down: Seen from above: without gravity.
        ignore_terrain: Only robots, on an empty plane.
        solver: Settings of the solver.
        randomize: What differs between the worlds.

    Attributes:
        motors: Names of the motors: the columns of the commands.
        bodies: Names of the bodies: the second axis of poses and velocities.
        timestep: Length of a step [s].
    """

    def __init__(
        self,
        scenario: str | Path | Scenario,
        num_worlds: int,
        threads: int = 0,
        *,
        seed: int | None = None,
        top_down: bool = True,
        ignore_terrain: bool = False,
        solver: SolverConfig | None = None,
        randomize: Randomization | None = None,
    ) -> None:
        if num_worlds < 1:
            raise BatchError(f"num_worlds must be at least 1, got {num_worlds}")
        if not 0 <= threads <= 1024:
            raise BatchError(f"threads must be from 1 to 1024, or 0 for all cores, got {threads}")
        self.scenario = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
        model, self.layout = build_model(
            self.scenario,
            solver or SolverConfig(),
            top_down=top_down,
            ignore_terrain=ignore_terrain,
        )
        self.num_worlds = num_worlds
        self.threads = min(threads or available_cores(), num_worlds)
        self.seed = self.scenario.seed if seed is None else check_seed(seed)
        self.timestep = self.scenario.world.timestep
        self.motors = tuple(map(self.layout.short, self.layout.motors))
        self.bodies = tuple(self.layout.bodies)
        self._names = names_of(self.bodies)
        self._randomize = randomize
        self._seeds = [(self.seed + i) % 2**64 for i in range(num_worlds)]
        self._batch = Sim2dBatch(model, self._seeds, self.threads)
        self._draw(range(num_worlds))

    def step(self, commands: npt.ArrayLike | None = None, n: int = 1) -> None:
        """Steps all worlds; the GIL is released meanwhile.

        Args:
            commands: Commands of the motors from -1 to 1, shape (num_worlds, motors); None keeps
                the last ones.
            n: Number of steps with these commands.
        """
        if n < 0:
            raise BatchError(f"n must not be negative, got {n}")
        if commands is not None:
            commands = np.ascontiguousarray(commands, dtype=np.float64)
            shape = (self.num_worlds, len(self.motors))
            if commands.shape != shape:
                raise BatchError(
                    f"commands must have shape {shape} (worlds, motors), got {commands.shape}"
                )
            if not np.isfinite(commands).all():
                world = int(np.argwhere(~np.isfinite(commands))[0, 0])
                raise BatchError(f"commands of world {world} are not finite; check the controller")
        self._batch.step(commands, self.timestep, n)

    def reset(self, ids: Sequence[int] | npt.NDArray[np.integer | np.bool_] | None = None) -> None:
        """Worlds go back to their start and draw anew; each reset has its own random numbers.

        Args:
            ids: Which worlds, as numbers or as a mask of shape (num_worlds,); None for all, from
                their first seeds.

        Raises:
            BatchError: A number is not the number of a world.
        """
        if ids is None:
            self._seeds = [(self.seed + i) % 2**64 for i in range(self.num_worlds)]
            chosen = list(range(self.num_worlds))
        else:
            chosen = self._chosen(ids)
            for i in chosen:
                self._seeds[i] = (self._seeds[i] + self.num_worlds) % 2**64
        self._batch.reset(chosen, [self._seeds[i] for i in chosen])
        self._draw(chosen)

    @property
    def poses(self) -> Floats:
        """x, y [m], theta [rad], world frame, shape (num_worlds, bodies, 3)."""
        return self._batch.poses()

    @property
    def velocities(self) -> Floats:
        """vx, vy [m/s], yaw rate [rad/s], world frame, shape (num_worlds, bodies, 3)."""
        return self._batch.velocities()

    @property
    def wheel_speeds(self) -> Floats:
        """Speeds of the wheels [rad/s], shape (num_worlds, motors)."""
        return self._batch.wheel_speeds()

    @property
    def times(self) -> Floats:
        """Simulated times [s], shape (num_worlds,)."""
        return self._batch.times()

    def readings(self, sensor: str | None = None) -> Floats:
        """Readings after the last step; reading changes nothing.

        Args:
            sensor: Name of a sensor; None for all, one after the other.

        Returns:
            For each world what a `Simulator` reads: shape (num_worlds,) where that is a number,
            else (num_worlds, n). Of all sensors shape (num_worlds, width), where reflectivities
            follow the distances of a distance sensor.

        Raises:
            UnknownPartError: No sensor has this name.
        """
        values = self._batch.readings()
        return values if sensor is None else values[:, self.layout.sensor(sensor).columns]

    def reflectivity(self, sensor: str) -> Floats:
        """What a distance sensor saw: reflectivity of each ray, shape (num_worlds, rays).

        Raises:
            UnknownPartError: No distance sensor has this name.
        """
        slot = self.layout.sensor(sensor, "distance")
        return self._batch.readings()[:, slot.reflectivity_columns]

    def touching(self, body: str) -> npt.NDArray[np.bool_]:
        """Whether a body touched anything in the last step, shape (num_worlds,)."""
        return self._batch.contact_counts(self._body(body)) > 0

    def set_pose(self, world: int, body: str, pose: tuple[float, float, float]) -> None:
        """Puts a body of one world somewhere: x, y [m], theta [rad].

        Raises:
            BodyStateError: A value is not a finite number or exceeds a million.
        """
        self._batch.set_pose(world, self._body(body), *POSE.checked(body, pose))

    def snapshot(self, world: int) -> Snapshot:
        """The whole state of one world; it fits a Simulator of the same scenario too."""
        content = self._batch.save(world)
        states = np.concatenate((self.poses[world], self.velocities[world]), axis=1)
        time, steps = self.times[world], self._batch.step_index(world)
        return Snapshot(sealed_world(time, steps, self._names, states, content))

    def apply_snapshot(self, world: int, snapshot: Snapshot) -> None:
        """Gives one world a state.

        Raises:
            SnapshotError: It was altered or belongs to another scenario.
        """
        if not self._batch.load(world, snapshot.world_content):
            raise SnapshotError(
                "the snapshot does not belong to this scenario; take one of a world like these"
            )

    def _chosen(self, ids: npt.ArrayLike) -> list[int]:
        values = np.asarray(ids)
        if values.size == 0 and values.dtype != np.bool_:
            return []
        if values.ndim != 1 or values.dtype.kind not in "iub":
            raise BatchError(f"ids must be a list of whole numbers or a mask, got {ids!r:.80}")
        if values.dtype == np.bool_:
            if len(values) != self.num_worlds:
                raise BatchError(
                    f"a mask of worlds must have {self.num_worlds} values, got {len(values)}"
                )
            values = np.flatnonzero(values)
        wrong = values[(values < 0) | (values >= self.num_worlds)]
        if wrong.size:
            raise BatchError(f"there is no world {wrong[0]}; there are {self.num_worlds}")
        return values.tolist()

    def _draw(self, ids: Sequence[int]) -> None:
        """Draws what differs between worlds, for those that begin anew."""
        values = self._randomize
        if values is None:
            return
        bodies, motors = len(self.bodies), len(self.motors)
        for i in ids:
            random = np.random.default_rng(self._seeds[i])
            mass, friction = (_uniform(random, s, bodies) for s in (values.mass, values.friction))
            grip, noise = _uniform(random, values.grip, motors), _uniform(random, values.noise, 1)
            self._batch.randomize(i, mass, friction, grip, float(noise[0]))
            shift = [_uniform(random, s, 1)[0] for s in (values.x, values.y, values.theta)]
            for spec in self.scenario.robots:
                start = Pose2D(*np.add(spec.spawn_pose, shift).tolist())
                for body in spec.config.bodies:
                    index = self.layout.bodies[f"{spec.id}/{body.name}"]
                    self._batch.set_pose(i, index, *start.compose(body.pose))

    def _body(self, name: str) -> int:
        return self.layout.bodies[self.layout.body(name)]


def _uniform(random: np.random.Generator, span: tuple[float, float], n: int) -> Floats:
    """Numbers between two. Not `Generator.uniform`, which some processors round once less."""
    return span[0] + (span[1] - span[0]) * random.random(n)
