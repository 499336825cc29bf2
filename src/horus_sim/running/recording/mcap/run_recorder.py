"""What recorders of a running world share: a file for each run, and files that fail."""

from __future__ import annotations

import abc
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Protocol, Self, cast

from horus_sim.errors import RecordingError
from horus_sim.running.recording.command_log import plain_entry
from horus_sim.running.recording.foxglove.compression import PACKINGS, Packing
from horus_sim.running.recording.foxglove.sdk import MCAPWriteOptions, foxglove
from horus_sim.running.recording.mcap.guarded_file import GuardedFile
from horus_sim.running.topic_plan import COMMAND_LOG_TOPIC

if TYPE_CHECKING:
    from horus_sim.running.world.stepped_world import SteppedWorld

_log = logging.getLogger("horus_sim.hub")
# So much is lost at most when the process is killed.
_CHUNK_BYTES = 1 << 18
_CHUNK_S = 1.0


class RunChannels(Protocol):
    """Writes the messages of one run into a context of foxglove's.

    Attributes:
        context: Joins channels with the file.
        counts: Messages by topic.
    """

    context: Any
    counts: dict[str, int]

    def log(self, topic: str, message: Any, stamp_ns: int) -> bool:  # noqa: ANN401 - any message
        """Writes a message; False where it has no form in such a file, and is left out."""
        ...

    def close(self) -> None:
        """Ends all channels."""


class RunRecorder(abc.ABC):
    """Writes every message of a running world; stamps are simulated time.

    A reset begins a new recording, since time starts again. When a file cannot be written, as on a
    full disk, the recording ends with `error`, and the simulation goes on; what was written before
    can be read.

    Args:
        path: The first recording.
        open_file: Opens a path for writing.
        images: How pictures are packed: 'raw' and 'png' keep every bit, 'jpeg' is small.
        clock: Gives the time [s]; after each second, what came meanwhile is written to the file.

    Attributes:
        path: The recording of the current run.
        paths: Those of all runs.
        error: Why the recording ended early, or None.
        messages: Messages that were written, in all recordings.
    """

    PROFILE: ClassVar[str]
    """What an MCAP file says about its messages."""

    def __init__(
        self,
        path: Path | str,
        open_file: Callable[[Path], BinaryIO] | None = None,
        images: Packing = "raw",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if images not in PACKINGS:
            raise RecordingError(
                f"pictures cannot be packed as {images!r}; choose one of {', '.join(PACKINGS)}"
            )
        self._images: Packing = images
        self._first = Path(path)
        self.path = self._first
        self.paths: list[Path] = []
        self.error: RecordingError | None = None
        self.messages = 0
        self._open_file = open_file or (lambda path: path.open("wb"))
        self._clock = clock
        self._written_at = clock()
        self._number = 1
        self._file: GuardedFile | None = None
        self._writer: Any = None
        self._channels: RunChannels | None = None
        # Now rather than in the middle of the run.
        try:
            self._begin_file(self._first)
        except OSError as error:
            raise RecordingError(
                f"'{self.path}' cannot be written: {error.strerror or error}; choose another file"
            ) from error

    @abc.abstractmethod
    def _new_channels(self) -> RunChannels:
        """Takes the messages of a run."""

    @abc.abstractmethod
    def _numbered(self, number: int) -> Path:
        """The recording of a later run."""

    def _prepare(self, path: Path) -> Path:
        """Makes room for a recording, and gives its MCAP file."""
        return path

    def _complete(self, path: Path) -> None:  # noqa: B027 - many have nothing to add
        """Adds what belongs to a recording whose file was ended."""

    def begin_run(self, world: SteppedWorld) -> None:  # noqa: ARG002 - a sink
        """Begins a new file, unless nothing was written to the first one yet."""
        if self.error is not None:
            return
        if self._channels is not None and self._channels.counts:
            self._end_file()
            if self.error is None:
                self._begin_next_file()

    def log(self, topic: str, message: Any, stamp_ns: int) -> None:  # noqa: ANN401 - any message
        """Writes a message."""
        if topic == COMMAND_LOG_TOPIC:
            message = plain_entry(message)
        self._write(topic, message, stamp_ns)

    def close(self) -> None:
        """Ends the file."""
        if self._writer is not None:
            self._end_file()

    def summary(self) -> str:
        """What became of it, in one line."""
        names = ", ".join(str(path) for path in self.paths)
        text = f"recorded {self.messages} messages to {names}"
        return text if self.error is None else f"{text}; {self.error}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin_next_file(self) -> None:
        """Begins the file of another run; a failure ends the recording, as a full disk does."""
        path = self._first
        while path == self._first or path.exists():
            self._number += 1
            path = self._numbered(self._number)
        try:
            self._begin_file(path)
        except OSError as error:
            self._fail(path, error)

    def _begin_file(self, path: Path) -> None:
        self.path = path
        self._file = GuardedFile(self._open_file(self._prepare(path)))
        self.paths.append(self.path)
        self._channels = self._new_channels()
        self._writer = foxglove.open_mcap(
            cast("Any", self._file),
            context=self._channels.context,
            writer_options=MCAPWriteOptions(
                profile=self.PROFILE,
                chunk_size=_CHUNK_BYTES,
                # A chunk is then written at once, so that a file that ends early can be read.
                disable_seeking=True,
                compression_threads=0,
            ),
        )

    def _write(self, topic: str, message: Any, stamp_ns: int) -> None:  # noqa: ANN401
        if self._channels is None or self._file is None or self.error is not None:
            return
        is_written = self._channels.log(topic, message, stamp_ns)
        now = self._clock()
        if now - self._written_at >= _CHUNK_S:
            self._written_at = now
            self._writer.flush()
        if self._file.error is not None:
            self._end_file()
        elif is_written:
            self.messages += 1

    def _end_file(self) -> None:
        if self._writer is None or self._file is None or self._channels is None:
            return
        writer, file = self._writer, self._file
        self._writer = None
        writer.close()
        self._channels.close()
        file.close()
        if file.error is not None:
            self._fail(self.path, file.error)
            return
        try:
            self._complete(self.path)
        except OSError as error:
            self._fail(self.path, error)

    def _fail(self, path: Path, error: OSError) -> None:
        self.error = RecordingError(
            f"the recording '{path}' ended early: {error.strerror or error}; what was written "
            "before can be replayed; free some space or record to another place"
        )
        _log.error("%s", self.error)
