"""Worlds of the 2D simulator as what tasks call their simulations."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from horus_sim._native import Sim2dBatch
from horus_sim.errors import TaskError, UnknownTaskError
from horus_sim.files.names import propose
from horus_sim.rl.engines.controls import LiveControls, check_controls_are_numbers
from horus_sim.rl.engines.interface import ALL, Backend, Floats, Ids, Rows, checked_like
from horus_sim.sim2d import Scenario, SolverConfig
from horus_sim.sim2d.engine.build import build_model
from horus_sim.system import available_cores


class PlanarBackend(Backend):
    """Worlds of one scenario with one robot; the number of threads changes nothing but the time.

    Physics cannot diverge: guards of the engine cap speeds and put back what is not finite. `reset`
    does nothing, for `place` does it with the poses that the task draws.

    Args:
        scenario: The world and the robot.
        num_envs: How many worlds.
        threads: Most threads that step them; 0 for one a processor.
        owner: Name of the task, for errors.

    Attributes:
        num_envs: How many worlds.
        timestep: Length of a physics step [s].
        layout: Where bodies, motors and sensors are.
        ctrl: Commands of the motors from -1 to 1, shape (num_envs, motors).
        states: x, y [m], theta [rad], vx, vy [m/s], yaw rate [rad/s] of the robot's first body,
            world frame, shape (num_envs, 6).
        touched: Where that body touched anything in the last step, shape (num_envs,), uint8.
    """

    ctrl = LiveControls("self.sim.ctrl")
    dimensions = 2
    state_fields = ("states",)

    def __init__(
        self, scenario: Scenario, num_envs: int, threads: int = 0, owner: str = "the task"
    ) -> None:
        self.owner = owner
        model, self.layout = build_model(
            scenario, SolverConfig(), top_down=True, ignore_terrain=False
        )
        robot = scenario.robots[0]
        self.robot = self.layout.bodies[f"{robot.id}/{robot.config.bodies[0].name}"]
        self.num_envs = num_envs
        self.timestep = scenario.world.timestep
        self.threads = min(threads or available_cores(), num_envs)
        self._batch = Sim2dBatch(model, [0] * num_envs, self.threads)
        LiveControls.attach(self, np.zeros((num_envs, len(self.layout.motors))), owner)
        self.states = np.zeros((num_envs, 6))
        self.touched = np.zeros(num_envs, np.uint8)
        self._chosen = np.zeros(num_envs, np.uint8)
        self._batch.read_body(self.robot, self.states)

    def bind(self, field: str) -> npt.NDArray[np.generic]:
        """A live array: 'ctrl', 'states' or 'touched'."""
        fields = {"ctrl": self.ctrl, "states": self.states, "touched": self.touched}
        if field not in fields:
            raise UnknownTaskError(propose(field, fields, "a 2D world", "field"))
        return fields[field]

    def expand(self, field: str) -> NoReturn:
        """Raises: environments share their scenario."""
        raise TaskError(
            f"{self.owner}: '{field}' cannot differ between worlds of the 2D simulator, which "
            "share their scenario; place bodies in reset() instead"
        )

    def base(self, field: str) -> NoReturn:
        """Raises: environments share their scenario."""
        return self.expand(field)

    def own_base(self, field: str) -> None:
        """None: environments share their scenario."""

    def nominal(self, field: str) -> NoReturn:
        """Raises: a scenario has no fields."""
        raise TaskError(f"{self.owner}: a 2D world has no field '{field}'; ask scenario() for it")

    def names(self, kind: str) -> tuple[str, ...]:
        """Names of the bodies, at the places of their ids; worlds have names of nothing else."""
        return tuple(self.layout.bodies) if kind == "body" else ()

    def control_ranges(self) -> tuple[Floats, Floats]:
        """From -1 to 1 for each motor."""
        return -np.ones(len(self.layout.motors)), np.ones(len(self.layout.motors))

    def free_bodies(self) -> NoReturn:
        """Raises: bodies of a world have poses and no degrees of freedom."""
        return self.nominal("dof")

    def step(self, count: int, ids: Ids | None = None) -> None:
        """Advances worlds, all unless told.

        Raises:
            TaskError: Controls of one are not a number.
        """
        check_controls_are_numbers(self.owner, self.ctrl)
        chosen = self._choose(ALL if ids is None else ids)
        self._batch.run(self.ctrl, chosen, self.timestep, count, self.robot, self.touched)
        self._batch.read_body(self.robot, self.states)

    def ranges(self, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401 - whatever is asked
        """Raises: `scan` looks about the robot."""
        raise TaskError(f"{self.owner}: rays of a 2D world start at its robot; call sim.scan()")

    def place(
        self, ids: Ids, seeds: npt.NDArray[np.uint64], bodies: npt.NDArray[np.int64], poses: Floats
    ) -> None:
        """Begins worlds anew.

        Args:
            ids: Which worlds.
            seeds: Seeds of their sensors' noise, shape (len(ids),).
            bodies: Indices of the bodies that do not stand where the scenario says.
            poses: Their x, y [m], theta [rad], world frame, shape (len(ids), len(bodies), 3).
        """
        self._batch.place(ids, seeds, bodies, np.ascontiguousarray(poses))
        self._batch.read_body(self.robot, self.states)
        self.touched[ids] = 0
        self.ctrl[ids] = 0.0

    def fingerprint(self) -> str:
        """What decides whether a state fits these worlds, in short."""
        names = (*self.layout.bodies, *self.layout.motors, *self.layout.sensors)
        return hashlib.sha256(repr((names, self.timestep)).encode()).hexdigest()[:16]

    def memory(self) -> list[npt.NDArray[Any]]:
        """Commands, the robot's states and what was touched."""
        return [self.ctrl, self.states, self.touched]

    def read_state(self) -> dict[str, Any]:
        """The worlds, their commands, and what was touched."""
        return {
            "worlds": [self._batch.save(world) for world in range(self.num_envs)],
            "ctrl": self.ctrl.copy(),
            "touched": self.touched.copy(),
        }

    def write_state(self, state: Mapping[str, Any]) -> None:
        """Puts back what `read_state` gave.

        Raises:
            ValueError: It is of another scenario.
        """
        for world, content in zip(range(self.num_envs), state["worlds"], strict=True):
            if not self._batch.load(world, content):
                raise ValueError(f"world {world} is of another scenario")
        self.ctrl[:] = checked_like(self.ctrl, state["ctrl"])
        self.touched[:] = checked_like(self.touched, state["touched"])
        self._batch.read_body(self.robot, self.states)

    def scan(self, rows: Rows, max_range: float, out: Floats) -> None:
        """Writes distances [m] along even rays about the robot, the first ahead, turning left.

        Args:
            rows: Which worlds.
            max_range: What a ray gives that hits nothing [m].
            out: Shape (num_envs, rays); other rows stay.
        """
        self._batch.scan(self.robot, max_range, self._choose(rows), out)

    def readings(self) -> Floats:
        """Readings of all sensors one after the other, shape (num_envs, width)."""
        return self._batch.readings()

    def wheel_speeds(self) -> Floats:
        """Speeds of the wheels [rad/s], shape (num_envs, motors)."""
        return self._batch.wheel_speeds()

    def body_poses(self) -> Floats:
        """x, y [m], theta [rad] of all bodies, world frame, shape (num_envs, bodies, 3)."""
        return self._batch.poses()

    def _choose(self, rows: Rows) -> npt.NDArray[np.uint8] | None:
        if isinstance(rows, slice):
            return None
        self._chosen[:] = 0
        self._chosen[rows] = 1
        return self._chosen
