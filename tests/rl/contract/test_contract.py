"""Contracts: generated from tasks, read strictly."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import ContractError
from horus_sim.rl import make_vector
from horus_sim.rl.contract.contract import contract_of_text, read_contract
from horus_sim.rl.envs.contracting import check_task, task_contract
from horus_sim.rl.models.navigation_model import wheel_speeds
from horus_sim.rl.models.racing_model import ackermann
from horus_sim.robots import load_robot

DEPLOYABLE = ("Navigation", "Racing", "ArmReach", "Manipulation")


@pytest.fixture(scope="module")
def navigation():
    return task_contract("Navigation")


def changed(contract, **values) -> str:
    return json.dumps(json.loads(contract.text()) | values)


@pytest.mark.parametrize("task", [*DEPLOYABLE, "LineFollower2D", "Navigation2D"])
def test_a_contract_says_what_the_environments_have(task):
    contract = task_contract(task)
    envs: Any = make_vector(task, 1)
    assert contract.columns == envs.single_observation_space.shape[0]
    assert contract.action_columns == envs.single_action_space.shape[0]
    assert [part.name for part in contract.observations] == list(envs.columns)
    assert contract.control_rate == pytest.approx(1 / envs.task.dt)
    assert contract_of_text(contract.text(), "it") == contract
    envs.close()


def test_it_names_the_robot_by_its_file():
    import hashlib

    from horus_sim.assets import asset_path

    file = asset_path("robots", "turtlebot3_burger", (".urdf",))
    robot: Any = task_contract("Navigation").robot
    assert robot.name == load_robot("turtlebot3_burger").name
    assert robot.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def test_settings_of_the_task_are_in_it():
    contract = task_contract("Navigation", {"lidar": {"rays": 36}, "speed": 0.1})
    parts: Any = contract.observations
    lidar, goal, motion, _ = parts
    assert lidar.size == lidar.source.rays == 36
    assert lidar.source.step == pytest.approx(np.radians(10))
    assert motion.source.scales[0] == pytest.approx(10.0)
    assert goal.source.scale == pytest.approx(0.5)
    assert contract.actions[0].high == (0.1,)
    assert contract.arrival == 0.2
    assert [need.topic for need in contract.needs()] == ["scan", "odom", "goal_pose"]


def test_actions_mean_what_the_task_does_with_them():
    actions = np.random.default_rng(0).uniform(-1.5, 1.5, (50, 2)).astype(np.float32)
    for task, of_quantities in (
        ("Navigation", wheel_speeds),
        ("Racing", lambda speed, angle: np.concatenate(ackermann(speed, angle)[::-1], axis=1)),
    ):
        envs: Any = make_vector(task, 50)
        envs.reset(seed=0)
        envs.task.actions[:] = actions
        envs.task.act()
        parts = task_contract(task).actions
        first, second = (
            np.array([part.quantity(row[k : k + 1])[0] for row in actions])
            for k, part in enumerate(parts)
        )
        wanted = of_quantities(first, second)
        controls = np.array(envs.task.ctrl)
        if task == "Racing":
            controls = np.concatenate(
                [controls[:, envs.task._driven], controls[:, envs.task._steering]], axis=1
            )
        np.testing.assert_allclose(controls, wanted, rtol=1e-6, atol=1e-6)
        envs.close()


def test_mistakes_are_told_with_place_and_remedy(navigation, tmp_path):
    parts = json.loads(navigation.text())["observations"]
    misspelt = [dict(parts[0], source=parts[0]["source"] | {"kind": "scam"}), *parts[1:]]
    for text, match in (
        ("{", "it is not JSON"),
        (changed(navigation, format=2), "contract of format 2 and this version reads 1"),
        (changed(navigation, robots=None), "unknown key 'robots'; did you mean 'robot'"),
        (changed(navigation, control_rate=0), "control_rate: it is 0; it must be greater than 0"),
        (changed(navigation, observations=[]), "observations: it is empty; write at least one"),
        (changed(navigation, observations=misspelt), "no kind is called 'scam'; did you mean"),
        (
            changed(navigation, observations=[*parts, parts[0]]),
            "two observations are called 'lidar'; give each its own name",
        ),
        (
            changed(navigation, actions=json.loads(navigation.text())["actions"][:1]),
            "drive 'velocity' obeys 'turning', which is no action; there are forward",
        ),
        (
            changed(navigation, normalization={"place": "before", "mean": [0], "variance": [1]}),
            "normalization is for 1 and 1 columns, and observations have 31",
        ),
    ):
        with pytest.raises(ContractError, match=match):
            contract_of_text(text, "it")
    with pytest.raises(ContractError, match=r"absent\.json cannot be read \(No such file"):
        read_contract(tmp_path / "absent.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ContractError, match="is not text"):
        read_contract(tmp_path / "bytes.json")


def test_a_contract_that_does_not_fit_its_task_is_refused(navigation):
    check_task(navigation, "it")
    parts = navigation.observations
    for update, match in (
        ({"observations": (parts[1], parts[0], *parts[2:])}, "has the observation goal, lidar"),
        (
            {"observations": (parts[0].model_copy(update={"name": "lidra"}), *parts[1:])},
            "has no observation 'lidra'; did you mean 'lidar'",
        ),
        (
            {"observations": (parts[0].model_copy(update={"size": 12}), *parts[1:])},
            "'lidar' 12 columns, and task 'Navigation' gives it 24",
        ),
        ({"actions": navigation.actions[::-1]}, "has the action turning, forward"),
    ):
        with pytest.raises(ContractError, match=match):
            check_task(navigation.model_copy(update=update), "it")
