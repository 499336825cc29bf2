"""Files that are written after long work: whether they can be is found out before it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from horus_sim.errors import MissingExtraError, RecordingError
from horus_sim.sim3d.recording.video import check_video_name


def check_target(path: Path) -> None:
    """Raises where a file could not be written; what is in it stays.

    Raises:
        RecordingError: It is a folder, or its folder is absent, or it may not be written.
    """
    try:
        is_new = not path.exists()
        # Pipes and devices would notice.
        if is_new or path.is_file() or path.is_dir():
            path.open("ab").close()
        if is_new:
            path.unlink()
    except OSError as error:
        raise RecordingError(
            f"'{path}' cannot be written: {error.strerror or error}; choose another file"
        ) from error


def check_video_target(path: Path) -> None:
    """Raises where a video could not be written.

    Raises:
        RecordingError: The ending is another than .mp4 or .gif, or as in `check_target`.
        MissingExtraError: It is an MP4, and the extra [record] is not installed.
    """
    check_video_name(path)
    if path.suffix.lower() == ".mp4" and find_spec("av") is None:
        raise MissingExtraError("av", "record")
    check_target(path)
