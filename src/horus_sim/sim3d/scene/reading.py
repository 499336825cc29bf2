"""From a file to a checked scene; errors name file, line and key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from horus_sim.assets import asset_names, asset_path
from horus_sim.errors import SceneError, UnknownNameError
from horus_sim.sim3d.scene.document import KeyPath, parse, read_text
from horus_sim.sim3d.scene.scene import Scene

SUFFIXES = (".yaml", ".yml", ".json")
_MOST_SHOWN = 5


def scene_names() -> tuple[str, ...]:
    """Names of the shipped scenes."""
    return asset_names("scenes", SUFFIXES)


def scene_path(name_or_path: str | Path) -> Path:
    """The file of a scene: a path as it is, or that of a shipped scene.

    Raises:
        AssetError: It is a plain name and no shipped scene has it.
        SceneError: It is a path and nothing is there.
    """
    path = Path(name_or_path)
    text = str(name_or_path)
    if path.is_dir() and text not in scene_names():
        raise SceneError(f"scene '{path}' is a directory; give the scene file in it")
    if path.suffix.lower() in SUFFIXES or path.suffix.lower() in (".sdf", ".world"):
        if not path.is_file():
            raise SceneError(
                f"scene file '{path}' does not exist; give a file or one of the shipped scenes: "
                f"{', '.join(scene_names())}"
            )
        return path
    return asset_path("scenes", text, SUFFIXES)


def load_scene(
    name_or_path: str | Path,
    overrides: Mapping[str, Any] | Sequence[str] = (),
    roots: Iterable[Path | str] = (),
) -> Scene:
    """Reads a scene.

    Args:
        name_or_path: Name of a shipped scene, or a YAML, JSON or SDF file.
        overrides: What to change, as ``{"physics.timestep": 0.002}`` or
            ``["physics.timestep=0.002"]``; indices count from 0, as in ``robots.0.name``.
        roots: Folders, beside that of the file, from which its files may come.

    Raises:
        SceneError: The file or what it includes does not fit; the text names file, line and key.
        AssetError: No shipped scene has that name.
    """
    from horus_sim.sim3d.scene.flattening import flatten

    path = scene_path(name_or_path)
    resolved_roots = tuple(Path(root).resolve() for root in roots)
    scene = read_scene(path, overrides, resolved_roots)
    flatten(scene)  # what it includes must be sound too
    return scene


def read_scene(
    path: Path, overrides: Mapping[str, Any] | Sequence[str] = (), roots: tuple[Path, ...] = ()
) -> Scene:
    """One file as a scene; what it includes is not read yet."""
    if path.suffix.lower() in (".sdf", ".world"):
        data: Any = {"name": path.stem, "include": [{"file": path.name}]}
        lines: dict[KeyPath, int] = {}
    else:
        data, lines = parse(read_text(path), str(path))
    if not isinstance(data, dict):
        raise SceneError(f"{path}: a scene is a mapping of keys such as 'robots' and 'objects'")
    for key, value in _as_pairs(overrides):
        _override(data, key, value)
        # The line of what is replaced would mislead.
        replaced = tuple(int(part) if part.isdigit() else part for part in key.split("."))
        lines = {at: line for at, line in lines.items() if at[: len(replaced)] != replaced}
    return check_scene(data, lines, path, roots)


def check_scene(
    data: Mapping[str, Any],
    lines: Mapping[KeyPath, int] | None = None,
    source: Path | None = None,
    roots: tuple[Path, ...] = (),
) -> Scene:
    """Plain data as a scene.

    Args:
        data: As in a file.
        lines: Line of each key.
        source: The file, for errors and for what it refers to.
        roots: Folders from which its files may come.

    Raises:
        SceneError: A key or value does not fit.
    """
    try:
        scene = Scene.model_validate(data)
    except ValidationError as error:
        raise SceneError(_explain(error, data, lines or {}, source)) from None
    except RecursionError as error:
        raise SceneError(f"{source or 'scene'}: nested too deep") from error
    _check_sensors(scene, data, lines or {}, source)
    scene._source = source
    scene._roots = roots
    return scene


def _check_sensors(
    scene: Scene, data: Mapping[str, Any], lines: Mapping[KeyPath, int], source: Path | None
) -> None:
    """Each sensor by the rules of its kind, which a scene does not know."""
    from horus_sim.sim3d.sensors.kinds import config_class

    for i, sensor in enumerate(scene.sensors):
        try:
            config_class(sensor.kind).model_validate(sensor.model_dump(exclude_unset=True))
        except ValidationError as error:
            text = _explain(error, data, lines, source, ("sensors", i))
            raise SceneError(text) from None
        except UnknownNameError as error:
            place = _place(lines.get(("sensors", i, "kind")), source)
            raise SceneError(f"{place}: sensors[{i}].kind: {error}") from None


def _explain(
    error: ValidationError,
    data: Mapping[str, Any],
    lines: Mapping[KeyPath, int],
    source: Path | None,
    inside: KeyPath = (),
) -> str:
    details = error.errors(include_url=False)
    for detail in details:
        detail["loc"] = (*inside, *detail["loc"])
    shown = [_explain_one(detail, data, lines, source) for detail in details[:_MOST_SHOWN]]
    if len(details) > _MOST_SHOWN:
        shown.append(f"... and {len(details) - _MOST_SHOWN} more")
    return "\n".join(shown)


def _explain_one(
    detail: ErrorDetails,
    data: Mapping[str, Any],
    lines: Mapping[KeyPath, int],
    source: Path | None,
) -> str:
    loc: list[str | int] = list(detail["loc"])
    if detail["type"] == "unknown_key":
        loc.append(str(detail.get("ctx", {})["key"]))
    path = _path_in(data, loc)
    is_missing = detail["type"] == "missing"
    shown = path
    if is_missing and isinstance(loc[-1], str) and loc[-1] not in path:
        shown = (*path, loc[-1])
    place = _place(lines.get(path), source)
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in shown)
    return f"{place}: {key.lstrip('.') or 'scene'}: {_message(detail)}"


def _place(line: int | None, source: Path | None) -> str:
    where = str(source or "scene")
    return where if line is None else f"{where}:{line}"


def _path_in(data: Any, loc: Sequence[str | int]) -> KeyPath:  # noqa: ANN401 - plain data
    """The keys that lead to a place; tags of unions are in pydantic's path but not in the data."""
    path: KeyPath = ()
    at: Any = data
    for part in loc:
        is_index = isinstance(at, list | tuple) and isinstance(part, int) and part < len(at)
        if is_index or (isinstance(at, Mapping) and part in at):
            at = cast(Any, at)[part]
            path = (*path, part)
    return path


def _message(detail: ErrorDetails) -> str:
    given = detail["input"]
    if detail["type"] == "missing":
        if isinstance(detail["loc"][-1], int):
            return f"a value is missing in {given!r:.60}, which has {len(given)}"
        return "this key is required"
    message = detail["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    message = message[0].lower() + message[1:]
    has_value = detail["type"] not in ("unknown_key", "value_error", "union_tag_invalid")
    if has_value and isinstance(given, str | int | float | list | tuple):
        message += f", not {given!r:.60}"
    return message


def _as_pairs(overrides: Mapping[str, Any] | Sequence[str]) -> list[tuple[str, Any]]:
    if isinstance(overrides, Mapping):
        return list(overrides.items())
    pairs = []
    for text in overrides:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise SceneError(f"override '{text}' is no KEY=VALUE such as physics.timestep=0.002")
        try:
            parsed = yaml.safe_load(value)
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise SceneError(f"override '{text}': '{value}' is no valid YAML value") from error
        pairs.append((key.strip(), parsed))
    return pairs


def _override(data: dict[str, Any], key: str, value: Any) -> None:  # noqa: ANN401 - plain data
    parts = key.split(".")
    at: Any = data
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        if isinstance(at, list):
            if not part.isdigit() or int(part) >= len(at):
                raise SceneError(
                    f"override '{key}': '{part}' is no index into a list of {len(at)} (from 0)"
                )
            if last:
                at[int(part)] = value
            at = at[int(part)]
        elif isinstance(at, dict):
            if last:
                at[part] = value
            else:
                at = at.setdefault(part, {})
        else:
            raise SceneError(f"override '{key}': '{'.'.join(parts[:i])}' holds no keys")
