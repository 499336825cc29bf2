"""A robot on four legs as its description tells of it: joints by leg, feet, stance, symmetry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.models.robot_spec import robot_spec
from horus_sim.robots.engine import mujoco
from horus_sim.robots.stance.footing import footing
from horus_sim.robots.stance.legs import Limb, find_legs
from horus_sim.robots.stance.skeleton import Points, Skeleton
from horus_sim.robots.stance.solving import StanceSolver
from horus_sim.sim3d.compile.robot.coordinates import BuiltRobot, Coordinate
from horus_sim.sim3d.scene.physics import PhysicsConfig

LEGS = 4
# How high feet are lifted in a step, as a share of the height of the root.
LIFT = 0.25
# Beyond this share of their length legs have no room to step with.
_STRETCHED = 0.93
# Feet without a ball at their end: what touches first is taken to be round.
_SMALLEST_FOOT, _LARGEST_FOOT, _SOLE = 0.01, 0.04, 0.015
# Torque of a radian against that which holds the weight at the height of the body, and share of
# critical damping on what the joint moves; of the size of drives that robots of this kind have.
_STIFFNESS, _DAMPING_RATIO = 1.25, 0.5
_GRAVITY = 9.81
_ALIKE = 1e-2
# Of the search for joint angles that lift a foot.
_ROUNDS, _DAMPED = 30, 1e-2


@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """A leg.

    Attributes:
        joints: Its driven joints, outwards.
        foot_body: Body that carries the foot.
        foot: Centre of the ball that the foot is, in the frame of that body [m], shape (3,).
        foot_radius: Radius of that ball [m].
        knee_body: Body that ends at the knee, the joint before the foot.
        knee: The knee in the frame of that body [m], shape (3,).
    """

    joints: tuple[str, ...]
    foot_body: str
    foot: Floats
    foot_radius: float
    knee_body: str
    knee: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Mirror:
    """What a robot's left and right are to each other.

    Attributes:
        joints: For each joint, the one on the other side, shape (joints,).
        signs: 1 where both turn alike seen in a mirror, else -1, shape (joints,).
        legs: For each leg, the one on the other side, shape (legs,).
    """

    joints: npt.NDArray[np.int64]
    signs: Floats
    legs: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LeggedRobot:
    """What is known of the robot; arrays of joints go leg by leg, outwards.

    Attributes:
        name: Its name.
        root: Body of its root link.
        legs: Front left, front right, rear left, rear right.
        joints: All joints of legs.
        stance: Where these are as it stands [rad], shape (joints,).
        swing: Offsets from that with which each leg lifts its foot by `lift`, shape (joints,).
        lift: How high feet are lifted [m].
        height: Of the root above the ground then [m].
        trunk: Middle and half lengths of the box about the trunk, root frame [m], shape (2, 3).
        stiffness: Of the drives [N m/rad], shape (joints,).
        damping: Of the drives [N m s/rad], shape (joints,).
        mass: [kg].
        mirror: Its symmetry, or None for a robot whose sides differ.
    """

    name: str
    root: str
    legs: tuple[Leg, ...]
    joints: tuple[str, ...]
    stance: Floats
    swing: Floats
    lift: float
    height: float
    trunk: Floats
    stiffness: Floats
    damping: Floats
    mass: float
    mirror: Mirror | None


def legged_spec(
    robot: str | Path, physics: PhysicsConfig, *, lean: bool = True
) -> tuple[mujoco.MjSpec, BuiltRobot, LeggedRobot]:
    """A spec with the robot in it as it is described, and what is known of its legs.

    Args:
        robot: Name of a shipped robot, or path of a description.
        physics: Physics of the spec.
        lean: For physics; otherwise for pictures.

    Raises:
        TaskError: It does not have four legs.
    """
    spec, built = robot_spec(robot, "floating", physics, lean=lean, stands=True)
    model = spec.compile()
    driven = {
        int(model.joint(each.mujoco_name).id): each
        for each in built.coordinates
        if each.drive is not None
    }
    skeleton = Skeleton(model, model.body(built.root_body).id, driven)
    start = model.qpos0.copy()
    for each in built.coordinates:
        start[model.joint(each.mujoco_name).qposadr[0]] = each.initial
    start = skeleton.upright(start)
    limbs = find_legs(skeleton, start)
    if len(limbs) != LEGS:
        count = f"{len(limbs)} legs" if limbs else "no legs"
        raise TaskError(
            f"robot '{built.name}' has {count} that it could stand on, and walking takes {LEGS}; "
            "give a robot on four legs, such as robot='quadruped'"
        )
    return spec, built, _Reader(skeleton, built, driven, start).read(limbs)


class _Reader:
    """Reads what is to be known from a robot that stands."""

    def __init__(
        self,
        skeleton: Skeleton,
        built: BuiltRobot,
        driven: dict[int, Coordinate],
        start: Floats,
    ) -> None:
        self._skeleton, self._built, self._driven, self._start = skeleton, built, driven, start

    def read(self, limbs: Sequence[Limb]) -> LeggedRobot:
        skeleton, model = self._skeleton, self._skeleton.model
        ordered = _in_order(limbs)
        joints = [joint for limb in ordered for joint in limb.joints]
        skeleton.place(self._start)
        mirror = self._mirror(ordered)
        qpos = self._stance(limbs)
        places = model.jnt_qposadr[joints]
        if mirror is not None:
            # What was found for both sides may differ by what they weigh.
            qpos[places] = (qpos[places] + mirror.signs * qpos[places][mirror.joints]) / 2
        skeleton.place(qpos)
        stand = footing(skeleton)
        root = skeleton.root
        points = skeleton.points((root,))
        low = np.array((-0.1, -0.1, -0.05)) if not len(points.radii) else _corner(points, -1)
        high = -low if not len(points.radii) else _corner(points, 1)
        height = -float(stand.lowest) if stand is not None else 0.0
        mass = float(model.body_subtreemass[root])
        strength = _STIFFNESS * mass * _GRAVITY * height
        inertia = np.array([self._inertia(joint) for joint in joints])
        return LeggedRobot(
            name=self._built.name,
            root=self._built.root_body,
            legs=tuple(self._leg(limb) for limb in ordered),
            joints=tuple(self._driven[joint].mujoco_name for joint in joints),
            stance=qpos[places],
            swing=self._swing(ordered, qpos, LIFT * height),
            lift=LIFT * height,
            height=height,
            trunk=np.array(((low + high) / 2, (high - low) / 2)),
            stiffness=np.full(len(joints), strength),
            damping=2.0 * _DAMPING_RATIO * np.sqrt(strength * inertia),
            mass=mass,
            mirror=mirror,
        )

    def _inertia(self, joint: int) -> float:
        drive = self._driven[joint].drive
        return drive.inertia if drive is not None else 0.0

    def _stance(self, limbs: Sequence[Limb]) -> Floats:
        """As the robot stands in a world, or with bent legs where they are stretched then."""
        stretched = [
            float(np.linalg.norm(limb.end - limb.anchors[limb.hip])) / limb.reach for limb in limbs
        ]
        if max(stretched) < _STRETCHED:
            return self._start.copy()
        efforts = {
            joint: each.effort for joint, each in self._driven.items() if each.effort is not None
        }
        found = StanceSolver(self._skeleton, limbs, self._start, efforts).solve()
        return (self._start if found is None else found.qpos).copy()

    def _leg(self, limb: Limb) -> Leg:
        model, data = self._skeleton.model, self._skeleton.data
        points = self._skeleton.points(limb.tips)
        heights = points.heights
        lowest = int(np.argmin(heights))
        centre, radius = points.centres[lowest], float(points.radii[lowest])
        if radius == 0.0:
            sole = points.centres[heights <= heights[lowest] + _SOLE]
            extent = float(np.ptp(sole[:, :2], axis=0).max()) / 2
            radius = min(max(extent, _SMALLEST_FOOT), _LARGEST_FOOT)
            middle = (sole.min(axis=0) + sole.max(axis=0)) / 2
            centre = np.array((middle[0], middle[1], heights[lowest] + radius))
        last = limb.joints[-1]
        foot_body = limb.tips[-1] if len(limb.tips) == 1 else int(model.jnt_bodyid[last])
        knee_body = int(model.body_weldid[model.body_parentid[model.jnt_bodyid[last]]])
        return Leg(
            joints=tuple(self._driven[joint].mujoco_name for joint in limb.joints),
            foot_body=model.body(foot_body).name,
            foot=self._within(foot_body, centre),
            foot_radius=radius,
            knee_body=model.body(knee_body).name,
            knee=self._within(knee_body, data.xanchor[last]),
        )

    def _swing(self, limbs: Sequence[Limb], qpos: Floats, lift: float) -> Floats:
        """Offsets of joints with which each foot is straight above where it stands."""
        model, data = self._skeleton.model, self._skeleton.data
        found = qpos.copy()
        jacobian = np.zeros((3, model.nv))
        for limb in limbs:
            joints = list(limb.joints)
            places, dofs = model.jnt_qposadr[joints], model.jnt_dofadr[joints]
            body = int(model.jnt_bodyid[joints[-1]])
            self._skeleton.place(qpos)
            foot = self._within(body, self._foot(limb))
            goal = self._foot(limb) + np.array((0.0, 0.0, lift))
            for _ in range(_ROUNDS):
                self._skeleton.place(found)
                mujoco.mj_comPos(model, data)
                at = data.xpos[body] + data.xmat[body].reshape(3, 3) @ foot
                mujoco.mj_jac(model, data, jacobian, None, at, body)
                leg = jacobian[:, dofs]
                squared = leg @ leg.T + _DAMPED * lift**2 * np.eye(3)
                found[places] += leg.T @ np.linalg.solve(squared, goal - at)
                bounded = model.jnt_limited[joints].astype(bool)
                low, high = model.jnt_range[joints].T
                within = np.clip(found[places], low, high)
                found[places] = np.where(bounded, within, found[places])
        every = [joint for limb in limbs for joint in limb.joints]
        places = model.jnt_qposadr[every]
        self._skeleton.place(qpos)
        return found[places] - qpos[places]

    def _foot(self, limb: Limb) -> Floats:
        """Where the lowest ball of a leg is [m]."""
        points = self._skeleton.points(limb.tips)
        return points.centres[int(np.argmin(points.heights))]

    def _within(self, body: int, point: Floats) -> Floats:
        data = self._skeleton.data
        return data.xmat[body].reshape(3, 3).T @ (point - data.xpos[body])

    def _mirror(self, limbs: Sequence[Limb]) -> Mirror | None:
        """Left and right exchanged, where joints of both sides are each other's mirror images."""
        data = self._skeleton.data
        flip = np.array((1.0, -1.0, 1.0))
        sides = [1, 0, 3, 2]
        counts = {len(limb.joints) for limb in limbs}
        if len(counts) > 1:
            return None
        joints, signs = [], []
        for place, limb in enumerate(limbs):
            other = limbs[sides[place]]
            for joint, twin in zip(limb.joints, other.joints, strict=True):
                # An axis of turning is no arrow: its mirror image points the other way.
                turned = -float((flip * data.xaxis[joint]) @ data.xaxis[twin])
                apart = np.linalg.norm(flip * data.xanchor[joint] - data.xanchor[twin])
                if abs(abs(turned) - 1.0) > _ALIKE or apart > _ALIKE:
                    return None
                signs.append(np.sign(turned))
            joints.append(np.arange(len(limb.joints)) + sides[place] * len(limb.joints))
        return Mirror(np.concatenate(joints), np.array(signs), np.array(sides))


def _in_order(limbs: Sequence[Limb]) -> list[Limb]:
    """Those ahead first, and of each pair that on the left."""
    by_x = sorted(limbs, key=lambda limb: -float(limb.anchors[limb.hip, 0]))
    pairs = (by_x[:2], by_x[2:])
    return [
        limb
        for pair in pairs
        for limb in sorted(pair, key=lambda limb: -float(limb.anchors[limb.hip, 1]))
    ]


def _corner(points: Points, side: int) -> Floats:
    reach = points.centres + side * points.radii[:, None]
    return reach.min(axis=0) if side < 0 else reach.max(axis=0)
