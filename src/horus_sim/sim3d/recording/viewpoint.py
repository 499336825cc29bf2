"""Where pictures of a world are taken from: its cameras and its camera sensors, by name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import SceneError
from horus_sim.files.names import propose
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.rendering.intrinsics import Intrinsics
from horus_sim.sim3d.rendering.render_worker import View

if TYPE_CHECKING:
    from horus_sim.sim3d.world.world import World

_NEAR, _FAR = 0.02, 1000.0


def camera_sensors(world: World) -> dict[str, Any]:
    """The sensors of a world that take pictures, by name."""
    sensors = world.sensors.items()
    return {name: sensor for name, sensor in sensors if hasattr(sensor, "T_world_optical")}


def camera_names(world: World) -> list[str]:
    """Names of all cameras: first those of the scene, then the sensors."""
    scene = [world.model.camera(i).name for i in range(world.model.ncam)]
    return [*scene, *camera_sensors(world)]


def check_camera(world: World, camera: str) -> None:
    """Makes sure that there is such a camera.

    Raises:
        SceneError: There is none; the text proposes close names.
    """
    known = camera_names(world)
    if camera not in known:
        raise SceneError(propose(camera, known, "the world", "camera"))


def view_of(world: World, camera: str, width: int, height: int) -> View:
    """How a camera sees the world now.

    Args:
        world: The world.
        camera: Name of a camera of the scene, or of a camera sensor, which has its own size.
        width: Width of the picture [pixels].
        height: Height of the picture [pixels].

    Raises:
        SceneError: There is no such camera; the text proposes close names.
    """
    check_camera(world, camera)
    sensor = camera_sensors(world).get(camera)
    if sensor is not None:
        T_world_optical = sensor.T_world_optical
        R = T_world_optical.to_matrix()[:3, :3]
        return View(sensor.intrinsics, np.array(T_world_optical.translation), R, _NEAR, _FAR)
    model, data = world.model, world.data
    mujoco.mj_camlight(model, data)
    i = model.camera(camera).id
    focal = 0.5 * height / math.tan(0.5 * math.radians(float(model.cam_fovy[i])))
    centre = 0.5 * (width - 1), 0.5 * (height - 1)
    intrinsics = Intrinsics(width, height, focal, focal, *centre)
    # A camera of MuJoCo's looks along -z with y up.
    R_world_optical = data.cam_xmat[i].reshape(3, 3) * (1.0, -1.0, -1.0)
    position: npt.NDArray[np.float64] = data.cam_xpos[i].copy()
    return View(intrinsics, position, R_world_optical, _NEAR, _FAR)
