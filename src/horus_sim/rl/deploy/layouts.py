"""Layouts of a task as scenes."""

from __future__ import annotations

from horus_sim.rl.deploy.worlds.kinds import task_world
from horus_sim.rl.envs.mirror import Mirror
from horus_sim.sim3d.scene.scene import Scene
from horus_sim.tf import Transform


def layout_of(task: str, seed: int) -> tuple[Scene, str | None]:
    """A layout of a task as a scene, and its goal as `rl deploy --goal` takes it.

    The goal is told in the frame of the robot's odometry, or of its base where that is fixed.

    Args:
        task: Name of the task.
        seed: Seed of the layout.

    Raises:
        DeployError: The task is no world.
    """
    mirror = Mirror(task, {})
    try:
        mirror.begin(seed, 0)
        stage = task_world(mirror.task, task, 1.0 / mirror.task.dt)
        scene = stage.scene()
        goals = mirror.task.goals()
        if goals is None:
            return scene, None
        T_world_goal = Transform((*goals[0].tolist(), 0.0)[:3])
        robot = scene.robots[0]
        place = robot.pose.transform().inverse() @ T_world_goal
        return scene, ",".join(f"{value:.4f}" for value in place.translation[: goals.shape[1]])
    finally:
        mirror.close()
