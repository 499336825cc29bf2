"""From a file to a checked scene; errors name file, line and key."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from horus_sim.assets import ROOT, SHIPPED_SCHEME, asset_names, asset_path
from horus_sim.errors import DescriptionError, MissingResourceError, SceneError, UnknownNameError
from horus_sim.files.document import Document, read_document
from horus_sim.files.explaining import checked
from horus_sim.files.overrides import overridden
from horus_sim.robots.finding.catalog import named_robot
from horus_sim.robots.finding.find import find_robot, our_robot
from horus_sim.robots.finding.folder import FORMATS, robots_in
from horus_sim.robots.finding.robot_file import RobotFile
from horus_sim.robots.uris import Kind, UriResolver, resolver_for
from horus_sim.sim3d.scene.base import WORLD_FRAME
from horus_sim.sim3d.scene.scene import Place, Scene

SUFFIXES = (".yaml", ".yml", ".json")
SDF_SUFFIXES = (".sdf", ".world")
SCENES = ROOT / "scenes"
"""Folder of the shipped scenes, and of their files, such as 'shipped:door.sdf'."""


def scene_names() -> tuple[str, ...]:
    """Names of the shipped scenes."""
    return asset_names("scenes", SUFFIXES)


def scene_path(name_or_path: str | Path) -> Path:
    """The file of a scene: a path as it is, or that of a shipped scene.

    Raises:
        UnknownNameError: It is a plain name and no shipped scene has it.
        SceneError: It is a path and nothing is there.
    """
    path = Path(name_or_path)
    text = str(name_or_path)
    if path.is_dir() and text not in scene_names():
        raise SceneError(f"scene '{path}' is a directory; give the scene file in it")
    if path.suffix.lower() in (*SUFFIXES, *SDF_SUFFIXES):
        if not path.is_file():
            raise SceneError(
                f"scene file '{path}' does not exist; give a file or one of the shipped scenes: "
                f"{', '.join(scene_names())}"
            )
        return path
    return asset_path("scenes", text, SUFFIXES)


def read_scene(
    path: Path,
    overrides: Mapping[str, Any] | Sequence[str] = (),
    package_roots: Iterable[Path | str] = (),
) -> Scene:
    """One file as a scene; what it includes is not read yet."""
    roots = tuple(Path(root).resolve() for root in package_roots)
    if path.suffix.lower() in SDF_SUFFIXES:
        # A file may be called as no scene can, such as world.sdf.
        own = {} if path.stem == WORLD_FRAME else {"name": path.stem}
        document = Document(own | {"include": [{"file": path.name}]}, str(path))
    else:
        document = read_document(path, SceneError)
        if document.data is None:
            document = dataclasses.replace(document, data={})
    if not isinstance(document.data, dict):
        text = "a scene is a mapping of keys such as 'robots' and 'objects'"
        raise SceneError(document.problem((), text))
    document = overridden(document, overrides, SceneError, "physics.timestep=0.002")
    return _check(document, path, roots)


def check_scene(
    data: Mapping[str, Any], source: Path | None = None, package_roots: tuple[Path, ...] = ()
) -> Scene:
    """Plain data as a scene.

    Args:
        data: What a file would hold.
        source: The file, for errors and for what it refers to.
        package_roots: Folders from which its files may come.

    Raises:
        SceneError: A key or value does not fit.
    """
    return _check(Document(data, str(source or "scene")), source, package_roots)


def _check(document: Document, source: Path | None, package_roots: tuple[Path, ...]) -> Scene:
    scene = checked(Scene, document, SceneError)
    for i, sensor in enumerate(scene.sensors):
        sensor._place = Place(document, ("sensors", i))
    scene._source = source
    scene._package_roots = package_roots
    return scene


def resolver_of(scene: Scene) -> UriResolver:
    """Finds the files that a scene names."""
    # A scene made in Python has its files where the program runs.
    return resolver_for(scene.source or Path.cwd() / "scene", scene.package_roots)


def find_file(resolver: UriResolver, uri: str, culprit: str, kind: Kind = "file") -> Path:
    """A file that a scene names, below the folders that it may read or shipped.

    Raises:
        SceneError: Nothing is there, or only outside these folders.
    """
    try:
        return _resolved(resolver, uri, culprit, kind)
    except MissingResourceError as error:
        raise SceneError(str(error)) from error


def _resolved(resolver: UriResolver, uri: str, culprit: str, kind: Kind = "file") -> Path:
    if uri.startswith(SHIPPED_SCHEME):
        resolver = resolver_for(SCENES / "scene")
        uri = uri.removeprefix(SHIPPED_SCHEME)
    return resolver.resolve(uri, culprit, kind)


def robot_file(resolver: UriResolver, model: str, culprit: str) -> RobotFile:
    """The file of a robot that a scene names: by its name, or one that the scene may read.

    Args:
        resolver: Finds the files of the scene.
        model: A name, or a file, a folder or a zip archive with one robot in it.
        culprit: Who names it.

    Raises:
        SceneError: There is none.
    """
    suffix = Path(model).suffix.lower()
    is_path = "/" in model or bool(suffix)
    ours = None if is_path else our_robot(model)
    if ours is not None:
        return ours
    try:
        return find_robot(_file_or_folder(resolver, model, culprit, is_path=is_path))
    except MissingResourceError as missing:
        if suffix in FORMATS:
            raise SceneError(str(missing)) from missing
        try:
            return named_robot(model)
        except UnknownNameError as error:
            if is_path:
                raise SceneError(str(missing)) from None
            refused = f"; tried: {', '.join(missing.tried)}" if missing.tried else ""
            raise SceneError(f"{culprit}: {error}{refused}") from None
    except DescriptionError as error:
        raise SceneError(f"{culprit}: {error}") from error


def _file_or_folder(resolver: UriResolver, uri: str, culprit: str, *, is_path: bool) -> Path:
    """A file that a scene may read, or else a folder; one that is named as a robot has one."""
    try:
        return _resolved(resolver, uri, culprit)
    except MissingResourceError as missing:
        try:
            folder = _resolved(resolver, uri, culprit, "directory")
        except MissingResourceError:
            raise missing from None
        if is_path or robots_in(folder):
            return folder
        raise
