"""Magnetometer: the field of the earth in the frame of the sensor."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.files.config import Config, Finite, NotNegative, Positive
from horus_sim.hub.messages import MagneticField
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.sensor import Sensor, SensorConfig

Floats = npt.NDArray[np.float64]


class EarthField(Config):
    """The magnetic field of the earth at a place. The default is about that of Zurich.

    Attributes:
        strength: Strength of the field [T].
        declination_deg: Angle from true north to magnetic north [deg], positive to the east.
        inclination_deg: Angle of the field below the horizon [deg]; positive in the north.
    """

    strength: NotNegative = 48.4e-6
    declination_deg: Finite = 3.2
    inclination_deg: Annotated[Finite, Field(ge=-90, le=90)] = 63.4

    @property
    def enu(self) -> tuple[float, float, float]:
        """The field as east, north, up [T]."""
        declination, dip = math.radians(self.declination_deg), math.radians(self.inclination_deg)
        level = self.strength * math.cos(dip)
        return (
            level * math.sin(declination),
            level * math.cos(declination),
            -self.strength * math.sin(dip),
        )


class MagnetometerConfig(SensorConfig):
    """A magnetometer.

    Attributes:
        earth: The field, the same everywhere in the world.
        heading_deg: Where the world's x axis points [deg]: 0 is east, 90 is north.
        noise: Noise of the field [T]; `offset` is what a magnet on the robot adds.
    """

    kind: Literal["magnetometer"] = "magnetometer"
    name: Name = "magnetometer"
    rate_hz: Positive = 50.0
    earth: EarthField = EarthField()
    heading_deg: Finite = 0.0
    noise: NoiseConfig = NoiseConfig()


class MagnetometerSensor(Sensor[MagnetometerConfig, MagneticField], config=MagnetometerConfig):
    """Tells the field of the earth in its own frame."""

    NOISE: ClassVar = {"field": "noise"}
    _noise_shape = (3,)

    def measure(self) -> MagneticField:
        """The field [T] in the sensor frame now."""
        field_w = magnetic_field(self.config.earth, self.config.heading_deg)
        x, y, z = (field_w @ self._pose()[1]).tolist()
        return MagneticField(self.world.stamp_ns, self.frame, (x, y, z))


def magnetic_field(earth: EarthField, heading_deg: float = 0.0) -> Floats:
    """The field in the world.

    Args:
        earth: The field on the globe.
        heading_deg: Where the world's x axis points [deg]: 0 is east, 90 is north.

    Returns:
        [T], world frame, shape (3,).
    """
    east, north, up = earth.enu
    heading = math.radians(heading_deg)
    c, s = math.cos(heading), math.sin(heading)
    return np.array((c * east + s * north, c * north - s * east, up))
