"""Environments from the name of a task and settings, as Gymnasium calls for them."""

from __future__ import annotations

from typing import Any

from horus_sim.rl.envs.single_env import SingleEnv
from horus_sim.rl.envs.vector_env import VectorEnv
from horus_sim.rl.task_files.definitions import build_task
from horus_sim.rl.tasks.task import Task


def make_vector(
    task: str | Task[Any],
    num_envs: int = 1,
    threads: int = 0,
    autoreset_mode: Any = "NextStep",  # noqa: ANN401 - a name or Gymnasium's enumeration
    *,
    copy: bool = True,
    render_mode: str | None = None,
    **settings: Any,  # noqa: ANN401 - checked by the task's settings
) -> VectorEnv:
    """A vector of environments.

    Args:
        task: Name of a task, or the task itself.
        num_envs: How many environments.
        threads: Most threads for physics; 0 for one a processor.
        autoreset_mode: 'NextStep', 'SameStep' or 'Disabled'.
        copy: Whether each observation is an array of its own.
        render_mode: None or 'rgb_array'.
        **settings: Settings of the task, over those that its name stands for.
    """
    return VectorEnv(
        build_task(task, settings),
        num_envs,
        threads,
        autoreset_mode,
        copy=copy,
        render_mode=render_mode,
    )


def make_single(
    task: str | Task[Any],
    render_mode: str | None = None,
    **settings: Any,  # noqa: ANN401 - checked by the task's settings
) -> SingleEnv:
    """One environment; the arguments are those of `make_vector`."""
    return SingleEnv(build_task(task, settings), render_mode)
