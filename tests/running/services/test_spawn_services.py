"""Services by which things come and go; and recordings of it all, done again bit by bit."""

from __future__ import annotations

import math

import pytest

from horus_sim.hub.messages import Odometry
from horus_sim.running import RunningWorld
from horus_sim.running.recording import CommandLog, replay_commands
from horus_sim.running.services.results import Code, SpawnCode
from horus_sim.sim2d import Simulator
from horus_sim.sim3d import World
from horus_sim.sim3d.exchange.rebuilding import recorded_world

URDF = """<robot name="crate"><link name="base">
<inertial><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
<collision><geometry><box size="0.2 0.4 0.6"/></geometry></collision></link></robot>"""
SDF = """<sdf version="1.9"><model name="ball"><link name="link"><inertial><mass>1</mass></inertial>
<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
</link></model></sdf>"""
MJCF = """<mujoco model="pebble"><worldbody><body name="pebble"><freejoint/>
<geom size="0.05"/></body></worldbody></mujoco>"""
MESH = """<robot name="dish"><link name="base"><collision><geometry>
<mesh filename="package://nowhere/dish.stl"/></geometry></collision></link></robot>"""


@pytest.fixture
def running(hub):
    with RunningWorld(World.load("empty_world"), hub) as running:
        yield running


def spawn(ask, text="", uri="", at=(0.0, 0.0, 1.0), **fields):
    x, y, z = at
    pose = fields.pop("initial_pose", {"pose": {"position": {"x": x, "y": y, "z": z}}})
    resource = {"uri": uri, "resource_string": text}
    found = ask("SpawnEntity", entity_resource=resource, initial_pose=pose, **fields)
    return found["result"]["result"], found["result"]["error_message"] or found["entity_name"]


@pytest.mark.parametrize(
    ("text", "name", "half"), [(URDF, "crate", 0.3), (SDF, "ball", 0.1), (MJCF, "pebble", 0.05)]
)
def test_a_model_as_text_stands_on_the_floor_after_its_fall(ask, running, text, name, half):
    assert spawn(ask, text, at=(1, 2, 1)) == (Code.OK, name)
    assert running.exchange.entity(name).pose.translation.tolist() == [1, 2, 1]
    running.step(500)
    assert running.exchange.entity(name).pose.translation == pytest.approx((1, 2, half), abs=0.01)


def test_a_shipped_robot_has_topics_under_its_namespace(ask, running, hub):
    assert spawn(ask, uri="turtlebot3_burger", name="second", entity_namespace="/fleet") == (
        Code.OK,
        "fleet/second",
    )
    odom = hub.subscribe("fleet/second/odom", Odometry)
    running.step(50)
    assert odom.latest() is not None
    assert "fleet/second" in ask("GetEntities")["entities"]
    assert ask("DeleteEntity", entity="fleet/second")["result"]["result"] == Code.OK
    assert "fleet/second" not in ask("GetEntities")["entities"]


def test_a_file_beside_the_scene(tmp_path, hub, asker):
    (tmp_path / "scene.yaml").write_text("objects: []\n")
    (tmp_path / "crate.urdf").write_text(URDF)
    (tmp_path / "ball.sdf").write_text(SDF)
    with RunningWorld(World.load(tmp_path / "scene.yaml"), hub) as running:
        ask = asker(running)
        assert spawn(ask, uri="crate.urdf") == (Code.OK, "crate")
        assert spawn(ask, uri=(tmp_path / "ball.sdf").as_uri()) == (Code.OK, "ball")
        code, text = spawn(ask, uri="file:///etc/crate.urdf")
        assert code == Code.NOT_FOUND
        assert "refused: outside the package roots" in text


def test_a_pose_in_the_frame_of_another_entity(ask, running):
    half = math.sqrt(0.5)
    turned = {"position": {"x": 1, "z": 2}, "orientation": {"z": half, "w": half}}
    assert spawn(ask, URDF, name="first", initial_pose={"pose": turned})[0] == Code.OK
    beside = {"header": {"frame_id": "first/base"}, "pose": {"position": {"x": 3}}}
    assert spawn(ask, URDF, name="next", initial_pose=beside)[0] == Code.OK
    pose = running.exchange.entity("next").pose
    assert pose.translation == pytest.approx((1, 3, 2))
    assert pose.rotation == pytest.approx((0, 0, half, half))


def test_names(ask):
    assert spawn(ask, URDF) == (Code.OK, "crate")
    assert spawn(ask, URDF) == (
        SpawnCode.NAME_NOT_UNIQUE,
        "the world has a 'crate' already; give another name, or set allow_renaming",
    )
    assert spawn(ask, URDF, allow_renaming=True) == (Code.OK, "crate_1")
    assert spawn(ask, URDF, name="crate", allow_renaming=True) == (Code.OK, "crate_2")
    code, text = spawn(ask, URDF, name="world")
    assert code == SpawnCode.NAME_INVALID
    assert "the name 'world' belongs to the world itself" in text
    assert spawn(ask, URDF, name="world", allow_renaming=True) == (Code.OK, "entity")


@pytest.mark.parametrize(
    ("fields", "code", "text"),
    [
        ({}, SpawnCode.NO_RESOURCE, "neither uri nor resource_string is given; GetSpawnables"),
        ({"uri": "turtelbot3_burger"}, Code.NOT_FOUND, "did you mean 'turtlebot3_burger'"),
        ({"uri": "robot.usd"}, SpawnCode.UNSUPPORTED_FORMAT, "a file that ends with .urdf"),
        ({"text": "<usd/>"}, SpawnCode.UNSUPPORTED_FORMAT, "neither URDF, MJCF nor SDF"),
        ({"text": "<robot"}, SpawnCode.RESOURCE_PARSE_ERROR, "resource_string, line 1: not well-f"),
        (
            {"text": SDF.replace("</sdf>", '<model name="b"><link name="l"/></model></sdf>')},
            SpawnCode.RESOURCE_PARSE_ERROR,
            "resource_string: holds 2 models of connected links",
        ),
        ({"text": MESH}, SpawnCode.MISSING_ASSETS, "package://nowhere/dish.stl"),
        (
            {"text": URDF, "entity_namespace": "a//b"},
            SpawnCode.NAMESPACE_INVALID,
            "'a//b' is not a namespace; use letters",
        ),
        ({"text": URDF, "at": (1e9, 0, 0)}, SpawnCode.INVALID_POSE, "outside of the world"),
        (
            {"text": URDF, "initial_pose": {"pose": {"orientation": {"w": 0.5}}}},
            SpawnCode.INVALID_POSE,
            "has the norm 0.5",
        ),
        (
            {"text": URDF, "initial_pose": {"header": {"frame_id": "moon"}}},
            Code.NOT_FOUND,
            "the world has no frame 'moon'",
        ),
        ({"text": URDF, "name": "sim"}, Code.OPERATION_FAILED, "'sim/' is kept for the simulation"),
    ],
)
def test_what_cannot_be_spawned_is_told(ask, running, fields, code, text):
    parts = running.exchange.parts()
    found, message = spawn(ask, **fields)
    assert text in message
    assert found == code
    # The text is not a file to those who sent it; where its meshes were looked for may be told.
    assert "horus-sim-" not in message or code == SpawnCode.MISSING_ASSETS
    assert running.exchange.parts() == parts


def test_several_at_once(ask, running):
    requests = [
        {"entity_resource": {"resource_string": URDF}, "name": name} for name in ("a", "b", "a", "")
    ]
    response = ask("SpawnEntities", spawn_requests=requests)
    assert response["result"]["result"] == SpawnCode.ENTITIES_SPAWN_FAILED
    assert response["result"]["error_message"].startswith("1 of 4 were not spawned: the world has")
    assert [(each["result"]["result"], each["entity_name"]) for each in response["results"]] == [
        (Code.OK, "a"),
        (Code.OK, "b"),
        (SpawnCode.NAME_NOT_UNIQUE, ""),
        (Code.OK, "crate"),
    ]
    assert {"a", "b", "crate"} < {*running.exchange.parts()}
    response = ask("SpawnEntities", spawn_requests=[])
    assert response["result"]["result"] == Code.OK


def test_spawnables_can_be_spawned(ask):
    response = ask("GetSpawnables", sources=["my_robots"])
    assert response["result"] == {
        "result": Code.OK,
        "error_message": "these sources are not known and were not searched: 'my_robots'",
    }
    uris = [each["entity_resource"]["uri"] for each in response["spawnables"]]
    assert "turtlebot3_burger" in uris
    for uri in uris:
        assert spawn(ask, uri=uri, name=f"my_{uri}")[0] == Code.OK


def test_an_unknown_entity_is_not_deleted(ask):
    spawn(ask, URDF)
    found = ask("DeleteEntity", entity="crat")["result"]
    assert found["result"] == Code.NOT_FOUND
    assert found["error_message"] == "the world has no entity 'crat'; did you mean 'crate'?"


def test_what_was_set_about_an_entity_leaves_with_it(ask):
    spawn(ask, URDF)
    ask("SetEntityInfo", entity="crate", info={"tags": ["red"]})
    ask("DeleteEntity", entity="crate")
    spawn(ask, URDF)
    assert list(ask("GetEntityInfo", entity="crate")["info"]["tags"]) == []


def test_a_recording_of_services_is_done_again_bit_by_bit(hub, asker, send, tmp_path):
    with RunningWorld(World.load("warehouse", seed=3), hub) as running:
        ask = asker(running)
        log = CommandLog()
        running.add_outlet(log)
        running.step(20)
        assert spawn(ask, URDF, at=(1, 1, 2))[0] == Code.OK
        assert spawn(ask, uri="turtlebot3_burger", name="second", at=(2, 0, 0.1))[0] == Code.OK
        assert spawn(ask, MJCF, at=(1, 1, 3))[0] == Code.OK
        running.step(100)
        state = {"twist": {"linear": {"x": 1, "z": 2}, "angular": {"z": 3}}}
        ask("SetEntityState", entity="crate", state=state, set_twist=True)
        running.step(30)
        pose = {"pose": {"position": {"x": -1, "z": 1}, "orientation": {"x": 1, "w": 0}}}
        ask("SetEntityState", entity="burger", state=pose, set_pose=True)
        ask("SetSimulationState", state={"state": 2})
        stepping = send("StepSimulation", steps=50)
        running.step(100)
        assert stepping.done()
        ask("DeleteEntity", entity="shelf_1")
        ask("DeleteEntity", entity="second")
        ask("SetSimulationState", state={"state": 1})
        running.step(40)
        ask("ResetSimulation", scope=255)
        assert {"shelf_1"} < {*running.exchange.parts()}
        assert {"crate", "pebble"}.isdisjoint(running.exchange.parts())
        spawn(ask, SDF, at=(0, 2, 1))
        running.step(300)
        ask("SetSimulationState", state={"state": 0})
        ask("SetSimulationState", state={"state": 1})
        running.step(60)
        running.remove_outlet(log)
    log.save(tmp_path / "log.jsonl")
    again = CommandLog.load(tmp_path / "log.jsonl")
    replay = replay_commands(recorded_world(again), again)
    assert replay.steps == 20 + 100 + 30 + 50 + 40 + 300 + 60
    assert replay.states > 6


def test_a_recording_of_a_2d_world_is_done_again_bit_by_bit(hub, asker):
    log = CommandLog()
    with RunningWorld(Simulator.load("line_follower"), hub) as running:
        ask = asker(running)
        running.add_outlet(log)
        running.step(50)
        state = {"pose": {"position": {"x": 0.1}}, "twist": {"linear": {"x": 0.2}}}
        found = ask(
            "SetEntityState", entity="robot/chassis", state=state, set_pose=True, set_twist=True
        )
        assert found["result"]["result"] == Code.OK
        running.step(50)
        ask("ResetSimulation")
        running.step(50)
        running.remove_outlet(log)
    assert replay_commands(Simulator.load("line_follower"), log).steps == 150
