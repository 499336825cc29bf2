"""The tree of the transform benchmark: 50 frames, 10 s at 100 Hz, all moving and turning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FRAMES = 50
RATE_HZ = 100
DURATION_S = 10
STEP_NS = 1_000_000_000 // RATE_HZ
SOURCE, TARGET = "frame_5", "frame_0"  # Five links apart.


@dataclass(frozen=True)
class Link:
    """One moving link: stamps [ns] (N,), translations [m] (N, 3), quaternions xyzw (N, 4)."""

    parent: str
    child: str
    stamps_ns: npt.NDArray[np.int64]
    translations: npt.NDArray[np.float64]
    rotations: npt.NDArray[np.float64]


def make_links(seed: int = 0) -> list[Link]:
    """Links of a chain of 13 frames with a binary tree below it; about 1 m/s and 1 rad/s each."""
    random = np.random.default_rng(seed)
    stamps_ns = np.arange(DURATION_S * RATE_HZ + 1, dtype=np.int64) * STEP_NS
    times_s = stamps_ns[:, None] * 1e-9
    links = []
    for i in range(1, FRAMES):
        parent = i - 1 if i <= 12 else (i - 1) // 2
        half_angles = 0.5 * random.normal(size=3) * times_s
        angle = np.linalg.norm(half_angles, axis=1, keepdims=True)
        axis = half_angles / np.where(angle > 0, angle, 1)
        rotations = np.hstack([axis * np.sin(angle), np.cos(angle)])
        translations = random.normal(size=3) + random.normal(size=3) * times_s
        links.append(Link(f"frame_{parent}", f"frame_{i}", stamps_ns, translations, rotations))
    return links


def random_times_ns(count: int = 1_000, seed: int = 1) -> npt.NDArray[np.int64]:
    """Times anywhere in the history [ns], in random order."""
    return np.random.default_rng(seed).integers(0, DURATION_S * 1_000_000_000, count)
