"""Where rays meet primitives, in closed form and double precision.

Everything is in the frame of the shape, as MuJoCo defines it: centred on the origin, cylinders and
capsules along z, `size` as in ``geom_size``. A ray that starts inside a shape meets it where it
leaves. Distances are infinite where a ray misses.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_TINY = 1e-14


def sphere_distances(origins: Floats, directions: Floats, size: Floats) -> Floats:
    """Distances to spheres [m].

    Args:
        origins: Starts of the rays [m], shape (n, 3).
        directions: Unit vectors, shape (n, 3).
        size: Radius [m] in the first column, shape (n, 3).

    Returns:
        Shape (n,).
    """
    b = _dot(origins, directions)
    c = _dot(origins, origins) - size[:, 0] ** 2
    return _ahead(*_roots(np.ones_like(b), b, c))


def ellipsoid_distances(origins: Floats, directions: Floats, size: Floats) -> Floats:
    """Distances to ellipsoids [m]; `size` holds the half axes [m], shape (n, 3)."""
    scaled_origins, scaled_directions = origins / size, directions / size
    a = _dot(scaled_directions, scaled_directions)
    b = _dot(scaled_origins, scaled_directions)
    c = _dot(scaled_origins, scaled_origins) - 1.0
    return _ahead(*_roots(a, b, c))


def box_distances(origins: Floats, directions: Floats, size: Floats) -> Floats:
    """Distances to boxes [m]; `size` holds half the edges [m], shape (n, 3)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / directions
        first = (-size - origins) * inverse
        second = (size - origins) * inverse
    # fmin and fmax pass over 0 / 0, of a ray that runs within a face.
    near = np.fmin(first, second)
    far = np.fmax(first, second)
    enter = np.fmax(np.fmax(near[:, 0], near[:, 1]), near[:, 2])
    leave = np.fmin(np.fmin(far[:, 0], far[:, 1]), far[:, 2])
    return _ahead(enter, leave)


def cylinder_distances(origins: Floats, directions: Floats, size: Floats) -> Floats:
    """Distances to cylinders [m]; `size` holds radius and half length [m], shape (n, 3)."""
    radius, half = size[:, 0], size[:, 1]
    a = directions[:, 0] ** 2 + directions[:, 1] ** 2
    b = origins[:, 0] * directions[:, 0] + origins[:, 1] * directions[:, 1]
    c = origins[:, 0] ** 2 + origins[:, 1] ** 2 - radius**2
    enter, leave = _roots(a, b, c)
    # Along the axis a ray is inside the infinite cylinder for ever, or never.
    along = a < _TINY
    enter = np.where(along, np.where(c <= 0.0, -np.inf, np.inf), enter)
    leave = np.where(along, np.where(c <= 0.0, np.inf, -np.inf), leave)
    with np.errstate(divide="ignore", invalid="ignore"):
        first = (-half - origins[:, 2]) / directions[:, 2]
        second = (half - origins[:, 2]) / directions[:, 2]
    enter = np.fmax(enter, np.fmin(first, second))
    leave = np.fmin(leave, np.fmax(first, second))
    return _ahead(enter, leave)


def capsule_distances(origins: Floats, directions: Floats, size: Floats) -> Floats:
    """Distances to capsules [m]; `size` holds radius and half length [m], shape (n, 3)."""
    radius, half = size[:, 0], size[:, 1]
    o_z, d_z = origins[:, 2], directions[:, 2]
    along = _dot(origins, directions)
    square = _dot(origins, origins)
    a = 1.0 - d_z * d_z
    b = along - o_z * d_z
    c = square - o_z * o_z - radius**2
    near, far = _roots(np.maximum(a, _TINY), b, c)
    ends = []
    # A ray that misses the infinite cylinder misses; else it crosses the surface beside the axis,
    # or on the ball of the end at which it meets the cylinder too far out.
    with np.errstate(invalid="ignore"):
        for t, sign in ((near, -1.0), (far, 1.0)):
            z = o_z + t * d_z
            centre = np.copysign(half, z)
            b_end = along - centre * d_z
            c_end = square - 2.0 * centre * o_z + half * half - radius**2
            ball = -b_end + sign * np.sqrt(b_end * b_end - c_end)
            ends.append(np.where(np.abs(z) <= half, t, ball))
    enter, leave = ends
    return _ahead(enter, leave)


def sphere_normals(points: Floats, size: Floats) -> Floats:
    """Outward unit normals of spheres at points on them, shape (n, 3)."""
    return points / size[:, :1]


def ellipsoid_normals(points: Floats, size: Floats) -> Floats:
    """Outward unit normals of ellipsoids at points on them, shape (n, 3)."""
    return _unit(points / size**2)


def box_normals(points: Floats, size: Floats) -> Floats:
    """Outward unit normals of boxes at points on them, shape (n, 3)."""
    rows = np.arange(len(points))
    axis = np.argmin(size - np.abs(points), axis=1)
    normals = np.zeros_like(points)
    normals[rows, axis] = np.sign(points[rows, axis])
    return normals


def cylinder_normals(points: Floats, size: Floats) -> Floats:
    """Outward unit normals of cylinders at points on them, shape (n, 3)."""
    away = np.hypot(points[:, 0], points[:, 1])
    on_cap = size[:, 1] - np.abs(points[:, 2]) < size[:, 0] - away
    normals = points * (1.0, 1.0, 0.0)
    normals[on_cap] = 0.0
    normals[on_cap, 2] = np.sign(points[on_cap, 2])
    return _unit(normals)


def capsule_normals(points: Floats, size: Floats) -> Floats:
    """Outward unit normals of capsules at points on them, shape (n, 3)."""
    normals = points.copy()
    normals[:, 2] -= np.clip(points[:, 2], -size[:, 1], size[:, 1])
    return _unit(normals)


def _dot(a: Floats, b: Floats) -> Floats:
    return np.einsum("ij,ij->i", a, b)


def _unit(vectors: Floats) -> Floats:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), _TINY)


def _roots(a: Floats, b: Floats, c: Floats) -> tuple[Floats, Floats]:
    """Solutions of ``a t^2 + 2 b t + c = 0``, the smaller one first.

    Where there is none, they are infinite and in the wrong order.
    """
    discriminant = b * b - a * c
    root = np.sqrt(np.maximum(discriminant, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        near, far = (-b - root) / a, (-b + root) / a
    misses = discriminant < 0.0
    near[misses], far[misses] = np.inf, -np.inf
    return near, far


def _ahead(enter: Floats, leave: Floats) -> Floats:
    """Where rays enter, or leave if they start inside; infinite behind them and where they miss.

    What is not a number counts as a miss: every comparison with it is false.
    """
    distances = np.where(enter >= 0.0, enter, leave)
    return np.where((leave >= enter) & (leave >= 0.0), distances, np.inf)
