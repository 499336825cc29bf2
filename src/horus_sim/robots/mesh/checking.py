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
    """Loads every mesh once; a broken one is a warning, since a world leaves it out.

    Args:
        links: Links by name.
        report: Takes the warnings.

    Returns:
        How many meshes there are.
    """
    seen: set[Mesh] = set()
    for name, link in links.items():
        # What touches comes first: it matters more.
        for shape in (*link.collisions, *link.visuals):
            mesh = shape.geometry
            if not isinstance(mesh, Mesh) or mesh in seen:
                continue
            seen.add(mesh)
            try:
                load_mesh(mesh, f"link '{name}'", report)
            except DescriptionError as error:
                kind = "visual" if shape in link.visuals else "collision"
                report.add(NoteKind.WARNING, f"link '{name}', {kind}", f"left out: {error}")
    return len(seen)
