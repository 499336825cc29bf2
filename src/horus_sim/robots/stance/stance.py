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
    """

    positions: Mapping[str, float] = field(default_factory=dict)
    rotations: Mapping[str, Quaternion] = field(default_factory=dict)
    carried: Mapping[str, float] = field(default_factory=dict)
    source: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class DrivenJoint:
    """A joint that a drive can hold.

    Attributes:
        name: Its name in the robot.
        joint: Its number in the model.
        effort: Largest torque [N m] or force [N], or None.
        is_free: Whether no other joint moves with it.
    """

    name: str
    joint: int
    effort: float | None = None
    is_free: bool = True


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
        return Stance(carried=robot.carried(robot.footing(start)))
    now = robot.footing(start)
    if now is None or (not legs and now.is_balanced):
        return Stance()
    for pose, qpos in poses:
        stand = robot.footing(qpos)
        if stand is not None and stand.is_balanced and robot.skeleton.root not in stand.feet:
            carried = robot.carried(stand)
            return Stance(pose.positions, pose.rotations, carried, f"the {pose}")
    if not legs:
        return Stance()
    now = robot.footing(start)
    is_on_feet = now is not None and now.is_balanced and now.feet.keys() <= tips
    if now is not None and is_on_feet:
        # Not with the legs folded below the body.
        heights = [float(leg.anchors[leg.hip, 2]) - now.lowest for leg in legs]
        is_on_feet = min(heights) > _UPRIGHT * max(leg.reach for leg in legs)
    if now is not None and is_on_feet and now.share >= ENOUGH:
        return Stance(carried=robot.carried(now))
    solution = StanceSolver(robot.skeleton, legs, upright, robot.efforts).solve()
    if solution is not None:
        return robot.solved(solution, [joint for leg in legs for joint in leg.joints])
    if is_on_feet:
        return Stance(carried=robot.carried(robot.footing(start)))
    return Stance(
        problem=f"no pose was found in which its {len(legs)} legs hold it in balance: it falls "
        "over, unless a controller of yours balances it"
    )


class _Robot:
    """A robot whose stance is looked for."""

    def __init__(self, model: mujoco.MjModel, root: int, driven: Sequence[DrivenJoint]) -> None:
        self.skeleton = Skeleton(model, root, (each.joint for each in driven if each.is_free))
        self.efforts = {each.joint: each.effort for each in driven if each.effort}
        self._names = {each.joint: each.name for each in driven}

    def footing(self, qpos: Floats) -> Footing | None:
        """How it stands in a pose, in which it is placed."""
        self.skeleton.place(self.skeleton.upright(qpos))
        return footing(self.skeleton)

    def carried(self, stand: Footing | None) -> dict[str, float]:
        """What each drive moves of the rest of the robot as it is placed."""
        if stand is None:
            return {}
        found = carried_inertia(self.skeleton, self._names, stand.feet)
        return {self._names[joint]: inertia for joint, inertia in found.items()}

    def solved(self, solution: Solution, joints: Sequence[int]) -> Stance:
        """The stance of a solution."""
        problem = ""
        if solution.strained:
            joint, effort = max(solution.strained.items(), key=lambda item: item[1])
            problem = (
                f"joint '{self._names[joint]}' needs an effort of {effort:.3g} to hold it, and its "
                f"limit is {self.efforts[joint]:.3g}: it sinks down"
            )
        addresses = self.skeleton.model.jnt_qposadr
        self.skeleton.place(solution.qpos)
        return Stance(
            {self._names[joint]: float(solution.qpos[addresses[joint]]) for joint in joints},
            carried=self.carried(solution.footing),
            source="a balanced pose that was found for it",
            problem=problem,
        )
