"""Videos of a world: MP4 or GIF, in simulated time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.errors import HorusError, MissingExtraError, RecordingError, RenderError
from horus_sim.files.whole_file import replacing, whole_file
from horus_sim.running.outlets.due_times import Due
from horus_sim.running.recording.mcap.guarded_file import GuardedFile
from horus_sim.sim3d.recording.viewpoint import camera_sensors, check_camera
from horus_sim.sim3d.rendering.gl import choose_backend
from horus_sim.sim3d.scene.base import Config, Finite

if TYPE_CHECKING:
    from horus_sim.sim3d.world.world import World

_log = logging.getLogger("horus_sim.hub")
_REMEDY = "free some space or film to another place"
_FORMATS = (".mp4", ".gif")


class VideoConfig(Config):
    """How a video is made.

    Attributes:
        camera: Name of a camera or of a camera sensor; a free view of the whole unless given.
        width: [pixels]; even for MP4.
        height: [pixels]; even for MP4.
        fps: Pictures in a second of simulated time; a GIF plays at most 50.
    """

    camera: str | None = None
    width: Annotated[int, Field(ge=16, le=4096)] = 640
    height: Annotated[int, Field(ge=16, le=4096)] = 480
    fps: Annotated[Finite, Field(gt=0, le=240)] = 30.0


class VideoRecorder:
    """Films a world; call `after_step` after every step, as an observer of a `RunningWorld` does.

    When the file cannot be written, as on a full disk, the video ends with `error`, an old film of
    that name stays, and the simulation goes on.

    Args:
        world: The world.
        path: The file, .mp4 or .gif; one that exists is replaced by `close`. The pictures of a GIF
            are kept in memory until then.
        config: Camera, size and rate.
        open_file: Opens a path for writing; as a whole file unless given.

    Attributes:
        frames: Pictures that were taken.
        error: Why the video ended early or was not written, or None.

    Raises:
        RenderError: There is no OpenGL; the text says what to install.
        RecordingError: The file cannot be written or has another ending.
        SceneError: There is no such camera.
    """

    def __init__(
        self,
        world: World,
        path: Path | str,
        config: VideoConfig | None = None,
        open_file: Callable[[Path], AbstractContextManager[BinaryIO]] | None = None,
    ) -> None:
        self.path = Path(path)
        self.config = config or VideoConfig()
        self.frames = 0
        self.error: RecordingError | None = None
        self._is_written = True
        choose_backend()
        check_video_name(self.path)
        if self.config.camera is not None:
            check_camera(world, self.config.camera)
        self._due = Due(self.config.fps)
        first = self._picture(world)
        height, width = first.shape[:2]
        self._place = ExitStack()
        try:
            opened = self._place.enter_context((open_file or replacing)(self.path))
        except OSError as error:
            raise RecordingError(
                f"'{self.path}' cannot be written: {error.strerror or error}; choose another file"
            ) from error
        self._file = GuardedFile(opened)
        kind = _kind(self.path)
        try:
            self._film: _Gif | _Mp4 | None = kind(self._file, width, height, self.config.fps)
        except HorusError:
            with self._place:
                raise

    def after_step(self, world: World) -> None:
        """Takes a picture if it is time to."""
        stamp_ns = world.stamp_ns
        if self._film is None or stamp_ns < self._due.next_ns:
            if stamp_ns == 0:
                # The world was reset: the film goes on.
                self._due.restart()
            return
        self._due.pop(stamp_ns)
        try:
            self._film.add(self._picture(world))
            self.frames += 1
        except RenderError as error:
            self._end(RecordingError(f"the video '{self.path}' ended early: {error}"))
        if self._file.error is not None:
            self._end()

    def close(self) -> None:
        """Ends the video."""
        if self._film is not None:
            self._end()

    def summary(self) -> str:
        """What became of it, in one line."""
        if not self._is_written:
            return f"filmed {self.frames} pictures; {self.error}"
        text = f"filmed {self.frames} pictures to {self.path}"
        return text if self.error is None else f"{text}; {self.error}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _picture(self, world: World) -> npt.NDArray[np.uint8]:
        camera = self.config.camera
        sensor = None if camera is None else camera_sensors(world).get(camera)
        if sensor is not None:
            return sensor.measure().data
        return world.render(camera, self.config.width, self.config.height)

    def _end(self, error: RecordingError | None = None) -> None:
        film, self._film = self._film, None
        if film is not None:
            film.finish()
        self._file.flush()
        try:
            with self._place:
                if self._file.error is not None:
                    raise self._file.error
        except OSError as failure:
            self._is_written = False
            error = RecordingError(
                f"the video '{self.path}' was not written: {failure.strerror or failure}; {_REMEDY}"
            )
        if error is not None:
            self.error = error
            _log.error("%s", error)


def check_video_name(path: Path) -> None:
    """Raises where a file has another ending than videos have.

    Raises:
        RecordingError: It is neither .mp4 nor .gif.
    """
    if path.suffix.lower() not in _FORMATS:
        raise RecordingError(f"a video ends in .mp4 or .gif, not '{path.name}'")


def write_video(path: str | Path, pictures: Sequence[npt.NDArray[np.uint8]], fps: float) -> None:
    """Writes pictures as a video, .mp4 or .gif.

    Args:
        path: The file.
        pictures: At least one, all of shape (height, width, 3).
        fps: Pictures a second.

    Raises:
        RecordingError: The ending is another, or the file cannot be written.
    """
    path = Path(path)
    check_video_name(path)
    if not pictures:
        raise RecordingError(f"'{path}' would be a video of no pictures; give at least one")
    height, width = pictures[0].shape[:2]
    with whole_file(path, RecordingError, _REMEDY) as raw:
        file = GuardedFile(raw)
        writer = _kind(path)(file, width, height, fps)
        for picture in pictures:
            writer.add(picture)
        writer.finish()
        file.flush()
        if file.error is not None:
            raise file.error


def _kind(path: Path) -> type[_Mp4 | _Gif]:
    return _Gif if path.suffix.lower() == ".gif" else _Mp4


class _Mp4:
    """H.264 through PyAV."""

    def __init__(self, file: GuardedFile, width: int, height: int, fps: float) -> None:
        try:
            import av
        except ImportError as error:
            raise MissingExtraError("av", "video") from error
        from fractions import Fraction

        if width % 2 or height % 2:
            raise RecordingError(
                f"an MP4 has even width and height, not {width} by {height}; change them by one"
            )
        self._av: Any = av
        self._container: Any = av.open(file, mode="w", format="mp4")
        rate = Fraction(fps).limit_denominator(1001)
        stream: Any = self._container.add_stream("libx264", rate=rate)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        self._stream = stream

    def add(self, picture: npt.NDArray[np.uint8]) -> None:
        frame = self._av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
        for packet in self._stream.encode(frame):
            self._container.mux(packet)

    def finish(self) -> None:
        for packet in self._stream.encode():
            self._container.mux(packet)
        self._container.close()


class _Gif:
    """An animated GIF through Pillow."""

    def __init__(self, file: GuardedFile, width: int, height: int, fps: float) -> None:  # noqa: ARG002
        self._file = file
        self._pictures: list[Any] = []
        # The format counts in hundredths of a second, and viewers slow down below two.
        self._duration_ms = 10 * max(2, round(100 / fps))

    def add(self, picture: npt.NDArray[np.uint8]) -> None:
        from PIL import Image

        self._pictures.append(Image.fromarray(picture).quantize(256))

    def finish(self) -> None:
        if self._pictures:
            self._pictures[0].save(
                self._file,
                format="GIF",
                save_all=True,
                append_images=self._pictures[1:],
                duration=self._duration_ms,
                loop=0,
            )
        self._pictures = []
