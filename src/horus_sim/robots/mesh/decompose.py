"""Convex pieces of collision meshes, for hollow shapes: optional, through coacd."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from horus_sim.errors import DescriptionError, MissingExtraError
from horus_sim.files.cache import cache_folder
from horus_sim.files.whole_file import write_whole
from horus_sim.robots.description import Collision, Mesh, RobotDescription
from horus_sim.robots.mesh.data import MeshData, MeshPart, to_binary_stl
from horus_sim.robots.mesh.meshes import load_mesh


def decomposed(robot: RobotDescription) -> RobotDescription:
    """A robot whose collision meshes are cut into convex pieces.

    The engine takes the convex hull of a collision mesh; a cup or a bracket needs several. Pieces
    are kept in the user's cache, under the hash of the mesh.

    Raises:
        DescriptionError: A mesh cannot be read, or the cache cannot be written.
        MissingExtraError: coacd is not installed.
    """
    links = [
        replace(
            link,
            collisions=tuple(
                piece for shape in link.collisions for piece in _pieces(shape, link.name)
            ),
        )
        for link in robot.links
    ]
    return replace(robot, links=type(robot.links)(links))


def convex_pieces(
    mesh: MeshData, *, threshold: float = 0.05, max_pieces: int = 32, seed: int = 0
) -> tuple[MeshData, ...]:
    """Convex meshes that together cover a mesh.

    Args:
        mesh: The mesh.
        threshold: How concave a piece may stay, from 0.01 (many pieces) to 1 (one).
        max_pieces: Most pieces.
        seed: Seed of the search; the same seed gives the same pieces.

    Raises:
        MissingExtraError: coacd is not installed.
    """
    if importlib.util.find_spec("coacd") is None:
        raise MissingExtraError("coacd", "decompose")
    import coacd  # pyright: ignore[reportMissingImports]

    coacd.set_log_level("error")
    pieces = coacd.run_coacd(
        coacd.Mesh(mesh.vertices.astype(np.float64), mesh.faces),
        threshold=threshold,
        max_convex_hull=max_pieces,
        seed=seed,
    )
    return tuple(
        MeshData(
            np.asarray(vertices, dtype=np.float32),
            np.asarray(faces, dtype=np.int32),
            (MeshPart(("",), 0, len(faces)),),
            None,
            len(faces),
        )
        for vertices, faces in pieces
    )


def _pieces(shape: Collision, link: str) -> Iterator[Collision]:
    mesh = shape.geometry
    if not isinstance(mesh, Mesh):
        yield shape
        return
    data = load_mesh(mesh, f"link '{link}'")
    digest = hashlib.sha256(data.vertices.tobytes() + data.faces.tobytes()).hexdigest()
    folder = cache_folder("pieces") / digest
    if not folder.exists():
        _keep(convex_pieces(data), folder)
    for number, file in enumerate(sorted(folder.glob("*.stl"))):
        name = f"{shape.name}_{number}" if shape.name else ""
        yield replace(shape, geometry=Mesh(file, mesh.uri), name=name)


def _keep(pieces: tuple[MeshData, ...], folder: Path) -> None:
    """Writes all pieces, each a file; the folder has its name once it is complete."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=folder.parent))
    except OSError as error:
        raise DescriptionError(
            f"the folder '{folder.parent}' cannot be written ({error.strerror}); choose another "
            "one by XDG_CACHE_HOME"
        ) from error
    for number, piece in enumerate(pieces):
        write_whole(part / f"{number:02}.stl", to_binary_stl(piece), DescriptionError)
    try:
        part.rename(folder)
    except OSError:
        # Another process was quicker.
        shutil.rmtree(part, ignore_errors=True)
