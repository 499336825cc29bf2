"""Recordings of running worlds, live views, and replays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.lazy_names import lazy_names

if TYPE_CHECKING:
    from horus_sim.running.recording.bag.reader import Bag as Bag
    from horus_sim.running.recording.bag.reader import open_recording as open_recording
    from horus_sim.running.recording.bag.recorder import BagRecorder as BagRecorder
    from horus_sim.running.recording.bag.session_recorder import SessionRecorder as SessionRecorder
    from horus_sim.running.recording.command_log import CommandLog as CommandLog
    from horus_sim.running.recording.foxglove.live_server import FoxgloveServer as FoxgloveServer
    from horus_sim.running.recording.mcap.reader import McapFile as McapFile
    from horus_sim.running.recording.mcap.recorder import McapRecorder as McapRecorder
    from horus_sim.running.recording.mcap.repair import repair_recording as repair_recording
    from horus_sim.running.recording.player import Player as Player
    from horus_sim.running.recording.replay import replay_commands as replay_commands

_HOMES = {
    "Bag": "bag.reader",
    "BagRecorder": "bag.recorder",
    "CommandLog": "command_log",
    "FoxgloveServer": "foxglove.live_server",
    "McapFile": "mcap.reader",
    "McapRecorder": "mcap.recorder",
    "Player": "player",
    "SessionRecorder": "bag.session_recorder",
    "open_recording": "bag.reader",
    "repair_recording": "mcap.repair",
    "replay_commands": "replay",
}

__all__ = [*_HOMES]  # noqa: PLE0604 # pyright: ignore[reportUnsupportedDunderAll]

__getattr__ = lazy_names(__name__, _HOMES)
