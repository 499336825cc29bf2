"""Scenes back into files.

A scene that is saved into another folder may read only below that folder, so that absolute paths
alone would be refused there. Files that ship with the package are named as such, others are copied
beside the saved scene.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from horus_sim.assets import SHIPPED_SCHEME
from horus_sim.errors import DescriptionError, MissingResourceError, SceneError
from horus_sim.files.whole_file import copy_whole, write_whole
from horus_sim.sim3d.scene.reading import SCENES, SDF_SUFFIXES, SUFFIXES, read_scene, resolver_of
from horus_sim.sim3d.scene.scene import Scene

_FILE_KEYS = frozenset({"file", "texture", "model"})


class _Dumper(yaml.SafeDumper):
    """Block style, with short lists such as vectors on one line."""

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> Any:  # noqa: ANN401, FBT001 - as in PyYAML
        plain = all(isinstance(item, int | float) for item in sequence)
        return super().represent_sequence(tag, sequence, flow_style=plain or flow_style)

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ANN401, ARG002 - as in PyYAML
        return True


def to_yaml(scene: Scene) -> str:
    """The scene as YAML."""
    return _yaml(scene.to_dict())


def _yaml(data: dict[str, Any]) -> str:
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def save_scene(scene: Scene, path: Path) -> None:
    """Writes a scene; see `Scene.save`."""
    if path.suffix.lower() not in SUFFIXES:
        raise SceneError(f"'{path}' must end with .yaml, .yml or .json to hold a scene")
    data = scene.to_dict()
    folder = Path.cwd() if scene.source is None else scene.source.resolve().parent
    if folder != path.resolve().parent:
        mover = _Mover(scene, path.resolve())
        for key, value in data.items():
            if key != "sensors":
                mover.walk(value)
    if path.suffix.lower() == ".json":
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    else:
        text = _yaml(data)
    write_whole(path, text, SceneError)


class _Mover:
    """Changes the names of files in plain data, and copies what the scene needs.

    Args:
        scene: The scene, with the folder it comes from.
        target: The file that it is saved to, as an absolute path.
    """

    def __init__(self, scene: Scene, target: Path) -> None:
        self.scene = scene
        self.target = target
        self.folder = target.with_name(f"{target.stem}_files")
        self.resolver = resolver_of(scene)
        self.moved: dict[Path, str] = {}

    def walk(self, data: Any) -> None:  # noqa: ANN401 - plain data
        """Renames the files in data, at any depth."""
        if isinstance(data, list):
            for item in data:
                self.walk(item)
        elif isinstance(data, dict):
            for key, value in data.items():
                if key in _FILE_KEYS and isinstance(value, str):
                    data[key] = self._rename(value, is_robot=key == "model")
                elif key == "package_roots":
                    data[key] = [self._folder(root) for root in value]
                else:
                    self.walk(value)

    def _folder(self, root: str) -> str:
        try:
            return str(self.resolver.resolve(root, "package root", "directory"))
        except MissingResourceError:
            return root

    def _rename(self, uri: str, *, is_robot: bool) -> str:
        is_shipped_name = "/" not in uri and not Path(uri).suffix
        if uri.startswith(SHIPPED_SCHEME) or is_shipped_name:
            return uri
        try:
            path = self.resolver.resolve(uri, f"scene '{self.scene.name}'")
        except MissingResourceError:
            return uri  # it was missing before, and the reader says so
        if path.is_relative_to(SCENES):
            return f"{SHIPPED_SCHEME}{path.relative_to(SCENES).as_posix()}"
        if path.is_relative_to(self.target.parent):
            return path.relative_to(self.target.parent).as_posix()
        if is_robot or path.suffix.lower() in SDF_SUFFIXES:
            return str(path)
        if path not in self.moved:
            self.moved[path] = self._copy(path).relative_to(self.target.parent).as_posix()
        return self.moved[path]

    def _copy(self, path: Path) -> Path:
        # A folder for each keeps files of the same name apart.
        copy = self.folder / str(len(self.moved)) / path.name
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix.lower() in SUFFIXES:
                save_scene(read_scene(path, package_roots=self.scene.package_roots), copy)
            else:
                copy_whole(path, copy)
                _copy_neighbours(path, copy)
        except OSError as error:
            raise SceneError(f"'{copy}' cannot be written ({error})") from error
        return copy


def _copy_neighbours(path: Path, copy: Path) -> None:
    """The files that a mesh refers to by relative names, such as the buffers of a glTF."""
    from horus_sim.robots.mesh.data import MESH_SUFFIXES, UnreadableMeshError
    from horus_sim.robots.mesh.files import parse_mesh
    from horus_sim.robots.mesh.neighbours import Neighbours

    suffix = path.suffix.lower()
    if suffix not in MESH_SUFFIXES or suffix in (".stl", ".ply", ".glb"):
        return
    neighbours = Neighbours(path)
    try:
        parse_mesh(path.read_bytes(), suffix, neighbours)
    except (UnreadableMeshError, DescriptionError):
        return  # the world says so when the mesh is needed
    for name in neighbours.read:
        origin, place = path.parent / name, copy.parent / name
        if origin.is_file() and place.resolve().is_relative_to(copy.parent.resolve()):
            place.parent.mkdir(parents=True, exist_ok=True)
            copy_whole(origin, place)
