"""What sensors need to know of a world, its robots and its objects.

Sensors are typed against these protocols, so that they import nothing of the world above them.
"""

# ruff: noqa: D102 - the docstrings of the classes describe what they have

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from horus_sim.hub.messages import Odometry
from horus_sim.robots.description import RobotDescription
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.compile.robot.coordinates import Coordinate
from horus_sim.tf import TFTree

Floats = npt.NDArray[np.float64]
_T = TypeVar("_T")


class DeadReckoning(Protocol):
    """Where a robot believes itself to be, from how its wheels turned."""

    def message(self, stamp_ns: int, frame_id: str, child_frame_id: str) -> Odometry: ...


class MeasuredRobot(Protocol):
    """A robot that carries sensors; arrays over joints are in the order of `joint_names`.

    Attributes:
        name: Name in the world.
        description: What the robot is made of.
        is_floating: Whether the root of the robot is free.
        frame_prefix: What stands before the names of its frames in the transform tree.
        link_names: Names of its links.
        joint_names: One name for each coordinate.
        coordinates: The coordinates of the joints.
        wheel_odometry: Dead reckoning of the wheeled drive that moves it, or None.
        frame: Name of a link's frame in the transform tree.
        body_id: Index of a link's body in the model.
        joint_index: Place of a joint in the arrays.
        joint_positions: Positions [rad] or [m], shape (n,).
        joint_velocities: Velocities [rad/s] or [m/s], shape (n,).
        joint_efforts: What the drives did in the last step [N m] or [N], shape (n,).
    """

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> RobotDescription: ...
    @property
    def is_floating(self) -> bool: ...
    @property
    def frame_prefix(self) -> str: ...
    @property
    def link_names(self) -> tuple[str, ...]: ...
    @property
    def joint_names(self) -> tuple[str, ...]: ...
    @property
    def coordinates(self) -> tuple[Coordinate, ...]: ...
    @property
    def wheel_odometry(self) -> DeadReckoning | None: ...
    def frame(self, link: str) -> str: ...
    def body_id(self, link: str) -> int: ...
    def joint_index(self, name: str) -> int: ...
    def joint_positions(self) -> Floats: ...
    def joint_velocities(self) -> Floats: ...
    def joint_efforts(self) -> Floats: ...


class MeasuredObject(Protocol):
    """An object that carries sensors, or that they see.

    Attributes:
        frame: Name of its frame in the transform tree.
        body: Index of its body in the model.
        motion: The path along which it is carried, or None.
    """

    @property
    def frame(self) -> str: ...
    @property
    def body(self) -> int: ...
    @property
    def motion(self) -> object | None: ...


class MeasuredWorld(Protocol):
    """A world in which sensors measure; `World` is one.

    Attributes:
        model: The MuJoCo model; another one after something was added or removed.
        data: The MuJoCo state, with the poses of now.
        tf: The transform tree.
        robots: The robots by name.
        objects: The objects by name.
        generation: How many times the model was replaced.
        seed: Seed of the random numbers.
        timestep: Simulated time of one step [s].
        steps: Steps since the start.
        news_after: What came in a later step than this one is new.
        stamp_ns: Simulated time since the start [ns].
        state_before_step: MuJoCo's integration state as the last step found it.
        forward: A copy of the state with everything that follows from it.
    """

    @property
    def model(self) -> mujoco.MjModel: ...
    @property
    def data(self) -> mujoco.MjData: ...
    @property
    def tf(self) -> TFTree: ...
    @property
    def robots(self) -> Mapping[str, MeasuredRobot]: ...
    @property
    def objects(self) -> Mapping[str, MeasuredObject]: ...
    @property
    def generation(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def timestep(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def news_after(self) -> int: ...
    @property
    def stamp_ns(self) -> int: ...
    @property
    def state_before_step(self) -> Floats: ...
    def forward(self) -> mujoco.MjData: ...


_SHARED: WeakKeyDictionary[MeasuredWorld, tuple[int, dict[Any, Any]]] = WeakKeyDictionary()


def shared(world: MeasuredWorld, make: Callable[[MeasuredWorld], _T]) -> _T:
    """What all sensors of a world use together: made once for each model of the world.

    Args:
        world: The world.
        make: Makes it, such as its class. What it makes must not keep the world alive.
    """
    generation, known = _SHARED.get(world, (-1, {}))
    if generation != world.generation:
        known = {}
        _SHARED[world] = world.generation, known
    if make not in known:
        known[make] = make(world)
    return known[make]
