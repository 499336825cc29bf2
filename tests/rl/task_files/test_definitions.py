"""Tasks from files."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import TaskError

from ..pendulum import Pendulum

pytestmark = pytest.mark.usefixtures("restored_tasks")


def test_a_file_defines_and_overrides(tmp_path):
    path = tmp_path / "tasks.yaml"
    path.write_text(
        "Crowded:\n  base: Navigation\n  settings:\n    obstacles: {count: 30}\n"
        "    rewards: {progress: 2.0}\n"
        "NavigationOpen:\n  settings: {goal_radius: 0.3}\n"
    )
    assert rl.load_tasks(path) == ("Crowded", "NavigationOpen")
    task: Any = rl.build_task("Crowded")
    assert task.config.obstacles.count == 30
    assert task.config.obstacles.radius == (0.1, 0.2)
    assert task.config.rewards == {"progress": 2.0}
    task = rl.build_task("NavigationOpen", {"speed": 0.1})
    assert (task.config.goal_radius, task.config.speed, task.config.obstacles.count) == (
        0.3,
        0.1,
        0,
    )
    env = gymnasium.make("HorusSim/Crowded-v0")
    env.reset(seed=0)
    env.close()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- a\n", "holds no tasks"),
        ("A: {base: Navigaton}\n", "did you mean 'Navigation'"),
        (
            "A: {bases: Navigation}\n",
            "tasks.yaml:1: A.bases: unknown key 'bases'; did you mean 'base'",
        ),
        ("A: {base: Navigation, setings: {}}\n", "'setings'; did you mean 'settings'"),
        (
            "A: {base: Ant, class_path: 'a:B'}\n",
            "tasks.yaml:1: A: it has class_path and base.*give one of",
        ),
        ("A: {settings: {}}\n", "neither class_path nor base"),
        ("A: {base: A}\n", "its own base"),
        ("A: {base: B}\nB: {base: A}\n", "each other's base"),
        ("A: {class_path: 'horus_sim.rl.nothing:Task'}\n", "leads nowhere"),
        ("A: {class_path: 'horus_sim.rl.terms.term:Reward'}\n", "not a subclass"),
        (
            "A: {base: Navigation, settings: {goal_radius: x}}\n",
            "'A': goal_radius: it is 'x', not a num",
        ),
        ("A: [}\n", r"tasks.yaml:1:\d+: .*correct it"),
        ("A: 5\n", "tasks.yaml:1: A: it is 5; write keys and values there"),
        ("A: {base: Navigation}\nA: {base: Ant}\n", r"tasks.yaml:2:\d+: .*'A' is there twice"),
        (
            "A:\n  base: Navigation\n  settings: {speed: 0.1, speed: 0.2}\n",
            "'speed' is there twice",
        ),
        ("a/b: {base: Navigation}\n", "a task is called 'a/b'; give letters"),
        ("'': {base: Navigation}\n", "a task is called ''"),
        ("A: {class_path: '.relative:Task'}\n", "leads nowhere"),
        ("A: {class_path: 'broken_tasks:Task'}\n", "broken_tasks cannot be imported .NameError"),
        (
            "A: {class_path: 'horus_sim.rl.tasks.manipulation:Manipulation'}\n",
            r"lacks compute_potential\(\), .*; name a class that has all",
        ),
    ],
)
def test_a_file_that_does_not_fit_changes_nothing(tmp_path, monkeypatch, text, problem):
    (tmp_path / "broken_tasks.py").write_text("Task = Tusk\n")
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "tasks.yaml"
    path.write_text(text)
    before = rl.task_names()
    with pytest.raises(TaskError, match=problem):
        rl.load_tasks(path)
    assert rl.task_names() == before


def test_a_path_is_asked_for():
    with pytest.raises(TaskError, match="None is not a path; give that of a YAML file"):
        rl.load_tasks(None)  # pyright: ignore[reportArgumentType]


def test_a_class_is_no_task():
    with pytest.raises(TaskError, match=r"neither a task nor the name of one; give Pendulum\(sett"):
        rl.make_vector(Pendulum, 1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TaskError, match="None is neither a task nor the name of one; give a name"):
        rl.make_vector(None, 1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TaskError, match=r"^an object of type dict is neither a task nor the name"):
        rl.make_vector({"weights": np.zeros(9)}, 1)  # pyright: ignore[reportArgumentType]


def test_settings_beside_a_built_task_are_refused():
    task = rl.build_task("Navigation")
    with pytest.raises(TaskError, match=r"\['speed'\] beside a task"):
        rl.make_vector(task, 1, speed=0.1)
