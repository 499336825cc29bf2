"""Recordings of a bridged world, live views, replays, videos and datasets."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from horus_sim.sim3d.recording.command_log import CommandLog as CommandLog
    from horus_sim.sim3d.recording.dataset import DatasetConfig as DatasetConfig
    from horus_sim.sim3d.recording.dataset import export_dataset as export_dataset
    from horus_sim.sim3d.recording.live_server import FoxgloveServer as FoxgloveServer
    from horus_sim.sim3d.recording.mcap_reader import McapFile as McapFile
    from horus_sim.sim3d.recording.mcap_recorder import McapRecorder as McapRecorder
    from horus_sim.sim3d.recording.player import Player as Player
    from horus_sim.sim3d.recording.repair import repair_recording as repair_recording
    from horus_sim.sim3d.recording.replay import recorded_world as recorded_world
    from horus_sim.sim3d.recording.replay import replay_commands as replay_commands
    from horus_sim.sim3d.recording.video import VideoConfig as VideoConfig
    from horus_sim.sim3d.recording.video import VideoRecorder as VideoRecorder

_HOMES = {
    "CommandLog": "command_log",
    "DatasetConfig": "dataset",
    "FoxgloveServer": "live_server",
    "McapFile": "mcap_reader",
    "McapRecorder": "mcap_recorder",
    "Player": "player",
    "VideoConfig": "video",
    "VideoRecorder": "video",
    "export_dataset": "dataset",
    "recorded_world": "replay",
    "repair_recording": "repair",
    "replay_commands": "replay",
}

__all__ = [*_HOMES]  # noqa: PLE0604 # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attributes
    if name in _HOMES:
        return getattr(import_module(f"horus_sim.sim3d.recording.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'horus_sim.sim3d.recording' has no attribute '{name}'")
