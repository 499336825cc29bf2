"""Rays cast into a world: one answer from triangles that stand and from everything that moves.

Boxes, meshes and height fields of bodies that stand are one set of triangles, in which Embree finds
the nearest; its plane then gives the distance in double precision. Round shapes, planes and all
that moves are met in closed form, meshes that move as triangles in their own frame. Something
that stands and is put elsewhere costs a new set of triangles; after the third time it counts as
moving.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.compile.geoms import COLLISION_GROUP
from horus_sim.sim3d.sensors.rays import closed_form as shapes
from horus_sim.sim3d.sensors.rays.triangles import (
    BOX,
    HEIGHT_FIELD,
    MESHES,
    ModelTriangles,
    TriangleScene,
)

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int_]
See = Literal["auto", "visual", "collision"]

_Geom = mujoco.mjtGeom
_PLANE = int(_Geom.mjGEOM_PLANE)
_TRIANGLES = (BOX, *MESHES, HEIGHT_FIELD)
_Distances = Callable[[Floats, Floats, Floats], Floats]
_Normals = Callable[[Floats, Floats], Floats]
CLOSED_FORM: dict[int, tuple[_Distances, _Normals]] = {
    int(_Geom.mjGEOM_SPHERE): (shapes.sphere_distances, shapes.sphere_normals),
    int(_Geom.mjGEOM_CAPSULE): (shapes.capsule_distances, shapes.capsule_normals),
    int(_Geom.mjGEOM_ELLIPSOID): (shapes.ellipsoid_distances, shapes.ellipsoid_normals),
    int(_Geom.mjGEOM_CYLINDER): (shapes.cylinder_distances, shapes.cylinder_normals),
    BOX: (shapes.box_distances, shapes.box_normals),
}
_SLACK = 1e-4
_GRAZING = 1e-15
_RESTLESS = 3


@dataclass(frozen=True, slots=True)
class RayHits:
    """What rays met.

    Attributes:
        distances: Distances [m], shape (n,); infinite where a ray met nothing.
        geoms: Index of the geom in the MuJoCo model, shape (n,); -1 for none.
        cosines: Between ray and surface normal, from 0 grazing to 1 head-on, shape (n,).
    """

    distances: Floats
    geoms: npt.NDArray[np.int32]
    cosines: Floats


def seen_geoms(model: mujoco.MjModel, see: See = "auto") -> Indices:
    """The geoms that rays meet.

    Args:
        model: The model.
        see: 'visual' for what is drawn, 'collision' for what touches, 'auto' for what is drawn of
            bodies that have any of it and for what touches of the others.

    Returns:
        Indices; geoms that are fully transparent are left out.
    """
    drawn = model.geom_group < COLLISION_GROUP
    alpha = model.geom_rgba[:, 3].copy()
    painted = model.geom_matid >= 0
    alpha[painted] = model.mat_rgba[model.geom_matid[painted], 3]
    drawn &= alpha > 0.0
    if see == "visual":
        return np.flatnonzero(drawn)
    touching = (model.geom_contype | model.geom_conaffinity) != 0
    if see == "collision":
        return np.flatnonzero(touching)
    has_drawn = np.zeros(model.nbody, bool)
    has_drawn[model.geom_bodyid[drawn]] = True
    return np.flatnonzero(drawn | (touching & ~has_drawn[model.geom_bodyid]))


class RayCaster:
    """Casts rays at some geoms of a model.

    Args:
        model: The model.
        geoms: Indices of the geoms that are met.
        moving_bodies: Bodies without joints that are known to move all the same.
        triangles: Triangles of the model, where several casters share them.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        geoms: Indices,
        moving_bodies: Iterable[int] = (),
        triangles: ModelTriangles | None = None,
    ) -> None:
        self._model = model
        self._triangles = ModelTriangles(model) if triangles is None else triangles
        kinds = model.geom_type
        self._radii = model.geom_rbound.copy()
        fields = kinds == HEIGHT_FIELD
        self._radii[fields] = np.linalg.norm(model.hfield_size[model.geom_dataid[fields]], axis=1)
        roots = model.body_rootid
        tree_moves = np.bincount(roots, weights=model.body_dofnum, minlength=model.nbody) > 0
        moves = tree_moves[roots]
        moves[list(moving_bodies)] = True
        stands = ~moves[model.geom_bodyid[geoms]] & np.isin(kinds[geoms], _TRIANGLES)
        self._planes = [int(geom) for geom in geoms[kinds[geoms] == _PLANE]]
        self._standing = geoms[stands]
        self._moving = geoms[~stands & (kinds[geoms] != _PLANE)]
        self._static: TriangleScene | None = None
        self._where: Floats | None = None  # of what stands, when it was merged
        self._moves = np.zeros(model.ngeom, int)
        self._kinds: list[int] = []

    def cast(
        self,
        data: mujoco.MjData,
        origins: Floats,
        directions: Floats,
        max_distance: float = np.inf,
        known: RayHits | None = None,
    ) -> RayHits:
        """The nearest geom on each ray.

        Args:
            data: State whose poses are up to date.
            origins: Start of all rays [m], world frame, shape (3,), or of each, shape (n, 3).
            directions: Unit vectors, world frame, shape (n, 3).
            max_distance: Nothing is met farther away [m].
            known: What these rays meet of other geoms, with which the nearest is sought.
        """
        self._refresh(data)
        if self._static is not None:
            best, cosines, geoms = self._static.cast(origins, directions)
        else:
            count = len(directions)
            best, cosines = np.full(count, np.inf), np.zeros(count)
            geoms = np.full(count, -1, np.int32)
        if known is not None:
            nearer = np.flatnonzero(known.distances < best)
            best[nearer], geoms[nearer] = known.distances[nearer], known.geoms[nearer]
            cosines[nearer] = known.cosines[nearer]
        hits = RayHits(best, geoms, cosines)
        for geom in self._planes:
            self._cast_plane(data, geom, origins, directions, hits)
        if len(self._moving):
            self._cast_moving(data, origins, directions, max_distance, hits)
        if np.isfinite(max_distance):
            far = np.flatnonzero(best > max_distance)
            best[far], geoms[far], cosines[far] = np.inf, -1, 0.0
        return hits

    def _cast_plane(
        self, data: mujoco.MjData, geom: int, origins: Floats, directions: Floats, hits: RayHits
    ) -> None:
        """Lets a plane compete, seen from above and as far as it is drawn; changes the hits."""
        R = data.geom_xmat[geom].reshape(3, 3)
        start = (origins - data.geom_xpos[geom]) @ R
        slopes = directions @ R[:, 2]
        falling = np.flatnonzero((slopes < -_GRAZING) & (start[..., 2] >= 0.0))
        start = start if start.ndim == 1 else np.take(start, falling, axis=0)
        found = -start[..., 2] / np.take(slopes, falling)
        nearer = np.flatnonzero(found < np.take(hits.distances, falling))
        found, rays = found[nearer], falling[nearer]
        start = start if start.ndim == 1 else np.take(start, nearer, axis=0)
        ahead = np.take(directions, rays, axis=0)
        on_it = np.ones(len(rays), bool)
        for axis in (0, 1):
            size = self._model.geom_size[geom, axis]
            # A size of 0 is without end.
            if size > 0.0:
                on_it &= np.abs(ahead @ R[:, axis] * found + start[..., axis]) <= size
        rays, found = rays[on_it], found[on_it]
        hits.distances[rays], hits.geoms[rays] = found, geom
        hits.cosines[rays] = -slopes[rays]

    def _cast_moving(
        self,
        data: mujoco.MjData,
        origins: Floats,
        directions: Floats,
        max_distance: float,
        hits: RayHits,
    ) -> None:
        """Lets all that moves, and round shapes, compete; changes the hits."""
        model, best = self._model, hits.distances
        for which, rays in self._candidates(data, origins, directions, max_distance, best):
            R = np.take(data.geom_xmat, which, axis=0).reshape(-1, 3, 3)
            centres = np.take(data.geom_xpos, which, axis=0)
            origin = origins if origins.ndim == 1 else np.take(origins, rays, axis=0)
            starts = np.einsum("kij,ki->kj", R, origin - centres)
            local = np.einsum("kij,ki->kj", R, np.take(directions, rays, axis=0))
            closed_form = CLOSED_FORM.get(int(model.geom_type[which[0]]))
            cosines = np.empty(0)
            if closed_form is None:
                found, cosines, _ = self._triangles.scene(int(which[0])).cast(starts, local)
            else:
                found = closed_form[0](starts, local, np.take(model.geom_size, which, axis=0))
            nearer = np.flatnonzero(found < np.take(best, rays))
            np.minimum.at(best, rays[nearer], found[nearer])
            won = nearer[found[nearer] == best[rays[nearer]]]
            hits.geoms[rays[won]] = which[won]
            if closed_form is None:
                hits.cosines[rays[won]] = cosines[won]
            else:
                points = starts[won] + found[won, None] * local[won]
                normals = closed_form[1](points, model.geom_size[which[won]])
                hits.cosines[rays[won]] = np.abs(np.einsum("ij,ij->i", normals, local[won]))

    def _candidates(
        self,
        data: mujoco.MjData,
        origins: Floats,
        directions: Floats,
        max_distance: float,
        best: Floats,
    ) -> list[tuple[Indices, Indices]]:
        """Geoms and rays that may meet, in groups of one kind, for meshes of one geom each.

        A ray is left out for a geom whose bounding sphere it misses or that is farther away than
        what the ray has met already.
        """
        middle, spread = origins, 0.0
        if origins.ndim == 2:
            middle = origins.mean(axis=0)
            spread = float(np.sqrt(((origins - middle) ** 2).sum(axis=1).max()))
        ids = self._moving
        offsets = data.geom_xpos[ids] - middle
        distances = np.linalg.norm(offsets, axis=1)
        radii = self._radii[ids] + spread
        beyond = distances > radii
        edges = np.where(beyond, np.sqrt(np.maximum(distances**2 - radii**2, 0.0)), -np.inf)
        edges -= _SLACK * (1.0 + distances)
        near = distances - radii
        kept = near <= max_distance
        ids, offsets, edges, near = ids[kept], offsets[kept], edges[kept], near[kept]
        if len(ids) == 0:
            return []
        # No matrix product: BLAS would start threads for it, and wait for them.
        across = np.ascontiguousarray(directions.T, dtype=np.float32)
        along = np.einsum("ij,jk->ik", offsets.astype(np.float32), across)
        index = np.flatnonzero(along >= edges[:, None].astype(np.float32))
        which, rays = np.divmod(index, len(directions))
        in_front = near[which] - _SLACK < best[rays]
        which, rays = ids[which[in_front]], rays[in_front]
        kinds = np.take(self._model.geom_type, which)
        groups = []
        for kind in self._kinds:
            chosen = np.flatnonzero(kinds == kind)
            if len(chosen) == 0:
                continue
            if kind in CLOSED_FORM:
                groups.append((which[chosen], rays[chosen]))
            else:
                for geom in np.unique(which[chosen]):
                    own = chosen[which[chosen] == geom]
                    groups.append((which[own], rays[own]))
        return groups

    def _refresh(self, data: mujoco.MjData) -> None:
        """Builds the standing triangles where there are none, or some of them have moved."""
        where = np.column_stack((data.geom_xpos[self._standing], data.geom_xmat[self._standing]))
        if self._where is not None:
            if np.array_equal(where, self._where):
                return
            self._moves[self._standing[(where != self._where).any(axis=1)]] += 1
            restless = self._moves[self._standing] >= _RESTLESS
            self._moving = np.concatenate((self._moving, self._standing[restless]))
            self._standing, where = self._standing[~restless], where[~restless]
        self._where = where
        self._kinds = np.unique(self._model.geom_type[self._moving]).tolist()
        vertices, faces, owners, count = [], [], [], 0
        for geom in self._standing:
            corners, triangles = self._triangles.of(int(geom))
            R = data.geom_xmat[geom].reshape(3, 3)
            vertices.append(corners @ R.T + data.geom_xpos[geom])
            faces.append(triangles + count)
            owners.append(np.full(len(triangles), geom))
            count += len(corners)
        self._static = None
        if count:
            parts = np.vstack(vertices), np.vstack(faces), np.concatenate(owners)
            self._static = TriangleScene(*parts)
