"""Files that are written after long work: whether they can be is found out before it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from horus_sim.errors import MissingExtraError, RecordingError
from horus_sim.files.whole_file import check_writable
from horus_sim.sim3d.recording.video import check_video_name


def check_video_target(path: Path) -> None:
    """Raises where a video could not be written.

    Raises:
        RecordingError: The ending is another than .mp4 or .gif, or as in `check_writable`.
        MissingExtraError: It is an MP4, and the extra [record] is not installed.
    """
    check_video_name(path)
    if path.suffix.lower() == ".mp4" and find_spec("av") is None:
        raise MissingExtraError("av", "record")
    check_writable(path, RecordingError)
