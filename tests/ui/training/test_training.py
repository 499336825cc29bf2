"""What is behind the training page: counting, tiles, policies, runs, and the thread."""

from __future__ import annotations

import json
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import PolicyError, TaskError, TrainingError, UiError
from horus_sim.rl.engines.mujoco_batch import MujocoBackend
from horus_sim.rl.task_files import definitions
from horus_sim.rl.training import evaluate, load_policy
from horus_sim.robots.engine import mujoco
from horus_sim.running.loop.event_log import EventLog
from horus_sim.ui.training.model.picture2d import Picture2d
from horus_sim.ui.training.model.picture3d import Picture3d
from horus_sim.ui.training.model.policies import RANDOM, Chosen, PolicyShelf
from horus_sim.ui.training.model.runs import RunWatch
from horus_sim.ui.training.model.show import Choice, Show
from horus_sim.ui.training.model.thread import ShowThread
from horus_sim.ui.training.model.tiles import grid_offsets, tile_middle, tile_size
from horus_sim.ui.training.panels.stand import wrong_whole

from .training_site import still_policy, write_run

LONGEST_S = 30.0
OPEN = Choice("NavigationOpen", "NavigationOpen", 3, 5)


def shelf(folder: Path, *, is_local: bool = True) -> PolicyShelf:
    return PolicyShelf(folder, is_local=is_local)


def show_of(choice: Choice, folder: Path) -> Show:
    return Show(choice, shelf(folder).find(choice.policy), 1)


def goals_of(show: Show) -> np.ndarray:
    goals = show._envs.task.goals()
    assert goals is not None
    return goals


def test_settings_of_the_choice_keep_the_others_of_the_policy():
    learned = {"lidar": {"rays": 24, "range": 2.5}}
    chosen = Chosen(still_policy("NavigationOpen"), learned, "NavigationOpen")
    show = Show(Choice("NavigationOpen", "x", 2, 5, {"lidar": {"range": 3.0}}), chosen, 1)
    config: Any = show._envs.task.config
    assert (config.lidar.rays, config.lidar.range) == (24, 3.0)
    show.close()


def test_figures_are_those_of_an_evaluation(tmp_path: Path):
    show = show_of(OPEN, tmp_path)
    ended = []
    while len({episode.env for episode in ended}) < 3:
        ended += show.step()
    first = {episode.env: episode for episode in reversed(ended)}
    report = evaluate(load_policy("NavigationOpen"), "NavigationOpen", 3, seed=5)
    totals = [first[env].total for env in range(3)]
    assert np.mean(totals) == pytest.approx(report.returns.mean)
    assert max(episode.steps for episode in first.values()) == report.lengths.largest
    summary = show.summary
    assert summary.episodes == summary.counted == len(ended)
    assert summary.successes == sum(episode.success for episode in ended)
    assert sum(summary.rewards.values()) == pytest.approx(summary.mean_return)
    assert sum(summary.causes.values()) == len(ended)
    show.reset()
    assert (show.steps, show.summary.episodes) == (0, 0)
    assert show.step() == []
    assert show.tally.steps.tolist() == [1, 1, 1]


def test_frames_are_where_mujoco_says(tmp_path: Path):
    show = show_of(Choice("Navigation", "Navigation", 2, 3), tmp_path)
    for _ in range(20):
        show.step()
    picture = show.picture
    assert isinstance(picture, Picture3d)
    exported = picture.export()
    (length,) = struct.unpack_from("<I", exported)
    document = json.loads(exported[4 : 4 + length])
    tiles = document["tiles"]
    assert tiles["goal"] == {"radius": 0.2, "flat": True}
    assert (np.array(tiles["offsets"])[1] - tiles["offsets"][0]).tolist() == [tiles["size"], 0]
    rows = np.frombuffer(show.frame(), np.float32, offset=12).reshape(2, -1)
    sim = show._envs.task.sim
    assert isinstance(sim, MujocoBackend)
    bodies = len(document["bodies"])
    for env in range(2):
        model, data = sim.snapshot(env)
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(rows[env, 1:3], goals_of(show)[env], atol=1e-6)
        poses = rows[env, 4 : 4 + 7 * bodies].reshape(-1, 7)
        shapes = rows[env, 4 + 7 * bodies :].reshape(-1, 6)
        names = {body["name"]: i for i, body in enumerate(document["bodies"])}
        for body in range(1, model.nbody):
            pose = poses[names[model.body(body).name]]
            np.testing.assert_allclose(pose[:3], data.xpos[body], atol=1e-5)
        kinds = {geom["id"]: geom["kind"] for geom in document["geoms"]}
        found = {
            tuple(np.round(shape, 4))
            for number, shape in zip(tiles["shaped"], shapes, strict=True)
            if kinds[number] == "cylinder"
        }
        task: Any = show._envs.task
        for x, y, radius in task.plane.circles[env]:
            assert any(
                np.allclose((x, y, radius), np.array(s)[[0, 1, 3]], atol=2e-4) for s in found
            )


def test_worlds_of_the_plane_are_side_by_side(tmp_path: Path):
    show = show_of(Choice("Navigation2D", RANDOM, 4, 3), tmp_path)
    picture = show.picture
    assert isinstance(picture, Picture2d)
    scene = picture.scene()
    ids = [item["id"] for key in ("bodies", "strokes", "devices") for item in scene[key]]
    assert len(set(ids)) == len(ids)
    show.step()
    values = np.frombuffer(show.frame(), np.float32, offset=12)
    moving, readings, wheels = values[:3].astype(int)
    assert moving == len(scene["moving"])
    assert wheels == 8
    poses = values[3 : 3 + 3 * moving].reshape(-1, 3)
    goal = poses[scene["moving"].index("3/goal")][:2]
    np.testing.assert_allclose(goal, goals_of(show)[2] + picture.offsets[2], atol=1e-5)
    assert readings == sum(device.get("count", 0) * 4 for device in scene["devices"]) // 4


def test_a_grid_is_centred_and_nothing_overlaps():
    offsets = grid_offsets(7, 2.0)
    assert offsets[:6].reshape(2, 3, 2).mean(axis=(0, 1)).tolist() == [0.0, 1.0]
    gaps = np.abs(offsets[:, None] - offsets[None]).max(axis=2)
    assert gaps[~np.eye(7, dtype=bool)].min() == 2.0
    assert grid_offsets(1, 3.0).tolist() == [[0.0, 0.0]]
    assert tile_size(np.array([[0.5, -1.0], [1000.0, 0.0], [np.nan, 0.0]])) == 2.25
    assert tile_size(np.zeros((0, 2))) == 1.0
    assert tile_middle(np.array([[1.0, -1.0], [3.0, 1.1], [1000.0, 0.0]])).tolist() == [2.0, 0.0]
    assert tile_middle(np.full((1, 2), np.nan)).tolist() == [0.0, 0.0]


def test_policies_are_found_by_name_and_path(tmp_path: Path):
    run = write_run(tmp_path / "runs" / "mine", "NavigationOpen", rows=1)
    still_policy("NavigationOpen").save(run.policy)
    here = shelf(tmp_path)
    assert here.options("NavigationOpen") == {
        "Navigation": "Navigation (shipped)",
        "NavigationOpen": "NavigationOpen (shipped)",
        "runs/mine/policy.npz": "runs/mine: best",
        RANDOM: "random actions",
    }
    assert here.default("NavigationFar") == "NavigationFar"
    assert here.default("Ant") == RANDOM
    assert here.find("runs/mine").path == run.policy
    assert here.find("Navigation").learned == "Navigation"
    with pytest.raises(PolicyError, match="did you mean 'Navigation'"):
        here.find("Navigatio")
    with pytest.raises(PolicyError, match="does not exist"):
        here.find("runs/other/policy.npz")
    with pytest.raises(PolicyError, match="outside of the folder of the program"):
        shelf(tmp_path / "runs", is_local=False).find("../elsewhere.npz")


def test_a_task_without_a_policy_of_its_own_takes_its_base_s(tmp_path: Path, monkeypatch: Any):
    known = {**definitions._known(), "Crowded": definitions.TaskDefinition(base="NavigationFar")}
    monkeypatch.setattr(definitions, "_definitions", known)
    assert shelf(tmp_path).default("Crowded") == "NavigationFar"


def test_what_cannot_be_shown_leaves_what_is_shown(tmp_path: Path):
    still = Chosen(still_policy("NavigationOpen"), {}, "NavigationOpen")
    with ShowThread(EventLog(), lambda _: None, lambda _: None) as thread:
        with pytest.raises(UiError, match="nothing is shown yet"):
            thread.call(lambda show: show.frame()).result(LONGEST_S)
        thread.play(running=False).result(LONGEST_S)
        thread.load(OPEN, still).result(LONGEST_S)
        bad = {
            "takes observations of shape": Choice("LineFollower2D", "x", 1),
            "65 environments cannot be shown": Choice("NavigationOpen", "x", 65),
            "the seed is -1": Choice("NavigationOpen", "x", 1, -1),
        }
        for text, choice in bad.items():
            with pytest.raises((PolicyError, UiError), match=text):
                thread.load(choice, still).result(LONGEST_S)
        with pytest.raises(TaskError, match="did you mean 'lidar'"):
            thread.load(Choice("NavigationOpen", "x", 1, 0, {"lida": 1}), still).result(LONGEST_S)
        assert thread.status.choice == OPEN
        assert thread.status.number == 1
        with pytest.raises(UiError, match=r"choose one from 0\.1 to 10"):
            thread.set_speed(11.0)


def test_the_thread_keeps_pace_and_steps_one_by_one(tmp_path: Path):
    frames: list[int] = []
    with ShowThread(EventLog(), lambda show: frames.append(show.steps), lambda _: None) as thread:
        thread.load(OPEN, shelf(tmp_path).find("NavigationOpen")).result(LONGEST_S)
        thread.set_speed(10.0).result(LONGEST_S)
        end = time.monotonic() + LONGEST_S
        while thread.status.summary.episodes < 3:
            assert time.monotonic() < end
            time.sleep(0.01)
        thread.play(running=False).result(LONGEST_S)
        steps = thread.status.steps
        for _ in range(3):
            thread.step().result(LONGEST_S)
        assert thread.status.steps == steps + 3
        thread.reset().result(LONGEST_S)
        assert (thread.status.steps, thread.status.summary.episodes) == (0, 0)
    assert frames == sorted(frames[:-1]) + frames[-1:]


def test_a_task_that_fails_pauses_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    log = EventLog()
    with ShowThread(log, lambda _: None, lambda _: None) as thread:
        thread.load(OPEN, shelf(tmp_path).find("NavigationOpen")).result(LONGEST_S)
        monkeypatch.setattr(Show, "step", lambda _: 1 / 0)
        end = time.monotonic() + LONGEST_S
        while not log.since():
            assert time.monotonic() < end
            time.sleep(0.01)
        assert "paused: ZeroDivisionError" in log.since()[0].text
        assert thread.play(running=False).result(LONGEST_S) is None


def test_curves_follow_a_training(tmp_path: Path):
    run = write_run(tmp_path / "run", "NavigationOpen", rows=0)
    watch = RunWatch(run.path)
    curves = watch.read()
    assert (curves.task, curves.algorithm, curves.steps) == ("NavigationOpen", "ppo", 0)
    assert (curves.is_live, curves.is_over, curves.policies) == (True, False, ())
    assert watch.read() is curves
    write_run(run.path, "NavigationOpen", rows=2)
    curves = watch.read()
    assert curves.returns == ((1000.0, 0.0), (2000.0, 1.0))
    assert (curves.steps, curves.seconds) == (2000, 2.0)
    with run.progress.open("a") as file:
        file.write("3000,4.0")  # a row that is being written
    assert watch.read().returns == curves.returns
    write_run(run.path, "NavigationOpen", rows=1500)
    curves = watch.read()
    assert len(curves.returns) == 500
    assert curves.returns[-1] == (1_500_000.0, 1499.0)
    run.curve.write_bytes(b"")
    assert watch.read().is_over
    run.progress.write_text("steps,seconds\nmany,1\n")
    with pytest.raises(TrainingError, match="cannot be read"):
        watch.read()
    run.config.unlink()
    with pytest.raises(TrainingError, match="is gone; watch another folder"):
        watch.read()
    with pytest.raises(TrainingError, match="holds no training"):
        RunWatch(tmp_path)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "not a number"),
        ("abc", "not a number"),
        ("1e3", "not a whole number"),
        ("1.5", "not a whole number"),
        ("nan", "not a whole number"),
        ("inf", "not a whole number"),
        ("-1", "too small: at least 0"),
        ("65", "too large: at most 64"),
        ("9" * 400, "too large: at most 64"),
        (" 7 ", None),
    ],
)
def test_whole_numbers(text: str, wrong: str | None):
    assert wrong_whole(text, 0, 64) == wrong
