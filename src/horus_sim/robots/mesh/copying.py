"""What an exported robot calls its meshes: where they are, or as copies beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from horus_sim.errors import DescriptionError
from horus_sim.files.whole_file import write_whole
from horus_sim.robots.description import Mesh

MeshUri = Callable[[Mesh], str]
"""What is written for a mesh."""


def copies_in(folder: Path) -> MeshUri:
    """Writes each mesh as an STL file into a folder ``meshes``, and names it from beside that.

    The scale is not applied; its own colours are lost.

    Args:
        folder: Where the folder ``meshes`` is made.
    """

    def copy(mesh: Mesh) -> str:
        from horus_sim.robots.mesh.data import to_binary_stl
        from horus_sim.robots.mesh.meshes import load_mesh
        from horus_sim.robots.mesh.neighbours import digest

        data = to_binary_stl(load_mesh(replace(mesh, scale=(1.0, 1.0, 1.0))))
        name = f"{mesh.path.stem}_{digest(data)[:8]}.stl"
        meshes = folder / "meshes"
        try:
            meshes.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DescriptionError(
                f"'{meshes}' cannot be made: {error.strerror}; choose another folder"
            ) from error
        write_whole(meshes / name, data, DescriptionError)
        return f"meshes/{name}"

    return copy
