"""Round shapes in depth images: drawn as prisms, corrected in closed form."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.rendering.render_worker import SLICES, View
from horus_sim.sim3d.sensors.rays.caster import CLOSED_FORM, seen_geoms
from horus_sim.sim3d.sensors.rays.triangles import BOX

_TOLERANCE = 4e-4
_ROUND = [kind for kind in CLOSED_FORM if kind != BOX]
_SAGITTA = 1.0 - np.cos(np.pi / SLICES)


def round_geoms(model: mujoco.MjModel) -> npt.NDArray[np.int_]:
    """The round geoms that are drawn and large enough for their edges to matter."""
    geoms = seen_geoms(model, "visual")
    kinds = model.geom_type[geoms]
    radii = np.where(
        kinds == int(mujoco.mjtGeom.mjGEOM_ELLIPSOID),
        model.geom_size[geoms].max(axis=1),
        model.geom_size[geoms, 0],
    )
    return geoms[np.isin(kinds, _ROUND) & (radii * _SAGITTA > _TOLERANCE)]


def correct_rounds(
    depth: npt.NDArray[np.float32],
    view: View,
    model: mujoco.MjModel,
    data: mujoco.MjData,
    geoms: npt.NDArray[np.int_],
) -> None:
    """Puts the true surface where a drawn prism lies behind it; changes the image.

    Args:
        depth: Along the optical axis [m], shape (height, width).
        view: How it was drawn.
        model: The model.
        data: Its state.
        geoms: The geoms that `round_geoms` found.
    """
    intrinsics = view.intrinsics
    R = view.R_world_optical
    centres = (data.geom_xpos[geoms] - view.position) @ R
    for geom, centre in zip(geoms, centres, strict=True):
        reach = float(model.geom_rbound[geom])
        # Within its reach the camera may stand inside the shape, which is not drawn then.
        if centre[2] <= view.near + reach:
            continue
        columns = _span(centre[0], centre[2], reach, intrinsics.fx, intrinsics.cx, depth.shape[1])
        rows = _span(centre[1], centre[2], reach, intrinsics.fy, intrinsics.cy, depth.shape[0])
        part = depth[rows, columns]
        if part.size == 0 or part.max() < centre[2] - reach:
            continue
        # What is drawn at other distances is not this shape, but for a pixel of its outline.
        near, far = centre[2] - reach, centre[2] + reach
        chosen = np.flatnonzero((part > near) & (part < far))
        row, column = np.divmod(chosen, part.shape[1])
        # Single precision, like the image, is good for some micrometres here.
        directions = np.empty((len(row), 3), np.float32)
        directions[:, 0] = (column + (columns.start - intrinsics.cx)) / intrinsics.fx
        directions[:, 1] = (row + (rows.start - intrinsics.cy)) / intrinsics.fy
        directions[:, 2] = 1.0
        lengths = np.sqrt(np.einsum("ij,ij->i", directions, directions))
        directions /= lengths[:, None]
        R_optical_geom = (R.T @ data.geom_xmat[geom].reshape(3, 3)).astype(np.float32)
        start = (-centre @ R_optical_geom).astype(np.float32)
        size = model.geom_size[geom].astype(np.float32)
        distances = CLOSED_FORM[int(model.geom_type[geom])][0](
            np.broadcast_to(start, directions.shape),
            directions @ R_optical_geom,
            np.broadcast_to(size, directions.shape),
        )
        part[row, column] = np.minimum(part[row, column], distances / lengths)


def _span(
    offset: float, ahead: float, reach: float, focal: float, middle: float, count: int
) -> slice:
    """The pixels of one axis onto which a sphere before the camera may fall."""
    angle = np.arctan2(offset, ahead)
    half = np.arcsin(min(reach / np.hypot(offset, ahead), 1.0))
    low, high = max(angle - half, -1.55), min(angle + half, 1.55)
    first = int(np.clip(np.floor(middle + focal * np.tan(low)), 0, count))
    last = int(np.clip(np.ceil(middle + focal * np.tan(high)) + 1, 0, count))
    return slice(first, max(first, last))
