"""Poses in the plane."""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

from horus_sim._native import cosine_sine

Pose: TypeAlias = tuple[float, float, float]
"""x, y [m] and theta [rad], as files and programs give it."""


class Pose2D(NamedTuple):
    """Where a frame is in another one: a tuple of x, y [m] and theta [rad].

    ``Pose2D(*values)`` and ``Pose2D(**values)`` make one of a sequence or a dictionary,
    ``list(pose)`` and ``pose._asdict()`` lead back.
    """

    x: float = 0.0
    y: float = 0.0
    theta: float = 0.0

    def transform_point(self, point: tuple[float, float]) -> tuple[float, float]:
        """A point [m] that is given in this frame, in the outer one."""
        c, s = cosine_sine(self.theta)
        return (self.x + c * point[0] - s * point[1], self.y + s * point[0] + c * point[1])

    def compose(self, child: tuple[float, float, float]) -> Pose2D:
        """A pose that is given in this frame, in the outer one: parent, then child."""
        x, y = self.transform_point((child[0], child[1]))
        return Pose2D(x, y, self.theta + child[2])

    def inverse(self) -> Pose2D:
        """The pose of the outer frame in this one."""
        c, s = cosine_sine(self.theta)
        return Pose2D(-c * self.x - s * self.y, s * self.x - c * self.y, -self.theta)


def distance(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Between two points, in their unit; `math.dist` has other bits on other machines."""
    x, y = b[0] - a[0], b[1] - a[1]
    return math.sqrt(x * x + y * y)


def compose(a: Pose, b: Pose) -> Pose2D:
    """Pose `b`, given in the frame of `a`, in the frame that `a` is given in."""
    return Pose2D(*a).compose(b)
