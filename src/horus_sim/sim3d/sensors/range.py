"""Sonar and other range finders: the nearest thing in a cone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from horus_sim.hub.messages import Range
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.scene.base import Finite, Name
from horus_sim.sim3d.sensors.noise import NoiseChannel, NoiseConfig
from horus_sim.sim3d.sensors.sensor import Rate, Sensor, SensorConfig

if TYPE_CHECKING:
    from horus_sim.sim3d.world import World

Floats = npt.NDArray[np.float64]
_SOLID = np.array((0, 0, 0, 1, 0, 0), dtype=np.uint8)
_MOST_OWN = 64
_PAST = 1e-9


class RangeConfig(SensorConfig):
    """A range finder that looks along its x axis.

    Attributes:
        field_of_view: Full opening angle of the cone [rad]; 0 is a single ray.
        range_min: Nearer things are told as -infinity [m].
        range_max: Farther things are told as infinity [m].
        rings: Rings of rays about the axis, of 6, 12, 18, ... rays.
        sees_own: Whether it sees the robot or object that carries it.
        noise: Of the distance [m].
    """

    kind: Literal["range"] = "range"
    name: Name = "sonar"
    rate_hz: Rate = 20.0
    field_of_view: Annotated[Finite, Field(ge=0, lt=math.pi)] = 0.5
    range_min: Annotated[Finite, Field(ge=0)] = 0.02
    range_max: Annotated[Finite, Field(gt=0)] = 4.0
    rings: Annotated[int, Field(ge=0, le=100)] = 3
    sees_own: bool = False
    noise: NoiseConfig = NoiseConfig()

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.range_min >= self.range_max:
            raise ValueError("'range_min' must be less than 'range_max'")
        return self

    def build(self, world: World) -> RangeSensor:
        """The sensor, in a world."""
        return RangeSensor(world, self)


class RangeSensor(Sensor[RangeConfig, Range]):
    """Tells the distance to the nearest solid shape that one of its rays meets.

    Attributes:
        rays: Directions of the rays, sensor frame, shape (n, 3).
    """

    def _bind(self) -> None:
        config, model = self.config, self.world.model
        self.rays = cone(config.field_of_view, config.rings)
        robot = self.mount.robot
        bodies = [] if self.mount.body == 0 else [self.mount.body]
        if robot is not None:
            bodies = [robot.body_id(link) for link in robot.link_names]
        is_own = np.zeros(model.nbody, dtype=bool)
        is_own[bodies] = not config.sees_own
        # The last entry is for rays that met nothing, whose geom is -1.
        self._is_own = np.append(is_own[model.geom_bodyid], False)
        self._geoms = np.empty(len(self.rays), dtype=np.int32)
        self._distances = np.empty(len(self.rays))

    def measure(self) -> Range:
        """Distance [m] to the nearest thing in the cone now."""
        config, world = self.config, self.world
        position, R_world_sensor = self._pose()
        rays = np.ascontiguousarray(self.rays @ R_world_sensor.T)
        mujoco.mj_multiRay(
            world.model,
            world.data,
            position,
            rays.reshape(-1),
            _SOLID,
            flg_static=True,
            bodyexclude=-1,
            geomid=self._geoms,
            dist=self._distances,
            normal=None,
            nray=len(rays),
            cutoff=config.range_max,
        )
        distances = np.where(self._geoms < 0, np.inf, self._distances)
        for i in np.flatnonzero(self._is_own[self._geoms]):
            distances[i] = self._behind_own(position, rays[i], float(distances[i]))
        nearest = float(distances.min())
        if nearest > config.range_max:
            nearest = math.inf
        elif nearest < config.range_min:
            nearest = -math.inf
        return Range(
            world.stamp_ns,
            self.frame,
            config.field_of_view,
            config.range_min,
            config.range_max,
            nearest,
        )

    def _behind_own(self, position: Floats, ray: Floats, start: float) -> float:
        """Distance along a ray to the first thing that is not part of the carrier."""
        geom = np.empty(1, dtype=np.int32)
        for _ in range(_MOST_OWN):
            start += _PAST
            found = mujoco.mj_ray(
                self.world.model,
                self.world.data,
                position + start * ray,
                ray,
                _SOLID,
                flg_static=True,
                bodyexclude=-1,
                geomid=geom,
            )
            if geom[0] < 0:
                return math.inf
            start += found
            if not self._is_own[geom[0]]:
                return start
        return math.inf

    def _make_channels(self) -> Mapping[str, NoiseChannel]:
        return {"range": NoiseChannel(self.config.noise)}

    def _disturb(self, message: Range, dt: float) -> Range:
        disturbed = super()._disturb(message, dt)
        if disturbed is message or not math.isfinite(disturbed.range):
            return disturbed
        inside = min(max(disturbed.range, self.config.range_min), self.config.range_max)
        return replace(disturbed, range=inside)


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
        across = math.sin(tilt)
        rays.append(
            np.stack(
                (np.full(turn.shape, math.cos(tilt)), across * np.cos(turn), across * np.sin(turn)),
                axis=1,
            )
        )
    return np.concatenate(rays)
