"""An episode of a task in a world of its own, in lockstep with the node that drives it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from horus_sim.hub import QoS, connect
from horus_sim.hub.messages import Odometry, PoseStamped
from horus_sim.rl.contract.contract import Contract
from horus_sim.rl.deploy.config import DeployConfig
from horus_sim.rl.deploy.node import PolicyNode
from horus_sim.rl.deploy.worlds.kinds import task_world
from horus_sim.rl.deploy.worlds.task_world import TaskWorld
from horus_sim.rl.envs.mirror import Mirror
from horus_sim.rl.training.evaluation import Acting
from horus_sim.running import RunningConfig, RunningWorld
from horus_sim.sim3d import World

_sessions = itertools.count()
Floats32 = npt.NDArray[np.float32]


@dataclass(slots=True)
class Episode:
    """How an episode went in a world.

    Attributes:
        number: Its number in an evaluation.
        success: Whether it solved the task.
        cause: Why it ended.
        steps: Decisions that were made.
        in_batch: What the batch observes first, shape (columns,).
        by_topics: What the node observed by its contract, at its first decisions, shape (columns,)
            each.
        by_task: What the task observes in the same states.
    """

    number: int
    success: bool = False
    cause: str = ""
    steps: int = 0
    in_batch: Floats32 = field(default_factory=lambda: np.zeros(0, np.float32))
    by_topics: list[Floats32] = field(default_factory=list)
    by_task: list[Floats32] = field(default_factory=list)


class TaskInWorld:
    """Plays episodes of a task in worlds, each as the batch begins it.

    Args:
        contract: What the policy's numbers mean; names task and settings.
        policy: What acts.
        compared: At how many decisions observations are kept.
    """

    def __init__(self, contract: Contract, policy: Acting, compared: int = 20) -> None:
        self._contract, self._policy, self._compared = contract, policy, compared
        self.mirror = Mirror(contract.task, contract.settings)

    def begin(self, seed: int, number: int) -> tuple[TaskWorld, Floats32]:
        """The task as a world, and what the batch observes there; see `Mirror.begin`."""
        first = self.mirror.begin(seed, number)
        contract = self._contract
        return task_world(self.mirror.task, contract.task, contract.control_rate), first

    def play(self, index: int, seed: int, number: int) -> Episode:
        """Plays one episode.

        Args:
            index: Its number in an evaluation.
            seed: Seed of the environment.
            number: How many episodes it ended before.
        """
        stage, first = self.begin(seed, number)
        episode = Episode(index, in_batch=first)
        world = World.load(stage.scene(), seed=0)
        stage.prepare(world)
        rate = self._contract.control_rate
        rules = RunningConfig(
            tf_hz=rate,
            odom_hz=rate,
            joint_states_hz=rate,
            clock_hz=rate,
            ros_names=True,
            robot_descriptions=False,
            requests=False,
            services=False,
            odometry="ground_truth",
        )
        with (
            connect("inproc://", f"task-{next(_sessions)}", remap={}) as hub,
            RunningWorld(world, hub, rules) as running,
        ):
            node = PolicyNode(hub, self._contract, self._policy, DeployConfig(keeps_on=True))
            odometry = hub.subscribe("odom", Odometry, QoS(depth=1))
            # The robot stands in the first period, in which its sensors speak for the first time.
            running.step(self._steps(world))
            goal = stage.goal(world, odometry.latest())
            if goal is not None:
                goals = hub.publisher("goal_pose", PoseStamped, QoS(depth=1, latched=True))
                goals.send(goal)
            self._drive(episode, stage, running, node)
            node.close()
        return episode

    def _drive(
        self,
        episode: Episode,
        stage: TaskWorld,
        running: RunningWorld[World],
        node: PolicyNode,
    ) -> None:
        world = running.world
        while True:
            sight = self.mirror.look(
                lambda _: stage.write_state(world, node.inputs.held),
                node.inputs.action,
                is_step=episode.steps > 0,
            )
            if sight.cause and episode.steps > 0:
                episode.success, episode.cause = sight.success, sight.cause
                return
            node.tick(world.stamp_ns)
            node.raise_if_stopped()
            if len(episode.by_topics) < self._compared:
                episode.by_topics.append(node.observation)
                episode.by_task.append(sight.observation)
            running.step(self._steps(world))
            episode.steps += 1

    def _steps(self, world: World) -> int:
        """Steps of the world between two decisions."""
        return round(self._contract.period / world.timestep)

    def close(self) -> None:
        """Closes the mirror."""
        self.mirror.close()
