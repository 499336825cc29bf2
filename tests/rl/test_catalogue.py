"""Tasks from files."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest

import horus_sim.rl as rl
from horus_sim.errors import TaskError
from horus_sim.rl import catalogue


@pytest.fixture(autouse=True)
def restored(monkeypatch):
    rl.task_names()
    monkeypatch.setattr(catalogue, "_definitions", dict(catalogue._definitions))
    known = set(gymnasium.registry)
    yield
    for name in set(gymnasium.registry) - known:
        del gymnasium.registry[name]


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
        ("A: {bases: Navigation}\n", "bases"),
        ("A: {settings: {}}\n", "neither class_path nor base"),
        ("A: {base: A}\n", "its own base"),
        ("A: {base: B}\nB: {base: A}\n", "each other's base"),
        ("A: {class_path: 'horus_sim.rl.nothing:Task'}\n", "leads nowhere"),
        ("A: {class_path: 'horus_sim.rl.terms:Reward'}\n", "no subclass"),
        ("A: {base: Navigation, settings: {goal_radius: x}}\n", "'goal_radius'"),
        ("A: [}\n", "cannot be read"),
    ],
)
def test_a_file_that_does_not_fit_changes_nothing(tmp_path, text, problem):
    path = tmp_path / "tasks.yaml"
    path.write_text(text)
    before = rl.task_names()
    with pytest.raises(TaskError, match=problem):
        rl.load_tasks(path)
    assert rl.task_names() == before


def test_settings_beside_a_built_task_are_refused():
    task = rl.build_task("Navigation")
    with pytest.raises(TaskError, match=r"\['speed'\] beside a task"):
        rl.make_vector(task, 1, speed=0.1)
