"""Thousands of worlds of one scenario."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator

from horus_sim._native import Sim2dBatch
from horus_sim.errors import BatchError, SnapshotError
from horus_sim.files.names import did_you_mean
from horus_sim.sim2d.engine.build import build_model
from horus_sim.sim2d.engine.solver_config import SolverConfig
from horus_sim.sim2d.engine.values import POSE, check_seed
from horus_sim.sim2d.pose import Pose2D
from horus_sim.sim2d.scenario.scenario import Scenario, load_scenario
from horus_sim.sim2d.simulation.snapshot import Snapshot, names_of, sealed_world

Floats = npt.NDArray[np.float64]
Range = tuple[float, float]


class Randomization(BaseModel):
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

    model_config = ConfigDict(frozen=True, extra="forbid")

    mass: Range = (1.0, 1.0)
    friction: Range = (1.0, 1.0)
    grip: Range = (1.0, 1.0)
    noise: Range = (1.0, 1.0)
    x: Range = (0.0, 0.0)
    y: Range = (0.0, 0.0)
    theta: Range = (0.0, 0.0)

    def __init__(self, **ranges: Range) -> None:
        try:
            super().__init__(**ranges)
        except ValidationError as error:
            raise BatchError(_range_problem(error)) from None

    @field_validator("*")
    @classmethod
    def _in_order(cls, span: Range) -> Range:
        low, high = span
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError(f"both ends must be finite, got {span}")
        if low > high:
            raise ValueError(f"the first end must not be above the second, got {span}; swap them")
        return span

    @field_validator("mass", "friction", "grip", "noise")
    @classmethod
    def _factors(cls, span: Range, info: ValidationInfo) -> Range:
        if span[0] < 0.0 or (span[0] == 0.0 and info.field_name == "mass"):
            least = "above 0" if info.field_name == "mass" else "at least 0"
            raise ValueError(f"factors must be {least}, got {span}")
        return span


def _range_problem(error: ValidationError) -> str:
    """What is wrong with the first of the ranges that do not fit."""
    first = error.errors()[0]
    key = str(first["loc"][0])
    if first["type"] == "extra_forbidden":
        hint = did_you_mean(key, Randomization.model_fields, most=1)
        return f"there is no '{key}' to randomize; {hint}"
    if first["type"] == "value_error":
        return f"{key}: {first['msg'].removeprefix('Value error, ')}"
    return f"{key}: a range has two numbers, from and to, got {first['input']!r:.60}"


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
        self.threads = min(threads or len(os.sched_getaffinity(0)), num_worlds)
        self.seed = self.scenario.seed if seed is None else check_seed(seed)
        self.timestep = self.scenario.world.timestep
        self.motors = tuple(map(self.layout.short, self.layout.motors))
        self.bodies = tuple(self.layout.bodies)
        self._names = names_of(self.bodies)
        self._randomize = randomize
        self._seeds = [(self.seed + i) % 2**64 for i in range(num_worlds)]
        self._batch = Sim2dBatch(model, self._seeds, self.threads)
        if randomize is not None:
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
        if self._randomize is not None:
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
            return np.flatnonzero(values).tolist()
        chosen: list[int] = values.tolist()
        for i in chosen:
            if not 0 <= i < self.num_worlds:
                raise BatchError(f"there is no world {i}; there are {self.num_worlds}")
        return chosen

    def _draw(self, ids: Sequence[int] | range) -> None:
        values = self._randomize
        if values is None:
            return
        bodies, motors = len(self.bodies), len(self.motors)
        for i in ids:
            random = np.random.default_rng(self._seeds[i])
            mass = random.uniform(*values.mass, bodies)
            friction = random.uniform(*values.friction, bodies)
            for body in range(bodies):
                self._batch.scale_body(i, body, mass[body], friction[body])
            for motor, grip in enumerate(random.uniform(*values.grip, motors)):
                self._batch.set_wheel_grip(i, motor, grip)
            self._batch.set_noise_scale(i, random.uniform(*values.noise))
            shift = (
                random.uniform(*values.x),
                random.uniform(*values.y),
                random.uniform(*values.theta),
            )
            self._move_robots(i, shift)

    def _move_robots(self, world: int, shift: tuple[float, float, float]) -> None:
        for spec in self.scenario.robots:
            x, y, theta = spec.spawn_pose
            start = Pose2D(x + shift[0], y + shift[1], theta + shift[2])
            for body in spec.config.bodies:
                pose = start.compose(body.pose)
                index = self.layout.bodies[f"{spec.id}/{body.name}"]
                self._batch.set_pose(world, index, *pose)

    def _body(self, name: str) -> int:
        return self.layout.bodies[self.layout.body(name)]
