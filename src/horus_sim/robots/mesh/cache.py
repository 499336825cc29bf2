"""Read meshes kept on disk under the hash of their content.

The folder is ``$XDG_CACHE_HOME/horus-sim/meshes`` or ``~/.cache/horus-sim/meshes``; it may be
deleted at any time. Where it cannot be written, meshes are read anew each time. An entry that is
broken or whose neighbours changed counts as absent.
"""

from __future__ import annotations

import contextlib
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from horus_sim.files.cache import cache_folder
from horus_sim.files.whole_file import replacing
from horus_sim.robots.mesh.data import MeshData, MeshPart

# To be raised when the readers give other arrays for the same file.
_VERSION = 1


def load_entry(key: str, current_digest: Callable[[str], str | None]) -> MeshData | None:
    """The mesh kept under a key, or None.

    Args:
        key: Hash of the file and of how it is read.
        current_digest: The digest of a file that the mesh refers to.
    """
    try:
        with _entry(key).open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            about = json.loads(bytes(arrays["about"]))
            if about["version"] != _VERSION:
                return None
            neighbours: Mapping[str, str | None] = about["neighbours"]
            if any(current_digest(name) != known for name, known in neighbours.items()):
                return None
            mesh = MeshData(
                arrays["vertices"],
                arrays["faces"],
                tuple(_part(part) for part in about["parts"]),
                arrays.get("texcoords"),
                int(about["faces_in_file"]),
            )
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        return None
    return mesh if _is_sound(mesh) else None


def store_entry(key: str, mesh: MeshData, neighbours: Mapping[str, str | None]) -> None:
    """Keeps a mesh; a folder that cannot be written is not an error."""
    about = {
        "version": _VERSION,
        "neighbours": dict(neighbours),
        "faces_in_file": mesh.faces_in_file,
        "parts": [asdict(part) for part in mesh.parts],
    }
    arrays = {"vertices": mesh.vertices, "faces": mesh.faces}
    if mesh.texcoords is not None:
        arrays["texcoords"] = mesh.texcoords
    path = _entry(key)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, sync=False) as stream:
            encoded = np.frombuffer(json.dumps(about, default=str).encode(), dtype=np.uint8)
            np.savez(stream, about=encoded, **arrays)


def _entry(key: str) -> Path:
    return cache_folder("meshes") / f"{key}.npz"


def _part(stored: Mapping[str, Any]) -> MeshPart:
    rgba, texture = stored["rgba"], stored["texture"]
    return MeshPart(
        tuple(map(str, stored["names"])),
        int(stored["start"]),
        int(stored["stop"]),
        None if rgba is None else (rgba[0], rgba[1], rgba[2], rgba[3]),
        None if texture is None else Path(texture),
    )


def _is_sound(mesh: MeshData) -> bool:
    vertices, faces = mesh.vertices, mesh.faces
    return (
        vertices.dtype == np.float32
        and faces.dtype == np.int32
        and vertices.ndim == faces.ndim == 2
        and vertices.shape[1] == faces.shape[1] == 3
        and len(faces) > 0
        and int(faces.min()) >= 0
        and int(faces.max()) < len(vertices)
        and bool(np.isfinite(vertices).all())
        and bool(mesh.parts)
        and mesh.parts[-1].stop == len(faces)
    )
