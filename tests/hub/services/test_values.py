"""Requests as dicts: defaults, and what does not fit is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import MessageError
from horus_sim.hub.ros.definition import definition_of, parse_definition, type_names
from horus_sim.hub.services.values import default_of, filled, from_bytes, to_bytes

SPAWN = definition_of("simulation_interfaces/srv/SpawnEntity_Request")


def test_what_is_left_out_has_its_default():
    found = filled(SPAWN, {"name": "box", "initial_pose": {"pose": {"position": {"z": 1.5}}}})
    assert found["initial_pose"] == {
        "header": {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""},
        "pose": {
            "position": {"x": 0.0, "y": 0.0, "z": 1.5},
            "orientation": {"x": 0, "y": 0, "z": 0, "w": 1},
        },
    }
    assert (found["name"], found["allow_renaming"]) == ("box", False)
    step = definition_of("simulation_interfaces/srv/StepSimulation_Request")
    assert filled(step, {}) == {"steps": 1}


@pytest.mark.parametrize("name", type_names())
def test_every_type_can_be_left_empty(name: str):
    definition = definition_of(name)
    from_bytes(definition, to_bytes(definition, {}))


def test_defaults_as_files_write_them():
    definition = parse_definition(
        "my_package/msg/Defaults",
        """
        int8 low -3
        float64 half 0.5
        bool flag true
        bool number 1
        string word "a b"
        string bare word
        float32[3] three [1, 2.5, 3]
        int32[] many [1, 2]
        string[] words ["x", "Y"]
        uint8 bad [
        """,
    )
    *good, bad = definition.fields
    assert [default_of(part) for part in good] == [
        -3,
        0.5,
        True,
        True,
        "a b",
        "word",
        [1, 2.5, 3],
        [1, 2],
        ["x", "Y"],
    ]
    with pytest.raises(MessageError, match=r"default of field 'bad' is '\[', which is not a uint8"):
        default_of(bad)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"nam": "box"}, r"SpawnEntity_Request has no field 'nam'; did you mean 'name'\?"),
        (
            {"initial_pose": {"pose": {"positon": {}}}},
            (
                r"initial_pose.pose \(geometry_msgs/msg/Pose\) has no field 'positon'; did you "
                r"mean 'position'\?"
            ),
        ),
        ({"initial_pose": 3}, "initial_pose: give a dict with fields of geometry_msgs/msg/PoseSta"),
        ({"name": 3}, "SpawnEntity_Request: name: give a text"),
        (3, "give a dict with fields of simulation_interfaces/srv/SpawnEntity_Request, got 3"),
    ],
)
def test_what_does_not_fit_is_named(values: dict, text: str):
    with pytest.raises(MessageError, match=text):
        to_bytes(SPAWN, values)


def test_lists_of_messages_are_filled_up_too():
    many = definition_of("simulation_interfaces/srv/SpawnEntities_Request")
    found = filled(many, {"spawn_requests": [{"name": "a"}, {}]})
    assert [item["name"] for item in found["spawn_requests"]] == ["a", ""]
    with pytest.raises(MessageError, match=r"spawn_requests\[1\] .* has no field 'size'"):
        filled(many, {"spawn_requests": [{}, {"size": 1}]})
    with pytest.raises(MessageError, match="spawn_requests: give a list of"):
        filled(many, {"spawn_requests": {"name": "a"}})


def test_a_message_without_fields_is_empty():
    empty = definition_of("std_srvs/srv/Empty_Request")
    assert to_bytes(empty, {}) == bytes.fromhex("0001000000")
    assert from_bytes(empty, to_bytes(empty, {})) == {}
    with pytest.raises(MessageError, match="Empty_Request has no field 'data'; it has no field"):
        to_bytes(empty, {"data": 1})


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_values_come_back(a: int, b: int):
    add = definition_of("example_interfaces/srv/AddTwoInts_Request")
    assert from_bytes(add, to_bytes(add, {"a": a, "b": b})) == {"a": a, "b": b}
