"""A camera for colour and depth at once: configuration and sensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from horus_sim.hub.messages import RgbdImage
from horus_sim.sim3d.rendering.render_worker import Quality, worker
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.cameras.camera import disturb_colours
from horus_sim.sim3d.sensors.cameras.depth import DepthBase, DepthBaseConfig
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld
from horus_sim.sim3d.sensors.noise import NoiseChannel, NoiseConfig


class RgbdCameraConfig(DepthBaseConfig):
    """A camera for colour and depth.

    Attributes:
        quality: Of the colours: 'fast', or 'nice' with smooth edges, shadows and reflections.
        noise: Of the depths [m].
        colour_noise: Of the values of each channel, from 0 to 255.
    """

    kind: Literal["rgbd_camera"] = "rgbd_camera"
    name: Name = "rgbd"
    quality: Quality = "fast"
    noise: NoiseConfig = NoiseConfig()
    colour_noise: NoiseConfig = NoiseConfig()

    def build(self, world: MeasuredWorld) -> RgbdCamera:
        """The sensor, in a world."""
        return RgbdCamera(world, self)


class RgbdCamera(DepthBase[RgbdImage]):
    """A camera for colour and depth in a world."""

    config: RgbdCameraConfig

    def _make_channels(self) -> Mapping[str, NoiseChannel]:
        return {
            "data": NoiseChannel(self.config.colour_noise),
            "depth": NoiseChannel(self.config.noise),
        }

    def measure(self) -> RgbdImage:
        """Ideal colours and depths now.

        Raises:
            RenderError: There is no OpenGL; the text says what to install.
        """
        self._check_gl()
        world, view = self.world, self._view()
        colours = worker.draw(
            world.model, self.config.quality, lambda canvas: canvas.colours(world.data, view)
        )
        if self._lens is not None:
            colours = self._lens.resampling.blend(colours)
        return RgbdImage(world.stamp_ns, self.optical_frame, colours, self._depths())

    def _disturb(self, message: RgbdImage, dt: float) -> RgbdImage:
        message = disturb_colours(message, self._channels["data"], dt, self.rng)
        channel = self._channels["depth"]
        if not channel.is_active:
            return message
        return replace(message, depth=channel.apply(message.depth, dt, self.rng).astype(np.float32))

    def points(self, message: RgbdImage) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8]]:
        """The points of an image that have a depth.

        Args:
            message: From this camera.

        Returns:
            Points [m], optical frame, shape (n, 3), and their colours, shape (n, 3).
        """
        points = self.intrinsics.unproject(message.depth)
        seen = np.isfinite(points).all(axis=-1)
        return points[seen], message.data[seen]
