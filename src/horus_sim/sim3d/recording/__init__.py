"""Videos and datasets of 3D worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.lazy_names import lazy_names

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

__getattr__ = lazy_names(__name__, _HOMES)
