"""A floating robot alone in a MuJoCo model: where its parts and their lowest points are.

A part is what no joint divides: a body with all that is fixed to it. Heights are along z of the
world, in which the root is upright at the origin.
"""

# mujoco is a binary module without type stubs.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from horus_sim.robots.engine import mujoco

Floats = npt.NDArray[np.float64]
_Geom = mujoco.mjtGeom
_ENDLESS = (int(_Geom.mjGEOM_PLANE), int(_Geom.mjGEOM_HFIELD))
_ON_CIRCLE = 24
_CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


@dataclass(frozen=True, slots=True)
class Points:
    """Balls that together reach as far as the shapes of a part do, in world coordinates.

    Attributes:
        centres: Shape (n, 3) [m].
        radii: Shape (n,) [m].
    """

    centres: Floats
    radii: Floats

    @property
    def heights(self) -> Floats:
        """Height of the lowest point of each ball [m], shape (n,)."""
        return self.centres[:, 2] - self.radii


class Skeleton:
    """The parts of a robot and how its joints move them.

    Args:
        model: A model that holds the robot and nothing else; its start is upright.
        root: Body of the root link, which has a free joint.
        joints: MuJoCo joints that drives can hold, each with one axis.

    Attributes:
        model: The model.
        data: Poses of the last `place`.
        joints: MuJoCo joints that drives can hold.
        root: The root part.
        children: Parts that hang on each part.
    """

    def __init__(self, model: mujoco.MjModel, root: int, joints: Iterable[int]) -> None:
        self.model = model
        self.data = mujoco.MjData(model)
        self.joints = frozenset(joints)
        self.root = int(model.body_weldid[root])
        self._tree = int(model.body_rootid[root])
        self._free = int(model.jnt_qposadr[model.body_jntadr[root]])
        parts = [int(part) for part in np.unique(model.body_weldid) if self._owns(int(part))]
        self.children: dict[int, list[int]] = {part: [] for part in parts}
        for part in parts:
            if part != self.root:
                above = int(model.body_weldid[model.body_parentid[part]])
                self.children[above].append(part)
        self._clouds = {part: [] for part in parts}
        for geom in range(model.ngeom):
            part = int(model.body_weldid[model.geom_bodyid[geom]])
            touches = model.geom_contype[geom] or model.geom_conaffinity[geom]
            if part in self._clouds and touches and int(model.geom_type[geom]) not in _ENDLESS:
                body = int(model.geom_bodyid[geom])
                self._clouds[part].append((body, *_reach_in_body(model, geom)))

    def _owns(self, part: int) -> bool:
        return part > 0 and int(self.model.body_rootid[part]) == self._tree

    def upright(self, qpos: Floats) -> Floats:
        """The same positions with the root upright at the origin."""
        qpos = qpos.copy()
        qpos[self._free : self._free + 3] = 0.0
        qpos[self._free + 3 : self._free + 7] = self.model.qpos0[self._free + 3 : self._free + 7]
        return qpos

    def place(self, qpos: Floats) -> None:
        """Brings the poses of all parts up to date."""
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self.data)

    def centre_of_mass(self) -> Floats:
        """Of the robot as it is placed [m], shape (3,)."""
        mujoco.mj_comPos(self.model, self.data)
        return self.data.subtree_com[self._tree].copy()

    def below(self, part: int) -> Iterator[int]:
        """A part and all that hang on it."""
        pending = [part]
        while pending:
            found = pending.pop()
            yield found
            pending.extend(self.children[found])

    def touches(self, part: int) -> bool:
        """Whether a part, or one that hangs on it, has a shape that touches."""
        return any(self._clouds[each] for each in self.below(part))

    def points(self, parts: Iterable[int]) -> Points:
        """What reaches out of parts as they are placed."""
        centres, radii = [np.empty((0, 3))], [np.empty(0)]
        for part in parts:
            for body, points, radius in self._clouds[part]:
                R = self.data.xmat[body].reshape(3, 3)
                centres.append(points @ R.T + self.data.xpos[body])
                radii.append(radius)
        return Points(np.concatenate(centres), np.concatenate(radii))

    def joints_of(self, part: int) -> list[int]:
        """The joints that move a part against the one above."""
        first = int(self.model.body_jntadr[part])
        return list(range(first, first + int(self.model.body_jntnum[part])))

    def subtree(self, part: int) -> set[int]:
        """The bodies of a part and of all that hang on it."""
        parts = set(self.below(part))
        return {body for body in range(self.model.nbody) if self.model.body_weldid[body] in parts}


def _reach_in_body(model: mujoco.MjModel, geom: int) -> tuple[Floats, Floats]:
    """Centres, in the frame of its body, and radii of balls that reach as far as a shape."""
    size, kind = model.geom_size[geom], int(model.geom_type[geom])
    radius = 0.0
    if kind == int(_Geom.mjGEOM_MESH):
        points = _mesh_points(model, int(model.geom_dataid[geom]))
    elif kind == int(_Geom.mjGEOM_SPHERE):
        points, radius = np.zeros((1, 3)), float(size[0])
    elif kind == int(_Geom.mjGEOM_CAPSULE):
        points, radius = np.array([(0, 0, -size[1]), (0, 0, size[1])]), float(size[0])
    elif kind == int(_Geom.mjGEOM_CYLINDER):
        points = np.concatenate([_circle(size[0], end * size[1]) for end in (-1.0, 1.0)])
    elif kind == int(_Geom.mjGEOM_ELLIPSOID):
        rings = np.sin(np.linspace(-np.pi / 2, np.pi / 2, 13))
        points = np.concatenate([_circle(np.sqrt(1 - z * z), z) for z in rings]) * size
    else:
        points = _CORNERS * size
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, model.geom_quat[geom])
    points = points @ R.reshape(3, 3).T + model.geom_pos[geom]
    return points, np.full(len(points), radius)


def _mesh_points(model: mujoco.MjModel, mesh: int) -> Floats:
    """The corners of the convex hull, or all where there is no hull."""
    start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = model.mesh_vert[start : start + count].astype(float)
    graph = int(model.mesh_graphadr[mesh])
    if graph < 0:
        return vertices
    corners = int(model.mesh_graph[graph])
    # Numbers of corners and faces, then where each corner's edges begin, then the corners.
    first = graph + 2 + corners
    return vertices[model.mesh_graph[first : first + corners]]


def _circle(radius: float, height: float) -> Floats:
    turn = np.linspace(0.0, 2 * np.pi, _ON_CIRCLE, endpoint=False)
    return np.column_stack(
        (radius * np.cos(turn), radius * np.sin(turn), np.full_like(turn, height))
    )
