"""What a world was told, step by step: enough to do it all again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horus_sim.errors import RecordingError
from horus_sim.files.whole_file import write_whole
from horus_sim.hub import Message
from horus_sim.hub.json_form import from_plain, to_text
from horus_sim.hub.message_types import message_type
from horus_sim.hub.messages import String
from horus_sim.running.topic_plan import COMMAND_LOG_TOPIC

if TYPE_CHECKING:
    from horus_sim.running.world.stepped_world import SteppedWorld

Entry = dict[str, Any]
_MOST_STEPS = 10**11  # years
_RECORDINGS = (".mcap", ".db3")
_ENDS = ("end", "reset", "state set")


@dataclass(slots=True)
class CommandLog:
    """Commands and requests with the numbers of the steps before which they were taken in.

    Give it to `RunningWorld.add_outlet`, or read one with `load`; `replay_commands` does it again.

    Attributes:
        entries: The entries in their order. Each has ``kind`` ('start', 'command', 'spawn',
            'remove', 'reset', 'state', 'state set' or 'end') and ``step``; 'start', 'state' and
            'end' hold a digest of the state. 'state set' is where the world was set to another
            state by itself; a new run begins there.
    """

    entries: list[Entry] = field(default_factory=list)

    @property
    def has_end(self) -> bool:
        """Whether the last run was ended properly, and not by a kill or a full disk."""
        return bool(self.entries) and self.entries[-1]["kind"] in _ENDS

    @property
    def simulator(self) -> str:
        """With what it was made: 'sim3d' or 'sim2d'."""
        start = next((entry for entry in self.entries if entry["kind"] == "start"), {})
        return str(start.get("simulator", "sim3d"))

    def begin_run(self, world: SteppedWorld) -> None:
        """Nothing to do: the running world notes the start."""

    def log(self, topic: str, message: Any, stamp_ns: int) -> None:  # noqa: ANN401, ARG002 - a sink
        """Takes an entry."""
        if topic == COMMAND_LOG_TOPIC:
            self.entries.append(plain_entry(message))

    def close(self) -> None:
        """Nothing to do."""

    def save(self, path: Path | str) -> None:
        """Writes one entry a line, as JSON.

        Raises:
            RecordingError: The file cannot be written.
        """
        text = "".join(f"{to_text(entry)}\n" for entry in self.entries)
        write_whole(Path(path), text, RecordingError)

    @classmethod
    def load(cls, path: Path | str) -> CommandLog:
        """Reads a log: one that `save` wrote, or the one inside an MCAP file or a ROS 2 bag.

        Raises:
            RecordingError: The file holds no log.
        """
        path = Path(path)
        if path.suffix in _RECORDINGS or path.is_dir():
            from horus_sim.running.recording.bag.reader import open_recording

            topics = (COMMAND_LOG_TOPIC,)
            found = open_recording(path).read(topics)
            return cls.of((_recorded_entry(each.value) for each in found), path)
        try:
            lines = path.read_text().splitlines()
            return cls.of((json.loads(line) for line in lines if line.strip()), path)
        except (OSError, ValueError) as error:
            raise RecordingError(f"'{path}' is not a log of commands: {error}") from error

    @classmethod
    def of(cls, entries: Iterable[Any], path: Path) -> CommandLog:
        """A log of these entries, which are checked.

        Raises:
            RecordingError: One of them does not fit, or there is none.
        """
        found = list(entries)
        for entry in found:
            if (
                not isinstance(entry, dict)
                or "kind" not in entry
                or not _is_step(entry.get("step"))
            ):
                raise RecordingError(
                    f"'{path}' is not a log of commands: {entry!r:.80} is not an entry"
                )
        if not found:
            raise RecordingError(
                f"'{path}' holds no commands; record with `sim3d --record`, or with an "
                "McapRecorder as outlet of a RunningWorld"
            )
        return cls(found)


def _recorded_entry(value: object) -> object:
    """An entry as it was written; a bag that another program copied has it as plain text."""
    if isinstance(value, String):
        try:
            return json.loads(value.data)
        except ValueError:
            return value.data
    return value


def _is_step(value: object) -> bool:
    return type(value) is int and 0 <= value <= _MOST_STEPS


def plain_entry(entry: Entry) -> Entry:
    """An entry as plain data: a message becomes its type's name and its fields."""
    message = entry.get("message")
    if not isinstance(message, Message):
        return entry
    rest = {key: value for key, value in entry.items() if key != "message"}
    return rest | {"type": message.NAME, "fields": json.loads(to_text(message))}


def entry_message(entry: Entry) -> Message:
    """The message of a 'command'.

    Raises:
        RecordingError: Its type is unknown.
    """
    kind = message_type(str(entry.get("type")))
    if kind is None:
        raise RecordingError(
            f"the log has a command of type {entry.get('type')!r} at step {entry['step']}, which "
            "this version does not know"
        )
    fields = dict(entry["fields"])
    if "stamp_ns" not in kind.FIELDS:
        fields.pop("stamp_ns", None)  # commands to drive had one in earlier versions
    return from_plain(kind, fields)
