"""What sensors measure, for views and panels: clouds, pictures and read-outs."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horus_sim.hub.messages import DepthImage, LaserScan, PointCloud, RgbdImage, SegmentationImage
from horus_sim.hub.messages import Image as ColourImage
from horus_sim.ui.stream.frames import cloud_frame, header

if TYPE_CHECKING:
    from horus_sim.sim3d import World
    from horus_sim.ui.stream.streaming import Stream

_MOST_FIELDS = 24


@dataclass(frozen=True, slots=True)
class Reading:
    """The last message of a sensor.

    Attributes:
        name: Name of the sensor.
        kind: What it measures.
        frame: Frame that it measures in.
        message: Last message of the sensor, or None before the first.
    """

    name: str
    kind: str
    frame: str
    message: Any = field(default=None, repr=False)


class SensorStream:
    """Reads sensors as often as there are frames, and shares what they give.

    Args:
        stream: Stream that carries clouds and pictures.

    Attributes:
        readings: Last messages by name of the sensor; replaced as a whole.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._sent: dict[str, int] = {}
        self._world: World | None = None
        self.readings: dict[str, Reading] = {}
        self.is_watched = False

    def publish(self, world: World) -> None:
        """Reads what is wanted; the thread of the simulation calls this."""
        sensors = world.sensors
        clouds, pictures = self._stream.is_wanted("cloud"), self._stream.is_wanted("image")
        if self._world is not world:
            # Sensors of the same names count anew in another world.
            self._world = world
            self._sent.clear()
        if not sensors:
            self.readings = {}
        if not sensors or not (clouds or pictures or self.is_watched):
            return
        found: dict[str, Reading] = {}
        for number, (name, sensor) in enumerate(sensors.items()):
            # Before its first message a sensor would measure at each look.
            message = sensor.read() if sensor.sequence else None
            found[name] = Reading(name, str(sensor.config.kind), sensor.frame, message)
            if message is None:
                continue
            cloud_is_new = clouds and self._is_new(f"cloud {name}", sensor.sequence)
            picture_is_new = pictures and self._is_new(f"image {name}", sensor.sequence)
            if cloud_is_new and (points := points_of(message)) is not None:
                T = sensor.T_world_sensor
                cloud = cloud_frame(T.transform_points(points), T.translation, world.time, number)
                self._stream.publish(f"cloud:{number}", cloud)
            if picture_is_new and (image := picture_of(message)) is not None:
                picture = header(number, world.time) + image
                self._stream.publish(f"image:{number}", picture)
        self.readings = found

    def _is_new(self, what: str, sequence: int) -> bool:
        is_new = self._sent.get(what) != sequence
        self._sent[what] = sequence
        return is_new


def points_of(message: object) -> npt.NDArray[np.float64] | None:
    """The points of a scan or a cloud [m], sensor frame, shape (n, 3); None for other messages."""
    if isinstance(message, PointCloud):
        points = message.points.astype(np.float64)
        return points[np.isfinite(points).all(axis=1)]
    if not isinstance(message, LaserScan):
        return None
    ranges = np.asarray(message.ranges, dtype=float)
    angles = message.angle_min + message.angle_increment * np.arange(len(ranges))
    hits = np.isfinite(ranges) & (ranges > 0) & (ranges <= message.range_max)
    ranges, angles = ranges[hits], angles[hits]
    return np.stack((ranges * np.cos(angles), ranges * np.sin(angles), np.zeros_like(ranges)), 1)


def picture_of(message: object) -> bytes | None:
    """A message with pixels as a file that browsers show; None for other messages.

    Colours are JPEG. Distances are grey, near is bright. Labels are coloured.
    """
    from PIL import Image

    match message:
        case ColourImage() | RgbdImage():
            pixels = _colours(message.data, getattr(message, "encoding", "rgb8"))
        case DepthImage():
            pixels = _grey(message.depth)
        case SegmentationImage():
            pixels = _labels(message.labels)
        case _:
            return None
    target = io.BytesIO()
    Image.fromarray(pixels).save(target, format="JPEG", quality=85)
    return target.getvalue()


def values_of(message: object) -> dict[str, list[float]]:
    """The numbers of a message by field, short ones only: what can be shown and plotted."""
    found: dict[str, list[float]] = {}
    for name in getattr(message, "FIELDS", ()):
        value = getattr(message, name)
        if isinstance(value, bool | int | float) and name != "stamp_ns":
            found[name] = [float(value)]
        elif isinstance(value, tuple | list | np.ndarray):
            flat = np.asarray(value).reshape(-1)
            if 0 < flat.size <= 9 and np.issubdtype(flat.dtype, np.number):
                found[name] = [float(item) for item in flat]
    return dict(list(found.items())[:_MOST_FIELDS])


def _colours(pixels: npt.NDArray[np.uint8], encoding: str) -> npt.NDArray[np.uint8]:
    """Red, green and blue."""
    if encoding == "mono8":
        return np.repeat(pixels, 3, axis=2)
    colours = pixels[:, :, 2::-1] if encoding == "bgr8" else pixels[:, :, :3]
    return np.ascontiguousarray(colours)


def _grey(distances: npt.NDArray[np.floating]) -> npt.NDArray[np.uint8]:
    known = np.isfinite(distances)
    if not known.any():
        return np.zeros(distances.shape, dtype=np.uint8)
    far = float(distances[known].max()) or 1.0
    shares = np.where(known, 1.0 - distances / far, 0.0)
    return (255 * np.clip(shares, 0.0, 1.0)).astype(np.uint8)


def _labels(labels: npt.NDArray) -> npt.NDArray[np.uint8]:
    numbers = labels.astype(np.int64)
    # Far apart in colour for neighbouring labels; 0 and below is black.
    colours = np.stack((numbers * 97 % 223, numbers * 57 % 229, numbers * 131 % 211), axis=-1) + 32
    return np.where(numbers[..., None] > 0, colours, 0).astype(np.uint8)


def is_picture(kind: str) -> bool:
    """Whether sensors of that kind make pictures."""
    return kind == "camera" or kind.endswith("_camera")
