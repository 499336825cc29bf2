"""Sonar and other range finders: the nearest thing in a cone."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.files.config import Finite, NotNegative, Positive
from horus_sim.hub.messages import Range
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld
from horus_sim.sim3d.sensors.rays.ray_sensor import Ignore, RaySensor, RaySensorConfig

Floats = npt.NDArray[np.float64]


class RangeConfig(RaySensorConfig):
    """A range finder that looks along its x axis.

    Nearer things than `range_min` are told as -infinity, farther ones than `range_max` as infinity.

    Attributes:
        fov_deg: Full opening angle of the cone [deg]; 0 is a single ray.
        rings: Rings of rays about the axis, of 6, 12, 18, ... rays.
    """

    kind: Literal["range"] = "range"
    name: Name = "sonar"
    rate_hz: Positive = 20.0
    fov_deg: Annotated[Finite, Field(ge=0, lt=180)] = math.degrees(0.5)
    range_min: NotNegative = 0.02
    range_max: Positive = 4.0
    ignore: Ignore = "robot"
    rings: Annotated[int, Field(ge=0, le=100)] = 3


class RangeSensor(RaySensor[RangeConfig, Range], config=RangeConfig):
    """Tells the distance to the nearest solid shape that one of its rays meets.

    Attributes:
        rays: Directions of the rays, sensor frame, shape (n, 3).
    """

    SEES = "collision"

    def __init__(self, world: MeasuredWorld, config: RangeConfig) -> None:
        self._fov = math.radians(config.fov_deg)
        self.rays = cone(self._fov, config.rings)
        super().__init__(world, config, self.rays)

    def measure(self) -> Range:
        """Distance [m] to the nearest thing in the cone now."""
        reach = self.config.range_min, self.config.range_max
        nearest = float(self._cast().distances.min())
        return Range(self.world.stamp_ns, self.frame, self._fov, *reach, nearest)

    def _disturb(self, message: Range, dt: float) -> Range:
        if not self._channels["ranges"].is_active:
            return message
        return replace(message, range=float(self._noisy("ranges", message.range, dt)))


def cone(field_of_view: float, rings: int) -> Floats:
    """Rays about the x axis: one along it, and rings of 6, 12, 18, ... around.

    Args:
        field_of_view: Full opening angle [rad]; the last ring lies on its edge.
        rings: Number of rings.

    Returns:
        Unit vectors, shape (1 + 3 rings (rings + 1), 3).
    """
    rays = [np.array(((1.0, 0.0, 0.0),))]
    for ring in range(1, rings + 1 if field_of_view > 0.0 else 1):
        tilt = 0.5 * field_of_view * ring / rings
        turn = np.arange(6 * ring) * (2.0 * math.pi / (6 * ring))
        y, z = math.sin(tilt) * np.cos(turn), math.sin(tilt) * np.sin(turn)
        rays.append(np.column_stack((np.full(turn.shape, math.cos(tilt)), y, z)))
    return np.concatenate(rays)
