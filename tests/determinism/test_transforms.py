"""Transforms have the same bits from every compiler, on every processor."""

from __future__ import annotations

import numpy as np

from horus_sim.errors import TFError
from horus_sim.tf import TFTree, Transform

from .digest import Digest

MS = 1_000_000


def numbers(random: np.random.Generator, shape: tuple[int, ...], size: float = 1.0) -> np.ndarray:
    """Between -size and size."""
    return size * (2.0 * random.random(shape) - 1.0)


def a_tree(random: np.random.Generator) -> TFTree:
    """Thirty frames, each below an earlier one; some fixed, some with gaps, some late."""
    tree = TFTree(buffer_duration=10.0)
    tree.add_static_transform("world", "f0", Transform((1, 2, 3), (0.1, -0.2, 0.3, 0.9)))
    for k in range(1, 30):
        parent = f"f{int(random.random() * k)}"
        if k % 7 == 0:
            T = Transform.from_euler(numbers(random, (3,), 2.0), numbers(random, (3,), 3.0))
            tree.add_static_transform(parent, f"f{k}", T)
            continue
        steps = 1 + (random.random(200) * 60 * MS).astype(np.int64)
        rotations = numbers(random, (200, 4))
        if k % 2:  # in small steps, as of a robot
            rotations = np.cumsum(0.02 * rotations, axis=0)
            rotations[:, 3] += 1.0
        rotations /= np.sqrt((rotations * rotations).sum(axis=1))[:, np.newaxis]
        stamps_ns = np.cumsum(steps)
        late = stamps_ns[100:120].copy()
        stamps_ns[100:120] = stamps_ns[120:140]
        stamps_ns[120:140] = late
        tree.add_transforms(parent, f"f{k}", stamps_ns, numbers(random, (200, 3), 5.0), rotations)
    return tree


def test_look_ups_in_a_tree():
    random = np.random.default_rng(1)
    tree, digest = a_tree(random), Digest()
    names = ["world", *(f"f{k}" for k in range(30))]
    for k in range(1500):
        source, target = (names[int(i)] for i in random.random(2) * len(names))
        time_ns = None if k % 5 == 0 else int(random.random() * 7_000 * MS)
        try:
            T = tree.lookup_transform(source, target, time_ns, predict=k % 3 == 0)
            digest.add(T.translation, T.rotation)
        except TFError as error:
            digest.add(type(error).__name__)
    times_ns = (random.random(2_000) * 5_000 * MS).astype(np.int64) + 200 * MS
    for source, target in (("f29", "world"), ("f13", "f28"), ("f3", "f22"), ("f17", "f17")):
        try:
            digest.add(*tree.lookup_transforms(source, target, times_ns, tolerance_ns=10**10))
        except TFError as error:
            digest.add(type(error).__name__)
    digest.check("tf: look-ups")


def test_arithmetic():
    random, digest = np.random.default_rng(2), Digest()
    points = numbers(random, (1_000, 3), 100.0)
    T = Transform.identity()
    for k in range(600):
        angles = numbers(random, (3,), 4.0)
        if k % 10 == 0:
            angles[1] = np.pi / 2  # at the pole
        U = Transform.from_euler(numbers(random, (3,), 10.0), angles)
        V = Transform(numbers(random, (3,), 1e-3), numbers(random, (4,)))
        T = T @ U @ V.inverse()
        share = float(random.random())
        for X in (T, V, T.inverse(), U.interpolate(V, share), T.interpolate(T @ V, share)):
            digest.add(X.translation, X.rotation, X.to_matrix(), *X.to_euler())
        digest.add(T.transform_point(points[k]), V.transform_vector(points[k]))
        digest.add(Transform.from_matrix(U.to_matrix()).rotation)
        if k % 20 == 0:
            digest.add(T.transform_points(points), V.transform_points(points.astype(np.float32)))
    digest.check("tf: arithmetic")
