"""Rays that a sensor carries about: which geoms they meet, and what is fixed before them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.sensors.rays import RayCaster, RayHits, See, seen_geoms

if TYPE_CHECKING:
    from horus_sim.sim3d.sensors.mount import Mount
    from horus_sim.sim3d.world import World

Floats = npt.NDArray[np.float64]
Ignore = Literal["nothing", "link", "robot"]
"""What rays pass through: nothing, the link or object that carries them, or its whole robot."""

_LUMINANCE = np.array((0.2126, 0.7152, 0.0722))
_casters: WeakKeyDictionary[World, tuple[int, dict[bytes, RayCaster]]] = WeakKeyDictionary()


def caster_of(world: World, geoms: npt.NDArray[np.int_]) -> RayCaster:
    """The caster for some geoms of a world; sensors that see the same share it."""
    generation, known = _casters.get(world, (-1, {}))
    if generation != world.generation:
        known = {}
        _casters[world] = world.generation, known
    key = geoms.tobytes()
    if key not in known:
        paths = [item.body for item in world.objects.values() if item.motion is not None]
        known[key] = RayCaster(world.model, geoms, paths)
    return known[key]


def ignored_bodies(mount: Mount, ignore: Ignore) -> list[int]:
    """The bodies that rays pass through."""
    if ignore == "nothing" or mount.body == 0:
        return []
    if ignore == "robot" and mount.robot is not None:
        return [mount.robot.body_id(link) for link in mount.robot.link_names]
    return [mount.body]


class RayView:
    """Rays of one sensor.

    What is rigidly joined to the sensor is met once and for all.

    Args:
        world: The world.
        mount: What carries the sensor.
        T_body_sensor: Position [m], shape (3,), and rotation, shape (3, 3), in the carrying body.
        directions: Unit vectors, sensor frame, shape (n, 3).
        ignore: What the rays pass through.
        see: Which geoms they meet.
    """

    def __init__(
        self,
        world: World,
        mount: Mount,
        T_body_sensor: tuple[Floats, Floats],
        directions: Floats,
        ignore: Ignore = "link",
        see: See = "auto",
    ) -> None:
        self._world = world
        self.directions = directions
        model = world.model
        geoms = seen_geoms(model, see)
        bodies = model.geom_bodyid[geoms]
        geoms = geoms[~np.isin(bodies, ignored_bodies(mount, ignore))]
        group = int(model.body_weldid[mount.body])
        joined = model.body_weldid[model.geom_bodyid[geoms]] == group
        # Group 0 is the world, which has a caster anyway.
        if group == 0:
            joined[:] = False
        self._caster = caster_of(world, geoms[~joined])
        self._known: RayHits | None = None
        if joined.any():
            # In the model's own pose, so that the state of now leaves no trace in the last digit.
            data = mujoco.MjData(model)
            mujoco.mj_kinematics(model, data)
            R_world_body = data.xmat[mount.body].reshape(3, 3)
            position = data.xpos[mount.body] + R_world_body @ T_body_sensor[0]
            R_world_sensor = R_world_body @ T_body_sensor[1]
            caster = RayCaster(model, geoms[joined])
            self._known = caster.cast(data, position, directions @ R_world_sensor.T)

    def cast(self, position: Floats, R_world_sensor: Floats, max_distance: float) -> RayHits:
        """What the rays meet now.

        Args:
            position: Of the sensor [m], world frame, shape (3,), or at each ray, shape (n, 3).
            R_world_sensor: Rotation, shape (3, 3), or at each ray, shape (n, 3, 3).
            max_distance: Nothing is met farther away [m].
        """
        if R_world_sensor.ndim == 2:
            directions = self.directions @ R_world_sensor.T
        else:
            directions = np.einsum("kij,kj->ki", R_world_sensor, self.directions)
        return self._caster.cast(
            self._world.data, position, directions, max_distance, known=self._known
        )


class Reflectivity:
    """How bright surfaces are for a lidar.

    A surface returns the luminance of its colour, times its opacity and the cosine of incidence,
    plus the share of the luminance that it emits; 1 at most.

    Args:
        model: The model.
    """

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - MuJoCo's model
        rgba = model.geom_rgba.astype(np.float64)
        emission = np.zeros(model.ngeom)
        painted = model.geom_matid >= 0
        materials = model.geom_matid[painted]
        rgba[painted] = model.mat_rgba[materials]
        emission[painted] = model.mat_emission[materials]
        luminance = rgba[:, :3] @ _LUMINANCE
        # The last entry stands for nothing, which has the index -1.
        self._diffuse = np.append(luminance * rgba[:, 3], 0.0)
        self._emitted = np.append(luminance * emission, 0.0)
        self._emits = bool(self._emitted.any())

    def intensities(self, hits: RayHits) -> Floats:
        """Strength of the echoes from 0 to 1, shape (n,); 0 where nothing was met."""
        echo = np.take(self._diffuse, hits.geoms) * hits.cosines
        if self._emits:
            echo += np.take(self._emitted, hits.geoms)
        return np.minimum(echo, 1.0, out=echo)
