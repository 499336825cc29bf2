"""A camera that knows what it sees: configuration and sensor."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from horus_sim.hub.messages import SegmentationImage
from horus_sim.sim3d.rendering.render_worker import worker
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.cameras.camera_base import CameraBase, CameraBaseConfig
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld

BACKGROUND = "background"


class SegmentationCameraConfig(CameraBaseConfig):
    """A camera that tells things apart.

    Attributes:
        level: What has a label of its own: every 'thing' (a robot or an object), every 'body' (a
            link or an object), or every 'geom' (a single shape).
    """

    kind: Literal["segmentation_camera"] = "segmentation_camera"
    name: Name = "segmentation"
    level: Literal["thing", "body", "geom"] = "thing"


class SegmentationCamera(
    CameraBase[SegmentationCameraConfig, SegmentationImage], config=SegmentationCameraConfig
):
    """A camera that tells things apart, in a world.

    Attributes:
        names: What the labels stand for; the first is the background.
    """

    def _bind(self) -> None:
        super()._bind()
        self.names, self._labels = label_table(self.world, self.config.level)

    def measure(self) -> SegmentationImage:
        """Labels now."""
        labels = self._labels[self.geoms()]
        return SegmentationImage(self.world.stamp_ns, self.optical_frame, labels, self.names)

    def geoms(self) -> npt.NDArray[np.int32]:
        """Index in ``world.model`` of the geom in each pixel, -1 for none, (height, width)."""
        if self.backend == "rays":
            return self._cast()[1].geoms.reshape(self._shape)
        if self._gl_error is not None:
            raise self._gl_error
        world, view = self.world, self._view()
        geoms = worker.draw(world.model, "fast", lambda canvas: canvas.geoms(world.data, view))
        if self._lens is not None:
            geoms = self._lens.resampling.pick(geoms, -1)
        return geoms


def label_table(
    world: MeasuredWorld, level: Literal["thing", "body", "geom"]
) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    """Names of labels, and the label of each geom.

    Returns:
        Names, the background first, and labels, shape (n_geoms + 1,), the last of them for the
        geom -1.
    """
    model = world.model
    if level == "geom":
        names = [model.geom(i).name or f"geom {i}" for i in range(model.ngeom)]
        return (BACKGROUND, *names), np.append(np.arange(1, model.ngeom + 1), 0).astype(np.int32)
    if level == "body":
        names = [model.body(i).name for i in range(model.nbody)]
        of_body = np.arange(1, model.nbody + 1)
    else:
        names = [*world.robots, *world.objects]
        of_body = np.zeros(model.nbody, int)
        for label, robot in enumerate(world.robots.values(), start=1):
            of_body[[robot.body_id(link) for link in robot.link_names]] = label
        for label, item in enumerate(world.objects.values(), start=1 + len(world.robots)):
            of_body[item.body] = label
    return (BACKGROUND, *names), np.append(of_body[model.geom_bodyid], 0).astype(np.int32)
