"""The legs of a robot, found by how it is built; no name is looked at.

A limb is a row of at least two driven joints that leads to what touches. Legs are limbs of one
build, at least two of them, that reach lower than all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from horus_sim.robots.stance.skeleton import Floats, Skeleton

_LIKENESS = 0.75
_HINGES = 3  # mjJNT_HINGE
_LONG = 0.5
_DOWN = 0.5
_BELOW = 0.25
_DRAWS = 128


@dataclass(frozen=True, slots=True, eq=False)
class Limb:
    """A row of joints with something at its end that can touch the ground.

    Attributes:
        joints: MuJoCo joints with drives, outwards.
        tips: Parts at its end.
        anchors: Where the joints are at the start [m], root upright at the origin, shape (n, 3).
        end: Where it ends at the start [m], shape (3,).
    """

    joints: tuple[int, ...]
    tips: tuple[int, ...]
    anchors: Floats
    end: Floats

    @property
    def segments(self) -> Floats:
        """Distances from each joint to the next, and from the last one to the end [m]."""
        return np.linalg.norm(np.diff(np.vstack((self.anchors, self.end)), axis=0), axis=1)

    @property
    def length(self) -> float:
        """Length of all segments [m]."""
        return float(self.segments.sum())

    @property
    def hip(self) -> int:
        """Place of the joint at which the first long segment begins."""
        segments = self.segments
        return int(np.argmax(segments >= _LONG * segments.max()))

    @property
    def reach(self) -> float:
        """Length from the hip on [m]."""
        return float(self.segments[self.hip :].sum())


def find_legs(skeleton: Skeleton, start: Floats) -> list[Limb]:
    """The legs of a robot, or nothing for one that has none.

    Args:
        skeleton: The robot.
        start: Positions from which it is looked at, the root upright at the origin.
    """
    skeleton.place(start)
    groups: list[list[Limb]] = []
    for limb in _limbs(skeleton, skeleton.root, ()):
        for group in groups:
            if _is_alike(limb, group[0]):
                group.append(limb)
                break
        else:
            groups.append([limb])
    groups = [group for group in groups if len(group) > 1]
    depths = _depths(skeleton, start, [limb for group in groups for limb in group])
    legs = [group for group in groups if all(_reaches_down(limb, depths) for limb in group)]
    if not legs:
        return []
    lowest = min(legs, key=_depth)
    firsts = (limb.joints[0] for group in groups for limb in group)
    bodies = skeleton.model.body_weldid[skeleton.model.jnt_bodyid[list(firsts)]]
    limbs = {part for body in bodies for part in skeleton.below(int(body))}
    skeleton.place(start)
    trunk = skeleton.points(part for part in skeleton.children if part not in limbs)
    ground = float(trunk.heights.min()) if len(trunk.radii) else np.inf
    # Arms of a robot on wheels reach its floor, too, but not much below.
    return lowest if _depth(lowest) < ground - _BELOW * lowest[0].reach else []


def _is_alike(one: Limb, other: Limb) -> bool:
    lengths = sorted((one.length, other.length))
    return len(one.joints) == len(other.joints) and lengths[0] >= _LIKENESS * lengths[1]


def _depth(group: list[Limb]) -> float:
    """Height [m] to which limbs reach if they hang straight down."""
    return min(float(limb.anchors[limb.hip, 2]) - limb.reach for limb in group)


def _reaches_down(limb: Limb, depths: Mapping[Limb, float]) -> bool:
    """Whether a limb gets well below where it begins; the fingers of a hand point up."""
    return depths[limb] < limb.anchors[limb.hip, 2] - _DOWN * limb.reach


def _depths(skeleton: Skeleton, start: Floats, limbs: Sequence[Limb]) -> dict[Limb, float]:
    """How low [m] the end of each limb gets, in poses drawn from all that its joints allow."""
    model, random = skeleton.model, np.random.default_rng(0)
    skeleton.place(start)
    bodies = [int(model.jnt_bodyid[limb.joints[-1]]) for limb in limbs]
    ends = [
        skeleton.data.xmat[body].reshape(3, 3).T @ (limb.end - skeleton.data.xpos[body])
        for body, limb in zip(bodies, limbs, strict=True)
    ]
    found = {limb: float(limb.end[2]) for limb in limbs}
    for _ in range(_DRAWS):
        qpos = start.copy()
        for limb in limbs:
            joints = list(limb.joints)
            bounded = model.jnt_limited[joints].astype(bool)
            lower = np.where(bounded, model.jnt_range[joints, 0], -np.pi)
            upper = np.where(bounded, model.jnt_range[joints, 1], np.pi)
            qpos[model.jnt_qposadr[joints]] = random.uniform(lower, upper)
        skeleton.place(qpos)
        for body, end, limb in zip(bodies, ends, limbs, strict=True):
            height = float(skeleton.data.xpos[body][2] + skeleton.data.xmat[body][6:] @ end)
            found[limb] = min(found[limb], height)
    return found


def _limbs(skeleton: Skeleton, part: int, joints: tuple[int, ...]) -> list[Limb]:
    """The limbs of which a part is the root, or to which it belongs."""
    branches = [child for child in skeleton.children[part] if skeleton.touches(child)]
    if len(branches) == 1 and part != skeleton.root:
        return _limbs(skeleton, branches[0], (*joints, *_driven(skeleton, branches[0])))
    whole = _limb(skeleton, joints, part)
    parted = [
        limb for child in branches for limb in _limbs(skeleton, child, _driven(skeleton, child))
    ]
    if whole is None:
        return parted
    # A short row before long ones is a waist; a long one before short ones an arm with fingers.
    if len(parted) > 1 and np.mean([limb.length for limb in parted]) > whole.length:
        return parted
    return [whole]


def _driven(skeleton: Skeleton, part: int) -> tuple[int, ...]:
    return tuple(joint for joint in skeleton.joints_of(part) if joint in skeleton.joints)


def _limb(skeleton: Skeleton, joints: tuple[int, ...], part: int) -> Limb | None:
    hinges = [joint for joint in joints if int(skeleton.model.jnt_type[joint]) == _HINGES]
    if len(hinges) < 2:
        return None
    tips = tuple(skeleton.below(part))
    points = skeleton.points(tips)
    if len(points.radii) == 0:
        return None
    anchors: npt.NDArray[np.float64] = skeleton.data.xanchor[list(joints)].copy()
    # The end is what is farthest from the last joint, about.
    distances = np.linalg.norm(points.centres - anchors[-1], axis=1) + points.radii
    far = distances >= 0.95 * distances.max()
    return Limb(joints, tips, anchors, points.centres[far].mean(axis=0))
