"""How a robot stands in a pose: on which parts, how far from tipping over, with what efforts."""

# mujoco is a binary module without type stubs.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from horus_sim.robots.engine import mujoco
from horus_sim.robots.stance.skeleton import Floats, Skeleton
from horus_sim.robots.stance.support import margin, roundness, support_polygon

GRAVITY = 9.81
_SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)
_EVEN = 0.03
"""How uneven feet may stand, as a share of the height of the centre of mass, and how uneven each
may be, as a share of its own size."""
_FLAT = 1e-3
_SAFE = 0.04


@dataclass(frozen=True, slots=True)
class Footing:
    """What a robot stands on in a pose, were it put on level ground as it is.

    Attributes:
        feet: Parts that reach the ground, with the middle of where each does [m].
        lowest: Height of the ground below the root [m]; negative where the root is above it.
        margin: Distance [m] of the centre of mass from the border of the support, seen from above;
            negative outside.
        share: The margin as a share of the largest that there is, at most about 1.
        centre: Centre of mass [m].
        middle: Middle of the support [m], shape (2,).
    """

    feet: Mapping[int, Floats]
    lowest: float
    margin: float
    share: float
    centre: Floats
    middle: Floats

    @property
    def is_balanced(self) -> bool:
        """Whether it takes a tilt of two degrees or more to tip over."""
        return self.margin > _SAFE * (float(self.centre[2]) - self.lowest)


def footing(skeleton: Skeleton) -> Footing | None:
    """How a robot stands as it is placed; None if nothing of it touches."""
    clouds = {part: skeleton.points((part,)) for part in skeleton.children}
    clouds = {part: cloud for part, cloud in clouds.items() if len(cloud.radii)}
    if not clouds:
        return None
    lowest = min(float(cloud.heights.min()) for cloud in clouds.values())
    centre = skeleton.centre_of_mass()
    ground = lowest + _EVEN * max(0.0, float(centre[2]) - lowest)
    feet: dict[int, Floats] = {}
    standing: list[Floats] = []
    for part, cloud in clouds.items():
        own = float(cloud.heights.min())
        if own <= ground:
            size = float(np.ptp(cloud.centres[:, :2], axis=0).max())
            points = cloud.centres[cloud.heights <= own + max(_FLAT, _EVEN * size), :2]
            standing.append(points)
            feet[part] = np.array((*points.mean(axis=0), lowest))
    polygon = support_polygon(np.concatenate(standing))
    inside, most = margin(polygon, centre[:2]), roundness(polygon)
    share = inside / most if most > 0.0 else min(inside, 0.0)
    return Footing(feet, lowest, inside, share, centre, polygon.mean(axis=0))


def holding_efforts(
    skeleton: Skeleton, joints: Iterable[int], feet: Mapping[int, Floats]
) -> dict[int, float]:
    """Torques [N m] and forces [N] with which joints hold a robot that stands on its feet.

    The ground carries its weight by vertical forces, shared as evenly as balance allows.

    Args:
        skeleton: The robot, placed.
        joints: The MuJoCo joints.
        feet: Parts on the ground, with the point at which each is carried [m].
    """
    model, data = skeleton.model, skeleton.data
    bodies = sorted(skeleton.subtree(skeleton.root))
    weight = GRAVITY * float(model.body_mass[bodies].sum())
    centre = skeleton.centre_of_mass()
    points = np.array(list(feet.values()))
    rows = np.vstack((np.ones(len(points)), points[:, 0] - centre[0], points[:, 1] - centre[1]))
    forces = np.linalg.lstsq(rows, np.array((weight, 0.0, 0.0)), rcond=None)[0]
    found: dict[int, float] = {}
    for joint in joints:
        part = int(model.body_weldid[model.jnt_bodyid[joint]])
        moved = sorted(skeleton.subtree(part))
        below = set(skeleton.below(part))
        offsets = data.xipos[moved] - data.xanchor[joint]
        lifts = -GRAVITY * model.body_mass[moved]
        carried = [place for place, foot in enumerate(feet) if foot in below]
        offsets = np.vstack((offsets, points[carried] - data.xanchor[joint]))
        lifts = np.concatenate((lifts, forces[carried]))
        axis = data.xaxis[joint]
        if int(model.jnt_type[joint]) == _SLIDE:
            found[joint] = -float(axis[2] * lifts.sum())
        else:
            # axis . (offset x (0, 0, lift))
            found[joint] = -float((axis[0] * offsets[:, 1] - axis[1] * offsets[:, 0]) @ lifts)
    return found


def carried_inertia(
    skeleton: Skeleton, joints: Iterable[int], feet: Iterable[int]
) -> dict[int, float]:
    """What joints move of the rest of a robot whose feet stay where they are.

    A knee turns the whole robot about itself, and shares it with the knees of the other legs.

    Args:
        skeleton: The robot, placed.
        joints: The MuJoCo joints.
        feet: Parts on the ground.

    Returns:
        Inertia about the joint's axis [kg m^2], of a slider the mass [kg]; only for joints between
        the root and a foot.
    """
    model, data = skeleton.model, skeleton.data
    feet = set(feet)
    everything = skeleton.subtree(skeleton.root)
    found: dict[int, float] = {}
    for joint in joints:
        part = int(model.body_weldid[model.jnt_bodyid[joint]])
        share = len(feet & set(skeleton.below(part))) / len(feet)
        if not share:
            continue
        rest = sorted(everything - skeleton.subtree(part))
        masses = model.body_mass[rest]
        if int(model.jnt_type[joint]) == _SLIDE:
            found[joint] = share * float(masses.sum())
            continue
        axis = data.xaxis[joint]
        across = np.cross(axis, data.xipos[rest] - data.xanchor[joint])
        along = np.einsum("i,nij->nj", axis, data.ximat[rest].reshape(-1, 3, 3))
        about = (along**2 * model.body_inertia[rest]).sum(axis=1) + masses * (across**2).sum(axis=1)
        found[joint] = share * float(about.sum())
    return found
