"""A scene that is saved into another folder: its files stay reachable there.

A scene may read only below its own folder, so that absolute paths alone would be refused. Files
that ship with the package are named as such, others are copied beside the saved scene.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from horus_sim.assets import SHIPPED_SCHEME
from horus_sim.errors import DescriptionError, MissingResourceError, SceneError
from horus_sim.files.whole_file import copy_whole
from horus_sim.robots.uris import UriResolver
from horus_sim.sim3d.scene.contents import SCENES, resolver_of
from horus_sim.sim3d.scene.scene import Scene

_FILE_KEYS = frozenset({"file", "texture", "model"})
_SCENES = (".yaml", ".yml", ".json")


def relocate(data: dict[str, Any], scene: Scene, target: Path) -> None:
    """Changes the names of files in plain data, and copies what the scene needs.

    Args:
        data: Of the scene, changed in place.
        scene: The scene, with the folder it comes from.
        target: The file that it is saved to, as an absolute path.

    Raises:
        SceneError: A file cannot be copied.
    """
    mover = _Mover(scene, target)
    for key, value in data.items():
        if key != "sensors":
            mover.walk(value)


class _Mover:
    def __init__(self, scene: Scene, target: Path) -> None:
        self.scene = scene
        self.target = target
        self.folder = target.with_name(f"{target.stem}_files")
        self.resolver: UriResolver = resolver_of(scene)
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
                    data[key] = [str(self._folder(root)) for root in value]
                else:
                    self.walk(value)

    def _folder(self, root: str) -> Path:
        try:
            return self.resolver.resolve(root, "package root", "directory")
        except MissingResourceError:
            return Path(root)

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
        if is_robot or path.suffix.lower() in (".sdf", ".world"):
            return str(path)
        known = self.moved.get(path)
        if known is None:
            known = self._copy(path).relative_to(self.target.parent).as_posix()
            self.moved[path] = known
        return known

    def _copy(self, path: Path) -> Path:
        # A folder for each keeps files of the same name apart.
        copy = self.folder / str(len(self.moved)) / path.name
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix.lower() in _SCENES:
                from horus_sim.sim3d.scene.reading import read_scene
                from horus_sim.sim3d.scene.writing import save_scene

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
