"""Whether all meshes of a robot can be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Mesh
from horus_sim.robots.mesh.meshes import load_mesh
from horus_sim.robots.report import NoteKind

if TYPE_CHECKING:
    from horus_sim.robots.description import Link
    from horus_sim.robots.report import Report


def check_meshes(links: Mapping[str, Link], report: Report) -> int:
    """Loads every mesh once. A broken one that is only seen is a warning.

    Args:
        links: Links by name.
        report: Takes the warnings.

    Returns:
        How many meshes there are.

    Raises:
        DescriptionError: One that touches other things cannot be read.
    """
    touching = [shape.geometry for link in links.values() for shape in link.collisions]
    seen: set[Mesh] = set()
    for name, link in links.items():
        # What touches comes first: there, a broken mesh is an error.
        for shape in (*link.collisions, *link.visuals):
            mesh = shape.geometry
            if not isinstance(mesh, Mesh) or mesh in seen:
                continue
            seen.add(mesh)
            try:
                load_mesh(mesh, f"link '{name}'", report)
            except DescriptionError as error:
                if mesh in touching:
                    raise
                report.add(NoteKind.WARNING, f"link '{name}', visual", f"left out: {error}")
    return len(seen)
