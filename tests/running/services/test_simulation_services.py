"""Services of simulation_interfaces: state, reset, steps, worlds and features."""

from __future__ import annotations

import threading

import pytest

from horus_sim.errors import ServiceError
from horus_sim.hub import QoS
from horus_sim.hub.messages import Clock
from horus_sim.hub.ros.definition import definition_of
from horus_sim.running import Loop, RunningConfig, RunningWorld
from horus_sim.running.services import features, messages, results, state
from horus_sim.running.services.features import Feature
from horus_sim.running.services.results import Code, StateCode
from horus_sim.running.services.state import State
from horus_sim.sim2d import Simulator
from horus_sim.sim3d import World
from horus_sim.sim3d.scene.objects import ObjectConfig

LONG = 30.0
BALL = """<sdf version="1.9"><model name="ball"><link name="link"><collision name="c"><geometry>
<sphere><radius>0.1</radius></sphere></geometry></collision></link></model></sdf>"""


@pytest.fixture
def running(hub):
    with RunningWorld(World.load("empty_world"), hub) as running:
        yield running


def set_state(ask, wanted: int) -> tuple[int, str]:
    found = ask("SetSimulationState", state={"state": int(wanted)})["result"]
    return found["result"], found["error_message"]


def get_state(ask) -> State:
    response = ask("GetSimulationState")
    assert response["result"]["result"] == Code.OK
    return State(response["state"]["state"])


@pytest.mark.parametrize(
    ("codes", "name"),
    [
        (results.Code, "msg/Result"),
        (results.StateCode, "srv/SetSimulationState_Response"),
        (results.SpawnCode, "srv/SpawnEntity_Response"),
        (results.LoadCode, "srv/LoadWorld_Response"),
        (results.WorldCode, "srv/UnloadWorld_Response"),
        (results.WorldCode, "srv/GetCurrentWorld_Response"),
        (results.MoveCode, "srv/SetEntityState_Response"),
        (state.State, "msg/SimulationState"),
        (state.Scope, "srv/ResetSimulation_Request"),
        (features.Feature, "msg/SimulatorFeatures"),
        (messages.BoundsType, "msg/Bounds"),
    ],
)
def test_numbers_are_those_of_the_definitions(codes, name):
    written = definition_of(f"simulation_interfaces/{name}").constants
    bare = {key.split("_", 1)[1]: value for key, value in written.items() if "_" in key}
    for code in codes:
        if code is not results.SpawnCode.ENTITIES_SPAWN_FAILED:
            assert int((bare | written)[code.name].value) == code
    of_many = definition_of("simulation_interfaces/srv/SpawnEntities_Response").constants
    assert int(of_many["ENTITIES_SPAWN_FAILED"].value) == results.SpawnCode.ENTITIES_SPAWN_FAILED


def test_states_and_what_is_refused(ask, running):
    assert get_state(ask) is State.PLAYING
    assert set_state(ask, State.PLAYING) == (
        StateCode.ALREADY_IN_TARGET_STATE,
        "the simulation is in STATE_PLAYING already",
    )
    assert set_state(ask, State.PAUSED)[0] == Code.OK
    assert get_state(ask) is State.PAUSED
    assert running.step(3) == 0
    assert set_state(ask, State.PLAYING)[0] == Code.OK
    assert running.step(3) == 3
    assert set_state(ask, State.STOPPED)[0] == Code.OK
    assert get_state(ask) is State.STOPPED
    assert (running.world.steps, running.is_paused) == (0, True)
    assert set_state(ask, State.STOPPED)[0] == StateCode.ALREADY_IN_TARGET_STATE
    assert set_state(ask, State.PAUSED)[0] == Code.OK
    assert get_state(ask) is State.PAUSED
    assert running.world.steps == 0
    for wrong in (State.NO_WORLD, State.LOADING_WORLD, 9):
        code, text = set_state(ask, wrong)
        assert code == StateCode.INCORRECT_TRANSITION
        assert "choose STATE_STOPPED (0)" in text
    code, text = set_state(ask, State.QUITTING)
    assert code == Code.FEATURE_UNSUPPORTED
    assert "end that program" in text


def test_a_stopped_simulation_that_is_stepped_otherwise_is_paused(ask, running):
    set_state(ask, State.STOPPED)
    running.allow_steps(1)
    running.step(1)
    assert get_state(ask) is State.PAUSED
    running.reset()
    assert get_state(ask) is State.PAUSED


def test_steps_are_answered_when_they_are_made_and_sent(ask, send, running, hub):
    set_state(ask, State.PAUSED)
    clocks = hub.subscribe("clock", Clock, QoS(depth=100))
    heard: list[int] = []
    future = send("StepSimulation", steps=12)
    future.add_done_callback(lambda _: heard.append(clocks.received))
    running.poll()
    assert running.step(11) == 11
    assert not future.done()
    assert running.step(100) == 1
    assert future.result(0)["result"]["result"] == Code.OK
    assert heard == [clocks.received]
    assert running.world.steps == 12
    assert get_state(ask) is State.PAUSED


def test_one_step_is_the_default_and_none_is_nothing(ask, send, running):
    set_state(ask, State.PAUSED)
    future = send("StepSimulation")
    assert running.step(100) == 1
    assert future.done()
    assert ask("StepSimulation", steps=0)["result"]["result"] == Code.OK
    assert running.world.steps == 1


@pytest.mark.parametrize("now", [State.PLAYING, State.STOPPED])
def test_steps_are_refused_unless_it_is_paused(ask, running, now):
    if now is State.STOPPED:
        set_state(ask, now)
    found = ask("StepSimulation", steps=3)["result"]
    assert found["result"] == Code.OPERATION_FAILED
    assert found["error_message"] == (
        f"the simulation is in STATE_{now.name}; steps are made in STATE_PAUSED alone: call "
        "SetSimulationState with it before"
    )
    assert running.world.steps == 0


def test_a_pause_ends_steps(ask, send, running):
    set_state(ask, State.PAUSED)
    future = send("StepSimulation", steps=10**15)
    running.step(5)
    assert set_state(ask, State.PAUSED)[0] == Code.OK
    found = future.result(0)["result"]
    assert found["result"] == Code.OPERATION_FAILED
    assert found["error_message"].startswith("a pause ended the request after 5 of 10000000")


def test_the_end_of_the_simulation_is_told_to_those_who_wait(ask, send, running):
    set_state(ask, State.PAUSED)
    stepping = send("StepSimulation", steps=5)
    running.poll()
    unserved = send("GetEntities")
    running.close()
    assert "the end of the simulation" in stepping.result(0)["result"]["error_message"]
    with pytest.raises(ServiceError, match="service 'get_entities' was closed"):
        unserved.result(0)


def spawn(ask, name: str) -> None:
    found = ask("SpawnEntity", name=name, entity_resource={"resource_string": BALL})
    assert found["result"]["result"] == Code.OK, found


@pytest.mark.parametrize(
    ("scope", "steps", "entities"),
    [
        (0, 0, {"ground", "sun_dial"}),
        (255, 0, {"ground", "sun_dial"}),
        (7, 0, {"sun_dial"}),
        (3, 0, {"sun_dial", "ball"}),
        (4, 5, {"sun_dial"}),
    ],
)
def test_reset_by_scope(hub, asker, scope, steps, entities):
    scene = World.load("empty_world").scene
    thing = {"name": "sun_dial", "shape": {"kind": "sphere", "radius": 0.2}}
    world = World.load(scene.with_object(ObjectConfig.model_validate(thing)))
    with RunningWorld(world, hub) as running:
        ask = asker(running)
        spawn(ask, "ball")
        (ground,) = {*world.objects} - {"sun_dial"}
        assert ask("DeleteEntity", entity=ground)["result"]["result"] == Code.OK
        running.step(5)
        assert ask("ResetSimulation", scope=scope)["result"]["result"] == Code.OK
        assert running.world.steps == steps
        assert {
            "ground" if name == ground else name for name in running.exchange.parts()
        } == entities
        assert not running.is_paused


@pytest.mark.parametrize("scope", [1, 2, 5, 6, 8, 16])
def test_time_and_state_are_reset_together(ask, running, scope):
    running.step(3)
    found = ask("ResetSimulation", scope=scope)["result"]
    assert found["result"] == Code.FEATURE_UNSUPPORTED
    assert found["error_message"].startswith(f"scope {scope} is not supported: time and state are")
    assert running.world.steps == 3


def test_a_reset_leaves_a_stopped_simulation_stopped(ask):
    set_state(ask, State.STOPPED)
    ask("ResetSimulation")
    assert get_state(ask) is State.STOPPED


def test_features_are_those_that_are_served(ask, hub):
    found = ask("GetSimulatorFeatures")["features"]
    offered = {*found["features"].tolist()}
    assert {Feature.SPAWNING, Feature.STEP_SIMULATION_MULTIPLE, Feature.ENTITY_BOUNDS} <= offered
    for missing in (
        Feature.NAMED_POSES,
        Feature.WORLD_RESOURCE_STRING,
        Feature.ENTITY_BOUNDS_CONVEX,
        Feature.SIMULATION_RESET_TIME,
    ):
        assert missing not in offered
    names = {info.name for info in hub.services()}
    assert {"get_named_poses", "get_named_pose_bounds"}.isdisjoint(names)
    assert list(found["spawn_formats"]) == ["urdf", "xacro", "mjcf", "sdf"]


def test_worlds(ask):
    current = ask("GetCurrentWorld")["world"]
    assert (current["name"], current["world_resource"]["uri"]) == ("empty_world", "empty_world")
    assert current["description"].startswith("A level floor")
    worlds = ask("GetAvailableWorlds")["worlds"]
    assert current in worlds
    assert len(worlds) > 3
    assert ask("GetAvailableWorlds", filter={"tags": ["indoor"]})["worlds"] == []
    found = ask("GetAvailableWorlds", additional_sources=["https://there"])["result"]
    assert found["result"] == Code.FEATURE_UNSUPPORTED
    assert "'https://there'; leave them out" in found["error_message"]


def test_a_2d_world_serves_what_it_can(hub, send, asker):
    with RunningWorld(Simulator.load("line_follower"), hub) as running:
        ask = asker(running)
        offered = {*ask("GetSimulatorFeatures")["features"]["features"].tolist()}
        assert {Feature.SPAWNING, Feature.DELETING, Feature.SPAWNABLES}.isdisjoint(offered)
        assert "spawn_entity" not in {info.name for info in hub.services()}
        assert set_state(ask, State.PAUSED)[0] == Code.OK
        future = send("StepSimulation", steps=4)
        assert running.step(10) == 4
        assert future.result(0)["result"]["result"] == Code.OK
        assert ask("GetCurrentWorld")["world"]["world_resource"]["uri"] == "line_follower"
        assert len(ask("GetAvailableWorlds")["worlds"]) > 1
        assert set_state(ask, State.STOPPED)[0] == Code.OK
        assert running.world.steps == 0


def test_a_loop_serves_clients_in_other_threads(hub):
    running = RunningWorld(World.load("empty_world"), hub)
    loop = Loop(running, speed=None)
    thread = threading.Thread(target=loop.run)
    thread.start()
    package = "simulation_interfaces/srv"
    states = hub.client("set_simulation_state", f"{package}/SetSimulationState")
    steps = hub.client("step_simulation", f"{package}/StepSimulation")
    assert states.call(state={"state": 2}, timeout=LONG)["result"]["result"] == Code.OK
    before = running.world.steps
    for _ in range(3):
        assert steps.call(steps=7, timeout=LONG)["result"]["result"] == Code.OK
    assert running.world.steps == before + 21
    # To quit is to stop and to end the loop.
    assert states.call(state={"state": 3}, timeout=LONG)["result"]["result"] == Code.OK
    thread.join(LONG)
    assert not thread.is_alive()
    assert running.world.steps == 0
    running.close()


def test_services_can_be_left_out(hub):
    with RunningWorld(World.load("empty_world"), hub, RunningConfig(services=False)):
        assert hub.services() == []


def test_a_second_world_runs_without_services(running, hub, caplog):
    with RunningWorld(World.load("empty_world"), hub) as second:
        assert "the world runs without services: service 'get_simulation_state' is" in caplog.text
        second.poll()
    assert {info.servers for info in hub.services()} == {1}


def test_what_nobody_foresaw_is_told_and_the_world_goes_on(running, send, monkeypatch, caplog):
    def fail():
        raise RuntimeError("lost")

    monkeypatch.setattr(running.exchange, "entities", fail)
    future = send("GetEntities")
    assert running.step(2) == 2
    with pytest.raises(ServiceError, match="'get_entities' failed: RuntimeError: lost"):
        future.result(0)
    assert "service 'get_entities' failed" in caplog.text
