"""Recordings as MCAP files in Foxglove's schemas."""

from __future__ import annotations

from pathlib import Path

from horus_sim.running.recording.foxglove.channels import Channels
from horus_sim.running.recording.mcap.run_recorder import RunChannels, RunRecorder


class McapRecorder(RunRecorder):
    """Writes every message of a running world into an MCAP file; stamps are simulated time.

    A reset begins a new file, since time starts again: ``run.mcap``, ``run_2.mcap`` and so on, with
    the next number that no file has. When a file cannot be written, as on a full disk, the
    recording ends with `error`, and the simulation goes on; what was written before can be read.

    Args:
        path: The first file; one that exists is replaced.
        open_file: Opens a path for writing.
        images: How pictures are packed: 'raw' and 'png' keep every bit, 'jpeg' is small.
        clock: Gives the time [s]; after each second, what came meanwhile is written to the file.

    Attributes:
        path: The file of the current run.
        paths: The files of all runs.
        error: Why the recording ended early, or None.
        messages: Messages that were written, in all files.
    """

    PROFILE = "horus"

    def _new_channels(self) -> RunChannels:
        return Channels(self._images)

    def _numbered(self, number: int) -> Path:
        return self._first.with_stem(f"{self._first.stem}_{number}")
