"""Convex pieces of a mesh, for collisions with hollow shapes: optional, through coacd."""

from __future__ import annotations

import importlib.util

import numpy as np

from horus_sim.errors import MissingExtraError
from horus_sim.robots.mesh.data import MeshData, MeshPart


def convex_pieces(
    mesh: MeshData, *, threshold: float = 0.05, max_pieces: int = 32, seed: int = 0
) -> tuple[MeshData, ...]:
    """Convex meshes that together cover a mesh.

    The engine takes the convex hull of a collision mesh; a cup or a bracket needs several.

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
