"""All tasks that are worlds. A new one is its file, and a line here."""

from __future__ import annotations

from typing import Any

from horus_sim.errors import DeployError
from horus_sim.rl.deploy.worlds.arm_reach import ArmReachWorld
from horus_sim.rl.deploy.worlds.manipulation import ManipulationWorld
from horus_sim.rl.deploy.worlds.navigation import NavigationWorld
from horus_sim.rl.deploy.worlds.racing import RacingWorld
from horus_sim.rl.deploy.worlds.task_world import TaskWorld
from horus_sim.rl.tasks.task import Task

TASK_WORLDS: tuple[type[TaskWorld[Any]], ...] = (
    NavigationWorld,
    RacingWorld,
    ArmReachWorld,
    ManipulationWorld,
)


def task_world(task: Task[Any], name: str, rate: float) -> TaskWorld[Any]:
    """The task as a world.

    Args:
        task: The task, in the state in which its episode begins.
        name: Its name, for errors.
        rate: Decisions a second [Hz].

    Raises:
        DeployError: It is not known how.
    """
    for kind in TASK_WORLDS:
        if isinstance(task, kind.tasks):
            return kind(task, rate)
    known = ", ".join(kind.tasks.__name__ for kind in TASK_WORLDS)
    raise DeployError(
        f"task '{name}' is no world of the 3D simulator; those of {known} are. Start a world of "
        "yours ('horus-sim sim3d FILE --headless --session NAME') and join it with --session"
    )
