"""Snapshots: what can be read of them, files of plain data, and what is refused."""

from __future__ import annotations

import contextlib
import json
import math
import pickle
from collections import deque
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from horus_sim.errors import ControllerError, SnapshotError
from horus_sim.sim2d import BatchSimulator, ImuReading, Pose2D, Simulator, Snapshot
from horus_sim.sim2d.controllers.part_names import PartName
from horus_sim.sim2d.simulation.plain_data import NotPlain, decode, encode

from ..makers import crowded, write


def test_a_snapshot_shows_time_poses_and_velocities(tmp_path):
    sim = Simulator(crowded(), 2)
    sim.robots["robot"].drive.set(0.6, 0.4)
    sim.run(0.5)
    snapshot = sim.snapshot()
    snapshot.save(tmp_path / "a.snapshot")
    for each in (snapshot, Snapshot.load(tmp_path / "a.snapshot")):
        assert (each.time, each.steps) == (sim.time, 60)
        assert each.poses == {name: body.pose for name, body in sim.bodies.items()}
        assert each.velocities == {name: body.velocity for name, body in sim.bodies.items()}
        assert isinstance(each.poses["robot/chassis"], Pose2D)
    with pytest.raises(KeyError, match="no body is called 'robot/chasis'; did you mean"):
        snapshot.poses["robot/chasis"]
    batch = BatchSimulator(crowded(), 3, 1)
    batch.step(np.full((3, 2), 0.5), n=7)
    taken = batch.snapshot(2)
    assert (taken.time, taken.steps) == (batch.times[2], 7)
    assert np.array(list(taken.poses.values())).tolist() == batch.poses[2].tolist()
    assert np.array(list(taken.velocities.values())).tolist() == batch.velocities[2].tolist()


@pytest.mark.parametrize("name", ["line_follower", "trailer", "sumo"])
def test_a_file_replays_in_another_simulator(name, tmp_path):
    sim = Simulator.load(name, 3)
    sim.run(1.0)
    path = tmp_path / "here.snapshot"
    sim.snapshot().save(path)
    sim.run(1.0)
    other = Simulator.load(name, 99)
    other.apply_snapshot(Snapshot.load(path))
    assert other.snapshot().to_bytes() == path.read_bytes()
    other.run(1.0)
    assert other.snapshot() == sim.snapshot()


def remembering(tmp_path, init, head="import collections, threading, numpy as np"):
    code = f"{head}\nclass Controller:\n  def __init__(self, sim):\n    {init}\n"
    return Simulator.load(
        write(tmp_path, controller=f"{code}  def step(self, sensors, dt): pass\n")
    )


def test_what_controllers_remember_comes_back_with_its_types(tmp_path):
    sim = remembering(
        tmp_path,
        "self.a = (1, [2.5, None], {'x': True, 3: b'y'}); self.b = {1, 2}; self.c = 10**30\n"
        "    self.d = collections.deque([1], 5); self.e = np.arange(3, dtype=np.int16)\n"
        "    self.f = sim.pose; self.g = sim.readings(); self.h = np.float32(0.1)",
    )
    sim.snapshot().save(tmp_path / "a")
    kept = Snapshot.load(tmp_path / "a").controllers["robot"]
    assert kept["a"] == (1, [2.5, None], {"x": True, 3: b"y"})
    assert (kept["b"], kept["c"], kept["d"], kept["d"].maxlen) == ({1, 2}, 10**30, deque([1]), 5)
    assert kept["e"].dtype == np.int16
    assert kept["e"].tolist() == [0, 1, 2]
    assert kept["f"] == Pose2D(0, 0, 0)
    assert isinstance(kept["f"], Pose2D)
    assert isinstance(kept["g"]["imu"], ImuReading)
    assert kept["g"]["line"].tolist() == sim.readings["line"].tolist()
    assert type(kept["h"]) is np.float32


@pytest.mark.parametrize(
    ("init", "place", "what"),
    [
        ("self.pid = [PID()]", r"snapshot.controllers\['robot'\]\['pid'\]\[0\]", "a PID"),
        ("self.f = {'a': len}", r"\['f'\]\['a'\]", "a builtin_function_or_method"),
        ("self.o = np.array([None])", r"\['o'\]", "a ndarray of object"),
        ("self.me = []; self.me.append(self.me)", r"\['me'\](\[0\])+", "nested more than 100 deep"),
        ("self.n = 2**20000", r"\['n'\]", "an int of more than 10000 bits"),
        ("self.t = '\\ud800'", r"\['t'\]", "text with half of a character"),
    ],
)
def test_what_is_no_plain_data_is_refused_by_name(init, place, what, tmp_path):
    sim = remembering(tmp_path, init, "import numpy as np\nclass PID: pass")
    snapshot = sim.snapshot()
    text = rf"{place} is {what}.*, and plain data are numbers.*; give the controller get_state and"
    with pytest.raises(SnapshotError, match=text):
        snapshot.save(tmp_path / "a")
    assert not (tmp_path / "a").exists()
    # In memory it is as good as any.
    sim.apply_snapshot(snapshot)


@pytest.mark.parametrize(
    ("init", "kind"),
    [
        ("self.plan = (k for k in range(3))", "generator"),
        ("self.plan = open(__file__)", "TextIOWrapper"),
        ("self.plan = threading.Lock()", "lock"),
    ],
)
def test_what_cannot_be_kept_is_named_when_the_snapshot_is_taken(init, kind, tmp_path):
    sim = remembering(tmp_path, f"self.count = 0; {init}")
    text = (
        rf"controller of 'robot': its attribute 'plan' holds a {kind}, which no snapshot can keep "
        rf"\(.*\); write get_state and set_state that return and take what it needs to go on"
    )
    with pytest.raises(ControllerError, match=text):
        sim.snapshot()
    # The world alone can go back.
    start = sim.world_state()
    sim.run(0.1)
    sim.apply_snapshot(Snapshot(start))
    assert sim.steps == 0
    getattr(sim._controllers[0].instance.plan, "close", bool)()


def test_get_state_is_the_way_out(tmp_path):
    code = (
        "class Controller:\n  def __init__(self, sim):\n    self.n, self.plan = 0, iter(int, 1)\n"
        "  def step(self, sensors, dt): self.n += next(self.plan) + 1\n"
        "  def get_state(self): return self.n\n  def set_state(self, n): self.n = n\n"
    )
    sim = Simulator.load(write(tmp_path, controller=code))
    sim.run(0.1)
    sim.snapshot().save(tmp_path / "a")
    sim.run(0.1)
    sim.apply_snapshot(Snapshot.load(tmp_path / "a"))
    assert sim.snapshot().controllers == {"robot": 12}


def test_a_state_that_cannot_be_copied_is_said(tmp_path):
    code = (
        "class Controller:\n  def step(self, sensors, dt): pass\n"
        "  def get_state(self): return {'plan': (k for k in range(3))}\n"
        "  def set_state(self, state): pass\n"
    )
    sim = Simulator.load(write(tmp_path, controller=code))
    text = r"get_state returned a dict that no snapshot can keep \(.*generator.*\); return numbers"
    with pytest.raises(ControllerError, match=text):
        sim.snapshot()


HOLDER = """
class Controller:
  def __init__(self, sim):
    self.all, self.row, self.last = sim.motors, list(sim.motors.values()), {"sim": sim}
    self.parts = (sim.sensors["line"], sim.bodies["chassis"], [sim.drive], sim.sensors)
  def step(self, sensors, dt):
    self.row.reverse()
    self.row[0].command = 0.25
    self.all["right"].command = 0.5
"""


def parts_of(sim):
    robot = sim.robots["robot"]
    controller = sim._controllers[0].instance
    assert controller.all is robot.motors
    assert controller.last == {"sim": robot}
    expected = (robot.sensors["line"], robot.bodies["chassis"], [robot.drive], robot.sensors)
    assert controller.parts == expected
    assert all(motor is robot.motors[motor.name] for motor in controller.row)
    return [motor.name for motor in controller.row]


@pytest.mark.parametrize("kept", [False, True])
def test_parts_of_a_robot_are_kept_by_name(kept, tmp_path):
    folder = write(tmp_path / "a", controller=HOLDER)
    sim = Simulator.load(folder)
    sim.step()
    snapshot = sim.snapshot()
    if kept:
        snapshot.save(tmp_path / "b")
        assert Snapshot.load(tmp_path / "b") == snapshot
        snapshot = Snapshot.load(tmp_path / "b")
    sim.step()
    other = Simulator.load(folder)
    for target in (sim, other):
        target.apply_snapshot(snapshot)
        assert parts_of(target) == ["right", "left"]
        target.step()
        assert parts_of(target) == ["left", "right"]
    assert sim.world_state() == other.world_state()


def test_a_part_that_the_robot_does_not_have_is_named(tmp_path):
    sim = remembering(tmp_path, "self.motors = list(sim.motors.values())")
    for part, text in {
        ("motors", "lefft"): "no motor is called 'lefft'; did you mean 'left'",
        ("__class__", "x"): "no kind of part is called '__class__'; known: bodies, motors",
    }.items():
        state = {"robot": {"motors": [PartName(*part)]}}
        with pytest.raises(ControllerError, match=f"restoring its attributes: {text}"):
            sim.apply_snapshot(Snapshot(sim.world_state(), state))


def test_parts_in_get_state_are_kept_by_name(tmp_path):
    code = (
        "class Controller:\n  def __init__(self, sim): self.row = list(sim.motors.values())\n"
        "  def step(self, sensors, dt): pass\n"
        "  def get_state(self): return self.row\n  def set_state(self, row): self.row = row\n"
    )
    sim = Simulator.load(write(tmp_path, controller=code))
    sim.snapshot().save(tmp_path / "a")
    other = Simulator.load(tmp_path)
    other.apply_snapshot(Snapshot.load(tmp_path / "a"))
    motors = list(other.robots["robot"].motors.values())
    assert other._controllers[0].instance.row == motors


def test_shared_objects_stay_shared(tmp_path):
    sim = remembering(tmp_path, "self.a = []; self.b = [self.a]")
    sim.apply_snapshot(sim.snapshot())
    instance = sim._controllers[0].instance
    assert instance.b[0] is instance.a


def test_altered_files_are_refused(tmp_path):
    sim = Simulator.load("line_follower")
    sim.run(0.5)
    data = sim.snapshot().to_bytes()
    assert Snapshot.from_bytes(data) == sim.snapshot()
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 0x40
        with pytest.raises(SnapshotError, match=r"hold no (snapshot|state) of a 2D world: they"):
            Snapshot.from_bytes(bytes(changed))
    path = tmp_path / "cut.snapshot"
    path.write_bytes(data[:-1])
    text = r"the bytes of '.*cut.snapshot' hold no snapshot of a 2D world: they have .* instead of"
    with pytest.raises(SnapshotError, match=text):
        Snapshot.load(path)
    with pytest.raises(SnapshotError, match=r"'.*none' cannot be read: No such file.*; check the"):
        Snapshot.load(tmp_path / "none")
    with pytest.raises(SnapshotError, match=r"cannot be written: "):
        sim.snapshot().save(tmp_path / "no/folder")


def test_other_versions_are_refused():
    data = bytearray(Simulator.load("maze").snapshot().to_bytes())
    data[4] += 1
    with pytest.raises(SnapshotError, match="of version 2, and this release reads version 1; give"):
        Snapshot.from_bytes(bytes(data))


@dataclass
class Trap:
    sprung: list[int] = field(default_factory=list)

    def __reduce__(self):
        return (self.sprung.append, (1,))


def test_a_pickle_is_never_run(tmp_path):
    (tmp_path / "a").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(SnapshotError, match="they do not begin as one"):
        Snapshot.load(tmp_path / "a")


REAL = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False)
NUMBERS = REAL | st.complex_numbers(allow_nan=False)
KEYS = st.integers() | st.text(st.characters(exclude_categories=["Cs"])) | st.tuples(st.integers())
ARRAYS = npst.arrays(
    st.sampled_from(["<f8", ">i4", "?", "<c16", "u1"]), npst.array_shapes(min_dims=0, min_side=0)
)
DATA = st.recursive(
    NUMBERS | st.binary() | KEYS | st.sets(st.integers()) | ARRAYS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.lists(inner, max_size=4).map(lambda items: deque(items, 9))
        | st.frozensets(KEYS, max_size=4)
    ),
    max_leaves=20,
)


def same(a, b):
    """Equal, with the same types; arrays by their bytes."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(same, a.values(), b.values()))
    if isinstance(a, list | tuple | deque):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(DATA)
def test_plain_data_come_back_as_they_were(value):
    assert same(decode(encode(value)), value)
    assert encode(decode(encode(value))) == encode(value)


TAGS = st.sampled_from(
    [
        "PartName",
        "ByMotor",
        "bytes",
        "array",
        "number",
        "dict",
        "tuple",
        "set",
        "deque",
        "Pose2D",
        "x",
    ]
)
JSON = st.recursive(
    REAL | st.text() | st.sampled_from(["<f8", "O", "AAAA"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TAGS, inner, max_size=2),
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=50) | JSON.map(json.dumps).map(str.encode))
def test_any_bytes_are_data_or_refused(data):
    with contextlib.suppress(ValueError, NotPlain):
        encode(decode(data))


def test_not_a_number_is_a_number():
    assert math.isnan(decode(encode({"x": math.nan}))["x"])
    with pytest.raises(NotPlain) as caught:
        encode({"a": [{"b": object()}]})
    assert (caught.value.place, caught.value.what) == ("['a'][0]['b']", "a object")
