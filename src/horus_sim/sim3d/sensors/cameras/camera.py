"""A colour camera: configuration and sensor."""

from __future__ import annotations

from typing import ClassVar, Literal

from horus_sim.hub.messages import Image
from horus_sim.sim3d.rendering.render_worker import Quality
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.cameras.camera_base import CameraBase, CameraBaseConfig
from horus_sim.sim3d.sensors.noise import NoiseConfig


class RgbCameraConfig(CameraBaseConfig):
    """A colour camera.

    Attributes:
        quality: 'fast', or 'nice' with smooth edges, with shadows of lamps that cast any and with
            reflections.
        noise: Noise of the values of each channel, from 0 to 255.
    """

    kind: Literal["camera"] = "camera"
    name: Name = "camera"
    quality: Quality = "fast"
    noise: NoiseConfig = NoiseConfig()


class RgbCamera(CameraBase[RgbCameraConfig, Image], config=RgbCameraConfig):
    """A colour camera in a world."""

    NOISE: ClassVar = {"data": "noise"}

    def measure(self) -> Image:
        """A picture now.

        Raises:
            RenderError: OpenGL is to draw, and is not there; the text says what to install.
        """
        return Image(self.world.stamp_ns, self.optical_frame, self._colours(self.config.quality))
