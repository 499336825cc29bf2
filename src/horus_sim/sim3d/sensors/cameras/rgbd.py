"""A camera for colour and depth at once: configuration and sensor."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from horus_sim.hub.messages import RgbdImage
from horus_sim.sim3d.rendering.render_worker import Quality
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.cameras.depth import DepthBase, DepthBaseConfig
from horus_sim.sim3d.sensors.noise import NoiseConfig


class RgbdCameraConfig(DepthBaseConfig):
    """A camera for colour and depth.

    Attributes:
        quality: 'fast', or 'nice' with smooth edges, shadows and reflections in the colours.
        noise: Noise of the depths [m].
        colour_noise: Noise of the values of each channel, from 0 to 255.
    """

    kind: Literal["rgbd_camera"] = "rgbd_camera"
    name: Name = "rgbd"
    quality: Quality = "fast"
    noise: NoiseConfig = NoiseConfig()
    colour_noise: NoiseConfig = NoiseConfig()


class RgbdCamera(DepthBase[RgbdCameraConfig, RgbdImage], config=RgbdCameraConfig):
    """A camera for colour and depth in a world."""

    NOISE: ClassVar = {"data": "colour_noise", "depth": "noise"}

    def measure(self) -> RgbdImage:
        """Ideal colours and depths now.

        Raises:
            RenderError: OpenGL is to draw, and is not there; the text says what to install.
        """
        stamp_ns = self.world.stamp_ns
        if self.backend == "rays":
            depth, hits = self._cast()
            colours = self._cast_colours(hits)
            return RgbdImage(stamp_ns, self.optical_frame, colours, self._cut(depth))
        colours = np.ascontiguousarray(self._colours(self.config.quality))
        return RgbdImage(stamp_ns, self.optical_frame, colours, self._depths())

    def points(self, message: RgbdImage) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8]]:
        """The points of an image that have a depth.

        Args:
            message: An image of this camera.

        Returns:
            Points [m], optical frame, shape (n, 3), and their colours, shape (n, 3).
        """
        points = self.intrinsics.unproject(message.depth)
        seen = np.isfinite(points).all(axis=-1)
        return points[seen], message.data[seen]
