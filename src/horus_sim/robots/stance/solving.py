"""A pose in which a robot stands on its legs, found from how they are built.

The body is level and the feet are below the hips, shifted as a whole until the centre of mass is
above the middle of the support. Legs are bent, so that neither the knees nor the efforts are at
their ends; feet with soles are level. Each leg is solved by damped least squares from a few starts,
and of several solutions the one whose knee points backward is taken, in robots with many legs: on
both sides alike, so that the pose is as symmetric as the robot.
"""

# mujoco is a binary module without type stubs.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from horus_sim.robots.stance.footing import Footing, footing, holding_efforts
from horus_sim.robots.stance.legs import Limb
from horus_sim.robots.stance.skeleton import Floats, Points, Skeleton

ENOUGH = 0.5
"""Share of the largest margin that a pose has at least to be called balanced."""
_STRETCHED = (0.8, 0.7, 0.9, 0.6, 0.97)
_STRETCHED_BIPED = (0.97, 0.9, 0.99, 0.8)
_FIRST_STEPS, _LATER_STEPS, _ROUNDS = 30, 12, 5
_BEND = 0.6  # [rad]
_LARGEST_STEP = 0.4  # [rad]
_LEVEL = 1e-3  # [m]
_SOLE = 0.02  # [m]
_JOINTS_OF_SOLE = 4
_HEIGHT = 10.0  # how much more the height of a foot counts than where it is
_SPARE_EFFORT = 0.9
_SPARE_RANGE = 0.02


@dataclass(frozen=True, slots=True)
class Solution:
    """A pose and how the robot stands in it.

    Attributes:
        qpos: Positions of the model.
        footing: How it stands.
        strained: Joints that would have to give more than they can, with the effort that they need.
    """

    qpos: Floats
    footing: Footing
    strained: Mapping[int, float]


class StanceSolver:
    """Finds a pose for one robot.

    Args:
        skeleton: The robot.
        legs: Its legs.
        start: Positions of joints that are not of legs, and from which those of legs begin.
        efforts: Largest torque [N m] or force [N] by joint; joints that are absent have no bound.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        legs: Sequence[Limb],
        start: Floats,
        efforts: Mapping[int, float],
    ) -> None:
        self._skeleton = skeleton
        self._legs = [_Leg(skeleton, limb, start) for limb in legs]
        self._start = start
        self._efforts = efforts

    def solve(self) -> Solution | None:
        """The first balanced pose, or the one with the least strain; None if there is none."""
        found: list[Solution] = []
        for share in _STRETCHED_BIPED if len(self._legs) < 3 else _STRETCHED:
            solution = self._stretched(share)
            if solution is None:
                continue
            if not solution.strained:
                return solution
            found.append(solution)
        return min(found, key=lambda each: max(each.strained.values()), default=None)

    def _stretched(self, share: float) -> Solution | None:
        """A pose whose legs have this share of their length."""
        legs, skeleton = self._legs, self._skeleton
        ground = max(float(leg.hip[2]) - share * leg.limb.reach for leg in legs)
        shift = np.zeros(2)
        qpos, stand = self._first(ground), None
        for _ in range(_ROUNDS):
            for _ in range(_LATER_STEPS):
                qpos = self._improved(qpos, ground, shift, 1e-3)
            skeleton.place(qpos)
            stand = footing(skeleton)
            if stand is None:
                return None
            change = stand.centre[:2] - stand.middle
            shift += change
            if np.abs(change).max() < _LEVEL:
                break
        tips = {part for leg in legs for part in leg.limb.tips}
        if stand is None or not (stand.is_balanced and stand.share >= ENOUGH):
            return None
        if not stand.feet.keys() <= tips or any(
            leg.error(skeleton, ground) > _LEVEL for leg in legs
        ):
            return None
        needed = holding_efforts(skeleton, self._efforts, stand.feet)
        strained = {
            joint: abs(effort)
            for joint, effort in needed.items()
            if abs(effort) > _SPARE_EFFORT * self._efforts[joint]
        }
        return Solution(qpos, stand, strained)

    def _first(self, ground: float) -> Floats:
        """Each leg from the best of several starts."""
        best: dict[int, tuple[tuple[float, float], Floats]] = {}
        starts = [(False, 0.0), (False, 1.0), (False, -1.0)]
        if any(leg.points_elsewhere for leg in self._legs):
            starts += [(True, 1.0), (True, -1.0)]
        for hangs, bends in starts:
            qpos = self._start.copy()
            for leg in self._legs:
                qpos[leg.addresses] = leg.begin(bends, hangs=hangs)
            for step in range(_FIRST_STEPS):
                qpos = self._improved(qpos, ground, np.zeros(2), 0.03 if step < 10 else 1e-3)
            self._skeleton.place(qpos)
            for place, leg in enumerate(self._legs):
                rank = leg.rank(self._skeleton, ground, len(self._legs))
                if place not in best or rank < best[place][0]:
                    best[place] = rank, qpos[leg.addresses]
        qpos = self._start.copy()
        for place, leg in enumerate(self._legs):
            qpos[leg.addresses] = best[place][1]
        return qpos

    def _improved(self, qpos: Floats, ground: float, shift: Floats, ease: float) -> Floats:
        """One step of all legs."""
        self._skeleton.place(qpos)
        improved = qpos.copy()
        for leg in self._legs:
            improved[leg.addresses] = leg.improved(self._skeleton, qpos, ground, shift, ease)
        return improved


class _Leg:
    """One leg: where its foot is to be, and how its joints get it there."""

    def __init__(self, skeleton: Skeleton, limb: Limb, start: Floats) -> None:
        model, data = skeleton.model, skeleton.data
        self.limb = limb
        self.joints = list(limb.joints)
        self.addresses = model.jnt_qposadr[self.joints]
        ranges = model.jnt_range[self.joints].astype(float)
        limited = model.jnt_limited[self.joints].astype(bool)
        spare = _SPARE_RANGE * (ranges[:, 1] - ranges[:, 0])
        self.lower = np.where(limited, ranges[:, 0] + spare, -np.inf)
        self.upper = np.where(limited, ranges[:, 1] - spare, np.inf)
        self.rest = np.clip(start[self.addresses], self.lower, self.upper)
        self.hip = limb.anchors[limb.hip]
        # How far the foot is beside the hip, along the axis about which the leg swings.
        hanging = start.copy()
        hanging[self.addresses] = 0.0
        skeleton.place(hanging)
        hip, axis = (of[self.joints[limb.hip]].copy() for of in (data.xanchor, data.xaxis))
        far = skeleton.points(limb.tips)
        end = far.centres[int(np.argmax(np.linalg.norm(far.centres - hip, axis=1)))]
        self._hanging = _turn_down(end - hip, axis)
        hanging[self.addresses[limb.hip]] = self._hanging
        skeleton.place(hanging)
        foot = _foot(skeleton.points(limb.tips))
        level = axis * (1.0, 1.0, 0.0)
        level = level / max(float(np.linalg.norm(level)), 1e-9)
        self.place = (self.hip + level * float((foot - hip) @ level))[:2]
        self._up: Floats | None = None
        self._body = int(model.jnt_bodyid[self.joints[-1]])
        hanging[self.addresses] = 0.0
        skeleton.place(hanging)
        if len(self.joints) >= _JOINTS_OF_SOLE and _has_sole(skeleton.points(limb.tips)):
            self._up = skeleton.data.xmat[self._body].reshape(3, 3)[2].copy()

    @property
    def points_elsewhere(self) -> bool:
        """Whether it is far from hanging down where its joints are at zero."""
        return abs(self._hanging) > _BEND

    def begin(self, bends: float, *, hangs: bool) -> Floats:
        """Where the joints are to begin with.

        Args:
            bends: 0 as they start, 1 or -1 bent one way or the other.
            hangs: Whether the hip lets the leg hang down.
        """
        from_hip = np.arange(len(self.joints)) - self.limb.hip
        signs = np.where(from_hip < 0, 0.0, np.where(from_hip % 2 == 0, 1.0, -2.0))
        start = self.rest.copy()
        if hangs:
            start[self.limb.hip] = self._hanging
        return np.clip(start + bends * _BEND * signs, self.lower, self.upper)

    def error(self, skeleton: Skeleton, ground: float) -> float:
        """Height of the foot above or below the ground [m]."""
        return abs(float(skeleton.points(self.limb.tips).heights.min()) - ground)

    def rank(self, skeleton: Skeleton, ground: float, legs: int) -> tuple[float, float]:
        """What makes one solution better than another; less is better."""
        foot = _foot(skeleton.points(self.limb.tips))
        off = self.error(skeleton, ground) + float(np.linalg.norm(foot[:2] - self.place))
        between = skeleton.data.xanchor[self.joints[self.limb.hip + 1 :]][:, 0]
        ahead = float(between.mean() - self.hip[0]) if len(between) else 0.0
        return float(round(off / _LEVEL)), ahead if legs > 2 else -ahead

    def improved(
        self, skeleton: Skeleton, qpos: Floats, ground: float, shift: Floats, ease: float
    ) -> Floats:
        """Positions of the joints after one step.

        Args:
            skeleton: The robot, placed.
            qpos: Its positions.
            ground: Height of the ground [m].
            shift: How far all feet are moved [m], shape (2,).
            ease: Pull towards where the joints begin, which makes what is left open definite.
        """
        model, data = skeleton.model, skeleton.data
        now = qpos[self.addresses]
        cloud = skeleton.points(self.limb.tips)
        foot = _foot(cloud)
        low = int(np.argmin(cloud.heights))
        contact = cloud.centres[low] - (0.0, 0.0, cloud.radii[low])
        slides = model.jnt_type[self.joints] == 2
        axes, anchors = data.xaxis[self.joints], data.xanchor[self.joints]
        of_foot = np.where(slides[:, None], axes, np.cross(axes, foot - anchors))
        of_contact = np.where(slides[:, None], axes, np.cross(axes, contact - anchors))
        rows = [of_foot[:, 0], of_foot[:, 1], _HEIGHT * of_contact[:, 2]]
        wanted = [*(self.place + shift - foot[:2]), _HEIGHT * (ground - contact[2])]
        if self._up is not None:
            up = data.xmat[self._body].reshape(3, 3) @ self._up
            turns = np.where(slides[:, None], 0.0, axes)
            scale = self.limb.reach
            rows += [scale * turns[:, 0], scale * turns[:, 1]]
            # up x z, whose first two components turn the sole level.
            wanted += [scale * up[1], -scale * up[0]]
        weight = ease * self.limb.reach
        A = np.vstack((np.array(rows), weight * np.eye(len(now))))
        b = np.concatenate((wanted, weight * (self.rest - now)))
        step = np.linalg.lstsq(A, b, rcond=None)[0]
        most = float(np.abs(step).max())
        if most > _LARGEST_STEP:
            step *= _LARGEST_STEP / most
        return np.clip(now + step, self.lower, self.upper)


def _turn_down(along: Floats, axis: Floats) -> float:
    """Angle [rad] about an axis that turns a direction as far down as it goes."""
    across = along - (along @ axis) * axis
    down = np.array((0.0, 0.0, -1.0))
    return float(np.arctan2(axis @ np.cross(across, down), across @ down))


def _foot(cloud: Points) -> Floats:
    """The middle of what is lowest [m], shape (3,), which moves smoothly with the foot."""
    above = cloud.heights - cloud.heights.min()
    weights = np.exp(-above / (0.25 * _SOLE))
    return weights @ cloud.centres / weights.sum()


def _has_sole(cloud: Points) -> bool:
    """Whether it stands on more than a point."""
    low = cloud.centres[cloud.heights <= cloud.heights.min() + 0.25 * _SOLE]
    return bool(np.ptp(low[:, :2], axis=0).max() > _SOLE)
