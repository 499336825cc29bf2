"""Scenes on disk: saved into one folder by plain names."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from horus_sim.errors import UiError
from horus_sim.files.whole_file import copy_whole, explained

if TYPE_CHECKING:
    from horus_sim.sim3d import Scene

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def check_name(name: str) -> str:
    """The name of a scene to save.

    Raises:
        UiError: It could be a path, or is empty.
    """
    name = name.strip()
    if not _NAME.fullmatch(name):
        raise UiError("a name has 1 to 64 letters, digits, _ and -, first a letter or digit")
    return name


def saved_scenes(folder: Path) -> list[str]:
    """Names of the scenes in a folder."""
    return sorted(path.stem for path in folder.glob("*.yaml") if _NAME.fullmatch(path.stem))


def is_saved(name: str, folder: Path) -> bool:
    """Whether saving under this name would replace a file."""
    return (folder / f"{name}.yaml").exists()


def save_scene(scene: Scene, name: str, folder: Path, dropped: Path) -> Path:
    """Writes a scene; what was dropped onto a page is kept beside it.

    Args:
        scene: The scene.
        name: A plain name.
        folder: Folder that it is written to.
        dropped: Folder of the files that were dropped.

    Raises:
        HorusError: A file cannot be written.
    """
    name = check_name(name)

    def settle(file: str, home: str) -> str:
        path = Path(file) if scene.source is None else scene.source.parent / file
        if not path.is_file() or not path.resolve().is_relative_to(dropped):
            return file
        _copy_folder(path.parent, folder / f"{name}_files" / home)
        return f"{name}_files/{home}/{path.name}"

    robots = [
        robot.model_copy(update={"model": settle(robot.model, robot.name)})
        for robot in scene.robots
    ]
    includes = [
        include.model_copy(update={"file": settle(include.file, Path(include.file).stem)})
        for include in scene.include
    ]
    path = folder / f"{name}.yaml"
    settled = {"name": name, "robots": tuple(robots), "include": tuple(includes)}
    scene.model_copy(update=settled).save(path)
    return path


def _copy_folder(source: Path, target: Path) -> None:
    with explained(target, UiError, "free some space or choose another folder"):
        shutil.copytree(source, target, copy_function=_copy_file, dirs_exist_ok=True)


def _copy_file(source: str, target: str) -> None:
    copy_whole(Path(source), Path(target))
