"""The bodies of a 2D world as flat prisms, for those who draw in 3D."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from horus_sim.running.outlets.shapes import SceneShapes, Shape
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.sim2d.scenario.schema import BodyConfig
    from horus_sim.sim2d.simulation.simulator import Simulator

HEIGHT_M = 0.1


def body_shapes(sim: Simulator) -> SceneShapes:
    """All bodies, each in its own frame."""
    return SceneShapes(
        {name: (_prism(sim.layout.configs[index]),) for name, index in sim.layout.bodies.items()}
    )


def _prism(body: BodyConfig) -> Shape:
    red, green, blue = body.material.color
    rgba = (red / 255, green / 255, blue / 255, 1.0)
    middle = Transform((0.0, 0.0, HEIGHT_M / 2))
    if body.radius is not None:
        return Shape("cylinder", middle, (2 * body.radius, 2 * body.radius, HEIGHT_M), rgba)
    outline = np.asarray(body.points, dtype=np.float64)
    n = len(outline)
    below = np.column_stack((outline, np.zeros(n)))
    vertices = np.concatenate((below, np.column_stack((outline, np.full(n, HEIGHT_M)))))
    triangles = [(n, n + k, n + k + 1) for k in range(1, n - 1)]
    for k in range(n):
        after = (k + 1) % n
        triangles += [(k, after, n + after), (k, n + after, n + k)]
    faces = np.array(triangles, dtype=np.int32)
    return Shape("mesh", Transform(), (1.0, 1.0, 1.0), rgba, vertices, faces)
