"""Pictures of tasks: bright enough, of the robot as described, and with a mark at the goal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import horus_sim.rl as rl

WITH_GOALS = ("Navigation", "ArmReach", "Manipulation", "ManipulationReach")
TASKS = (*WITH_GOALS, "Racing", "HalfCheetah")

pytestmark = pytest.mark.usefixtures("needs_gl")


def greens(picture) -> Any:
    """Where pixels are green."""
    red, green, blue = picture.astype(float).transpose(2, 0, 1)
    return np.argwhere((green > 60) & (green > 1.6 * red) & (green > 1.6 * blue))


@pytest.mark.parametrize("name", TASKS)
def test_pictures_are_neither_dark_nor_empty(name):
    envs = rl.make_vector(name, 2)
    envs.reset(seed=0)
    picture = envs.picture(1)
    assert 70 < picture.mean() < 220
    assert picture.std() > 10
    envs.close()


@pytest.mark.parametrize("name", WITH_GOALS)
def test_a_mark_is_where_the_goal_is(name):
    envs = rl.make_vector(name, 2)
    envs.reset(seed=0)
    goals = envs.task.goals()
    assert goals is not None
    view = envs.task.pictures.camera(0)
    # In the middle of what is seen, and nearer to the camera than all else.
    goals[0] = view.lookat[: goals.shape[1]]
    if goals.shape[1] == 3:
        goals[0, 2] += 0.3 * view.distance
    seen = greens(envs.picture(0))
    assert len(seen) > 20
    assert abs(seen[:, 1].mean() - 240) < 20
    goals[0] += 1000.0
    assert len(greens(envs.picture(0))) == 0
    envs.close()


@pytest.mark.parametrize("name", ["HalfCheetah", "Ant"])
def test_a_creature_is_followed_and_fills_the_picture(name):
    envs: Any = rl.make_vector(name, 1)
    envs.reset(seed=0)

    def shown():
        """Where pixels have the colour of skin."""
        red, green, blue = envs.picture(0).astype(float).transpose(2, 0, 1)
        return np.argwhere((red > 60) & (red > 1.15 * green) & (green > 1.1 * blue))

    near = shown()
    envs.task.qpos[0, 0] += 20.0
    far = shown()
    for seen in (near, far):
        assert np.ptp(seen[:, 1]) > 120
        assert abs(seen[:, 1].mean() - 240) < 60
    envs.close()


@pytest.mark.parametrize("name", ["Navigation", "Racing", "ArmReach", "Manipulation"])
def test_pictures_show_the_robot_as_described(name):
    envs = rl.make_vector(name, 1)
    task = envs.task
    assert task.has_picture_model
    assert task.picture_model.nq == task.sim.bind("qpos").shape[1]
    assert task.picture_model.ngeom > len(task.sim.names("geom"))
    envs.close()
