"""Snapshots of environments: what goes on after them is the same bit by bit."""

from __future__ import annotations

import copy
import functools
import pickle
import random
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import EnvSnapshotError, ResetError, TaskError
from horus_sim.rl import EnvSnapshot, Observation, Reward, TaskConfig
from horus_sim.rl.wrappers import (
    ActionDelay,
    FrameStack,
    NamedObservations,
    NormalizeObservations,
    TimeLimit,
)

from ..pendulum import Pendulum

ROOT = Path(__file__).parents[3]
# Episodes end on the way, so that begins are met.
SHORT: dict[str, Any] = {"episode_duration": 0.6}
SENSORS: dict[str, Any] = {
    "noise": {"kind": "noise", "observation": "action", "std": [0.0, 0.1]},
    "loss": {"kind": "dropout", "observation": "action", "probability": 0.1},
    "late": {"kind": "latency", "observation": "action", "delay": [0.0, 0.2]},
}
PHYSICS: dict[str, Any] = {
    "mass": {"kind": "mass", "scale": [0.8, 1.2], "each": True},
    "friction": {"kind": "friction", "scale": [0.7, 1.3]},
    "motors": {"kind": "motor_gain", "scale": [0.8, 1.2]},
    "gravity": {"kind": "gravity", "scale": [0.95, 1.05]},
}


def lived(envs, count, seed):
    """All that environments give for some actions, as bytes."""
    draw = np.random.default_rng(seed)
    low, high = np.clip((envs.action_space.low, envs.action_space.high), -2, 2)
    seen = []
    for _ in range(count):
        actions = draw.uniform(low, high).astype(np.float32)
        observations, rewards, terminated, truncated, info = envs.step(actions)
        if isinstance(observations, dict):
            observations = np.concatenate([o.ravel() for o in observations.values()])
        parts = [observations, rewards, terminated, truncated, info["cause"]]
        parts += [v for k, v in info.get("randomization", {}).items() if k[0] != "_"]
        seen.append(b"".join(np.asarray(part).tobytes() for part in parts))
    return seen


def pickled(value) -> Any:
    """What comes out of a pickle of it."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - just made


def other_process(code, path):
    """The bytes that a program prints in hexadecimal."""
    line = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(line, capture_output=True, text=True, check=True, cwd=ROOT)
    return bytes.fromhex(done.stdout)


def check_goes_on(make, count=20, before=13):
    """Goes back in place, and in others by bytes, pickle and deepcopy."""
    envs = make(threads=2)
    envs.reset(seed=5)
    lived(envs, before, 0)
    snapshot = envs.snapshot()
    wanted = lived(envs, count, 1)
    envs.apply_snapshot(snapshot)
    copies = [copy.deepcopy(envs), pickled(envs), make(threads=1)]
    copies[-1].apply_snapshot(EnvSnapshot.from_bytes(snapshot.to_bytes()))
    for others in (envs, *copies):
        assert lived(others, count, 1) == wanted
        others.close()


@pytest.mark.parametrize("name", [n for n in rl.task_names() if n not in ("NavigationFar",)])
def test_every_task_goes_on_bit_by_bit(name):
    check_goes_on(lambda threads: rl.make_vector(name, 5, threads, **SHORT))


def test_forces_of_contacts_go_on_bit_by_bit():
    settings: dict[str, Any] = {"include_cfrc_ext_in_observation": True, "episode_duration": 1.0}
    check_goes_on(lambda threads: rl.make_vector("Ant", 2, threads, **settings))


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize("name", ["Navigation", "Navigation2D", "Manipulation"])
def test_randomized_tasks_go_on_bit_by_bit(name, mode):
    drawn = SENSORS if name == "Navigation2D" else {**SENSORS, **PHYSICS}
    settings = {**SHORT, "randomization": drawn, "curriculum": {"episodes": 9, "start": 0.3}}
    check_goes_on(lambda threads: rl.make_vector(name, 5, threads, mode, **settings), before=21)


def test_a_snapshot_before_the_first_reset_and_of_a_first_level():
    envs = rl.make_vector("Navigation", 3, randomization=PHYSICS)
    start = envs.snapshot()
    envs.reset()
    wanted = lived(envs, 5, 1)
    envs.task.curriculum.fixed = 0.25
    envs.apply_snapshot(start)
    assert envs.task.curriculum.fixed is None
    with pytest.raises(ResetError, match="never reset"):
        envs.step(np.zeros((3, 2), np.float32))
    # Without a seed it goes on with those that it drew when it was made.
    envs.reset()
    assert lived(envs, 5, 1) == wanted


def test_neighbours_and_model_fields_of_others_do_not_stay():
    plain = rl.make_vector("Manipulation", 2)
    plain.reset(seed=0)
    other = rl.make_vector("Manipulation", 2)
    other.task.sim.expand("geom_friction")[:] = 0.0
    other.task.sim.expand("opt.gravity")[:] = 0.0
    snapshot = plain.snapshot()
    other.apply_snapshot(snapshot)
    assert lived(other, 10, 1) == lived(plain, 10, 1)


def test_fields_that_were_bound_later_are_those_of_the_state():
    source, target = rl.make_vector("ArmReach", 3), rl.make_vector("ArmReach", 3)
    source.reset(seed=1)
    snapshot = source.snapshot()
    quaternions = target.task.sim.bind("xquat")
    target.apply_snapshot(snapshot)
    np.testing.assert_array_equal(quaternions, source.task.sim.bind("xquat"))
    assert lived(source, 5, 0) == lived(target, 5, 0)


def test_diverged_resting_and_seeded_environments():
    envs = rl.make_vector("NavigationOpen", 4)
    envs.reset(seed=1)
    envs.task.sim.bind("qvel")[2] = 1e30
    envs.step(np.zeros((4, 2), np.float32))
    envs.rest(np.array([0]))
    assert envs.diverged_total == 1
    snapshot = envs.snapshot()
    wanted = lived(envs, 6, 1)
    other = rl.make_vector("NavigationOpen", 4)
    other.apply_snapshot(snapshot)
    assert other.diverged_total == 1
    assert lived(other, 6, 1) == wanted
    other.apply_snapshot(snapshot)
    envs.apply_snapshot(snapshot)
    one = envs.reset(options={"reset_mask": np.array([True, False, False, True])})
    two = other.reset(options={"reset_mask": np.array([True, False, False, True])})
    np.testing.assert_array_equal(one[0], two[0])


def test_a_snapshot_stays_as_it_is():
    envs = rl.make_vector("Navigation", 2, randomization=SENSORS)
    envs.reset(seed=0)
    snapshot = envs.snapshot()
    before = snapshot.to_bytes()
    lived(envs, 5, 0)
    envs.apply_snapshot(snapshot)
    lived(envs, 5, 0)
    assert snapshot.to_bytes() == before
    assert snapshot == EnvSnapshot.from_bytes(before)
    assert snapshot != envs.snapshot()
    assert snapshot.steps.tolist() == [0, 0]
    assert envs.snapshot().steps.tolist() == [5, 5]
    assert envs.snapshot().episodes.tolist() == [0, 0]


def test_observations_come_back():
    envs = rl.make_vector("Racing", 3, copy=False)
    first, _ = envs.reset(seed=0)
    first = first.copy()
    snapshot = envs.snapshot()
    envs.step(np.ones((3, 2), np.float32))
    np.testing.assert_array_equal(envs.apply_snapshot(snapshot), first)


def test_the_single_environment():
    env = gymnasium.make("HorusSim/ArmReach-v0", **SHORT)
    env.reset(seed=3)
    inner: Any = env.unwrapped
    snapshot = inner.snapshot()
    actions = np.random.default_rng(0).uniform(-1, 1, (12, 6)).astype(np.float32)
    wanted = [env.step(action)[0].tobytes() for action in actions]
    with pytest.raises(ResetError, match="episode is over"):
        inner.step(actions[0])
    over = inner.snapshot()
    others = [copy.deepcopy(inner), rl.make_single("ArmReach", **SHORT)]
    assert others[0].spec == inner.spec
    others[1].apply_snapshot(over)
    for other in others:
        with pytest.raises(ResetError, match="episode is over"):
            other.step(actions[0])
        first = other.apply_snapshot(snapshot)
        assert first.shape == inner.observation_space.shape
        assert [other.step(action)[0].tobytes() for action in actions] == wanted
    wrapped = pickled(env)
    wrapped.unwrapped.apply_snapshot(snapshot)
    assert [wrapped.step(action)[0].tobytes() for action in actions] == wanted


def test_copies_draw_the_same_samples():
    envs = rl.make_vector("Navigation", 2)
    envs.action_space.seed(4)
    envs.action_space.sample()
    other = copy.deepcopy(envs)
    np.testing.assert_array_equal(envs.action_space.sample(), other.action_space.sample())


WRAPPED = {
    "stack": lambda envs: FrameStack(envs, 3),
    "delay": lambda envs: ActionDelay(envs, 2),
    "normal": NormalizeObservations,
    "limit": lambda envs: TimeLimit(envs, 7),
    "named": NamedObservations,
    "several": lambda envs: NormalizeObservations(FrameStack(ActionDelay(envs, 1), 2)),
}


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize("kind", WRAPPED)
def test_wrappers_go_on_bit_by_bit(kind, mode):
    def make(threads):
        return WRAPPED[kind](rl.make_vector("NavigationOpen", 3, threads, mode, **SHORT))

    check_goes_on(make)


def test_wrappers_give_the_observations_as_they_were():
    for wrap in WRAPPED.values():
        envs = wrap(rl.make_vector("NavigationOpen", 3))
        envs.reset(seed=0)
        actions = np.full((3, 2), 0.5, np.float32)
        seen = [envs.step(actions)[0] for _ in range(4)][-1]
        again = envs.apply_snapshot(envs.snapshot())
        if not isinstance(seen, dict):
            seen, again = {"": seen}, {"": again}
        assert seen.keys() == again.keys()
        for key, values in seen.items():
            np.testing.assert_array_equal(again[key], values)


def test_wrappers_must_be_alike():
    plain = rl.make_vector("NavigationOpen", 2)
    stacked = FrameStack(rl.make_vector("NavigationOpen", 2), 2)
    plain.reset(seed=0)
    stacked.reset(seed=0)
    with pytest.raises(EnvSnapshotError, match=r"has no wrapper where these .* have FrameStack"):
        stacked.apply_snapshot(plain.snapshot())
    with pytest.raises(EnvSnapshotError, match="environments in 1 wrappers; apply it to such"):
        plain.apply_snapshot(stacked.snapshot())
    other = FrameStack(gymnasium.wrappers.vector.RecordEpisodeStatistics(plain), 2)
    with pytest.raises(EnvSnapshotError, match="RecordEpisodeStatistics keeps no snapshots; take"):
        other.snapshot()
    longer = FrameStack(rl.make_vector("NavigationOpen", 2), 5)
    longer.reset(seed=0)
    frames = longer.snapshot()
    longer.apply_snapshot(stacked.snapshot())
    longer.apply_snapshot(frames)


def test_files(tmp_path):
    envs = rl.make_vector("Navigation", 3)
    envs.reset(seed=0)
    path = tmp_path / "corner.snapshot"
    envs.snapshot().save(path)
    wanted = lived(envs, 5, 0)
    code = (
        "import sys; from tests.rl.envs import test_snapshots as t; import horus_sim.rl as rl; "
        "envs = rl.make_vector('Navigation', 3); "
        "envs.apply_snapshot(rl.EnvSnapshot.load(sys.argv[1])); "
        "print(b''.join(t.lived(envs, 5, 0)).hex())"
    )
    assert other_process(code, path) == b"".join(wanted)
    data = path.read_bytes()
    assert b"pickle" not in data
    with pytest.raises(EnvSnapshotError, match=r"nowhere' cannot be read: .*; check the path"):
        EnvSnapshot.load(tmp_path / "nowhere")
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(EnvSnapshotError, match=r"no snapshot .* they were altered: the checksum"):
        EnvSnapshot.load(path)
    with pytest.raises(EnvSnapshotError, match="of version 99, and this release reads version 1"):
        EnvSnapshot.from_bytes(data[:4] + struct.pack("<H", 99) + data[6:])
    with pytest.raises(EnvSnapshotError, match=r"these bytes hold no snapshot .* do not begin"):
        EnvSnapshot.from_bytes(b"HS3D")
    for broken in ({"settings": "{"}, {"state": []}, {"task": 3}):
        with pytest.raises(EnvSnapshotError, match="these bytes hold no snapshot"):
            EnvSnapshot.from_bytes(replace(envs.snapshot(), **broken).to_bytes())
    with pytest.raises(EnvSnapshotError, match="cannot be written"):
        envs.snapshot().save(tmp_path / "no" / "folder")


def test_other_environments_refuse_it_and_stay_as_they_were():
    envs = rl.make_vector("Navigation", 2)
    envs.reset(seed=0)
    snapshot = envs.snapshot()
    others: dict[str, Any] = {
        "has task 'Navigation' and these environments have 'Racing'": rl.make_vector("Racing", 2),
        "num_envs 2 and these environments have 3": rl.make_vector("Navigation", 3),
        "autoreset_mode 'NextStep'": rl.make_vector("Navigation", 2, 0, "Disabled"),
        r"settings.obstacles.count 20 and .* 4; make them": rl.make_vector(
            "Navigation", 2, obstacles={"count": 4}
        ),
    }
    for text, other in others.items():
        other.reset(seed=7)
        before = other.snapshot()
        with pytest.raises(EnvSnapshotError, match=text):
            other.apply_snapshot(snapshot)
        assert other.snapshot() == before
    with pytest.raises(EnvSnapshotError, match="Navigation with another model"):
        envs.apply_snapshot(replace(snapshot, fingerprint="0"))
    state = dict(snapshot.state)
    before = envs.snapshot()
    goal = vars(envs.task)["goal"]
    for key, value in (
        ("observations", np.zeros((2, 3), np.float32)),
        ("over", np.array([5])),
        ("engine", {**state["engine"], "state": np.zeros((2, 2))}),
        ("held", []),
    ):
        goal += 1.0
        kept = envs.snapshot()
        with pytest.raises(
            EnvSnapshotError, match=r"does not fit these .*; they stay as they were"
        ):
            envs.apply_snapshot(replace(snapshot, state={**state, key: value}))
        assert envs.snapshot() == kept
    envs.apply_snapshot(before)
    envs.close()
    for use in (envs.snapshot, functools.partial(envs.apply_snapshot, snapshot)):
        with pytest.raises(ResetError, match="closed"):
            use()


class Remembering(Pendulum):
    """Keeps things everywhere that Python lets it."""

    def bind(self):
        super().bind()
        self.angle = self.sim.bind("qpos")
        self.count, self.last, self.notes = 0, None, []
        self.table: dict[str, Any] = {"sum": self.array(), "deep": [self.array(2), {"n": 0}]}
        self.generator = np.random.default_rng(3)
        self.nothing: Any = None

    def refresh(self, rows):
        self.count += 1
        self.last = self.angle.copy()
        self.notes.append(self.count)
        if len(self.notes) > 3:
            self.notes = self.notes[-2:]
        self.table["sum"] += self.angle[:, 0]
        self.table["deep"][0] += 0.5
        self.table["deep"][1]["n"] += 1
        self.nothing = (self.count, self.last)
        self.late = self.angle * 2

    def rewards(self):
        history, calls = self.array(), 0

        def smooth():
            nonlocal calls
            calls += 1
            history[:] = 0.9 * history + 0.1 * self.angle[:, 0]
            return history * calls

        def drawn(generator=self.generator):
            return generator.normal(size=len(history))

        return (
            Reward("smooth", smooth),
            Reward("drawn", drawn),
            Reward("sums", lambda: self.table["sum"] + len(self.notes) + self.nothing[0]),
        )

    def observations(self):
        return (
            Observation("angle", 1, lambda rows: self.angle[rows]),
            Observation("deep", 2, functools.partial(self.look, scale=2.0)),
        )

    def look(self, rows, scale):
        return self.table["deep"][0][rows] * scale + self.table["deep"][1]["n"]


def test_whatever_a_task_and_its_terms_remember():
    def make(threads):
        return rl.make_vector(Remembering(TaskConfig(episode_duration=0.5)), 3, threads)

    check_goes_on(make)


class Twice(Pendulum):
    def refresh(self, rows):
        self.first = self.angle.copy()
        self.second = self.first


class Other(Pendulum):
    def bind(self):
        super().bind()
        self.first, self.second = self.array(1), self.array(1)

    def refresh(self, rows):
        self.first[:] = self.angle
        self.second[:] = -self.angle


def test_names_of_one_array_that_were_two():
    source = rl.make_vector(Other(), 2)
    source.reset(seed=0)
    target = rl.make_vector(Twice(), 2)
    target.reset(seed=0)
    with pytest.raises(EnvSnapshotError, match="two attributes of the task are one array here"):
        target.apply_snapshot(replace(source.snapshot(), task="Twice"))


class Dicing(Pendulum):
    def bind(self):
        super().bind()
        self.dice = random.Random(1)  # noqa: S311 - not secret


def test_what_cannot_be_kept_is_named():
    envs = rl.make_vector(Dicing(), 2)
    with pytest.raises(EnvSnapshotError, match=r"Dicing: a Random is not kept; draw from .*random"):
        envs.snapshot()


class Asking(Pendulum):
    def __init__(self, config, length):
        super().__init__(config)
        self.length = length


def test_tasks_made_of_more_than_settings_are_not_copied():
    envs = rl.make_vector(Asking(TaskConfig(), 2.0), 2)
    with pytest.raises(TaskError, match=r"Asking cannot be copied .* let Asking\(config\)"):
        copy.deepcopy(envs)
    envs.apply_snapshot(envs.snapshot())


def test_tasks_from_files_are_pickled(tmp_path, restored_tasks):
    (tmp_path / "swing.py").write_text(
        "from tests.rl.pendulum import Pendulum\n"
        "class Swing(Pendulum):\n    Config = Pendulum.Config\n"
    )
    (tmp_path / "tasks.yaml").write_text("Swing: {class_path: 'swing.py:Swing'}\n")
    rl.load_tasks(tmp_path / "tasks.yaml")
    envs = rl.make_vector("Swing", 2)
    envs.reset(seed=0)
    (tmp_path / "envs.pickle").write_bytes(pickle.dumps(envs))
    wanted = lived(envs, 5, 0)
    code = (
        "import pickle, sys; from tests.rl.envs import test_snapshots as t; "
        "envs = pickle.load(open(sys.argv[1], 'rb')); print(b''.join(t.lived(envs, 5, 0)).hex())"
    )
    assert other_process(code, tmp_path / "envs.pickle") == b"".join(wanted)
