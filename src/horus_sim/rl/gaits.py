"""Policies that learned to walk, as gaits of robots in worlds of the 3D simulator."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from horus_sim.errors import PolicyError
from horus_sim.rl.models.legs import LeggedRobot, legged_spec
from horus_sim.rl.models.trot import Trot
from horus_sim.rl.task_files.definitions import build_task
from horus_sim.rl.tasks.rough_walking import RoughWalking, RoughWalkingConfig
from horus_sim.rl.tasks.walking import TIMESTEP, Walking
from horus_sim.rl.training.policy import Policy, load_policy, policy_names
from horus_sim.robots.description import RobotDescription
from horus_sim.robots.robot import load_robot
from horus_sim.sim3d.control.gait import FloatArray, Gait, LegMotion, Range, offer_gaits
from horus_sim.sim3d.scene.physics import PhysicsConfig

# Shipped policies, the most capable first.
_SHIPPED = ("QuadrupedRough", "Quadruped")


def offer_policies() -> None:
    """Lets robots on legs in worlds walk by policies; shipped ones are found by themselves."""
    offer_gaits(PolicyGaits)


class PolicyGait:
    """A gait that asks a policy.

    Args:
        policy: A policy of `HorusSim/Quadruped-v0` or `QuadrupedRough-v0`, of any settings.

    Raises:
        PolicyError: It is of a task that does not walk.
    """

    joints: tuple[str, ...]
    stiffness: FloatArray
    damping: FloatArray
    period: float
    ranges: tuple[Range, Range, Range]
    scan: FloatArray

    def __init__(self, policy: Policy) -> None:
        task = build_task(policy.task, dict(policy.settings))
        if type(task) not in (Walking, RoughWalking):
            raise PolicyError(
                f"the policy is for '{policy.task}', and robots in worlds walk by those of "
                "Quadruped, QuadrupedRough or a task on their base; give one of them"
            )
        config = task.config
        robot: LeggedRobot = legged_spec(config.robot, PhysicsConfig(timestep=TIMESTEP))[2]
        count = len(robot.joints)
        self.joints = robot.joints
        self.stiffness, self.damping = robot.stiffness, robot.damping
        if config.stiffness is not None:
            self.stiffness = np.full(count, config.stiffness)
        if config.damping is not None:
            self.damping = np.full(count, config.damping)
        self.period = TIMESTEP * config.physics_steps
        commands = config.commands
        self.ranges = (commands.ahead, commands.aside, commands.turning)
        self.scan, self._most = np.empty((0, 2)), 0.0
        if isinstance(config, RoughWalkingConfig):
            self.scan, self._most = config.scan.points(), config.scan.most
        self._policy, self._stance, self._height = policy, robot.stance, robot.height
        self._trot = Trot(robot, config.stride, config.scale)

    def decide(self, motion: LegMotion, action: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Where joints are to go, and the policy's action; see `Gait`."""
        moves = self._trot.moves(motion.command)
        clock = self._trot.clock(np.asarray(motion.time), moves)
        parts = (
            motion.angular_b,
            motion.up_b,
            motion.command,
            motion.positions - self._stance,
            motion.velocities,
            action,
            clock,
            np.clip(motion.heights + self._height, -self._most, self._most),
        )
        given = self._policy.act(np.concatenate(parts, dtype=np.float32)[None])[0]
        return self._trot.targets(given, clock), given.astype(np.float64)


class PolicyGaits:
    """Gaits of shipped policies and of files."""

    def name_for(self, description: RobotDescription) -> str | None:
        """Name of the shipped policy that walks with a robot, or None."""
        joints = {joint.name for joint in description.joints}
        for name in _SHIPPED:
            if name in policy_names():
                robot = _robot_of(name)
                same = robot.name == description.name
                if same and joints == {joint.name for joint in robot.joints}:
                    return name
        return None

    def load(self, name: str) -> Gait:
        """The gait of a shipped policy, or of a file or the folder of a training.

        Raises:
            PolicyError: There is no such policy, or it does not walk.
        """
        return _gait(name)


@lru_cache(maxsize=8)
def _gait(name: str) -> PolicyGait:
    return PolicyGait(load_policy(name))


@lru_cache(maxsize=8)
def _robot_of(name: str) -> RobotDescription:
    task = build_task(name)
    return load_robot(task.config.robot).description
