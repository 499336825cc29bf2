"""Scenes that every 2D engine can be given: bodies, pins and surfaces, and the crowds made of them.

All surfaces of a scene are the same, so that the engines' rules for pairs (mean, product, geometric
mean, larger one) give the same friction and restitution.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

THICK_M = 0.5
"""Thickness of walls that nothing gets through, also without sweeping."""
LINK_M = 0.1


@dataclass(frozen=True)
class Part:
    """A circle (radius > 0) or a box about its center of mass.

    Lengths are metres, angles radians, masses kilograms; pose and velocity are in the world frame.
    """

    x: float
    y: float
    theta: float = 0.0
    radius: float = 0.0
    width: float = 0.0
    height: float = 0.0
    mass: float = 1.0
    vx: float = 0.0
    vy: float = 0.0
    w: float = 0.0
    is_fixed: bool = False

    @property
    def area(self) -> float:
        """[m^2]."""
        return math.pi * self.radius**2 if self.radius > 0.0 else self.width * self.height

    @property
    def inertia(self) -> float:
        """About the center [kg m^2]."""
        if self.radius > 0.0:
            return 0.5 * self.mass * self.radius**2
        return self.mass * (self.width**2 + self.height**2) / 12.0

    @property
    def corners(self) -> list[tuple[float, float]]:
        """Of a box, counter-clockwise [m], body frame."""
        x, y = 0.5 * self.width, 0.5 * self.height
        return [(-x, -y), (x, -y), (x, y), (-x, y)]

    def local(self, x: float, y: float) -> tuple[float, float]:
        """A point of the world [m] in the frame of the body."""
        c, s = math.cos(self.theta), math.sin(self.theta)
        dx, dy = x - self.x, y - self.y
        return c * dx + s * dy, c * dy - s * dx


@dataclass(frozen=True)
class Pin:
    """A hinge between two parts (their numbers) at a point of the world [m]."""

    a: int
    b: int
    x: float
    y: float


@dataclass(frozen=True)
class Scene:
    """What is simulated.

    Attributes:
        parts: The bodies.
        pins: The hinges; parts that are pinned to each other do not collide.
        gravity: [m/s^2].
        friction: Of all surfaces.
        restitution: Of all surfaces.
        top_speed: Fastest that a body may get [m/s]; engines with a lower cap raise it.
        room: Width and height [m] of the box from (0, 0) on that nothing may leave, or None.
    """

    parts: tuple[Part, ...]
    pins: tuple[Pin, ...] = ()
    gravity: tuple[float, float] = (0.0, -9.81)
    friction: float = 0.5
    restitution: float = 0.0
    top_speed: float = 15.0
    room: tuple[float, float] | None = None

    def lost(self, states: npt.NDArray[np.float64]) -> int:
        """How many parts have left the room; `states` has the shape (parts, 6)."""
        if self.room is None:
            return 0
        moving = np.array([not part.is_fixed for part in self.parts])
        outside = (states[:, :2] < 0.0) | (states[:, :2] > self.room)
        return int((outside.any(axis=1) & moving).sum())


def walls(width: float, height: float, t: float = THICK_M, *, has_top: bool = True) -> list[Part]:
    """Walls of thickness t about a rectangle with its lower left corner at the origin [m]."""
    sides = [
        Part(-0.5 * t, 0.5 * height, width=t, height=height + 2 * t, is_fixed=True),
        Part(width + 0.5 * t, 0.5 * height, width=t, height=height + 2 * t, is_fixed=True),
        Part(0.5 * width, -0.5 * t, width=width + 2 * t, height=t, is_fixed=True),
    ]
    top = Part(0.5 * width, height + 0.5 * t, width=width + 2 * t, height=t, is_fixed=True)
    return [*sides, top] if has_top else sides


def heap(bodies: int) -> Scene:
    """Circles and squares of 10 cm that fall between two walls and settle; the walls come last."""
    random = np.random.default_rng(1)
    columns = round(math.sqrt(bodies))
    parts = []
    for k in range(bodies):
        x, y = 0.14 + 0.18 * (k % columns), 0.1 + 0.18 * (k // columns)
        theta = float(random.uniform(0.0, 3.0))
        if k % 2:
            parts.append(Part(x, y, theta, radius=0.05))
        else:
            parts.append(Part(x, y, theta, width=0.1, height=0.1))
    width, height = 0.18 * columns + 0.1, 0.18 * (bodies // columns + 2)
    return Scene((*parts, *walls(width, height, has_top=False)), room=(width, height))


def _circles(
    bodies: int, radius: float, spacing: float, speeds: npt.NDArray[np.float64], wall: float
) -> Scene:
    columns = math.ceil(math.sqrt(bodies))
    parts = [
        Part(
            spacing * (0.5 + k % columns),
            spacing * (0.5 + k // columns),
            radius=radius,
            vx=float(speeds[k, 0]),
            vy=float(speeds[k, 1]),
        )
        for k in range(bodies)
    ]
    side = spacing * columns
    return Scene(
        (*parts, *walls(side, side, wall)),
        gravity=(0.0, 0.0),
        friction=0.0,
        restitution=1.0,
        room=(side, side),
    )


def gas(bodies: int) -> Scene:
    """Elastic circles of 10 cm in a box, at about 1 m/s; the walls come last."""
    speeds = np.random.default_rng(2).normal(0.0, 0.8, (bodies, 2))
    return _circles(bodies, 0.05, 0.2, speeds, THICK_M)


def fast_circles(bodies: int, wall: float = THICK_M) -> Scene:
    """Elastic circles of 2 cm at 5 m/s (4 cm a step) in a box with walls so thick [m], the last."""
    angles = np.random.default_rng(3).uniform(0.0, 2.0 * math.pi, bodies)
    speeds = 5.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return _circles(bodies, 0.01, 0.1, speeds, wall)


def peg(x: float = 0.0) -> Part:
    """What holds a pin at (x, 0) from 3 m above, where nothing that hangs there can hit it."""
    return Part(x, 3.0, radius=0.01, is_fixed=True)


def chain(x: float, links: int, angle: float, first: int = 0) -> tuple[list[Part], list[Pin]]:
    """A peg, and links of 10 cm and 100 g that hang from (x, 0), `angle` [rad] off the vertical.

    Args:
        x: Where the chain hangs [m].
        links: How many.
        angle: From straight down, counter-clockwise.
        first: The number of the peg in its scene.
    """
    dx, dy = math.sin(angle), -math.cos(angle)
    turned = angle - 0.5 * math.pi
    parts, pins = [peg(x)], []
    for k in range(links):
        middle = LINK_M * (k + 0.5)
        parts.append(
            Part(x + middle * dx, middle * dy, turned, width=LINK_M, height=0.02, mass=0.1)
        )
        pins.append(Pin(first + k, first + k + 1, x + LINK_M * k * dx, LINK_M * k * dy))
    return parts, pins


def chains(bodies: int) -> Scene:
    """Chains of 10 to 20 links that swing from 0.6 rad, too far apart to touch each other."""
    links = min(20, bodies)
    parts: list[Part] = []
    pins: list[Pin] = []
    for k in range(bodies // links):
        more, held = chain(2.5 * LINK_M * links * k, links, 0.6, len(parts))
        parts += more
        pins += held
    return Scene(tuple(parts), tuple(pins))


def fixed_boxes(count: int) -> Scene:
    """Fixed walls of 40 x 5 cm and boxes of 20 cm, one a square metre, none near (0, 0)."""
    random = np.random.default_rng(4)
    half = 0.5 * math.sqrt(count) + 1.5
    parts: list[Part] = []
    while len(parts) < count:
        x, y = random.uniform(-half, half, 2).tolist()
        if math.hypot(x, y) < 1.0:
            continue
        theta = float(random.uniform(0.0, math.pi))
        width, height = (0.4, 0.05) if len(parts) % 2 else (0.2, 0.2)
        parts.append(Part(x, y, theta, width=width, height=height, is_fixed=True))
    return Scene(tuple(parts), gravity=(0.0, 0.0))


CROWDS: dict[str, Callable[[int], Scene]] = {
    "heap": heap,
    "gas": gas,
    "chains": chains,
    "fast_circles": fast_circles,
}
