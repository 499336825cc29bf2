"""The file `metadata.yaml` of a bag."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from horus_sim.errors import RecordingError
from horus_sim.files.whole_file import replacing
from horus_sim.running.recording.bag.channels import HASH_KEY
from horus_sim.running.recording.bag.qos_profiles import QOS_KEY, profiles_from
from horus_sim.running.recording.mcap.records import RecordFile, Summary

METADATA_FILE = "metadata.yaml"
_TOP = "rosbag2_bagfile_information"
_VERSION = 9
_WRITER = "horus-sim"


@dataclass(frozen=True, slots=True)
class BagMetadata:
    """What is needed to open a bag.

    Attributes:
        storage: ``mcap`` or ``sqlite3``.
        is_compressed: Whether files or messages are packed by rosbag2, beside what MCAP does.
        files: Names of its files, in their order.
    """

    storage: str
    is_compressed: bool
    files: tuple[str, ...]


def read_metadata(folder: Path) -> BagMetadata | None:
    """The metadata of a bag; None where the file is missing, as after a kill.

    Raises:
        RecordingError: The file makes no sense.
    """
    path = folder / METADATA_FILE
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))[_TOP]
        names = tuple(PurePosixPath(each).name for each in found["relative_file_paths"])
        return BagMetadata(
            str(found["storage_identifier"]), bool(found.get("compression_mode")), names
        )
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecordingError(f"'{path}' cannot be read: {error.strerror or error}") from error
    except (yaml.YAMLError, LookupError, TypeError, ValueError, AttributeError) as error:
        cause = " ".join(f"{error}".split())
        raise RecordingError(
            f"'{path}' is not the metadata of a ROS 2 bag: {cause:.200}; remove it, and "
            "'replay repair' writes it again"
        ) from error


def write_metadata(folder: Path, files: list[Path]) -> None:
    """Writes the metadata of a bag of MCAP files, which must be whole.

    Args:
        folder: The bag.
        files: Its files, in their order.

    Raises:
        OSError: A file cannot be read, or the metadata not written.
    """
    summaries = [(path, _summary(path)) for path in files]
    spans = [_span(path, summary) for path, summary in summaries]
    counted = [span for span in spans if span["message_count"]] or spans
    start_ns = min((_start(span) for span in counted), default=0)
    end_ns = max((_start(span) + span["duration"]["nanoseconds"] for span in counted), default=0)
    content = {
        _TOP: {
            "version": _VERSION,
            "storage_identifier": "mcap",
            "duration": {"nanoseconds": end_ns - start_ns},
            "starting_time": {"nanoseconds_since_epoch": start_ns},
            "message_count": sum(span["message_count"] for span in spans),
            "topics_with_message_count": _topics([summary for _, summary in summaries]),
            "compression_format": "",
            "compression_mode": "",
            "relative_file_paths": [path.name for path in files],
            "files": spans,
            "custom_data": None,
            "ros_distro": _WRITER,
        }
    }
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    with replacing(folder / METADATA_FILE) as file:
        file.write(text.encode())


def _summary(path: Path) -> Summary:
    with path.open("rb") as file:
        return RecordFile(file, path).summary() or Summary()


def _span(path: Path, summary: Summary) -> dict[str, Any]:
    found = summary.statistics
    start, end = (0, 0) if found is None else (found.message_start_time, found.message_end_time)
    return {
        "path": path.name,
        "starting_time": {"nanoseconds_since_epoch": start},
        "duration": {"nanoseconds": end - start},
        "message_count": 0 if found is None else found.message_count,
    }


def _start(span: dict[str, Any]) -> int:
    return span["starting_time"]["nanoseconds_since_epoch"]


def _topics(summaries: list[Summary]) -> list[dict[str, Any]]:
    """Topics with their numbers of messages, over all files."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for summary in summaries:
        counts = {} if summary.statistics is None else summary.statistics.channel_message_counts
        for channel in summary.channels.values():
            schema = summary.schemas.get(channel.schema_id)
            kind = "" if schema is None else schema.name
            entry = found.setdefault(
                (channel.topic, kind),
                {
                    "topic_metadata": {
                        "name": channel.topic,
                        "type": kind,
                        "serialization_format": channel.message_encoding,
                        "offered_qos_profiles": profiles_from(channel.metadata.get(QOS_KEY, "")),
                        "type_description_hash": channel.metadata.get(HASH_KEY, ""),
                    },
                    "message_count": 0,
                },
            )
            entry["message_count"] += counts.get(channel.id, 0)
    return [found[key] for key in sorted(found)]
