"""Videos and datasets of 3D worlds."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from horus_sim.sim3d.recording.dataset import DatasetConfig as DatasetConfig
    from horus_sim.sim3d.recording.dataset import export_dataset as export_dataset
    from horus_sim.sim3d.recording.video import VideoConfig as VideoConfig
    from horus_sim.sim3d.recording.video import VideoRecorder as VideoRecorder

_HOMES = {
    "DatasetConfig": "dataset",
    "VideoConfig": "video",
    "VideoRecorder": "video",
    "export_dataset": "dataset",
}

__all__ = [*_HOMES]  # noqa: PLE0604 # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attributes
    if name in _HOMES:
        return getattr(import_module(f"horus_sim.sim3d.recording.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'horus_sim.sim3d.recording' has no attribute '{name}'")
