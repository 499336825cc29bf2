"""Pictures of a world."""

from __future__ import annotations

import math
import weakref

import numpy as np
import numpy.typing as npt

from horus_sim.errors import SceneError
from horus_sim.files.names import propose
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.compile.geoms import COLLISION_GROUP
from horus_sim.sim3d.compile.options import LARGEST_IMAGE
from horus_sim.sim3d.rendering.gl import choose_backend
from horus_sim.sim3d.rendering.render_worker import Quality, worker

AZIMUTH_DEG = 135.0
ELEVATION_DEG = -40.0
_SMALLEST_RADIUS = 0.1


class Camera:
    """Takes pictures of one model, from any thread: all drawing is done in one.

    Args:
        model: The model.

    Raises:
        RenderError: There is no OpenGL; the text says what to install.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        choose_backend()
        self.model = model
        self._renderer: mujoco.Renderer | None = None
        self._end: weakref.finalize[..., Camera] | None = None
        self._size = (0, 0)
        self._options = mujoco.MjvOption()
        self._options.geomgroup[COLLISION_GROUP] = 0

    def render(
        self,
        data: mujoco.MjData,
        camera: str | None,
        width: int,
        height: int,
        quality: Quality = "fast",
    ) -> npt.NDArray[np.uint8]:
        """A picture; see `World.render`.

        Args:
            data: State whose poses are up to date.
            camera: Name of a camera, or None for a free view.
            width: [pixels].
            height: [pixels].
            quality: 'nice' has shadows and reflections.
        """
        if quality not in ("fast", "nice"):
            raise SceneError(f"the quality of a picture is 'fast' or 'nice', not {quality!r}")
        names = [self.model.camera(i).name for i in range(self.model.ncam)]
        if camera is not None and camera not in names:
            raise SceneError(propose(camera, names, "the world", "camera"))
        most_wide, most_high = LARGEST_IMAGE
        if not (0 < width <= most_wide and 0 < height <= most_high):
            raise SceneError(
                f"a picture has up to {most_wide} by {most_high} pixels, not {width} by {height}"
            )
        return worker.run(lambda: self._draw(data, camera, width, height, quality))

    def _draw(
        self, data: mujoco.MjData, camera: str | None, width: int, height: int, quality: Quality
    ) -> npt.NDArray[np.uint8]:
        renderer = self._prepare(width, height)
        # Cameras and lights hang on bodies: their poses follow from the kinematics.
        mujoco.mj_camlight(self.model, data)
        view = free_view(self.model, data) if camera is None else camera
        renderer.update_scene(data, view, self._options)
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
            renderer.scene.flags[flag] = quality == "nice"
        if quality == "nice":
            self._aim_sun(renderer.scene)
        return renderer.render().copy()

    def _aim_sun(self, scene: mujoco.MjvScene) -> None:
        """Puts lights without a place where their shadows fall into the middle of the world.

        MuJoCo draws shadows of directional lights only around the line from their position.
        """
        stat = self.model.stat
        for i in range(scene.nlight):
            light = scene.lights[i]
            if light.type == int(mujoco.mjtLightType.mjLIGHT_DIRECTIONAL) and light.castshadow:
                light.pos[:] = stat.center - 2.0 * stat.extent * light.dir

    def close(self) -> None:
        """Frees the OpenGL context."""
        if self._end is not None:
            self._end()
        self._renderer = self._end = None

    def _prepare(self, width: int, height: int) -> mujoco.Renderer:
        if self._renderer is None or self._size != (width, height):
            self.close()
            renderer = worker.renderer(self.model, width, height)
            # A camera that is forgotten ends in whichever thread collects garbage.
            self._end = weakref.finalize(self, worker.post, renderer.close)
            self._end.atexit = False
            self._renderer, self._size = renderer, (width, height)
        return self._renderer


def free_view(model: mujoco.MjModel, data: mujoco.MjData) -> mujoco.MjvCamera:
    """A camera that looks at the middle of all shapes, from behind, the left and above.

    Planes do not count: they have no end.

    Args:
        model: The model.
        data: State whose poses are up to date.
    """
    camera = mujoco.MjvCamera()
    camera.type = mujoco.mjtCamera.mjCAMERA_FREE
    camera.azimuth, camera.elevation = AZIMUTH_DEG, ELEVATION_DEG
    is_bounded = model.geom_rbound > 0.0
    radii = model.geom_rbound[is_bounded, None]
    centres = data.geom_xpos[is_bounded]
    radius = 1.0
    if len(centres):
        lowest, highest = (centres - radii).min(axis=0), (centres + radii).max(axis=0)
        camera.lookat[:] = (lowest + highest) / 2.0
        # The box of the bounding balls is larger than what is seen; its half diagonal is too far.
        radius = max(_SMALLEST_RADIUS, 0.4 * float(np.linalg.norm(highest - lowest)))
    half_fovy = math.radians(float(model.vis.global_.fovy)) / 2.0
    camera.distance = radius / math.sin(half_fovy)
    return camera
