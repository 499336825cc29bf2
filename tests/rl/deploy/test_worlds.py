"""Tasks in worlds: nodes observe by topics what tasks observe, and episodes are judged alike."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import DeployError
from horus_sim.rl.contract.sources.source import Inputs
from horus_sim.rl.deploy.check import check_policy
from horus_sim.rl.deploy.episode import TaskInWorld
from horus_sim.rl.deploy.layouts import layout_of
from horus_sim.rl.envs.contracting import task_contract
from horus_sim.rl.policies.onnx_export import with_contract
from horus_sim.rl.training import load_policy
from horus_sim.sim3d import World
from horus_sim.tf import Transform


@pytest.mark.parametrize("task", ["Navigation", "Racing", "ArmReach", "Manipulation"])
def test_a_node_observes_what_its_task_does(task):
    policy: Any = with_contract(load_policy(task))
    # A second of the way: of the cube until it is lifted, of the car into its first bend.
    contract = policy.contract.model_copy(
        update={"settings": {**policy.settings, "episode_duration": 1.5}}
    )
    stage = TaskInWorld(contract, policy, compared=30)
    episode = stage.play(0, 2**42, 0)
    stage.close()
    assert episode.steps >= 10
    by_topics, by_task = np.array(episode.by_topics), np.array(episode.by_task)
    # A ray that grazes an edge may pass it: the lidar of the task does not nod with the robot.
    off = np.abs(by_topics - by_task)
    assert np.sort(off, axis=None)[: -len(off) // 10].max() < 2e-3
    others = (
        off if task not in ("Navigation", "Racing") else off[:, contract.observations[0].size :]
    )
    # The car's task takes its velocities in the plane, its odometry in the car that leans.
    assert others.max() < (1e-3 if task == "Racing" else 1e-5)
    start = np.abs(episode.in_batch - by_topics[0])
    assert start.max() < 2e-3


def test_first_observations_differ_where_a_ray_grazes_an_edge_and_the_robot_nods():
    """Where a world and the batch see another first observation, and why.

    The batch begins at z = 0, level. In a world the robot has sunk onto its wheels and caster by
    then: it leans back by 0.7 mrad, which takes the lidar, 18 cm up, 0.13 mm back. A ray that
    grazes an obstacle there passes it, or meets it: nearness jumps by 0.1 to 0.3. That is once in
    some 200 episodes; in this one a ray passes 10 micrometres from an edge.
    """
    stage = TaskInWorld(task_contract("Navigation"), load_policy("Navigation"))
    task_world, first = stage.begin(13, 0)
    task, world = task_world.task, World.load(task_world.scene())
    source: Any = stage.mirror.envs.observation_terms[0].source
    robot = world.robots["robot"]

    def seen_by_world():
        scan = world.sensors["robot/scan"].measure()
        return source.read(Inputs({"scan": scan}, lambda *_: Transform(), np.zeros(2)))

    def seen_by_batch_from(place: Transform):
        """What the batch's lidar would see, were it at a place."""
        heading = 2 * np.arctan2(task.qpos[0, 6], task.qpos[0, 3])
        x, y = place.translation[:2]
        task.qpos[0, 0] = x - source.place[0] * np.cos(heading)
        task.qpos[0, 1] = y - source.place[0] * np.sin(heading)
        task.refresh(slice(None))
        return task.nearness[0].copy()

    lidar = robot.link_pose("base_scan")
    np.testing.assert_allclose(seen_by_world(), first[:24], atol=1e-5)
    world.step(12)
    off = np.abs(seen_by_world() - first[:24])
    assert off[10] == pytest.approx(0.217, abs=0.002)
    assert np.delete(off, 10).max() < 1e-3
    nod = robot.pose.to_euler()[1]
    assert nod == pytest.approx(-7e-4, abs=1e-4)
    moved = robot.link_pose("base_scan").translation - lidar.translation
    assert np.hypot(*moved[:2]) == pytest.approx(source.place[2] * -nod, rel=0.05)
    # From where the lidar really is, the batch sees what the world does, in all rays.
    np.testing.assert_allclose(
        seen_by_batch_from(robot.link_pose("base_scan")), seen_by_world(), atol=1e-4
    )
    stage.close()


def test_a_check_tells_success_and_gaps(tmp_path):
    policy: Any = with_contract(load_policy("ArmReach"))
    report = check_policy(policy, policy.contract, 3, seed=2**42)
    assert report.batch.successes == report.world_successes == 3
    assert [gap.name for gap in report.gaps] == ["joints", "speeds", "tool", "goal", "action"]
    assert max(gap.topics_most for gap in report.gaps) < 1e-5
    assert "world     3 of 3, 100.0%" in report.text()
    assert "mismatch  none" in report.text()
    report.write(tmp_path / "check.json")
    assert json.loads((tmp_path / "check.json").read_text())["world_successes"] == 3
    with pytest.raises(DeployError, match="a check of 0 episodes says nothing"):
        check_policy(policy, policy.contract, 0)


def test_a_check_names_the_part_that_is_off():
    policy: Any = with_contract(load_policy("ArmReach"))
    parts = list(policy.contract.observations)
    # As on a robot whose contract has degrees for radians.
    speeds = parts[1].source.model_copy(update={"scale": parts[1].source.scale * 57.3})
    parts[1] = parts[1].model_copy(update={"source": speeds})
    wrong = policy.contract.model_copy(update={"observations": tuple(parts)})
    report = check_policy(policy, wrong, 1, seed=2**42)
    assert "mismatch  speeds: the node observes something else" in report.text()


def test_a_layout_is_a_scene(tmp_path):
    scene, goal = layout_of("Navigation", 5)
    assert goal is not None
    scene.save(tmp_path / "layout.yaml")
    world = World.load(tmp_path / "layout.yaml")
    assert len(world.objects) == 21
    x, y = map(float, goal.split(","))
    assert 0.5 <= np.hypot(x, y) <= 2.0
    again, same = layout_of("Navigation", 5)
    assert (again, same) == (scene, goal)
    with pytest.raises(DeployError, match="task 'HalfCheetah' is no world of the 3D simulator"):
        layout_of("HalfCheetah", 0)
