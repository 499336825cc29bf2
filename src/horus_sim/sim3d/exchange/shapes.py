"""The visible shapes of a 3D world."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np

from horus_sim.robots.engine import mujoco
from horus_sim.running.outlets.shapes import Rgba, SceneShapes, Shape
from horus_sim.sim3d.compile.geoms import COLLISION_GROUP
from horus_sim.sim3d.compile.mujoco_types import transform_of
from horus_sim.sim3d.sensors.rays.triangles import height_field_triangles, mesh_triangles
from horus_sim.sim3d.world.frames import WORLD_FRAME
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.sim3d.world.world import World

_KIND = mujoco.mjtGeom
_PLAIN: dict[int, Literal["box", "sphere", "cylinder"]] = {
    int(_KIND.mjGEOM_BOX): "box",
    int(_KIND.mjGEOM_SPHERE): "sphere",
    int(_KIND.mjGEOM_ELLIPSOID): "sphere",
    int(_KIND.mjGEOM_CYLINDER): "cylinder",
}
_UNSET = (0.5, 0.5, 0.5, 1.0)
_ENDLESS_M = 100.0
_THIN_M = 1e-3


def scene_shapes(world: World, before: SceneShapes | None = None) -> SceneShapes:
    """All that is visible.

    Args:
        world: The world.
        before: The earlier message.
    """
    model = world.model
    frames = {found.body: found.frame for found in world.frames}
    found: dict[str, list[Shape]] = {}
    for geom in range(model.ngeom):
        rgba = _colour(model, geom)
        if int(model.geom_group[geom]) == COLLISION_GROUP or rgba[3] == 0.0:
            continue
        pose = transform_of(model.geom_pos[geom], model.geom_quat[geom])
        body = int(model.geom_bodyid[geom])
        while body and body not in frames:
            pose = transform_of(model.body_pos[body], model.body_quat[body]) @ pose
            body = int(model.body_parentid[body])
        frame = frames.get(body, WORLD_FRAME)
        found.setdefault(frame, []).extend(_shapes(model, geom, pose, rgba))
    gone = () if before is None else tuple(before.of_frame.keys() - found.keys())
    return SceneShapes({frame: tuple(shapes) for frame, shapes in found.items()}, gone)


def _shapes(model: mujoco.MjModel, geom: int, pose: Transform, rgba: Rgba) -> Iterator[Shape]:
    kind = int(model.geom_type[geom])
    a, b, c = (float(value) for value in model.geom_size[geom])
    if kind in _PLAIN:
        sizes = {
            int(_KIND.mjGEOM_SPHERE): (2 * a, 2 * a, 2 * a),
            int(_KIND.mjGEOM_CYLINDER): (2 * a, 2 * a, 2 * b),
        }
        yield Shape(_PLAIN[kind], pose, sizes.get(kind, (2 * a, 2 * b, 2 * c)), rgba)
    elif kind == int(_KIND.mjGEOM_CAPSULE):
        yield Shape("cylinder", pose, (2 * a, 2 * a, 2 * b), rgba)
        for end in (-b, b):
            cap = pose @ Transform((0.0, 0.0, end))
            yield Shape("sphere", cap, (2 * a, 2 * a, 2 * a), rgba)
    elif kind == int(_KIND.mjGEOM_PLANE):
        below = pose @ Transform((0.0, 0.0, -_THIN_M / 2))
        # MuJoCo has 0 where a plane does not end.
        yield Shape("box", below, (2 * a or _ENDLESS_M, 2 * b or _ENDLESS_M, _THIN_M), rgba)
    elif kind == int(_KIND.mjGEOM_MESH):
        mesh = mesh_triangles(model, int(model.geom_dataid[geom]))
        yield Shape("mesh", pose, (1.0, 1.0, 1.0), rgba, *mesh)
    elif kind == int(_KIND.mjGEOM_HFIELD):
        field = int(model.geom_dataid[geom])
        vertices, triangles = height_field_triangles(model, field)
        # Without the sides and the bottom, which nobody sees.
        count = int(model.hfield_nrow[field] * model.hfield_ncol[field])
        seen = triangles[(triangles < count).all(axis=1)]
        yield Shape("mesh", pose, (1.0, 1.0, 1.0), rgba, vertices[:count], seen)


def _colour(model: mujoco.MjModel, geom: int) -> Rgba:
    own = tuple(float(value) for value in model.geom_rgba[geom])
    material = int(model.geom_matid[geom])
    if material >= 0 and np.allclose(own, _UNSET):
        own = tuple(float(value) for value in model.mat_rgba[material])
    r, g, b, a = own
    return r, g, b, a
