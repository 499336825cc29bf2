"""A colour camera: configuration and sensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from horus_sim.hub.messages import Image
from horus_sim.sim3d.rendering.render_worker import Quality, worker
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.cameras.camera_base import CameraBase, CameraBaseConfig
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld
from horus_sim.sim3d.sensors.noise import NoiseChannel, NoiseConfig


class RgbCameraConfig(CameraBaseConfig):
    """A colour camera.

    Attributes:
        quality: 'fast', or 'nice' with smooth edges, with shadows of lamps that cast any and with
            reflections.
        noise: Of the values of each channel, from 0 to 255.
    """

    kind: Literal["camera"] = "camera"
    name: Name = "camera"
    quality: Quality = "fast"
    noise: NoiseConfig = NoiseConfig()

    def build(self, world: MeasuredWorld) -> RgbCamera:
        """The sensor, in a world."""
        return RgbCamera(world, self)


class RgbCamera(CameraBase[Image]):
    """A colour camera in a world."""

    config: RgbCameraConfig

    def _make_channels(self) -> Mapping[str, NoiseChannel]:
        return {"data": NoiseChannel(self.config.noise)}

    def measure(self) -> Image:
        """A picture now.

        Raises:
            RenderError: There is no OpenGL; the text says what to install.
        """
        return Image(self.world.stamp_ns, self.optical_frame, self._colours())

    def _colours(self) -> npt.NDArray[np.uint8]:
        self._check_gl()
        world, view = self.world, self._view()
        image = worker.draw(
            world.model, self.config.quality, lambda canvas: canvas.colours(world.data, view)
        )
        return image if self._lens is None else self._lens.resampling.blend(image)

    def _disturb(self, message: Image, dt: float) -> Image:
        return cast("Image", disturb_colours(message, self._channels["data"], dt, self.rng))


def disturb_colours(message: Any, channel: NoiseChannel, dt: float, rng: Any) -> Any:  # noqa: ANN401
    """A message whose pixels have noise; black where one dropped out."""
    if not channel.is_active:
        return message
    values = np.nan_to_num(channel.apply(message.data, dt, rng))
    return replace(message, data=np.rint(np.clip(values, 0.0, 255.0)).astype(np.uint8))
