"""Readings know their time and preset, change nothing, and are alike in worlds and batches."""

from __future__ import annotations

import numpy as np
import pytest

from horus_sim.errors import UnknownPartError
from horus_sim.sim2d import BatchSimulator, ImuReading, Reading, Simulator

from ..makers import body, crowded, robot_values, scenario

EVERY_KIND = [
    *robot_values()["sensors"],
    {"name": "point", "type": "line", "body": "chassis"},
    {"name": "one", "type": "line_array", "body": "chassis", "params": {"count": 1}},
    {"name": "fan", "type": "distance", "body": "chassis", "params": {"count": 5, "fov": 1.0}},
]
BOX = {"shape_objects": [{"name": "box", "body": body("box", pose=[0.6, 0, 0.2])}]}


def test_a_reading_knows_when_it_was_taken_and_its_preset():
    slow = {"name": "slow", "type": "line", "body": "chassis", "params": {"rate_hz": 30.0}}
    quick = {"name": "quick", "type": "distance", "body": "chassis", "params": {"preset": "ideal"}}
    sim = Simulator(scenario(sensors=[slow, quick]))
    stamps = []
    for _ in range(12):
        stamps.append(sim.sensors["slow"].read().stamp)
        quick_reading = sim.sensors["quick"].read()
        assert quick_reading == Reading(1.5, sim.time, "ideal")
        sim.step()
    # 30 Hz at 120 steps a second: a new one every fourth step.
    assert stamps == pytest.approx(np.repeat([0, 4 / 120, 8 / 120], 4), abs=1e-12)
    sensor = sim.sensors["slow"]
    assert (sensor.name, sensor.kind, sensor.preset) == ("slow", "line", "line_basic")
    assert sim.robots["robot"].sensors["slow"].read() == sensor.read()
    assert sensor.read().value == sim.readings["slow"]


def test_sensors_of_several_robots_have_long_names():
    sim = Simulator.load("sumo")
    sim.step()
    assert isinstance(sim.sensors["attacker/eye"].read().value, np.ndarray)
    assert list(sim.sensors) == list(sim.readings)
    with pytest.raises(UnknownPartError, match="no sensor is called 'eye'"):
        sim.sensors["eye"]


def test_unknown_names_are_answered_with_those_that_there_are():
    sim = Simulator(scenario())
    robot = sim.robots["robot"]
    for names, kind in ((sim.sensors, "sensor"), (sim.readings, "sensor"), (sim.bodies, "body"),
                        (robot.motors, "motor"), (robot.sensors, "sensor")):  # fmt: skip
        first = next(iter(names))
        with pytest.raises(KeyError, match=rf"no {kind} is called '{first}x'; did you mean"):
            names[first + "x"]
        assert names.get("nothing") is None


def test_reading_changes_nothing():
    sim, other = Simulator(crowded(), 3), Simulator(crowded(), 3)
    before = sim.snapshot()
    first = {name: sensor.read() for name, sensor in sim.sensors.items()}
    assert first["line"].stamp == 0.0
    assert sim.snapshot() == before
    # What is moved before the first step is seen where it is then.
    for each in (sim, other):
        each.body("chassis").set_pose(0.2, 0.3, 0.4)
        each.step()
    assert sim.snapshot() == other.snapshot()
    batch = BatchSimulator(crowded(), 2, 1, seed=3)
    assert (batch.readings()[0] == sim_start(3)).all()
    assert batch.snapshot(0).world == before.world
    assert (batch.readings() == batch.readings()).all()


def sim_start(seed):
    return Simulator(crowded(), seed).raw_readings()


def test_batches_and_single_worlds_read_alike():
    made = scenario(BOX, sensors=EVERY_KIND)
    batch = BatchSimulator(made, 3, 1, seed=7)
    sims = [Simulator(made, 7 + k) for k in range(3)]
    for _ in range(30):
        batch.step(np.full((3, 2), 0.4))
        for sim in sims:
            sim.robots["robot"].drive.set(0.4, 0.4)
            sim.step()
    shapes = {name: batch.readings(name).shape[1:] for name in sims[0].sensors}
    assert shapes == {
        "imu": (5,), "left_encoder": (2,), "right_encoder": (2,), "line": (5,), "eye": (),
        "point": (), "one": (1,), "fan": (5,),
    }  # fmt: skip
    for k, sim in enumerate(sims):
        assert isinstance(sim.readings["imu"], ImuReading)
        for name, value in sim.readings.items():
            assert np.shape(value) == shapes[name]
            assert (batch.readings(name)[k] == np.asarray(value)).all()
        for name in ("eye", "fan"):
            seen = sim.robots["robot"].reflectivity(name)
            assert (batch.reflectivity(name)[k] == seen).all()
            assert seen.max() == 0.5
    with pytest.raises(
        UnknownPartError, match="no distance sensor is called 'imu'; known: eye, fan"
    ):
        batch.reflectivity("imu")
