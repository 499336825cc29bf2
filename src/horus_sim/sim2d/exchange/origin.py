"""What a 2D record came from: files and options; enough to build its simulator again."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horus_sim.errors import HorusError, RecordingError
from horus_sim.running.recording.recorded_files import file_digest, file_name, file_path

if TYPE_CHECKING:
    from horus_sim.running.recording.command_log import CommandLog
    from horus_sim.sim2d.simulation.simulator import Simulator

_ENDINGS = (".json", ".py")


def origin_of(sim: Simulator) -> dict[str, Any]:
    """Where the scenario is, digests of its files, and how it is run."""
    folder = sim.scenario.folder
    return {
        "source": None if folder is None else file_name(folder),
        "files": {} if folder is None else _digests(folder),
        "top_down": sim.top_down,
        "ignore_terrain": sim.ignore_terrain,
        "machine": platform.machine(),
    }


def differences(sim: Simulator, origin: Mapping[str, Any]) -> list[str]:
    """In what a simulator differs from the one of a record, for people."""
    here = origin_of(sim)
    found = [
        f"{what} is {here[key]}, was {origin[key]}"
        for key, what in (
            ("machine", "the machine"),
            ("top_down", "the view from above"),
            ("ignore_terrain", "leaving out the terrain"),
        )
        if here[key] != origin.get(key)
    ]
    now, then = here["files"], origin.get("files", {})
    found += [
        f"the file '{name}' is not that of the record"
        for name in sorted({*now} | {*then})
        if now.get(name) != then.get(name)
    ]
    return found


def recorded_simulator(log: CommandLog, scenario: str | Path | None = None) -> Simulator:
    """The simulator of a record where it began.

    Args:
        log: The record.
        scenario: Where the scenario is now; where it was unless given.

    Raises:
        RecordingError: The record does not tell how it began, or its scenario cannot be loaded.
    """
    from horus_sim.sim2d.simulation.simulator import Simulator

    start = next((entry for entry in log.entries if entry["kind"] == "start"), None)
    if start is None:
        raise RecordingError("the record does not tell how it began; it cannot be done again")
    if scenario is None and start.get("source") is None:
        raise RecordingError("the record is of a scenario that a program made; say where one is")
    place = file_path(start["source"]) if scenario is None else scenario
    try:
        return Simulator.load(
            place, start["seed"], bool(start["top_down"]), bool(start["ignore_terrain"])
        )
    except HorusError as error:
        raise RecordingError(
            f"the recorded scenario '{place}' cannot be loaded: {error}; say where it is now "
            "(`--scene`)"
        ) from error


def _digests(folder: Path) -> dict[str, str | None]:
    files = sorted(path for path in folder.rglob("*") if path.suffix in _ENDINGS)
    return {path.relative_to(folder).as_posix(): file_digest(path) for path in files}
