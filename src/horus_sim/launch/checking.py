"""Whether the files and programs that a launch names are there."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from horus_sim.errors import HorusError, LaunchError
from horus_sim.files.document import Document, KeyPath, key_text
from horus_sim.launch.config import Launch
from horus_sim.launch.world import LaunchWorld


def require_sound(launch: Launch, document: Document | None = None) -> None:
    """Refuses a launch that names what is not there.

    Args:
        launch: The launch.
        document: Where it was read, for the lines.

    Raises:
        LaunchError: A file, a folder or a program is missing; all of them are told.
    """
    told = []
    for place, text in _missing(launch):
        problem = document.problem(place, text) if document else f"{key_text(place)}: {text}"
        told.append(str(problem))
    if told:
        raise LaunchError("\n".join(told))


def _missing(launch: Launch) -> Iterator[tuple[KeyPath, str]]:
    """Places in the launch, and what is missing there."""
    if not launch.folder.is_dir():
        yield ("folder",), f"there is no folder '{launch.folder}'; correct it"
        return
    if launch.world is not None:
        yield from _missing_in_world(launch.world, launch.folder.resolve())
    for name, node in launch.nodes.items():
        if isinstance(node.run, str):
            path = launch.folder / node.run
            if not path.is_file():
                yield ("nodes", name, "run"), f"there is no file '{path}'; correct the path"
        elif not _is_program(node.run[0], launch.folder):
            text = f"there is no program '{node.run[0]}', neither as a path nor on PATH"
            yield ("nodes", name, "run"), f"{text}; install it or correct the name"


def _is_program(word: str, folder: Path) -> bool:
    if os.sep in word:
        return os.access(folder / word, os.X_OK) and (folder / word).is_file()
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    return shutil.which(word, path=path) is not None


def _missing_in_world(world: LaunchWorld, folder: Path) -> Iterator[tuple[KeyPath, str]]:
    # Here, since it takes a while: a launch that is read only to be changed needs none of it.
    from horus_sim.sim2d.scenario.scenario import scenario_folder, scenario_names
    from horus_sim.sim3d.scene.reading import scene_names, scene_path

    for key, find, names in (
        ("scene", scene_path, scene_names),
        ("scenario", scenario_folder, scenario_names),
    ):
        value = getattr(world, key)
        if value is None or value in names():
            continue
        try:
            find(folder / value if (folder / value).exists() else value)
        except HorusError as error:
            yield ("world", key), str(error)
    for root in world.root:
        if not (folder / root).is_dir():
            yield ("world", "root"), f"there is no folder '{folder / root}'; correct the path"
    for key in ("record", "video", "log", "picture"):
        value = getattr(world, key)
        if value is not None and not (folder / value).parent.is_dir():
            yield (
                ("world", key),
                f"there is no folder '{(folder / value).parent}' for it; make the folder",
            )
