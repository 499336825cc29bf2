"""A policy in a session that runs, and in a world that is started for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from horus_sim.errors import DeployError
from horus_sim.files.names import propose
from horus_sim.hub import Hub, connect
from horus_sim.hub.messages import Odometry, PoseStamped
from horus_sim.rl.contract.contract import Contract
from horus_sim.rl.deploy.config import DeployConfig
from horus_sim.rl.deploy.node import PolicyNode, State
from horus_sim.rl.deploy.running import NodeLoop, Time
from horus_sim.rl.training.evaluation import Acting
from horus_sim.robots.frame_name import frame_name
from horus_sim.running import RunningConfig, RunningWorld
from horus_sim.sim3d import World
from horus_sim.tf import Transform

Tell = Callable[[str], object]
_USUAL_DURATION = 60.0
_sessions = itertools.count()


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a run is to do.

    Attributes:
        goal: Where to go [m]; None where somebody else says it.
        goal_frame: Frame of the goal; that of the odometry, or of the base, unless given.
        duration: Ends it after this time [s].
        once: Whether it ends at the goal.
    """

    goal: tuple[float, float, float] | None = None
    goal_frame: str | None = None
    duration: float | None = None
    once: bool = False


def run_in_session(
    hub: Hub,
    contract: Contract,
    policy: Acting,
    rules: DeployConfig,
    wishes: Wishes,
    clock: Time,
    wait: float,
    tell: Tell,
) -> None:
    """Lets a policy act on the robot of a session, until Ctrl-C or the end that is wished for.

    Args:
        hub: The connection.
        contract: What the policy's numbers mean.
        policy: What acts.
        rules: How it acts.
        wishes: What the run is to do.
        clock: Which clock counts.
        wait: How long sensors may take to speak for the first time [s].
        tell: Told in a line when something changes.

    Raises:
        DeployError: A sensor never spoke, or does not tell what is observed.
    """
    node = PolicyNode(hub, contract, policy, rules, tell)
    loop = NodeLoop(node, hub, contract.period, clock=clock, wait=wait, tell=tell)
    try:
        node.set_goal(goal_of(contract, wishes, rules.robot))
        node.on_arrival = loop.stop if wishes.once else None
        loop.run(wishes.duration)
    finally:
        node.close()


def run_in_scene(
    world: World,
    contract: Contract,
    policy: Acting,
    rules: DeployConfig,
    wishes: Wishes,
    tell: Tell,
) -> str:
    """Lets a policy act on the robot of a world, in lockstep and as fast as it goes.

    Args:
        world: The world.
        contract: What the policy's numbers mean.
        policy: What acts.
        rules: How it acts.
        wishes: What the run is to do; it ends after 60 s, or at the goal, unless told.
        tell: Told in a line when something changes.

    Returns:
        How it ended, in a line.

    Raises:
        DeployError: There is no robot to drive, or something does not come by topics.
    """
    is_alone = len(world.robots) == 1
    name = next(iter(world.robots), "") if is_alone else rules.robot
    if name not in world.robots:
        names = ", ".join(world.robots) or "none"
        if not rules.robot:
            raise DeployError(f"the world has these robots: {names}; name one with --robot")
        raise DeployError(propose(rules.robot, world.robots, "the world", "robot"))
    rules = rules.model_copy(update={"robot": "" if is_alone else name})
    steps = max(1, round(contract.period / world.timestep))
    duration = _USUAL_DURATION if wishes.duration is None else wishes.duration
    rates = RunningConfig(ros_names=is_alone, requests=False, services=False)
    with (
        connect("inproc://", f"deploy-{next(_sessions)}", remap={}) as hub,
        RunningWorld(world, hub, rates) as running,
    ):
        node = PolicyNode(hub, contract, policy, rules, tell)
        node.set_goal(goal_of(contract, wishes, rules.robot))
        try:
            while world.time < duration:
                running.step(steps)
                if node.tick(world.stamp_ns) is State.ARRIVED:
                    return f"arrived after {world.time:.2f} s"
                if world.time > min(2.0, duration) and not node.is_complete:
                    raise DeployError(node.explain_absent())
        finally:
            node.close()
        if node.waits_for_goal:
            raise DeployError(f"{node.explain_absent()}; or give --goal X,Y")
        return f"{node.state.value} after {world.time:.2f} s, {node.ticks} actions"


def goal_of(contract: Contract, wishes: Wishes, robot: str) -> PoseStamped | None:
    """The goal as a message, in the frame of the odometry or of the robot's base."""
    if wishes.goal is None:
        return None
    needs = contract.needs()
    if not any(need.kind is PoseStamped for need in needs):
        raise DeployError(f"the policy of task '{contract.task}' has no goal; leave out --goal")
    has_odometry = any(need.kind is Odometry and need.topic == "odom" for need in needs)
    frame = wishes.goal_frame
    if frame is None:
        base = next((part.frame for part in contract.observations if part.frame), "base_link")
        frame = "odom" if has_odometry else base.split()[0]
        frame = frame_name(f"{robot}/{frame}") if robot else frame
    return PoseStamped(0, frame, Transform(wishes.goal))
