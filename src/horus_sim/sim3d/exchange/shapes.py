"""The visible shapes of a 3D world."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from horus_sim.robots.engine import mujoco
from horus_sim.running.outlets.shapes import Rgba, SceneShapes, Shape
from horus_sim.sim3d.compile.geoms import COLLISION_GROUP
from horus_sim.sim3d.world.frames import WORLD_FRAME
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.sim3d.world.world import World

Floats = npt.NDArray[np.float64]
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
        pose = _pose(model.geom_pos[geom], model.geom_quat[geom])
        body = int(model.geom_bodyid[geom])
        while body and body not in frames:
            pose = _pose(model.body_pos[body], model.body_quat[body]) @ pose
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
    elif kind in (int(_KIND.mjGEOM_MESH), int(_KIND.mjGEOM_HFIELD)):
        read = _mesh if kind == int(_KIND.mjGEOM_MESH) else _field
        vertices, triangles = read(model, int(model.geom_dataid[geom]))
        yield Shape("mesh", pose, (1.0, 1.0, 1.0), rgba, vertices, triangles)


def _mesh(model: mujoco.MjModel, mesh: int) -> tuple[Floats, npt.NDArray[np.int32]]:
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    start, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    vertices = model.mesh_vert[first : first + count].astype(np.float64)
    return vertices, model.mesh_face[start : start + faces].astype(np.int32)


def _field(model: mujoco.MjModel, field: int) -> tuple[Floats, npt.NDArray[np.int32]]:
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    start = int(model.hfield_adr[field])
    half_x, half_y, top, _ = (float(value) for value in model.hfield_size[field])
    heights = model.hfield_data[start : start + rows * columns].astype(np.float64) * top
    y, x = np.meshgrid(
        np.linspace(-half_y, half_y, rows), np.linspace(-half_x, half_x, columns), indexing="ij"
    )
    vertices = np.stack((x.ravel(), y.ravel(), heights), axis=1)
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    lower = np.stack((corner, corner + 1, corner + columns), axis=1)
    upper = np.stack((corner + 1, corner + columns + 1, corner + columns), axis=1)
    return vertices, np.concatenate((lower, upper)).astype(np.int32)


def _colour(model: mujoco.MjModel, geom: int) -> Rgba:
    own = tuple(float(value) for value in model.geom_rgba[geom])
    material = int(model.geom_matid[geom])
    if material >= 0 and np.allclose(own, _UNSET):
        own = tuple(float(value) for value in model.mat_rgba[material])
    r, g, b, a = own
    return r, g, b, a


def _pose(position: Floats, quat_wxyz: Floats) -> Transform:
    w, x, y, z = (float(value) for value in quat_wxyz)
    return Transform(position, (x, y, z, w))
