"""Where a world lies on the globe: WGS84 and the plane that touches it at the world's origin."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.sim3d.scene.base import Config, Finite

Floats = npt.NDArray[np.float64]


class GeoOrigin(Config):
    """The place of the world's origin. The default is in Zurich.

    Attributes:
        latitude_deg: Latitude [deg], positive north of the equator.
        longitude_deg: Longitude [deg], positive east of Greenwich.
        altitude: Above the ellipsoid [m].
        heading_deg: Where the world's x axis points [deg]: 0 is east, 90 is north. With 0 the
            world's axes are east, north and up.
    """

    latitude_deg: Annotated[Finite, Field(ge=-90, le=90)] = 47.397742
    longitude_deg: Annotated[Finite, Field(ge=-180, le=180)] = 8.545594
    altitude: Finite = 488.0
    heading_deg: Finite = 0.0

    def to_enu(self, vectors_w: npt.ArrayLike) -> Floats:
        """Vectors of the world as east, north, up, shape (..., 3)."""
        return np.asarray(vectors_w, dtype=np.float64) @ self._R_enu_world.T

    def from_enu(self, vectors_enu: npt.ArrayLike) -> Floats:
        """Vectors east, north, up as vectors of the world, shape (..., 3)."""
        return np.asarray(vectors_enu, dtype=np.float64) @ self._R_enu_world

    def to_geodetic(self, points_w: npt.ArrayLike) -> Floats:
        """Points of the world on the globe.

        Args:
            points_w: [m], world frame, shape (..., 3).

        Returns:
            Latitude [deg], longitude [deg] and height above the ellipsoid [m], shape (..., 3).
        """
        import pymap3d

        east, north, up = np.moveaxis(self.to_enu(points_w), -1, 0)
        found = pymap3d.enu2geodetic(east, north, up, *self._place)
        return np.stack([np.asarray(part, dtype=np.float64) for part in found], axis=-1)

    def to_world(self, geodetic: npt.ArrayLike) -> Floats:
        """Points of the globe in the world.

        Args:
            geodetic: Latitude [deg], longitude [deg] and height [m], shape (..., 3).

        Returns:
            [m], world frame, shape (..., 3).
        """
        import pymap3d

        latitude, longitude, height = np.moveaxis(np.asarray(geodetic, dtype=np.float64), -1, 0)
        found = pymap3d.geodetic2enu(latitude, longitude, height, *self._place)
        enu = np.stack([np.asarray(part, dtype=np.float64) for part in found], axis=-1)
        return self.from_enu(enu)

    @property
    def _place(self) -> tuple[float, float, float]:
        return self.latitude_deg, self.longitude_deg, self.altitude

    @property
    def _R_enu_world(self) -> Floats:
        heading = math.radians(self.heading_deg)
        c, s = math.cos(heading), math.sin(heading)
        return np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))
