"""What all sensors that send rays share: reach, noise, what rays pass through, and their casting.

A subclass says where its rays point and makes its message of what they meet. `Scanner` adds what
lidars and laser scanners have in common: angles about z, and motion during a sweep.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.files.config import Finite, Positive
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld, shared
from horus_sim.sim3d.sensors.mount import Mount
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.range_limits import RangeLimits
from horus_sim.sim3d.sensors.rays.caster import RayCaster, RayHits, See, seen_geoms
from horus_sim.sim3d.sensors.rays.triangles import ModelTriangles
from horus_sim.sim3d.sensors.sensor import MessageT, Sensor, SensorConfig

Floats = npt.NDArray[np.float64]
Ignore = Literal["nothing", "link", "robot"]
"""What rays pass through: nothing, the link or object that carries them, or its whole robot."""

_FULL = 2.0 * np.pi
_SMALL = 0.1
_LUMINANCE = np.array((0.2126, 0.7152, 0.0722))


class RaySensorConfig(RangeLimits, SensorConfig):
    """What all sensors that send rays are configured with.

    Attributes:
        ignore: What rays pass through: 'nothing', the 'link' or object that carries the sensor, or
            its whole 'robot'.
        noise: Noise of the distances [m].
    """

    ignore: Ignore = "link"
    noise: NoiseConfig = NoiseConfig()


class ScannerConfig(RaySensorConfig):
    """What lidars and laser scanners are configured with.

    Attributes:
        fov_deg: Field of view about the sensor's z axis [deg], from right to left.
        center_deg: Where the middle of that field is [deg], from the x axis to the left.
        motion_distortion: Whether the sensor moves while it sweeps: the sweep ends now, began one
            period ago, and every ray starts where the sensor was at its time.
    """

    rate_hz: Positive = 10.0
    fov_deg: Annotated[Finite, Field(gt=0, le=360)] = 360.0
    center_deg: Annotated[Finite, Field(ge=-360, le=360)] = 0.0
    motion_distortion: bool = False


RayConfigT = TypeVar("RayConfigT", bound=RaySensorConfig)
ScannerConfigT = TypeVar("ScannerConfigT", bound=ScannerConfig)


class RaySensor(Sensor[RayConfigT, MessageT]):
    """A sensor that sends rays."""

    NOISE: ClassVar = {"ranges": "noise"}
    SEES: See = "auto"
    """Which shapes the rays meet."""

    def __init__(self, world: MeasuredWorld, config: RayConfigT, directions: Floats) -> None:
        self._directions = directions
        super().__init__(world, config)

    def _bind(self) -> None:
        pose = self._p_body_sensor, self._R_body_sensor
        self._view = RayView(
            self.world, self.mount, pose, self._directions, self.config.ignore, self.SEES
        )

    def _cast(self) -> RayHits:
        """What the rays meet now; infinite where nothing is in reach, -infinite where too near."""
        hits = self._view.cast(*self._ray_poses(), self.config.range_max)
        hits.distances[hits.distances < self.config.range_min] = -np.inf
        return hits

    def _ray_poses(self) -> tuple[Floats, Floats]:
        """Position and rotation of the sensor, for all rays or for each."""
        return self._pose()

    def _noisy(self, channel: str, value: npt.ArrayLike, dt: float) -> Floats:
        """Distances with noise, still within reach; what is infinite stays so."""
        measured = super()._noisy(channel, value, dt)
        inside = np.clip(measured, self.config.range_min, self.config.range_max)
        return np.where(np.isinf(measured), measured, inside)


class Scanner(RaySensor[ScannerConfigT, MessageT]):
    """A sensor that turns about its z axis, ring by ring.

    Attributes:
        azimuths: Angle of each column about z from x [rad], shape (columns,).
        elevations: Angle of each ring above the x-y plane [rad], shape (rings,).
    """

    def __init__(
        self, world: MeasuredWorld, config: ScannerConfigT, columns: int, elevations: Floats
    ) -> None:
        middle = np.deg2rad(config.center_deg)
        self.azimuths = middle + spread_angles(columns, np.deg2rad(config.fov_deg))
        self.elevations = elevations
        # The last column is measured now; a full turn ends one step before the next one's first.
        steps = np.arange(columns, dtype=np.float64) - (columns - 1)
        self._times: Floats = steps * (float(config.motion_distortion) / config.rate_hz / columns)
        directions = directions_of(self.azimuths, elevations[:, None])
        super().__init__(world, config, directions)

    def _bind(self) -> None:
        super()._bind()
        self._intensities = Reflectivity(self.world.model).intensities

    def _ray_poses(self) -> tuple[Floats, Floats]:
        position, R_world_sensor = self._pose()
        if not self.config.motion_distortion:
            return position, R_world_sensor
        world, rings = self.world, len(self._directions) // len(self.azimuths)
        positions, rotations = _poses_over_sweep(
            world.forward(), self.mount.body, position, R_world_sensor, self._times
        )
        return np.tile(positions, (rings, 1)), np.tile(rotations, (rings, 1, 1))


class RayView:
    """Rays that a sensor carries about.

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
        world: MeasuredWorld,
        mount: Mount,
        T_body_sensor: tuple[Floats, Floats],
        directions: Floats,
        ignore: Ignore = "link",
        see: See = "auto",
    ) -> None:
        self._world = world
        model = world.model
        geoms = seen_geoms(model, see)
        bodies = model.geom_bodyid[geoms]
        geoms = geoms[~np.isin(bodies, _ignored_bodies(mount, ignore))]
        group = int(model.body_weldid[mount.body])
        joined = model.body_weldid[model.geom_bodyid[geoms]] == group
        # Group 0 is the world, which has a caster anyway.
        if group == 0:
            joined[:] = False
        casters = shared(world, Casters)
        self._caster = casters.of(geoms[~joined])
        self._body, self._T_body_sensor = mount.body, T_body_sensor
        self._rigid: RayCaster | None = None
        if joined.any():
            self._rigid = RayCaster(model, geoms[joined], triangles=casters.triangles)
        self.aim(directions)

    def aim(self, directions: Floats) -> None:
        """Points the rays elsewhere.

        Args:
            directions: Unit vectors, sensor frame, shape (n, 3).
        """
        self.directions = directions
        self._known: RayHits | None = None
        if self._rigid is None:
            return
        # In the model's own pose, so that the state of now leaves no trace in the last digit.
        data = mujoco.MjData(self._world.model)
        mujoco.mj_kinematics(self._world.model, data)
        R_world_body = data.xmat[self._body].reshape(3, 3)
        position = data.xpos[self._body] + R_world_body @ self._T_body_sensor[0]
        R_world_sensor = R_world_body @ self._T_body_sensor[1]
        self._known = self._rigid.cast(data, position, directions @ R_world_sensor.T)

    def cast(self, position: Floats, R_world_sensor: Floats, max_distance: float) -> RayHits:
        """What the rays meet now.

        Args:
            position: Position of the sensor [m], world frame, shape (3,), or at each ray, (n, 3).
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


class Casters:
    """The ray casters of a world: sensors that see the same geoms share one.

    Args:
        world: The world.

    Attributes:
        triangles: Triangles of the model, which all casters share.
    """

    def __init__(self, world: MeasuredWorld) -> None:
        self.triangles = ModelTriangles(world.model)
        self._on_paths = [item.body for item in world.objects.values() if item.motion is not None]
        self._casters: dict[bytes, RayCaster] = {}

    def of(self, geoms: npt.NDArray[np.int_]) -> RayCaster:
        """The caster for some geoms."""
        key = geoms.tobytes()
        if key not in self._casters:
            model, triangles = self.triangles.model, self.triangles
            self._casters[key] = RayCaster(model, geoms, self._on_paths, triangles)
        return self._casters[key]


class Reflectivity:
    """How bright surfaces are for a lidar.

    A surface returns the luminance of its colour, times its opacity and the cosine of incidence,
    plus the share of the luminance that it emits; 1 at most.

    Args:
        model: The model.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
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
        """Strength of the echoes from 0 to 1, shape (n,); 0 where there is no echo."""
        echo = np.take(self._diffuse, hits.geoms) * hits.cosines
        if self._emits:
            echo += np.take(self._emitted, hits.geoms)
        echo[np.isinf(hits.distances)] = 0.0
        return np.minimum(echo, 1.0, out=echo)


def _ignored_bodies(mount: Mount, ignore: Ignore) -> list[int]:
    """The bodies that rays pass through."""
    if ignore == "nothing" or mount.body == 0:
        return []
    if ignore == "robot" and mount.robot is not None:
        return [mount.robot.body_id(link) for link in mount.robot.link_names]
    return [mount.body]


def directions_of(azimuths: Floats, elevations: Floats) -> Floats:
    """Unit vectors, x forward, y left, z up, shape (n, 3).

    Args:
        azimuths: About z from x [rad].
        elevations: Above the x-y plane [rad]; with the azimuths they are spread over each other.
    """
    level = np.cos(elevations)
    found = np.empty((*np.broadcast_shapes(azimuths.shape, level.shape), 3))
    found[..., 0] = level * np.cos(azimuths)
    found[..., 1] = level * np.sin(azimuths)
    found[..., 2] = np.sin(elevations)
    return found.reshape(-1, 3)


def spread_angles(count: int, width: float) -> Floats:
    """Angles [rad] from the right to the left of a field of view about 0, shape (count,).

    A full circle begins at -pi and ends one step before pi; a smaller field includes both edges.

    Args:
        count: Number of angles.
        width: Width of the field [rad].
    """
    if count == 1:
        return np.zeros(1)
    if width >= _FULL:
        return -np.pi + np.arange(count, dtype=np.float64) * (_FULL / count)
    return np.linspace(-0.5 * width, 0.5 * width, count, dtype=np.float64)


def _poses_over_sweep(
    data: mujoco.MjData, body: int, position: Floats, R_world_sensor: Floats, times: Floats
) -> tuple[Floats, Floats]:
    """Poses of a sensor at times near now, its velocities in its own frame taken as constant.

    So a robot that drives and turns is followed along its arc.

    Args:
        data: State with velocities up to date.
        body: What carries the sensor.
        position: Position of the sensor now [m], world frame, shape (3,).
        R_world_sensor: Its rotation now, shape (3, 3).
        times: Times from now [s], shape (n,).

    Returns:
        Positions, shape (n, 3), and rotations, shape (n, 3, 3).
    """
    twist = np.empty(6)
    kind = int(mujoco.mjtObj.mjOBJ_XBODY)
    mujoco.mj_objectVelocity(data.model, data, kind, body, twist, 0)
    angular = twist[:3]
    lever = np.cross(angular, position - data.xpos[body])
    linear = np.asarray(twist[3:] + lever, dtype=np.float64)
    rate = float(np.linalg.norm(angular))
    if rate == 0.0:
        positions = position + times[:, None] * linear
        return positions, np.broadcast_to(R_world_sensor, (len(times), 3, 3))
    x, y, z = angular / rate
    K = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    angles = (rate * times)[:, None, None]
    turns = np.eye(3) + np.sin(angles) * K + (1.0 - np.cos(angles)) * (K @ K)
    # The integral of the turns over time: 1 - cos and angle - sin, exact also for small angles.
    versine = 2.0 * np.sin(0.5 * angles) ** 2
    series = angles**3 / 6.0 * (1.0 - angles**2 / 20.0 * (1.0 - angles**2 / 42.0))
    remainder = np.where(np.abs(angles) < _SMALL, series, angles - np.sin(angles))
    along = angles * np.eye(3) + versine * K + remainder * (K @ K)
    return position + (along @ linear) / rate, turns @ R_world_sensor
