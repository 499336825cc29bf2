"""Where a floating robot on legs starts, so that it stands."""

# mujoco is a binary module without type stubs.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from horus_sim.robots.engine import mujoco
from horus_sim.robots.stance.footing import Footing, carried_inertia, footing
from horus_sim.robots.stance.legs import find_legs
from horus_sim.robots.stance.named_pose import NamedPose
from horus_sim.robots.stance.skeleton import Floats, Skeleton
from horus_sim.robots.stance.solving import ENOUGH, Solution, StanceSolver

_UPRIGHT = 0.5
_LIGHT = 0.05
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Stance:
    """Where joints start so that a robot stands, and what they then carry.

    Attributes:
        positions: Positions of joints [rad] or [m]; joints that are absent start as described.
        rotations: Rotations of ball joints, xyzw.
        carried: What drives between the root and the feet move of the rest of the robot, feet
            where they are: inertia about the joint's axis [kg m^2], of a slider the mass [kg].
        source: Where it comes from, such as "keyframe 'home'"; '' as the robot starts anyway.
        problem: Why the robot will fall all the same, or ''.
        is_light: Whether the inertia of a drive, as its file states it, is small against what it
            carries, so that only some integrators keep it still.
    """

    positions: Mapping[str, float] = field(default_factory=dict)
    rotations: Mapping[str, Quaternion] = field(default_factory=dict)
    carried: Mapping[str, float] = field(default_factory=dict)
    source: str = ""
    problem: str = ""
    is_light: bool = False


@dataclass(frozen=True, slots=True)
class DrivenJoint:
    """A joint that a drive can hold.

    Attributes:
        name: Its name in the robot.
        joint: Its number in the model.
        effort: Largest torque [N m] or force [N], or None.
        is_free: Whether no other joint moves with it.
        inertia: Inertia of its drive and load that its file states [kg m^2] or [kg]; None where
            that of the drive is chosen to fit.
    """

    name: str
    joint: int
    effort: float | None = None
    is_free: bool = True
    inertia: float | None = None


def find_stance(
    model: mujoco.MjModel,
    root: int,
    start: Floats,
    driven: Sequence[DrivenJoint],
    poses: Sequence[tuple[NamedPose, Floats]] = (),
    *,
    is_told: bool = False,
) -> Stance:
    """How a robot stands.

    In this order: as its file says, in a pose that its files name, as it starts anyway, or in a
    pose that is found for it. For a robot without legs nothing changes.

    Args:
        model: A model with this robot alone, upright.
        root: Body of its root link, which has a free joint.
        start: Where the model starts, shape (nq,).
        driven: Its driven joints.
        poses: The poses that its files name, the best first, with the positions of the model.
        is_told: Whether its file says where joints start.
    """
    robot = _Robot(model, root, driven)
    upright = robot.skeleton.upright(start)
    legs = find_legs(robot.skeleton, upright)
    tips = {part for leg in legs for part in leg.tips}
    if is_told and legs:
        return robot.stance(robot.footing(start))
    now = robot.footing(start)
    if now is None or (not legs and now.is_balanced):
        return Stance()
    for pose, qpos in poses:
        stand = robot.footing(qpos)
        if stand is not None and stand.is_balanced and robot.skeleton.root not in stand.feet:
            return robot.stance(stand, pose.positions, pose.rotations, f"the {pose}")
    if not legs:
        return Stance()
    now = robot.footing(start)
    is_on_feet = now is not None and now.is_balanced and now.feet.keys() <= tips
    if now is not None and is_on_feet:
        # Not with the legs folded below the body.
        heights = [float(leg.anchors[leg.hip, 2]) - now.lowest for leg in legs]
        is_on_feet = min(heights) > _UPRIGHT * max(leg.reach for leg in legs)
    if now is not None and is_on_feet and now.share >= ENOUGH:
        return robot.stance(now)
    solution = StanceSolver(robot.skeleton, legs, upright, robot.efforts).solve()
    if solution is not None:
        return robot.solved(solution, [joint for leg in legs for joint in leg.joints])
    if is_on_feet:
        return robot.stance(robot.footing(start))
    return Stance(
        problem=f"no pose was found in which its {len(legs)} legs hold it in balance: it falls "
        "over, unless a controller of yours balances it"
    )


class _Robot:
    """A robot whose stance is looked for."""

    def __init__(self, model: mujoco.MjModel, root: int, driven: Sequence[DrivenJoint]) -> None:
        self.skeleton = Skeleton(model, root, (each.joint for each in driven if each.is_free))
        self.efforts = {each.joint: each.effort for each in driven if each.effort}
        self._driven = {each.joint: each for each in driven}
        # Joints that an equality ties to others.
        tied = model.eq_type == int(mujoco.mjtEq.mjEQ_JOINT)
        self._followers = {int(joint) for joint in model.eq_obj1id[tied]}

    def footing(self, qpos: Floats) -> Footing | None:
        """How it stands in a pose, in which it is placed."""
        self.skeleton.place(self.skeleton.upright(qpos))
        return footing(self.skeleton)

    def stance(
        self,
        stand: Footing | None,
        positions: Mapping[str, float] | None = None,
        rotations: Mapping[str, Quaternion] | None = None,
        source: str = "",
        problem: str = "",
    ) -> Stance:
        """The stance of the pose in which it is placed."""
        positions, rotations = positions or {}, rotations or {}
        if stand is None:
            return Stance(positions, rotations, {}, source, problem)
        carried = carried_inertia(self.skeleton, self._driven, stand.feet)
        is_light = any(
            (own := self._driven[joint].inertia) is not None and own < _LIGHT * inertia
            for joint, inertia in carried.items()
        )
        named = {self._driven[joint].name: inertia for joint, inertia in carried.items()}
        problem = problem or self._slack(stand)
        return Stance(positions, rotations, named, source, problem, is_light)

    def _slack(self, stand: Footing) -> str:
        """What is wrong with legs that joints without a drive cross."""
        model = self.skeleton.model
        for part in stand.feet:
            body = part
            while body not in (0, self.skeleton.root):
                for joint in self.skeleton.joints_of(body):
                    if joint not in self._driven and joint not in self._followers:
                        name = model.joint(joint).name.partition("/")[2]
                        return (
                            f"joint '{name}' is between its body and a foot and has no drive: "
                            "unless springs or loops of its own hold it, it sinks down"
                        )
                body = int(model.body_weldid[model.body_parentid[body]])
        return ""

    def solved(self, solution: Solution, joints: Sequence[int]) -> Stance:
        """The stance of a solution."""
        problem = ""
        if solution.strained:
            joint, effort = max(solution.strained.items(), key=lambda item: item[1])
            problem = (
                f"joint '{self._driven[joint].name}' needs an effort of {effort:.3g} to hold it, "
                f"and its limit is {self.efforts[joint]:.3g}: it sinks down"
            )
        addresses = self.skeleton.model.jnt_qposadr
        self.skeleton.place(solution.qpos)
        found = {
            self._driven[joint].name: float(solution.qpos[addresses[joint]]) for joint in joints
        }
        source = "a balanced pose that was found for it"
        return self.stance(solution.footing, found, None, source, problem)
