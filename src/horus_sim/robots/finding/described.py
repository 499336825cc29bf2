"""What the package robot_descriptions has downloaded already.

Importing one of its modules clones a repository. Each module is a few assignments of paths, so its
text is read instead, and only what is on the disk counts.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from horus_sim.robots.finding.folder import format_of
from horus_sim.robots.finding.robot_file import RobotFile

_PACKAGE = "robot_descriptions"
_CACHE = "ROBOT_DESCRIPTIONS_CACHE"
_REPOSITORIES = ("_repositories.py", "repositories.py")
_SUFFIX = "_description.py"
_KINDS = ("URDF_PATH", "XACRO_PATH", "MJCF_PATH")
_REPOSITORY = "REPOSITORY_PATH"
_MODULE = "PACKAGE_PATH"
_ARGUMENTS = "XACRO_ARGS"


def described_robots() -> Iterator[tuple[str, str, RobotFile]]:
    """Name, format and file of each; the name is that of the module without '_description'."""
    package = _installed_at()
    cache = Path(os.environ.get(_CACHE) or "~/.cache/robot_descriptions").expanduser()
    if package is None or not cache.is_dir():
        return
    folders = _cached_folders(package, cache)
    for module in sorted(package.glob(f"*{_SUFFIX}")):
        values = _values(module, folders)
        for kind in _KINDS:
            path = values.get(kind)
            if isinstance(path, Path) and (found := format_of(path)) is not None:
                roots = _roots(values)
                arguments = values.get(_ARGUMENTS, {}) if kind == "XACRO_PATH" else {}
                yield module.name.removesuffix(_SUFFIX), found, RobotFile(path, roots, arguments)
                break


def _installed_at() -> Path | None:
    for entry in sys.path:
        folder = Path(entry) / _PACKAGE
        if any((folder / name).is_file() for name in _REPOSITORIES):
            return folder
    return None


def _cached_folders(package: Path, cache: Path) -> dict[str, Path]:
    """Where each repository was cloned to, by the name that the modules have for it."""
    folders: dict[str, Path] = {}
    for name in _REPOSITORIES:
        for node in ast.walk(_tree(package / name)):
            if not isinstance(node, ast.Dict):
                continue
            for key, value in zip(node.keys, node.values, strict=True):
                place = _cache_path(value)
                if isinstance(key, ast.Constant) and place is not None:
                    folders[str(key.value)] = cache / place
    return folders


def _cache_path(node: ast.expr) -> str | None:
    keywords = node.keywords if isinstance(node, ast.Call) else []
    for keyword in keywords:
        if keyword.arg == "cache_path" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    return None


def _values(module: Path, folders: Mapping[str, Path]) -> dict[str, Any]:
    """Paths and texts that a module assigns; what is more than that is left out."""
    values: dict[str, Any] = {}
    for node in _tree(module).body:
        target = node.target if isinstance(node, ast.AnnAssign) else None
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
        if not isinstance(target, ast.Name) or not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        value = _evaluated(node.value, values, folders)
        if value is not None:
            values[target.id] = value
    return values


def _evaluated(
    node: ast.expr | None, values: Mapping[str, Any], folders: Mapping[str, Path]
) -> Any:  # noqa: ANN401 - a path, a text or a mapping
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.Name(id=name):
            return values.get(name)
        case ast.Dict():
            try:
                return {str(key): str(value) for key, value in ast.literal_eval(node).items()}
            except ValueError:
                return None
        case ast.Call(func=ast.Attribute(attr="join"), args=arguments):
            parts = [_evaluated(argument, values, folders) for argument in arguments]
            known = parts and isinstance(parts[0], Path)
            known = known and all(isinstance(part, str) for part in parts[1:])
            return parts[0].joinpath(*parts[1:]) if known else None
        case ast.Call(func=ast.Name(), args=[ast.Constant(value=str() as name), *_]):
            return folders.get(name)
        case _:
            return None


def _roots(values: Mapping[str, Any]) -> tuple[Path, ...]:
    package, repository = values.get(_MODULE), values.get(_REPOSITORY)
    folders = (repository, package, package.parent if isinstance(package, Path) else None)
    inside = [
        folder
        for folder in folders
        if isinstance(folder, Path)
        and isinstance(repository, Path)
        and folder.is_relative_to(repository)
    ]
    return tuple(dict.fromkeys(inside))


def _tree(module: Path) -> ast.Module:
    try:
        return ast.parse(module.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])
