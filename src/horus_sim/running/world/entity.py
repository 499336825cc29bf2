"""What is in a world, one thing at a time: where it is, how it moves, how large it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from horus_sim.tf import Transform

Vector = tuple[float, float, float]
Floats = npt.NDArray[np.float64]
AT_REST: Vector = (0.0, 0.0, 0.0)


class Category(IntEnum):
    """What kind of thing it is, with the numbers of simulation_interfaces/msg/EntityCategory."""

    OBJECT = 0
    ROBOT = 1
    HUMAN = 2
    DYNAMIC_OBJECT = 4
    STATIC_OBJECT = 5


@dataclass(frozen=True, slots=True)
class Entity:
    """A robot or an object, as it is now.

    Attributes:
        name: Its name in the world.
        category: What kind of thing it is.
        description: One line for people.
        pose: T_world_entity.
        linear: Velocity of its frame [m/s], world frame.
        angular: Angular velocity [rad/s], world frame.
        linear_acceleration: [m/s^2], world frame.
        angular_acceleration: [rad/s^2], world frame.
        is_free: Whether it can be given a velocity.
    """

    name: str
    category: Category
    description: str
    pose: Transform
    linear: Vector = AT_REST
    angular: Vector = AT_REST
    linear_acceleration: Vector = AT_REST
    angular_acceleration: Vector = AT_REST
    is_free: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A box around a thing, along the axes of its frame.

    Attributes:
        lower: Its smallest coordinates [m], entity frame.
        upper: Its largest coordinates [m], entity frame.
    """

    lower: Vector
    upper: Vector

    @classmethod
    def around(cls, points: Floats) -> Box:
        """The smallest box around points, shape (n, 3)."""
        x, y, z = points.min(axis=0).tolist()
        to_x, to_y, to_z = points.max(axis=0).tolist()
        return cls((x, y, z), (to_x, to_y, to_z))

    @property
    def center(self) -> Floats:
        """The middle [m], shape (3,)."""
        return 0.5 * (np.array(self.lower) + np.array(self.upper))

    @property
    def half_size(self) -> Floats:
        """Half of its edges [m], shape (3,)."""
        return 0.5 * (np.array(self.upper) - np.array(self.lower))


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A model or a world that can be had by name.

    Attributes:
        name: Its name.
        uri: By which it is asked for.
        description: One sentence for people.
    """

    name: str
    uri: str
    description: str = ""
