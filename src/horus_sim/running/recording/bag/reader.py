"""ROS 2 bags, message by message: of this program and of real robots."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from horus_sim.errors import MessageError, MissingExtraError, RecordingError
from horus_sim.hub import QoS
from horus_sim.running.recording.bag.contents import BagContents
from horus_sim.running.recording.bag.decoding import decode_cdr
from horus_sim.running.recording.bag.definitions import full_name
from horus_sim.running.recording.bag.metadata import METADATA_FILE, read_metadata
from horus_sim.running.recording.bag.qos_profiles import qos_of
from horus_sim.running.recording.mcap.reader import McapFile, Recorded

_DATABASE = ".db3"
_FORMATS = {1: "ros2msg", 2: "ros2idl"}


class Bag:
    """A ROS 2 bag: a folder with MCAP or sqlite3 files.

    MCAP files are read as far as they go, also without ``metadata.yaml``, as a process leaves them
    that was killed. What rosbag2 itself compressed is unpacked.

    Args:
        path: The folder, or a single ``.db3`` file.

    Attributes:
        path: The folder.
        missing: What the bag lacks, in words; empty where it is whole. Known after reading.

    Raises:
        RecordingError: It cannot be read or is not a bag.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.missing = ""
        metadata = read_metadata(self.path) if self.path.is_dir() else None
        self._has_metadata = metadata is not None
        self._files: list[McapFile] | None = None
        if metadata is not None and metadata.storage == "mcap" and not metadata.is_compressed:
            self._files = [McapFile(self.path / name) for name in metadata.files]
        elif metadata is None and self.path.is_dir():
            self._files = [McapFile(each) for each in sorted(self.path.glob("*.mcap"))]
            if not self._files:
                raise RecordingError(
                    f"'{self.path}' is not a ROS 2 bag: it holds neither {METADATA_FILE} nor files "
                    "that end in .mcap"
                )

    @property
    def files(self) -> list[Path]:
        """Its MCAP files that can be repaired; none for a bag in sqlite3."""
        return [file.path for file in self._files or ()]

    @property
    def duration_ns(self) -> int | None:
        """Time [ns] from first to last message; None where the bag does not tell."""
        if self._files is None:
            with self._opened() as reader:
                return max(0, reader.duration - 1)  # the end that it tells is behind the last one
        spans = [file.span_ns for file in self._files]
        known = [span for span in spans if span is not None]
        if len(known) < len(spans) or not known:
            return None
        return max(end for _, end in known) - min(start for start, _ in known)

    def topics(self) -> set[str]:
        """Names of the topics, as on the hub."""
        if self._files is not None:
            return set().union(*(file.topics() for file in self._files))
        with self._opened() as reader:
            return {each.topic.removeprefix("/") for each in reader.connections}

    def contents(self) -> BagContents:
        """Topics with their types and numbers of messages, and from when to when they go.

        Raises:
            RecordingError: The bag is damaged.
        """
        if self._files is not None:
            return self._indexed_contents(self._files) or BagContents.of(self.read())
        with self._opened() as reader:
            counts = {
                (each.topic.removeprefix("/"), full_name(each.msgtype)): each.msgcount
                for each in reader.connections
            }
            if not reader.message_count:
                return BagContents(counts, 0, 0)
            return BagContents(counts, reader.start_time, reader.end_time - 1)

    def _indexed_contents(self, files: list[McapFile]) -> BagContents | None:
        """The same out of the index of each file; None where one has none."""
        total: Counter[tuple[str, str]] = Counter()
        spans: list[tuple[int, int]] = []
        for file in files:
            counts, span = file.counts(), file.span_ns
            if counts is None or span is None:
                return None
            total.update({(topic, full_name(name)): n for (topic, name), n in counts.items()})
            spans += [span] if counts else []
        self.missing = self._lacks_metadata()
        start_ns = min((start for start, _ in spans), default=0)
        return BagContents(dict(total), start_ns, max((end for _, end in spans), default=0))

    def _lacks_metadata(self) -> str:
        return "" if self._has_metadata else f"its {METADATA_FILE} is missing"

    def read(self, topics: Collection[str] | None = None) -> Iterator[Recorded]:
        """The messages in the order in which they were recorded.

        Args:
            topics: Only these, as on the hub; all unless given.

        Raises:
            RecordingError: The bag is damaged.
        """
        if self._files is None:
            yield from self._read_by_rosbags(topics)
            return
        lacks = [self._lacks_metadata()] * (not self._has_metadata)
        for file in self._files:
            yield from file.read(topics)
            if file.missing:
                lacks.append(f"of {file.path.name}, {file.missing}")
        self.missing = "; ".join(lacks)

    def _read_by_rosbags(self, topics: Collection[str] | None) -> Iterator[Recorded]:
        with self._opened() as reader:
            wanted = [
                each
                for each in reader.connections
                if topics is None or each.topic.removeprefix("/") in topics
            ]
            qos = {each.id: _qos(each) for each in wanted}
            definitions = {each.id: _definition(each) for each in wanted}
            for connection, stamp_ns, data in reader.messages(wanted) if wanted else ():
                topic, name = connection.topic.removeprefix("/"), full_name(connection.msgtype)
                held = bytes(data)
                try:
                    value = decode_cdr(topic, name, definitions[connection.id], "", held)
                except MessageError as error:
                    raise RecordingError(
                        f"'{self.path}' is damaged: a message on {topic!r:.80} at "
                        f"{stamp_ns * 1e-9:.3f} s cannot be read: {error}"
                    ) from error
                yield Recorded(topic, stamp_ns, value, name, held, qos[connection.id])

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        try:
            from rosbags.rosbag2 import Reader, ReaderError
        except ImportError as error:  # pragma: no cover - depends on what is installed
            raise MissingExtraError("rosbags", "record") from error
        try:
            with Reader(self.path) as reader:
                yield reader
        except (ReaderError, OSError, sqlite3.Error) as error:
            cause = " ".join(str(error).split()) or type(error).__name__
            raise RecordingError(f"'{self.path}' cannot be read: {cause:.300}") from error


def open_recording(path: Path | str) -> McapFile | Bag:
    """A recording: an MCAP file, the folder of a ROS 2 bag, or one of its ``.db3`` files.

    Raises:
        RecordingError: It cannot be read, or is none of these.
    """
    path = Path(path)
    return Bag(path) if path.is_dir() or path.suffix == _DATABASE else McapFile(path)


def _definition(connection: Any) -> tuple[str, bytes]:  # noqa: ANN401 - of rosbags
    found = connection.msgdef
    return _FORMATS.get(found.format.value, ""), found.data.encode()


def _qos(connection: Any) -> QoS | None:  # noqa: ANN401 - of rosbags
    return qos_of(
        [
            {
                "history": each.history.name.lower(),
                "depth": each.depth,
                "reliability": each.reliability.name.lower(),
                "durability": each.durability.name.lower(),
            }
            for each in connection.ext.offered_qos_profiles
        ]
    )
