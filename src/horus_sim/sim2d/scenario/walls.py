"""Walls of a world: those that are drawn, and those around everything."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from horus_sim._native import arc_tangent
from horus_sim.sim2d.pose import Pose, distance
from horus_sim.sim2d.scenario.schema import BodyConfig, Material, WorldConfig

WALL_THICKNESS = 0.05
"""Thickness of the walls around everything [m]."""
_MATERIAL = Material(friction=0.9, restitution=0.05)


def walls_of(world: WorldConfig) -> Iterator[tuple[str, BodyConfig]]:
    """The walls of a world, each with the key of its file that it comes from."""
    for number, stroke in enumerate(world.drawings):
        for k, ((ax, ay), (bx, by)) in enumerate(pairwise(stroke.points)):
            length = distance((ax, ay), (bx, by))
            if stroke.kind == "wall" and length > 0.0:
                pose = (0.5 * (ax + bx), 0.5 * (ay + by), arc_tangent(by - ay, bx - ax))
                # Half a thickness longer on each side, so that corners are closed.
                size = (length + stroke.thickness, stroke.thickness)
                yield f"drawings[{number}]", _wall(f"drawing_{number}_{k}", size, pose)
    bounds, t = world.bounds, WALL_THICKNESS
    if bounds is not None:
        width, height = bounds.max_x - bounds.min_x + 2 * t, bounds.max_y - bounds.min_y + 2 * t
        x, y = 0.5 * (bounds.min_x + bounds.max_x), 0.5 * (bounds.min_y + bounds.max_y)
        for side, size, pose in (
            ("left", (t, height), (bounds.min_x - 0.5 * t, y, 0.0)),
            ("right", (t, height), (bounds.max_x + 0.5 * t, y, 0.0)),
            ("bottom", (width, t), (x, bounds.min_y - 0.5 * t, 0.0)),
            ("top", (width, t), (x, bounds.max_y + 0.5 * t, 0.0)),
        ):
            yield "bounds", _wall(f"bounds_{side}", size, pose)


def _wall(name: str, size: tuple[float, float], pose: Pose) -> BodyConfig:
    x, y = 0.5 * size[0], 0.5 * size[1]
    # Unchecked: the walls of the largest world are a bit larger than a body may be.
    return BodyConfig.model_construct(
        name=name,
        points=((-x, -y), (x, -y), (x, y), (-x, y)),
        pose=pose,
        can_move=False,
        material=_MATERIAL,
    )
