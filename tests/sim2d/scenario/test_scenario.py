"""Scenario files: what they may hold, round trips, unknown keys."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from horus_sim.errors import ScenarioError, UnknownNameError
from horus_sim.sim2d import (
    BatchSimulator,
    Scenario,
    Simulator,
    UnknownKeyWarning,
    UnlikelyValueWarning,
    load_scenario,
    save_scenario,
    scenario_names,
)
from horus_sim.sim2d.scenario.schema import BodyConfig, RobotConfig, WorldConfig

from ..makers import body, robot_values, write

WILD_WORLD = {
    "name": "w", "seed": 3, "gravity": [0, 0], "timestep": 0.005,
    "terrain": [{"name": "t", "body": {"name": "t", "points": [[0, 0], [1, 0], [0, 1]],
        "edges": [[0, 1], [1, 2], [2, 0]], "pose": [0, 0, 1], "can_move": False,
        "mass": 2, "inertia": 3,
        "material": {"color": [1, 2, 3], "roughness": 0.1, "friction": 0.2, "traction": None,
            "restitution": 0.3, "reflect_line": 0.4, "reflect_distance": 0.6, "thickness": 0.7,
            "custom": {"line_intensity": 0.9}}}}],
    "drawings": [
        {"kind": "wall", "thickness": 0.1, "points": [[0, 0], [1, 1]], "color": [0, 0, 0]}
    ],
    "bounds": {"min_x": -2, "min_y": -2, "max_x": 2, "max_y": 2},
    "shape_objects": [{"name": "ball", "body": {"name": "ball", "radius": 0.2}}],
    "custom_objects": [
        {"name": "c", "body": {"name": "c", "radius": 0.1}, "kind": "flag", "metadata": {"a": 1}}
    ],
    "metadata": {"author": "x"},
}  # fmt: skip


def test_every_key_of_the_wild_files_is_read_and_written(tmp_path):
    robot = robot_values(
        spawn_pose=[1, 2, 3],
        joints=[],
        measurements=[{"name": "m", "signal": "line", "body": None, "window": 2}],
        controller_module="brain",
    )
    robot["actuators"][0]["params"] = {
        "max_force": 1, "mu_long": 0.5, "mu_lat": 0.4, "g_equiv": 9, "normal_force": None,
        "lateral_damping": 0.1, "wheel_count": 2, "wheel_radius": 0.02, "response_time": 0.1,
        "max_wheel_omega": 20, "detailed": True, "preset": "wheel_small",
    }  # fmt: skip
    loaded = load_scenario(write(tmp_path / "a", robot, WILD_WORLD))
    save_scenario(loaded, tmp_path / "b")
    again = load_scenario(tmp_path / "b")
    assert again.world == loaded.world
    assert again.robots[0].config == loaded.robots[0].config
    assert json.loads((tmp_path / "b/world.json").read_text()) == WILD_WORLD
    assert json.loads((tmp_path / "b/robot.json").read_text()) == robot


@pytest.mark.parametrize("name", scenario_names())
def test_shipped_scenarios_survive_a_round_trip(name, tmp_path):
    loaded = load_scenario(name)
    save_scenario(loaded, tmp_path)
    again = load_scenario(tmp_path)
    assert (again.config, again.world) == (loaded.config, loaded.world)
    assert [spec.config for spec in again.robots] == [spec.config for spec in loaded.robots]


def test_unknown_keys_are_kept_with_a_warning(tmp_path):
    robot = robot_values()
    robot["bodies"][0]["masss"] = 3
    folder = write(tmp_path / "a", robot, {"weather": "fog"})
    with pytest.warns(UnknownKeyWarning) as caught:
        loaded = load_scenario(folder)
    texts = [str(w.message) for w in caught]
    assert any(r"weather is unknown and kept in metadata" in text for text in texts)
    assert any(
        "bodies[0].masss is unknown" in text and "did you mean 'mass'?" in text for text in texts
    )
    assert loaded.world.metadata == {"weather": "fog"}
    save_scenario(loaded, tmp_path / "b")
    again = load_scenario(tmp_path / "b")
    assert again.world.metadata == {"weather": "fog"}
    assert again.robots[0].config.bodies[0].metadata == {"masss": 3}


def test_a_misspelt_scenario_is_suggested():
    with pytest.raises(
        UnknownNameError, match=r"no scenario 'line_folower'.*did you mean 'line_follower'"
    ):
        load_scenario("line_folower")


def test_defaults_are_those_of_the_wild():
    world = WorldConfig()
    assert (world.timestep, world.gravity, world.bounds) == (1 / 120, (0, 0), None)
    material = BodyConfig(name="b", radius=1).material
    assert (material.friction, material.restitution, material.reflect_line) == (0.8, 0.1, 0.5)
    robot = RobotConfig.model_validate({"bodies": [body()]})
    assert robot.controller_module == "controller"


def test_an_error_names_file_key_and_line(tmp_path):
    robot = robot_values()
    robot["bodies"][0]["mass"] = -1
    folder = write(tmp_path, robot)
    line = (folder / "robot.json").read_text().splitlines().index('   "mass": -1,') + 1
    with pytest.raises(ScenarioError) as caught:
        load_scenario(folder)
    assert (caught.value.key, caught.value.line) == ("bodies[0].mass", line)
    assert str(caught.value).startswith(f"{folder / 'robot.json'}:{line}: bodies[0].mass: ")


def test_the_seed_of_the_files_holds_where_the_caller_gives_none(tmp_path):
    folder = write(tmp_path / "a", world={"seed": 7})
    assert Simulator.load(folder).seed == 7
    assert Simulator.load(folder, seed=0).seed == 0
    assert BatchSimulator(folder, 2).seed == 7
    assert Simulator.load(write(tmp_path / "b")).seed == 0
    (folder / "scenario.json").write_text(
        '{"environment": "world.json", "robots": [{"ref": "robot.json"}], "seed": 9}'
    )
    own, asked = Simulator.load(folder), Simulator.load(folder, seed=9)
    for sim in (own, asked):
        sim.run(0.2)
    assert own.seed == 9
    assert own.snapshot().world == asked.snapshot().world
    assert own.snapshot().world != Simulator.load(folder, seed=7).snapshot().world


def test_a_negative_seed_in_a_file_is_refused(tmp_path):
    folder = write(tmp_path, world={"seed": -1})
    with pytest.raises(ScenarioError, match=r"world.json:2: seed: .*greater than or equal to 0"):
        load_scenario(folder)


@pytest.mark.parametrize("place", ["absolute", "above"])
def test_saving_stays_inside_the_folder(place, tmp_path):
    world = tmp_path / "worlds/world.json"
    write(world.parent, world={"name": "original"})
    source = tmp_path / "source"
    source.mkdir()
    folder = world.parent if place == "absolute" else "../worlds"
    entries = [{"ref": f"{folder}/robot.json", "id": ident} for ident in ("a", "b")]
    (source / "scenario.json").write_text(
        json.dumps({"environment": f"{folder}/world.json", "robots": entries})
    )
    loaded = load_scenario(source)
    world.write_text('{"name": "changed since"}')
    target = tmp_path / "deep/target"
    saved = save_scenario(loaded, target)
    assert world.read_text() == '{"name": "changed since"}'
    assert sorted(path.name for path in target.iterdir()) == [
        "a.json",
        "scenario.json",
        "world.json",
    ]
    assert not (tmp_path / "deep/worlds").exists()
    again = load_scenario(target)
    assert again.world.name == "original"
    assert [spec.entry.ref for spec in again.robots] == ["a.json", "a.json"]
    assert again.config == saved.config
    assert [spec.config for spec in again.robots] == [spec.config for spec in loaded.robots]


def test_files_in_folders_are_saved_there(tmp_path):
    loaded = load_scenario(write(tmp_path / "a"))
    config = loaded.config.model_copy(update={"environment": "worlds/w.json"})
    save_scenario(replace(loaded, config=config), tmp_path / "b")
    assert (tmp_path / "b/worlds/w.json").is_file()


def test_numbers_that_are_not_finite_stay_in_metadata(tmp_path):
    world = '{"metadata": {"a": NaN, "b": -Infinity}}'
    save_scenario(load_scenario(write(tmp_path / "a", world=world)), tmp_path / "b")
    kept = load_scenario(tmp_path / "b").world.metadata
    assert math.isnan(kept["a"])
    assert kept["b"] == -math.inf


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ({"radius": 0.2}, 0.5 * 3.0 * 0.2**2),
        ({"points": [[-0.2, -0.1], [0.2, -0.1], [0.2, 0.1], [-0.2, 0.1]]}, 3.0 * 0.2 / 12),
        # A right triangle about its corner: m (a^2 + b^2) / 6.
        ({"points": [[0, 0], [0.3, 0], [0, 0.4]]}, 3.0 * 0.25 / 6),
    ],
)
def test_inertia_is_that_of_the_outline_unless_it_is_given(shape, expected):
    made = BodyConfig.model_validate({"name": "b", "mass": 3.0, **shape})
    assert made.inertia is None
    assert made.moment_of_inertia == pytest.approx(expected, rel=1e-12)
    given = BodyConfig.model_validate({"name": "b", "mass": 3.0, "inertia": 0.7, **shape})
    assert (given.moment_of_inertia, given.outline_inertia) == (0.7, made.moment_of_inertia)


def test_the_simulator_turns_a_body_by_the_inertia_of_its_outline():
    robot = RobotConfig.model_validate({"bodies": [{"name": "b", "radius": 0.2, "mass": 3.0}]})
    sim = Simulator(Scenario.make(WorldConfig(), robot), top_down=False)
    sim.body("b").apply_force(0.0, 0.0, 2.0)
    sim.step()
    assert sim.body("b").velocity[2] == pytest.approx(2.0 / (0.5 * 3.0 * 0.2**2) / 120, rel=1e-12)


def test_an_inertia_that_is_not_given_is_not_written(tmp_path):
    robot = robot_values()
    del robot["bodies"][0]["inertia"]
    save_scenario(load_scenario(write(tmp_path / "a", robot)), tmp_path / "b")
    assert json.loads((tmp_path / "b/robot.json").read_text()) == robot


def test_an_inertia_far_from_that_of_the_outline_is_named(tmp_path):
    robot = robot_values()
    robot["bodies"][0]["inertia"] = 1.0
    light = {"name": "light", "body": {**body("light"), "inertia": 1e-5}}
    wall = {"name": "wall", "body": {**body("wall", can_move=False), "inertia": 1.0}}
    folder = write(tmp_path / "a", robot, {"shape_objects": [light, wall]})
    with pytest.warns(UnlikelyValueWarning) as caught:
        load_scenario(folder)
    remedy = "correct it, or leave it out to have that of the outline"
    outline = f"that of its outline and mass 0.00667 kg m^2; {remedy}"
    first = "shape_objects[0].body.inertia: the inertia of 'light' is 1e-05 kg m^2"
    second = "bodies[0].inertia: the inertia of 'chassis' is 1 kg m^2"
    assert [str(warning.message).partition(": ")[2] for warning in caught] == [
        f"{first}, {outline}",
        f"{second}, {outline}",
    ]
    lines = [str(warning.message).partition(": ")[0] for warning in caught]
    for place, file, text in zip(lines, ("world", "robot"), ("1e-05", "1.0"), strict=True):
        path, line = place.rsplit(":", 1)
        assert path == str(folder / f"{file}.json")
        assert f'"inertia": {text}' in Path(path).read_text().splitlines()[int(line) - 1]
    # Ten times is a ring of lead; that is not doubted.
    robot["bodies"][0]["inertia"] = 0.066
    load_scenario(write(tmp_path / "b", robot))
