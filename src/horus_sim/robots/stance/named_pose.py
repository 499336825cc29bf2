"""Poses that a file gives a name: keyframes of MJCF and group states of SRDF."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

STANDING_NAMES = ("home", "stand", "standing", "half_sitting", "half_sit", "default", "init")
"""Names of poses in which robots stand, the first choice first."""


@dataclass(frozen=True, slots=True)
class NamedPose:
    """Where joints are in a pose.

    Attributes:
        name: As the file calls it; '' where it does not.
        kind: What it is in the file, such as 'keyframe'.
        positions: Positions of joints with one axis [rad] or [m], by name of the joint.
        rotations: Rotations of ball joints, xyzw, by name of the joint.
    """

    name: str
    kind: str
    positions: Mapping[str, float]
    rotations: Mapping[str, tuple[float, float, float, float]]

    def __str__(self) -> str:
        return f"{self.kind} '{self.name}'" if self.name else f"{self.kind} without a name"


def by_preference(poses: Iterable[NamedPose]) -> list[NamedPose]:
    """Poses, those called as robots that stand first; else in the order of the file."""

    def rank(pose: NamedPose) -> int:
        name = pose.name.lower().replace("-", "_").replace(" ", "_")
        if name in STANDING_NAMES:
            return STANDING_NAMES.index(name)
        spoken = any(word in name for word in ("stand", "home", "sitting"))
        return len(STANDING_NAMES) + (0 if spoken else 1)

    return sorted(poses, key=rank)
