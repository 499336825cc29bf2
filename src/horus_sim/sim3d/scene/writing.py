"""Scenes back into files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from horus_sim.errors import SceneError
from horus_sim.sim3d.scene.scene import Scene

_FILE_KEYS = frozenset({"file", "texture"})


class _Dumper(yaml.SafeDumper):
    """Block style, with short lists such as vectors on one line."""

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> Any:  # noqa: ANN401, FBT001 - as in PyYAML
        plain = all(isinstance(item, int | float) for item in sequence)
        return super().represent_sequence(tag, sequence, flow_style=plain or flow_style)

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ANN401, ARG002 - as in PyYAML
        return True


def to_yaml(scene: Scene) -> str:
    """The scene as YAML."""
    return yaml.dump(
        scene.to_dict(), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100
    )


def save_scene(scene: Scene, path: Path) -> None:
    """Writes a scene; see `Scene.save`."""
    data = scene.to_dict()
    source = scene.source
    if source is not None and source.resolve().parent != path.resolve().parent:
        _anchor(data, source.resolve().parent)
    if path.suffix.lower() == ".json":
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    elif path.suffix.lower() in (".yaml", ".yml"):
        text = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    else:
        raise SceneError(f"'{path}' must end with .yaml, .yml or .json to hold a scene")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SceneError(f"'{path}' cannot be written ({error})") from error


def _anchor(data: Any, folder: Path) -> None:  # noqa: ANN401 - plain data
    """Makes relative files absolute where they exist, since the scene moves elsewhere."""
    if isinstance(data, list):
        for item in data:
            _anchor(item, folder)
    elif isinstance(data, dict):
        for key, value in data.items():
            is_file = key in _FILE_KEYS or key == "model"
            if is_file and isinstance(value, str) and (folder / value).is_file():
                data[key] = str(folder / value)
            elif key == "package_roots":
                data[key] = [str(folder / root) for root in value]
            else:
                _anchor(value, folder)
