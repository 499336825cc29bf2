"""Services about entities: filters, states, sizes; and how they are moved."""

from __future__ import annotations

import math

import numpy as np
import pytest

from horus_sim.running import RunningWorld
from horus_sim.running.services.results import Code, MoveCode
from horus_sim.sim2d import Simulator
from horus_sim.sim3d import World
from horus_sim.sim3d.scene.reading import check_scene
from horus_sim.tf import Transform

SCENE = {
    "name": "things",
    "robots": [{"name": "burger", "model": "turtlebot3_burger", "pose": {"xyz": [0, 0, 2]}}],
    "objects": [
        {"name": "floor", "shape": {"kind": "plane"}},
        {
            "name": "crate",
            "shape": {"kind": "box", "size": [0.2, 0.4, 0.6]},
            "pose": {"xyz": [3, 0, 5], "rpy_deg": [0, 0, 90]},
            "dynamic": True,
            "mass": 2,
        },
        {
            "name": "shelf_1",
            "shape": {"kind": "box", "size": [1, 1, 1]},
            "pose": {"xyz": [-3, 0, 0.5]},
        },
        {
            "name": "lift",
            "shape": {"kind": "sphere", "radius": 0.1},
            "motion": {
                "waypoints": [
                    {"time": 0, "pose": {"xyz": [5, 5, 1]}},
                    {"time": 2, "pose": {"xyz": [5, 5, 3]}},
                ]
            },
        },
    ],
}


@pytest.fixture
def running(hub):
    with RunningWorld(World.load(check_scene(SCENE)), hub) as running:
        yield running


def names(ask, **filters) -> set[str]:
    response = ask("GetEntities", filters=filters)
    assert response["result"]["result"] == Code.OK
    return {*response["entities"]}


def refusal(response) -> tuple[int, str]:
    return response["result"]["result"], response["result"]["error_message"]


def xyz(message) -> tuple[float, float, float]:
    return message["x"], message["y"], message["z"]


def test_all_of_them(ask):
    assert names(ask) == {"burger", "floor", "crate", "shelf_1", "lift"}


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("^shelf_[[:digit:]]+$", {"shelf_1"}),
        ("r", {"burger", "floor", "crate"}),
        ("^(lift|crate)$", {"lift", "crate"}),
        ("nothing", set()),
    ],
)
def test_names_match_a_regular_expression(ask, pattern, found):
    assert names(ask, filter=pattern) == found


def test_a_pattern_that_is_none_is_refused(ask):
    code, text = refusal(ask("GetEntities", filters={"filter": "shelf_("}))
    assert code == Code.OPERATION_FAILED
    assert text.startswith("the filter 'shelf_(' is not a regular expression: ")
    code, text = refusal(ask("GetEntities", filters={"filter": "a" * 2000}))
    assert (code, text) == (Code.OPERATION_FAILED, "the filter is longer than 1000 characters")


def test_categories(ask):
    assert names(ask, categories=[{"category": 1}]) == {"burger"}
    assert names(ask, categories=[{"category": 4}]) == {"crate", "lift"}
    assert names(ask, categories=[{"category": 5}, {"category": 1}]) == {
        "burger",
        "floor",
        "shelf_1",
    }
    assert names(ask, categories=[{"category": 2}]) == set()


def test_what_is_known_about_an_entity_can_be_set(ask):
    info = ask("GetEntityInfo", entity="burger")["info"]
    assert info["description"] == "model 'turtlebot3_burger' with 2 joints, free"
    assert ask("GetEntityInfo", entity="lift")["info"]["description"] == (
        "sphere, carried along a path"
    )
    wanted = {"category": {"category": 2}, "description": "a worker", "tags": ["red", "tall"]}
    assert refusal(ask("SetEntityInfo", entity="lift", info=wanted))[0] == Code.OK
    assert ask("GetEntityInfo", entity="lift")["info"] == wanted
    ask("SetEntityInfo", entity="crate", info={"tags": ["red"]})
    assert names(ask, categories=[{"category": 2}]) == {"lift"}
    assert names(ask, tags={"tags": ["red", "tall"]}) == {"lift", "crate"}
    assert names(ask, tags={"tags": ["red", "tall"], "filter_mode": 1}) == {"lift"}
    assert names(ask, filter="c", tags={"tags": ["red"]}) == {"crate"}


def sphere(center, radius):
    x, y, z = center
    return {"type": 3, "points": [{"x": x, "y": y, "z": z}, {"x": radius}]}


def test_bounds(ask):
    # The floor has no end, and so it is everywhere.
    assert names(ask, bounds=sphere((3, 0, 5), 0.05)) == {"floor", "crate"}
    # The crate is turned: it is 0.4 m long along x and 0.2 m along y.
    assert "crate" in names(ask, bounds=sphere((3.25, 0, 5), 0.06))
    assert "crate" not in names(ask, bounds=sphere((3.25, 0, 5), 0.04))
    box = {"type": 1, "points": [{"x": -2.6, "y": 1, "z": 3}, {"x": -9, "y": -1, "z": 0.9}]}
    assert names(ask, bounds=box) == {"floor", "shelf_1"}


@pytest.mark.parametrize(
    ("bounds", "code", "text"),
    [
        (
            {"type": 2, "points": [{}, {}, {}]},
            Code.FEATURE_UNSUPPORTED,
            "bounds of type 2 are not supported; use TYPE_BOX (1) or TYPE_SPHERE (3)",
        ),
        ({"type": 1, "points": [{}]}, Code.OPERATION_FAILED, "the bounds have 1 points; a box and"),
        (sphere((math.nan, 0, 0), 1), Code.OPERATION_FAILED, "have two finite ones"),
    ],
)
def test_bounds_that_are_none_are_refused(ask, bounds, code, text):
    found, message = refusal(ask("GetEntities", filters={"bounds": bounds}))
    assert found == code
    assert text in message


def test_states(ask, running):
    running.step(24)
    passed = running.world.time
    state = ask("GetEntityState", entity="crate")["state"]
    assert state["header"]["frame_id"] == "world"
    stamp = state["header"]["stamp"]
    assert stamp["sec"] * 10**9 + stamp["nanosec"] == running.world.stamp_ns
    x, y, z = xyz(state["pose"]["position"])
    assert (x, y) == (3, 0)
    assert z == pytest.approx(5 - 9.81 / 2 * passed**2, abs=0.01)
    assert xyz(state["twist"]["linear"]) == pytest.approx((0, 0, -9.81 * passed), abs=1e-6)
    assert xyz(state["acceleration"]["linear"]) == pytest.approx((0, 0, -9.81), abs=1e-9)
    turned = state["pose"]["orientation"]
    assert (turned["z"], turned["w"]) == pytest.approx((math.sqrt(0.5), math.sqrt(0.5)))
    many = ask("GetEntitiesStates", filters={"filter": "crate|burger"})
    assert list(many["entities"]) == ["burger", "crate"]
    assert many["states"][1] == state
    still = ask("GetEntityState", entity="shelf_1")["state"]
    assert xyz(still["pose"]["position"]) == (-3, 0, 0.5)
    assert xyz(still["twist"]["linear"]) == (0, 0, 0)


def test_sizes(ask):
    bounds = ask("GetEntityBounds", entity="crate")["bounds"]
    assert bounds["type"] == 1
    upper, lower = (xyz(point) for point in bounds["points"])
    assert upper == pytest.approx((0.1, 0.2, 0.3))
    assert lower == pytest.approx((-0.1, -0.2, -0.3))
    assert ask("GetEntityBounds", entity="floor")["bounds"] == {"type": 0, "points": []}
    upper, lower = (xyz(p) for p in ask("GetEntityBounds", entity="burger")["bounds"]["points"])
    # A TurtleBot3 Burger is 138 x 178 x 192 mm.
    assert np.subtract(upper, lower) == pytest.approx((0.138, 0.178, 0.192), abs=0.002)


@pytest.mark.parametrize(
    "kind",
    ["GetEntityInfo", "SetEntityInfo", "GetEntityState", "SetEntityState", "GetEntityBounds"],
)
def test_an_unknown_entity_is_told_with_close_ones(ask, kind):
    code, text = refusal(ask(kind, entity="creat"))
    assert (code, text) == (
        Code.NOT_FOUND,
        "the world has no entity 'creat'; did you mean 'crate'?",
    )


def test_a_pose_is_set_and_the_velocity_stays(ask, running):
    running.step(10)
    before = running.exchange.entity("crate")
    pose = {"position": {"x": 1, "y": 2, "z": 9}, "orientation": {"x": 1, "w": 0}}
    assert refusal(ask("SetEntityState", entity="crate", state={"pose": pose}, set_pose=True)) == (
        Code.OK,
        "",
    )
    after = running.exchange.entity("crate")
    assert after.pose.translation.tolist() == [1, 2, 9]
    assert after.pose.to_matrix()[:3, :3] == pytest.approx(np.diag([1, -1, -1]))
    assert after.linear == pytest.approx(before.linear, abs=1e-12)
    assert after.linear[2] < 0


def test_a_velocity_is_set_in_a_frame(ask, running):
    # The crate is turned by 90 degrees: its x is the world's y.
    twist = {"linear": {"x": 2}, "angular": {"y": 3}}
    state = {"header": {"frame_id": "crate"}, "twist": twist}
    assert refusal(ask("SetEntityState", entity="crate", state=state, set_twist=True))[0] == Code.OK
    after = running.exchange.entity("crate")
    assert after.linear == pytest.approx((0, 2, 0), abs=1e-12)
    assert after.angular == pytest.approx((-3, 0, 0), abs=1e-12)
    assert after.pose.translation.tolist() == [3, 0, 5]
    pose = {"header": {"frame_id": "crate"}, "pose": {"position": {"x": 1}}}
    ask("SetEntityState", entity="shelf_1", state=pose, set_pose=True)
    T_world_shelf = running.exchange.entity("shelf_1").pose
    assert T_world_shelf.translation == pytest.approx((3, 1, 5))
    expected = Transform((0, 0, 0), (0, 0, math.sqrt(0.5), math.sqrt(0.5)))
    assert T_world_shelf.rotation == pytest.approx(expected.rotation)


def test_nothing_is_set_that_is_not_asked_for(ask, running):
    digest = running.exchange.digest()
    state = {"pose": {"position": {"x": 7}}, "twist": {"linear": {"x": 7}}}
    assert refusal(ask("SetEntityState", entity="crate", state=state))[0] == Code.OK
    accelerated = {"acceleration": {"linear": {"x": 1}}}
    ask("SetEntityState", entity="crate", state=accelerated, set_acceleration=True)
    assert running.exchange.digest() == digest


@pytest.mark.parametrize(
    ("fields", "code", "text"),
    [
        (
            {"state": {"pose": {"orientation": {"w": 0}}}, "set_pose": True},
            MoveCode.INVALID_POSE,
            "has the norm 0; a rotation has norm 1, and no rotation is 0, 0, 0, 1",
        ),
        (
            {"state": {"pose": {"position": {"x": 1e9}}}, "set_pose": True},
            MoveCode.INVALID_POSE,
            "is outside of the world; stay within 1e+06 m of the origin",
        ),
        (
            {"state": {"pose": {"position": {"x": math.inf}}}, "set_pose": True},
            MoveCode.INVALID_POSE,
            "is not finite",
        ),
        (
            {"state": {"twist": {"linear": {"x": math.nan}}}, "set_twist": True},
            Code.OPERATION_FAILED,
            "is not finite",
        ),
        (
            {"state": {"header": {"frame_id": "burger/base_lnk"}}, "set_pose": True},
            Code.NOT_FOUND,
            "the world has no frame 'burger/base_lnk'; did you mean 'burger/base_link'",
        ),
    ],
)
def test_states_that_cannot_be_set_are_refused(ask, running, fields, code, text):
    digest = running.exchange.digest()
    found, message = refusal(ask("SetEntityState", entity="crate", **fields))
    assert found == code
    assert text in message
    assert running.exchange.digest() == digest


def test_what_the_world_holds_gets_no_velocity(ask):
    state = {"twist": {"linear": {"x": 1}}}
    code, text = refusal(ask("SetEntityState", entity="shelf_1", state=state, set_twist=True))
    assert code == Code.OPERATION_FAILED
    assert text.startswith("'shelf_1' is held by the world and cannot be given a velocity")
    assert refusal(ask("SetEntityState", entity="shelf_1", set_twist=True))[0] == Code.OK
    code, text = refusal(ask("SetEntityState", entity="lift", set_pose=True))
    assert (code, text) == (
        Code.OPERATION_FAILED,
        "object 'lift' follows a path; it cannot be moved",
    )


def test_bodies_of_a_2d_world(hub, asker):
    with RunningWorld(Simulator.load("line_follower"), hub) as running:
        ask = asker(running)
        assert "robot/chassis" in names(ask)
        assert names(ask, categories=[{"category": 1}]) == {"robot/chassis"}
        upper, lower = (
            xyz(point)
            for point in ask("GetEntityBounds", entity="robot/chassis")["bounds"]["points"]
        )
        assert (upper, lower) == ((0.08, 0.06, 0.1), (-0.08, -0.06, 0.0))
        state = {"pose": {"position": {"x": 0.5, "y": 0.25}}, "twist": {"angular": {"z": 1.0}}}
        assert refusal(
            ask(
                "SetEntityState", entity="robot/chassis", state=state, set_pose=True, set_twist=True
            )
        ) == (Code.OK, "")
        found = ask("GetEntityState", entity="robot/chassis")["state"]
        assert xyz(found["pose"]["position"]) == (0.5, 0.25, 0)
        assert xyz(found["twist"]["angular"]) == (0, 0, 1)
        code, text = refusal(
            ask("SetEntityState", entity="bounds_left", state=state, set_twist=True)
        )
        assert code == Code.OPERATION_FAILED
        assert "'bounds_left' is held by the world" in text
