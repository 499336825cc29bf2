"""Scenes that are read and checked as a whole, before a world is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from horus_sim.robots.report import Report
from horus_sim.sim3d.scene.reading import read_scene, scene_path
from horus_sim.sim3d.scene.scene import Scene
from horus_sim.sim3d.scene.world_spec import world_spec
from horus_sim.sim3d.sensors.kinds import check_entries


def load_scene(
    name_or_path: str | Path,
    overrides: Mapping[str, Any] | Sequence[str] = (),
    package_roots: Iterable[Path | str] = (),
) -> Scene:
    """Reads a scene.

    Args:
        name_or_path: Name of a shipped scene, or a YAML, JSON or SDF file.
        overrides: What to change, as ``{"physics.timestep": 0.002}`` or
            ``["physics.timestep=0.002"]``; indices count from 0, as in ``robots.0.name``.
        package_roots: Folders, beside that of the file, from which its files may come.

    Raises:
        SceneError: The file or what it includes does not fit; the text names file, line and key.
        UnknownNameError: No shipped scene has that name.
    """
    scene = read_scene(scene_path(name_or_path), overrides, package_roots)
    check_entries(world_spec(scene, Report(), reads_robots=False).sensors)
    return scene
