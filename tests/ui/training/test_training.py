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
from horus_sim.rl.policies.onnx_export import export_onnx
from horus_sim.rl.task_files import definitions
from horus_sim.rl.training import evaluate, load_policy
from horus_sim.robots.engine import mujoco
from horus_sim.running.loop.event_log import EventLog
from horus_sim.ui.stream.streaming import Stream
from horus_sim.ui.training.model.picture2d import Picture2d
from horus_sim.ui.training.model.picture3d import Picture3d
from horus_sim.ui.training.model.policies import RANDOM, FoundPolicy, PolicyLibrary
from horus_sim.ui.training.model.rollout import Choice, Rollout
from horus_sim.ui.training.model.rollout_thread import RolloutThread
from horus_sim.ui.training.model.runs import RunWatch
from horus_sim.ui.training.model.tiles import grid_offsets, tile_middle, tile_size
from horus_sim.ui.training.model.training_model import wrong_whole

from .training_site import still_policy, write_run

LONGEST_S = 30.0


class Frames(Stream):
    """A stream on which somebody wants everything; it notes the times of frames [s]."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[float] = []

    def is_wanted(self, channel: str) -> bool:
        return True

    def publish(self, channel: str, message: bytes | str) -> None:
        assert isinstance(message, bytes)
        self.times.append(struct.unpack_from("<Id", message)[1])


def thread_of(log: EventLog | None = None, stream: Stream | None = None) -> RolloutThread:
    return RolloutThread(stream or Stream(), log or EventLog(), "training1")


OPEN = Choice("NavigationOpen", "NavigationOpen", 3, 5)


def library(folder: Path, *, is_local: bool = True) -> PolicyLibrary:
    return PolicyLibrary(folder, is_local=is_local)


def rollout_of(choice: Choice, folder: Path) -> Rollout:
    return Rollout(choice, library(folder).find(choice.policy), 1)


def goals_of(rollout: Rollout) -> np.ndarray:
    goals = rollout._envs.task.goals()
    assert goals is not None
    return goals


def test_settings_of_the_choice_keep_the_others_of_the_policy():
    learned = {"lidar": {"rays": 24, "range": 2.5}}
    found = FoundPolicy(still_policy("NavigationOpen"), learned, "NavigationOpen")
    rollout = Rollout(Choice("NavigationOpen", "x", 2, 5, {"lidar": {"range": 3.0}}), found, 1)
    config: Any = rollout._envs.task.config
    assert (config.lidar.rays, config.lidar.range) == (24, 3.0)
    rollout.close()


def test_figures_are_those_of_an_evaluation(tmp_path: Path):
    rollout = rollout_of(OPEN, tmp_path)
    ended = []
    while len({episode.env for episode in ended}) < 3:
        ended += rollout.step()
    first = {episode.env: episode for episode in reversed(ended)}
    report = evaluate(load_policy("NavigationOpen"), "NavigationOpen", 3, seed=5)
    totals = [first[env].total for env in range(3)]
    assert np.mean(totals) == pytest.approx(report.returns.mean)
    assert max(episode.steps for episode in first.values()) == report.lengths.largest
    summary = rollout.tally.summary()
    assert summary.episodes == summary.counted == len(ended)
    assert summary.successes == sum(episode.success for episode in ended)
    assert sum(summary.rewards.values()) == pytest.approx(summary.mean_return)
    assert sum(summary.causes.values()) == len(ended)
    rollout.reset()
    assert (rollout.steps, rollout.tally.summary().episodes) == (0, 0)
    assert rollout.step() == []
    assert rollout.tally.steps.tolist() == [1, 1, 1]


def test_a_policy_of_another_tool_plays_as_ours(tmp_path: Path):
    pytest.importorskip("onnxruntime", reason="pip install 'horus-sim[onnx]'")
    export_onnx(load_policy("NavigationOpen"), tmp_path / "theirs.onnx")
    assert library(tmp_path).find("theirs.onnx").learned == "NavigationOpen"
    rollouts = [
        rollout_of(Choice("NavigationOpen", policy, 2, 3), tmp_path)
        for policy in ("NavigationOpen", "theirs.onnx")
    ]
    for _ in range(30):
        for rollout in rollouts:
            rollout.step()
    ours, theirs = (np.array(rollout._envs.task.sim.bind("qpos")) for rollout in rollouts)
    np.testing.assert_allclose(theirs, ours, atol=1e-3)
    for rollout in rollouts:
        rollout.close()
    with pytest.raises(PolicyError, match=r"'.*absent\.onnx' does not exist"):
        library(tmp_path).find("absent.onnx")


def test_frames_are_where_mujoco_says(tmp_path: Path):
    rollout = rollout_of(Choice("Navigation", "Navigation", 2, 3), tmp_path)
    for _ in range(20):
        rollout.step()
    picture = rollout.picture
    assert isinstance(picture, Picture3d)
    exported = picture.export()
    (length,) = struct.unpack_from("<I", exported)
    document = json.loads(exported[4 : 4 + length])
    tiles = document["tiles"]
    assert tiles["goal"] == {"radius": 0.2, "flat": True}
    assert (np.array(tiles["offsets"])[1] - tiles["offsets"][0]).tolist() == [tiles["size"], 0]
    rows = np.frombuffer(rollout.frame(), np.float32, offset=12).reshape(2, -1)
    sim = rollout._envs.task.sim
    assert isinstance(sim, MujocoBackend)
    bodies = len(document["bodies"])
    for env in range(2):
        model, data = sim.snapshot(env)
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(rows[env, 1:3], goals_of(rollout)[env], atol=1e-6)
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
        task: Any = rollout._envs.task
        for x, y, radius in task.plane.circles[env]:
            assert any(
                np.allclose((x, y, radius), np.array(s)[[0, 1, 3]], atol=2e-4) for s in found
            )


def test_worlds_of_the_plane_are_side_by_side(tmp_path: Path):
    rollout = rollout_of(Choice("Navigation2D", RANDOM, 4, 3), tmp_path)
    picture = rollout.picture
    assert isinstance(picture, Picture2d)
    scene = picture.scene()
    ids = [item["id"] for key in ("bodies", "strokes", "devices") for item in scene[key]]
    assert len(set(ids)) == len(ids)
    rollout.step()
    values = np.frombuffer(rollout.frame(), np.float32, offset=12)
    moving, readings, wheels = values[:3].astype(int)
    assert moving == len(scene["moving"])
    assert wheels == 8
    poses = values[3 : 3 + 3 * moving].reshape(-1, 3)
    goal = poses[scene["moving"].index("3/goal")][:2]
    np.testing.assert_allclose(goal, goals_of(rollout)[2] + picture.offsets[2], atol=1e-5)
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
    here = library(tmp_path)
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
        library(tmp_path / "runs", is_local=False).find("../elsewhere.npz")


def test_a_task_without_a_policy_of_its_own_takes_its_base_s(tmp_path: Path, monkeypatch: Any):
    known = {**definitions._known(), "Crowded": definitions.TaskDefinition(base="NavigationFar")}
    monkeypatch.setattr(definitions, "_definitions", known)
    assert library(tmp_path).default("Crowded") == "NavigationFar"


def test_what_cannot_be_shown_leaves_what_is_shown(tmp_path: Path):
    still = FoundPolicy(still_policy("NavigationOpen"), {}, "NavigationOpen")
    with thread_of() as thread:
        with pytest.raises(UiError, match="nothing is shown yet"):
            thread.export().result(LONGEST_S)
        thread.pause().result(LONGEST_S)
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
    frames = Frames()
    with thread_of(stream=frames) as thread:
        thread.load(OPEN, library(tmp_path).find("NavigationOpen")).result(LONGEST_S)
        thread.set_speed(10.0).result(LONGEST_S)
        end = time.monotonic() + LONGEST_S
        while thread.status.summary.episodes < 3:
            assert time.monotonic() < end
            time.sleep(0.01)
        thread.pause().result(LONGEST_S)
        steps = thread.status.steps
        for _ in range(3):
            thread.step().result(LONGEST_S)
        assert thread.status.steps == steps + 3
        thread.reset().result(LONGEST_S)
        assert (thread.status.steps, thread.status.summary.episodes) == (0, 0)
    assert frames.times == sorted(frames.times[:-1]) + frames.times[-1:]
    assert len(frames.times) > 3


def test_a_task_that_fails_pauses_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    log = EventLog()
    with thread_of(log) as thread:
        thread.load(OPEN, library(tmp_path).find("NavigationOpen")).result(LONGEST_S)
        monkeypatch.setattr(Rollout, "step", lambda _: 1 / 0)
        end = time.monotonic() + LONGEST_S
        while not log.since():
            assert time.monotonic() < end
            time.sleep(0.01)
        assert "paused: ZeroDivisionError" in log.since()[0].text
        assert thread.pause().result(LONGEST_S) is None


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
