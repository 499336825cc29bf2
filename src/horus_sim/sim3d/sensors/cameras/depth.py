"""A depth camera: configuration and sensor."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from horus_sim.hub.messages import DepthImage
from horus_sim.sim3d.rendering.render_worker import worker
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.cameras.camera_base import CameraBase, CameraBaseConfig
from horus_sim.sim3d.sensors.cameras.depth_rounds import correct_rounds, round_geoms
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.range_limits import RangeLimits
from horus_sim.sim3d.sensors.sensor import MessageT

Depths = npt.NDArray[np.float32]


class DepthBaseConfig(RangeLimits, CameraBaseConfig):
    """What cameras are configured with that measure depth, along the optical axis."""


class DepthCameraConfig(DepthBaseConfig):
    """A depth camera.

    Attributes:
        noise: Noise of the depths [m].
    """

    kind: Literal["depth_camera"] = "depth_camera"
    name: Name = "depth"
    noise: NoiseConfig = NoiseConfig()


DepthT = TypeVar("DepthT", bound=DepthBaseConfig)


class DepthBase(CameraBase[DepthT, MessageT]):
    """Measures depth, with OpenGL or by rays."""

    def _bind(self) -> None:
        super()._bind()
        self._rounds = round_geoms(self.world.model)

    def _depths(self) -> Depths:
        """Along the optical axis [m], shape (height, width).

        Infinite where nothing is seen within range, minus infinite where something is too near.
        """
        if self.backend == "rays":
            return self._cut(self._cast()[0])
        if self._gl_error is not None:
            raise self._gl_error
        world, view = self.world, self._view()
        depth = worker.draw(world.model, "fast", lambda canvas: canvas.depths(world.data, view))
        correct_rounds(depth, view, world.model, world.data, self._rounds)
        if self._lens is not None:
            depth = self._lens.resampling.depths(depth)
        return self._cut(depth)

    def _cut(self, depth: npt.NDArray[np.floating]) -> Depths:
        """Depths as an image, infinite outside the range."""
        image = depth.reshape(self._shape).astype(np.float32, copy=False)
        image[image > self.config.range_max] = np.inf
        image[image < self.config.range_min] = -np.inf
        return image


class DepthCamera(DepthBase[DepthCameraConfig, DepthImage], config=DepthCameraConfig):
    """A depth camera in a world."""

    NOISE: ClassVar = {"depth": "noise"}

    def measure(self) -> DepthImage:
        """Ideal depths now."""
        return DepthImage(self.world.stamp_ns, self.optical_frame, self._depths())
