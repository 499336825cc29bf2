"""Files that an SDF file includes: found, chosen by version, bounded."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from horus_sim.errors import MissingResourceError
from horus_sim.robots.sdf.context import MAX_DEPTH, Loading, SourceFile
from horus_sim.robots.sdf.values import Place
from horus_sim.robots.uris import resolver_for
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import shown

OLDEST: tuple[int, int] = (1, 4)
NEWEST: tuple[int, int] = (1, 12)
_REMOTE = re.compile(r"(https?|fuel)://", re.IGNORECASE)
_VERSION = re.compile(r"\s*(\d{1,3})\.(\d{1,3})(\.\d{1,3})?\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Included:
    """What an ``<include>`` brings: a model, light or actor element, and its file."""

    element: Element
    file: SourceFile


def model_roots(path: Path, roots: Iterable[Path | str]) -> tuple[Path, ...]:
    """The folders below which models are looked for, besides those of the environment.

    Args:
        path: The SDF file.
        roots: Given by the user, searched first; then follow ``SDF_PATH`` and a folder ``models``
            beside or inside the file's folder.
    """
    found = [Path(root).expanduser() for root in roots]
    entries = [Path(entry) for entry in os.environ.get("SDF_PATH", "").split(os.pathsep) if entry]
    # A relative or root entry would allow far more than its author meant.
    found += [entry for entry in entries if entry.is_absolute() and entry != Path("/")]
    near = [path.parent / "models"]
    if path.parent.name in ("world", "worlds"):
        near.append(path.parent.parent / "models")
    return (*found, *(folder for folder in near if folder.is_dir()))


def open_document(path: Path, loading: Loading, ancestors: tuple[Path, ...]) -> Included:
    """The ``<sdf>`` element of a file.

    Raises:
        DescriptionError: It cannot be read or is something else.
    """
    root = loading.document(path)
    if root.tag != "sdf":
        remedy = "an SDF file starts with <sdf version='...'>"
        if root.tag == "robot":
            remedy = "this is a URDF robot: load it with load_robot, or convert it to SDF"
        elif root.tag == "mujoco":
            remedy = "this is a MuJoCo model: load it with load_robot"
        raise root.error(f"the root element is <{root.tag}>; {remedy}")
    if path not in loading.resolvers:
        loading.resolvers[path] = resolver_for(path, loading.roots, loading.report)
    version, resolver = _version(root, loading), loading.resolvers[path]
    return Included(root, SourceFile(path, version, resolver, loading, ancestors))


def open_include(place: Place) -> Included | None:
    """What an ``<include>`` names.

    Returns:
        None if it lies on a server, from which nothing is fetched; the report says so.

    Raises:
        DescriptionError: It is not there, includes itself, or is not one model, light or actor.
    """
    file, loading = place.file, place.file.loading
    loading.spend(place.element)
    uri = place.required("uri")
    if is_remote(uri):
        place.tolerate(
            f"'{uri}' lies on a server, and nothing is fetched from the network",
            "download the model below a model root and include it as model://NAME",
        )
        return None
    if (file.path, uri) not in loading.included:
        loading.included[file.path, uri] = _find(uri, place)
    path = loading.included[file.path, uri]
    ancestors = (*file.ancestors, file.path)
    if path in ancestors:
        way = " -> ".join(f"'{entry}'" for entry in (*ancestors[ancestors.index(path) :], path))
        raise place.error(f"'{uri}' includes itself ({way}); remove one <include>")
    if len(ancestors) > MAX_DEPTH:
        raise place.error(f"includes are nested deeper than the limit of {MAX_DEPTH}")
    document = open_document(path, loading, ancestors)
    entities = [
        child for child in document.element.children if child.tag in ("model", "light", "actor")
    ]
    if len(entities) != 1:
        raise place.error(
            f"'{uri}' holds {len(entities)} models, lights and actors, where an "
            "<include> takes one; split the file, or load it by itself if it is a world"
        )
    return Included(entities[0], document.file)


def is_remote(uri: str) -> bool:
    """Whether a URI lies on a server."""
    return _REMOTE.match(uri.strip()) is not None


def _find(uri: str, place: Place) -> Path:
    """The file that a URI names, or that the model's folder it names holds."""
    file, culprit = place.file, place.culprit
    try:
        return file.resolver.resolve(uri, culprit)
    except MissingResourceError as error:
        missing = error
    tried = list(missing.tried)
    for name in ("model.config", "manifest.xml", "model.sdf"):
        try:
            found = file.resolver.resolve(f"{uri.rstrip('/')}/{name}", culprit)
        except MissingResourceError as error:
            tried += error.tried
            continue
        return found if found.suffix == ".sdf" else _choose(found, file.loading, culprit)
    shown_paths = ", ".join(dict.fromkeys(tried))
    raise MissingResourceError(
        f"{place.error('')}'{uri}' is neither a file nor the folder "
        f" of a model (with model.config or model.sdf); tried: {shown_paths}; give the "
        "folder that holds the model as root (roots, SDF_PATH or GZ_SIM_RESOURCE_PATH)",
        uri,
        tuple(dict.fromkeys(tried)),
    )


def _choose(config: Path, loading: Loading, culprit: str) -> Path:
    """The file of the newest version that a model.config lists."""
    document = loading.document(config)
    best: tuple[tuple[int, int], Path] | None = None
    for entry in document.find_all("sdf"):
        version = _parsed(entry.get("version") or "") or OLDEST
        path = _inside(config.parent, config.parent / entry.text.strip(), entry)
        if version <= NEWEST and (best is None or version > best[0]):
            best = (version, path)
    if best is None:
        raise document.error(
            f"{culprit}: no <sdf version='...'> of at most {NEWEST[0]}.{NEWEST[1]} is listed; add "
            "<sdf version='1.9'>model.sdf</sdf>"
        )
    return best[1]


def _inside(folder: Path, path: Path, element: Element) -> Path:
    """The path without links, which must not lead out of the folder."""
    try:
        real = path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise element.error(f"{shown(str(path))} is not a usable path: {error}") from error
    if not real.is_relative_to(folder):
        raise element.error(f"{shown(str(path))} leads out of the model's folder '{folder}'")
    return real


def _version(root: Element, loading: Loading) -> tuple[int, int]:
    text = root.get("version") or ""
    version = _parsed(text)
    if version is None:
        loading.tolerate(
            root,
            "<sdf>",
            f"the version is {shown(text)}, which is none",
            "add version='1.9' or whichever it was written for",
            done=f"taken as {NEWEST[0]}.{NEWEST[1]}",
        )
        return NEWEST
    if not OLDEST <= version <= NEWEST:
        loading.tolerate(
            root,
            "<sdf>",
            f"version {version[0]}.{version[1]} is outside {OLDEST[0]}.{OLDEST[1]} to "
            f"{NEWEST[0]}.{NEWEST[1]}",
            "convert the file with gz sdf",
            done="read as the nearest one",
        )
    return min(max(version, OLDEST), NEWEST)


def _parsed(text: str) -> tuple[int, int] | None:
    match = _VERSION.fullmatch(text)
    return (int(match[1]), int(match[2])) if match else None
