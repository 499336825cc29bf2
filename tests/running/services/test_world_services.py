"""Services by which one world takes the place of another."""

from __future__ import annotations

import pytest

from horus_sim.hub.messages import Clock
from horus_sim.running import RunningWorld
from horus_sim.running.recording import CommandLog, McapRecorder, replay_commands
from horus_sim.running.services.features import Feature
from horus_sim.running.services.results import Code, LoadCode, WorldCode
from horus_sim.running.services.state import State
from horus_sim.sim2d import Simulator
from horus_sim.sim3d import World, recorded_world

SDF_WORLD = """<sdf version="1.9"><world name="yard"><model name="ball">
<pose>0 0 1 0 0 0</pose><link name="link"><collision name="c"><geometry>
<sphere><radius>0.1</radius></sphere></geometry></collision></link></model></world></sdf>"""


@pytest.fixture
def running(hub):
    with RunningWorld(World.load("empty_world"), hub) as running:
        yield running


def load(ask, uri, **fields):
    response = ask("LoadWorld", world_resource={"uri": uri}, **fields)
    return response["result"]["result"], response["result"]["error_message"], response["world"]


def state_of(ask):
    return State(ask("GetSimulationState")["state"]["state"])


def play(ask):
    return ask("SetSimulationState", state={"state": int(State.PLAYING)})["result"]


def test_a_shipped_world_takes_the_place_of_another_and_is_stopped(hub, running, ask):
    features = ask("GetSimulatorFeatures")["features"]["features"].tolist()
    assert {Feature.WORLD_LOADING, Feature.WORLD_UNLOADING} <= {*features}
    assert Feature.WORLD_RESOURCE_STRING not in features
    seen = []
    running.on_replace.append(lambda world: seen.append(world.scene.name))
    running.step(10)
    code, error, world = load(ask, "warehouse")
    assert (code, error) == (Code.OK, "")
    assert (world["name"], world["world_resource"]["uri"]) == ("warehouse", "warehouse")
    assert seen == ["warehouse"]
    assert state_of(ask) is State.STOPPED
    assert running.world.steps == 0
    assert "burger" in ask("GetEntities")["entities"]
    clocks = hub.subscribe("clock", Clock)
    assert play(ask)["result"] == Code.OK
    running.step(24)
    assert clocks.latest().stamp_ns == 100_000_000


def test_a_file_beside_the_scene_is_loaded_and_one_elsewhere_is_not(hub, asker, tmp_path):
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    for folder in (home, elsewhere):
        folder.mkdir()
        (folder / "yard.sdf").write_text(SDF_WORLD)
    (home / "scene.yaml").write_text("name: mine\n")
    with RunningWorld(World.load(home / "scene.yaml"), hub) as running:
        ask = asker(running)
        code, text, _ = load(ask, str(elsewhere / "yard.sdf"))
        assert code == Code.NOT_FOUND
        assert "yard.sdf" in text
        assert running.world.scene.name == "mine"
        assert load(ask, "yard.sdf")[0] == Code.OK
        assert ask("GetEntities")["entities"] == ["ball"]


@pytest.mark.parametrize(
    ("uri", "code", "text"),
    [
        ("", LoadCode.NO_RESOURCE, "GetAvailableWorlds lists those that can be"),
        ("warehose", Code.NOT_FOUND, "did you mean 'warehouse'"),
        ("a/world.usd", LoadCode.UNSUPPORTED_FORMAT, "give the name of a shipped scene"),
        ("missing.yaml", Code.NOT_FOUND, "missing.yaml"),
    ],
)
def test_what_cannot_be_loaded_is_refused_and_the_world_goes_on(running, ask, uri, code, text):
    before = running.world
    found, error, _ = load(ask, uri)
    assert found == code
    assert text in error
    assert running.world is before
    assert running.step(3) == 3


def test_a_broken_file_is_refused_with_its_line(hub, asker, tmp_path):
    (tmp_path / "scene.yaml").write_text("name: mine\n")
    (tmp_path / "broken.yaml").write_text("name: broken\nrobotz: []\n")
    with RunningWorld(World.load(tmp_path / "scene.yaml"), hub) as running:
        code, text, _ = load(asker(running), "broken.yaml")
        assert code == LoadCode.RESOURCE_PARSE_ERROR
        assert "broken.yaml:2" in text
        assert "did you mean 'robots'" in text


def test_a_text_is_refused_with_the_remedy(running, ask):
    found = ask("LoadWorld", world_resource={"resource_string": SDF_WORLD})["result"]
    assert found["result"] == Code.FEATURE_UNSUPPORTED
    assert "give the uri of one" in found["error_message"]


def test_without_a_world_nothing_but_loading_is_done(running, ask):
    assert ask("UnloadWorld")["result"]["result"] == Code.OK
    assert state_of(ask) is State.NO_WORLD
    again = ask("UnloadWorld")["result"]
    assert again["result"] == WorldCode.NO_WORLD_LOADED
    assert ask("GetCurrentWorld")["result"]["result"] == WorldCode.NO_WORLD_LOADED
    for refused in (
        play(ask),
        ask("StepSimulation", steps=5)["result"],
        ask("SpawnEntity", name="a", entity_resource={"uri": "turtlebot3_burger"})["result"],
        ask("ResetSimulation")["result"],
        ask("GetEntities")["result"],
    ):
        assert refused["result"] == Code.INCORRECT_STATE
        assert "call LoadWorld before" in refused["error_message"]
    assert running.step(10) == 0
    assert load(ask, "warehouse")[0] == Code.OK
    assert state_of(ask) is State.STOPPED
    assert play(ask)["result"] == Code.OK


def test_what_was_set_about_entities_of_another_world_is_forgotten(running, ask):
    load(ask, "warehouse")
    ask("SetEntityInfo", entity="burger", info={"description": "mine"})
    load(ask, "warehouse")
    assert ask("GetEntityInfo", entity="burger")["info"]["description"] != "mine"


def test_a_recording_across_worlds_is_done_again(hub, asker, tmp_path):
    recorder = McapRecorder(tmp_path / "run.mcap")
    with RunningWorld(World.load("empty_world"), hub) as running:
        running.add_outlet(recorder)
        ask = asker(running)
        running.step(20)
        load(ask, "warehouse")
        play(ask)
        running.step(40)
    paths = sorted(tmp_path.glob("*.mcap"))
    assert len(paths) == 2  # a file for each world
    for path in paths:
        log = CommandLog.load(path)
        assert replay_commands(recorded_world(log), log).steps in (20, 40)


def test_a_2d_world_neither_loads_nor_claims_it(hub, asker):
    with RunningWorld(Simulator.load("line_follower"), hub) as running:
        features = asker(running)("GetSimulatorFeatures")["features"]["features"].tolist()
        assert Feature.WORLD_LOADING not in features
        assert "load_world" not in {info.name for info in hub.services()}
