"""Scenes back into files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from horus_sim.errors import SceneError
from horus_sim.files.whole_file import write_whole
from horus_sim.sim3d.scene.relocation import relocate
from horus_sim.sim3d.scene.scene import Scene


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
    if path.suffix.lower() not in (".yaml", ".yml", ".json"):
        raise SceneError(f"'{path}' must end with .yaml, .yml or .json to hold a scene")
    data = scene.to_dict()
    folder = Path.cwd() if scene.source is None else scene.source.resolve().parent
    if folder != path.resolve().parent:
        relocate(data, scene, path.resolve())
    if path.suffix.lower() == ".json":
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    else:
        text = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    write_whole(path, text, SceneError)
