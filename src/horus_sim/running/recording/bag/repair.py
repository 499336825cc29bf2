"""Bags that were cut off or damaged, made whole again."""

from __future__ import annotations

import shutil
from pathlib import Path

from horus_sim.errors import RecordingError
from horus_sim.running.recording.bag.metadata import (
    METADATA_FILE,
    read_metadata,
    write_metadata,
)
from horus_sim.running.recording.bag.reader import Bag
from horus_sim.running.recording.mcap.repair import Repaired, repair_recording


def repair_bag(folder: Path, output: Path | None = None) -> Repaired | None:
    """Makes the files of a bag whole and writes its metadata; see `repair_recording`.

    Args:
        folder: The bag, of MCAP files.
        output: A new folder for the bag that is whole. Unless given, the bag is repaired in its
            place, and damaged files are kept with the ending ``.damaged``.

    Returns:
        What was done; None where the bag is whole, and nothing was written.

    Raises:
        RecordingError: The bag cannot be read, or what is new cannot be written.
    """
    files = Bag(folder).files
    if not files:
        raise RecordingError(
            f"'{folder}' cannot be repaired: only bags of MCAP files can be, which are not packed"
        )
    lost = [f"{METADATA_FILE} was missing"] if read_metadata(folder) is None else []
    kept: Path | None = None
    target = folder if output is None else output
    try:
        if output is not None:
            output.mkdir()
        is_repaired = False
        for file in files:
            found = repair_recording(file, None if output is None else output / file.name)
            if found is not None:
                is_repaired = True
                kept = kept or found.kept
                lost += found.lost
            elif output is not None:
                shutil.copy2(file, output / file.name)
        if not is_repaired and not lost:
            if output is not None:
                shutil.rmtree(output)
            return None
        write_metadata(target, [target / file.name for file in files])
    except OSError as error:
        raise RecordingError(
            f"'{folder}' cannot be repaired into '{target}': {error.strerror or error}; give "
            "another place with --output"
        ) from error
    found = Bag(target).contents()
    topics = {topic for topic, _ in found.messages}
    return Repaired(
        target, kept, sum(found.messages.values()), len(topics), found.end_ns, tuple(lost)
    )
