"""Recordings as ROS 2 bags."""

from __future__ import annotations

import re
from pathlib import Path

from horus_sim.errors import RecordingError
from horus_sim.running.recording.bag.channels import CdrChannels
from horus_sim.running.recording.bag.metadata import write_metadata
from horus_sim.running.recording.mcap.run_recorder import RunChannels, RunRecorder

# The files of a bag, also after repairs.
_OWN_FILES = re.compile(r".*_\d+\.mcap(\.damaged)?|metadata\.yaml")


class BagRecorder(RunRecorder):
    """Writes every message of a running world into a ROS 2 bag; stamps are simulated time.

    A bag is a folder with an MCAP file and ``metadata.yaml``, as `ros2 bag record` makes it: the
    messages are CDR, and their definitions are in the file. A reset begins a new bag, since time
    starts again: ``run``, ``run_2`` and so on, with the next number that no folder has. When a file
    cannot be written, as on a full disk, the recording ends with `error`, and the simulation goes
    on; what was written before can be read.

    Args:
        path: Folder of the first bag; a bag that is there is replaced.
        open_file: Opens a path for writing.
        images: How pictures are packed: 'raw' and 'png' keep every bit, 'jpeg' is small.
        clock: Gives the time [s]; after each second, what came meanwhile is written to the file.

    Attributes:
        path: The bag of the current run.
        paths: The bags of all runs.
        error: Why the recording ended early, or None.
        messages: Messages that were written, in all bags.

    Raises:
        RecordingError: The folder cannot be made, or holds other files than a bag.
    """

    PROFILE = "ros2"

    def _new_channels(self) -> RunChannels:
        return CdrChannels(self._images)

    def _numbered(self, number: int) -> Path:
        return self._first.with_name(f"{self._first.name}_{number}")

    def _prepare(self, path: Path) -> Path:
        if not path.name:
            raise RecordingError(f"'{path}' is not a name for a bag; choose another folder")
        path.mkdir(exist_ok=True)
        for held in sorted(path.iterdir()):
            if not _OWN_FILES.fullmatch(held.name) or not held.is_file():
                raise RecordingError(
                    f"'{path}' is a folder with '{held.name}', which is not of a bag; choose "
                    "another folder, or a file that ends in .mcap"
                )
        for held in path.iterdir():
            held.unlink()
        return _file_of(path)

    def _complete(self, path: Path) -> None:
        write_metadata(path, [_file_of(path)])


def _file_of(folder: Path) -> Path:
    return folder / f"{folder.name}_0.mcap"
