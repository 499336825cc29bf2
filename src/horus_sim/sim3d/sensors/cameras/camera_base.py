"""What all cameras share: projection, frames, clipping, and how they see without OpenGL.

Pictures take long to draw, and many are never looked at. So one that nobody listens for waits: the
camera keeps the world as it is when the picture is due, and draws when somebody reads. For that
every picture has random numbers of its own, and who looks makes no difference to what is seen.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from horus_sim.errors import RenderError
from horus_sim.files.config import Finite, Positive
from horus_sim.hub.messages import CameraInfo
from horus_sim.robots.frame_name import frame_name
from horus_sim.sim3d.rendering.gl import choose_backend
from horus_sim.sim3d.rendering.intrinsics import Intrinsics
from horus_sim.sim3d.rendering.render_worker import Quality, View, worker
from horus_sim.sim3d.sensors.cameras.lens import Lens
from horus_sim.sim3d.sensors.cameras.past_world import PastWorld
from horus_sim.sim3d.sensors.cameras.ray_colours import RayColours
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld
from horus_sim.sim3d.sensors.rays.caster import RayHits
from horus_sim.sim3d.sensors.rays.ray_sensor import RayView
from horus_sim.sim3d.sensors.sensor import MessageT, Sensor, SensorConfig
from horus_sim.tf import Transform

Floats = npt.NDArray[np.float64]
Row = tuple[Finite, Finite, Finite]

T_SENSOR_OPTICAL = Transform((0.0, 0.0, 0.0), (-0.5, 0.5, -0.5, 0.5))
"""Of a sensor that looks along x with z up: x right, y down, z forward."""

_R_SENSOR_OPTICAL = np.array(((0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)))
_MOST_RAYS = 20_000
_NO_LENS = (0.0, 0.0, 0.0, 0.0, 0.0)
_log = logging.getLogger("horus_sim.sim3d")


class CameraBaseConfig(SensorConfig):
    """What all cameras are configured with.

    Attributes:
        width: Width of the images [pixels].
        height: Height of the images [pixels].
        fov_deg: Horizontal field of view, from edge to edge of the image [deg].
        K: Pinhole matrix [pixels] instead of a field of view, three rows.
        distortion: k1, k2, p1, p2, k3 of the lens (model 'plumb_bob').
        near: What is nearer is cut away [m], along the optical axis.
        far: What is farther is cut away [m], along the optical axis.
        backend: 'gl' draws with OpenGL. 'rays' casts a ray for each pixel: depth and labels are
            exact, colours plain with simple shading. 'auto' draws, and where there is no OpenGL
            casts rays for a smaller image, with a warning.
    """

    backend: Literal["auto", "gl", "rays"] = "auto"
    rate_hz: Positive = 30.0
    width: Annotated[int, Field(ge=1, le=4096)] = 640
    height: Annotated[int, Field(ge=1, le=4096)] = 480
    fov_deg: Annotated[Finite, Field(gt=0, lt=170)] = 80.0
    K: tuple[Row, Row, Row] | None = None
    distortion: tuple[Finite, Finite, Finite, Finite, Finite] | None = None
    near: Positive = 0.05
    far: Positive = 1000.0

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.near >= self.far:
            raise ValueError("'near' must be less than 'far'")
        if self.K is None:
            return self
        if "fov_deg" in self.model_fields_set:
            raise ValueError("give 'fov_deg' or 'K', not both")
        (fx, skew, _), (zero, fy, _), last = self.K
        if fx <= 0 or fy <= 0 or skew != 0 or zero != 0 or last != (0.0, 0.0, 1.0):
            raise ValueError("'K' is [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] with positive fx and fy")
        return self

    @property
    def intrinsics(self) -> Intrinsics:
        """Projection of the images."""
        if self.K is not None:
            return Intrinsics.from_matrix(self.width, self.height, self.K, self.distortion)
        fov = float(np.deg2rad(self.fov_deg))
        return Intrinsics.from_fov(self.width, self.height, fov, self.distortion)


CameraT = TypeVar("CameraT", bound=CameraBaseConfig)


class CameraBase(Sensor[CameraT, MessageT]):
    """A camera in a world; its messages are in the optical frame.

    The sensor's own frame looks along x with z up; the optical frame, a child of it, has x to the
    right, y down and z forward, as in REP 103.

    Attributes:
        backend: 'gl' where OpenGL draws, 'rays' where rays are cast instead.
        intrinsics: Projection of the images with their lens; that of smaller ones where rays stand
            in for OpenGL.
    """

    TOPIC_END = "/image_raw"

    def __init__(self, world: MeasuredWorld, config: CameraT) -> None:
        self.backend: Literal["gl", "rays"] = "rays" if config.backend == "rays" else "gl"
        self.intrinsics = config.intrinsics
        self._gl_error: RenderError | None = None
        self._has_warned = False
        self._past: PastWorld | None = None
        self._waiting: float | None = None  # time since the picture before [s]
        self._pictures = 0
        if self.backend == "gl":
            try:
                choose_backend()
            except RenderError as error:
                self._gl_error = error
        if self._gl_error is not None and config.backend == "auto":
            self.backend = "rays"
            factor = _reduction(config.width, config.height)
            self.intrinsics = self.intrinsics.reduced(factor)
        self._lens = None if config.distortion is None else Lens(self.intrinsics)
        super().__init__(world, config)
        if self.backend == "rays" and self._gl_error is not None:
            _log.warning(
                "camera '%s' casts rays for %d by %d pixels instead of %d by %d, in plain colours "
                "with simple shading: %s",
                self.name, self.intrinsics.width, self.intrinsics.height, config.width,
                config.height, self._gl_error,
            )  # fmt: skip

    @property
    def optical_frame(self) -> str:
        """Frame of its images in ``world.tf``."""
        return frame_name(f"{self.frame}_optical_frame")

    @property
    def T_world_optical(self) -> Transform:
        """Pose of the optical frame in the world now."""
        return self.T_world_sensor @ T_SENSOR_OPTICAL

    def info(self) -> CameraInfo:
        """How it projects."""
        projection = self.intrinsics
        # Programs of ROS rectify no pictures whose model they do not know: without a lens it is
        # that of one which bends nothing.
        lens = np.array(self.config.distortion or _NO_LENS), "plumb_bob"
        size = projection.width, projection.height
        return CameraInfo(self.world.stamp_ns, self.optical_frame, *size, projection.K, *lens)

    def read(self) -> MessageT:
        """The newest picture that is available; it may be drawn only now.

        Raises:
            RenderError: OpenGL is to draw, and is not there; the text says what to install.
        """
        self._settle()
        return super().read()

    def reset(self, seed: int | None = None) -> None:
        """Starts again: no picture yet."""
        self._waiting = None
        super().reset(seed)

    def get_state(self) -> dict[str, Any]:
        """All that decides what it says from now on, as plain data."""
        self._settle()
        return super().get_state()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Continues from what `get_state` gave."""
        self._waiting = None
        super().set_state(state)

    def rebind(self) -> None:
        """Finds its mount in a world whose model was replaced."""
        self._settle()
        super().rebind()

    def detach(self) -> None:
        """Takes its frames out of the tree."""
        if self.world.tf.has_frame(self.optical_frame):
            self.world.tf.remove_frame(self.optical_frame)
        super().detach()

    def _add_frame(self) -> None:
        super()._add_frame()
        self.world.tf.add_static_transform(self.frame, self.optical_frame, T_SENSOR_OPTICAL)

    def _take(self, stamp_ns: int) -> None:
        if self._gl_error is not None and self.backend == "gl":
            # A world goes on without its pictures; who reads them gets the error.
            if not self._has_warned:
                _log.warning("camera '%s' takes no pictures: %s", self.name, self._gl_error)
                self._has_warned = True
            return
        self._pictures += 1
        self.rng = self._stream(self._pictures)
        self._waiting = None
        if not self._may_wait:
            super()._take(stamp_ns)
            return
        if self._past is None or self._past.model is not self.world.model:
            self._past = PastWorld(self.world)
        self._past.keep(self.world)
        self._waiting = self._elapsed(stamp_ns)
        self._taken_ns = stamp_ns
        self.sequence += 1
        self._arrived_step = self.world.steps

    @property
    def _may_wait(self) -> bool:
        """Whether a picture may be drawn later: nobody hears of it, and the next needs nothing."""
        config = self.config
        is_late = config.latency > 0.0 or config.loss > 0.0
        is_heard = bool(self.audience or self.listeners)
        walks = any(channel.walks for channel in self._channels.values())
        return self.backend == "gl" and not (is_heard or is_late or walks)

    def _settle(self) -> None:
        """Draws the picture that waits, as the world was when it was due."""
        if self._waiting is None:
            return
        present, self.world = self.world, cast("MeasuredWorld", self._past)
        try:
            message = self.measure()
        finally:
            self.world = present
        self._last = self._disturb(message, self._waiting)
        self._waiting = None

    def _own_state(self) -> int:
        return self._pictures

    def _set_own_state(self, state: Any) -> None:  # noqa: ANN401 - as `_own_state` gave it
        self._pictures = 0 if state is None else int(state)

    @property
    def _shape(self) -> tuple[int, int]:
        """Height and width of the images."""
        return self.intrinsics.height, self.intrinsics.width

    def _view(self) -> View:
        """What is drawn, from which the lens then takes the image."""
        position, R_world_sensor = self._pose()
        ideal = self.intrinsics if self._lens is None else self._lens.ideal
        R_world_optical = R_world_sensor @ _R_SENSOR_OPTICAL
        return View(ideal, position, R_world_optical, self.config.near, self.config.far)

    def _bind(self) -> None:
        self._rays: RayView | None = None
        self._palette: RayColours | None = None

    def _colours(self, quality: Quality) -> npt.NDArray[np.uint8]:
        """What is seen through the lens, shape (height, width, 3).

        Args:
            quality: Quality of the picture, where OpenGL draws it.

        Raises:
            RenderError: OpenGL is to draw, and is not there; the text says what to install.
        """
        if self.backend == "rays":
            return self._cast_colours(self._cast()[1])
        if self._gl_error is not None:
            raise self._gl_error
        world, view = self.world, self._view()
        image = worker.draw(world.model, quality, lambda canvas: canvas.colours(world.data, view))
        return image if self._lens is None else self._lens.resampling.blend(image)

    def _cast_colours(self, hits: RayHits) -> npt.NDArray[np.uint8]:
        """Colours of what the rays of all pixels met, shape (height, width, 3)."""
        if self._palette is None:
            self._palette = RayColours(self.world.model)
        return self._palette.of(hits).reshape(*self._shape, 3)

    def _noisy(self, channel: str, value: npt.ArrayLike, dt: float) -> npt.NDArray[Any]:
        values = super()._noisy(channel, value, dt)
        if channel != "data":
            return values
        # Colours are whole numbers; a pixel that dropped out is black.
        return np.rint(np.clip(np.nan_to_num(values), 0.0, 255.0)).astype(np.uint8)

    def _cast(self) -> tuple[Floats, RayHits]:
        """What each pixel sees by its ray through the lens: depth [m], shape (n,), and hits."""
        directions = self.intrinsics.unproject(np.ones(self._shape)).reshape(-1, 3)
        is_blind = np.isnan(directions).any(axis=1)
        directions[is_blind] = (0.0, 0.0, 1.0)
        lengths = np.linalg.norm(directions, axis=1)
        if self._rays is None:
            pose = self._p_body_sensor, self._R_body_sensor
            unit = (directions / lengths[:, None]) @ _R_SENSOR_OPTICAL.T
            self._rays = RayView(self.world, self.mount, pose, unit, "link", "visual")
        position, R_world_sensor = self._pose()
        hits = self._rays.cast(position, R_world_sensor, self.config.far * float(lengths.max()))
        depth = hits.distances / lengths
        outside = (depth < self.config.near) | (depth > self.config.far) | is_blind
        depth[outside] = np.inf
        hits.geoms[outside] = -1
        return depth, hits


def _reduction(width: int, height: int) -> int:
    """By which whole number an image is made smaller until its rays are few enough."""
    factor = 1
    while (width // factor) * (height // factor) > _MOST_RAYS and min(width, height) > factor:
        factor += 1
    return factor
