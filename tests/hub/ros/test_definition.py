"""Definitions of ROS types and their hashes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from horus_sim.errors import MessageError
from horus_sim.hub.ros.definition import (
    Constant,
    Definition,
    definition_of,
    parse_definition,
    referenced,
    register,
    type_names,
)
from horus_sim.hub.ros.type_hash import hash_of, type_hash


def test_hashes_of_messages(shared: Path):
    expected = json.loads((shared / "ros2" / "type_hashes.json").read_text())
    assert len(expected) == 175
    for name, found in expected.items():
        if isinstance(found, dict):
            # That of Jazzy, or of the first distribution that has the type.
            found = found.get("jazzy") or found.get("kilted") or found["lyrical"]  # noqa: PLW2901
        assert type_hash(name) == found, name


def test_constants_are_those_of_ros():
    stores = [get_typestore(each) for each in (Stores.ROS2_JAZZY, Stores.ROS2_LYRICAL)]
    checked = 0
    for name in type_names():
        store = next((each for each in stores if name in each.fielddefs), None)
        if store is not None:
            found = [(key, each.value) for key, each in definition_of(name).constants.items()]
            assert sorted(found) == sorted((n, str(v)) for n, _, v in store.fielddefs[name][0])
            checked += len(found)
    assert checked > 200


def test_hashes_of_a_type_of_ones_own():
    text = """
    # A comment
    uint8 KIND_A = 1
    string<=8 word        # bounded
    string<=8[<=3] words
    byte[4] raw
    char letter
    float64[] numbers
    geometry_msgs/Point[<=5] points
    Header header
    bool flag true
    """
    name = "my_package/msg/Thing"
    definition = parse_definition(name, text)
    assert definition.constants == {"KIND_A": Constant("uint8", "1")}
    store = get_typestore(Stores.ROS2_JAZZY)
    plain = text.replace("Header header", "std_msgs/Header header")
    store.register(get_types_from_msg(plain, name))
    assert hash_of(definition, referenced(definition)) == store.hash_rihs01(name)


def test_a_message_without_fields_holds_one_byte():
    assert [part.name for part in definition_of("std_msgs/msg/Empty").fields] == [
        "structure_needs_at_least_one_member"
    ]


def test_registered_types_are_known():
    mine = parse_definition("my_package/msg/Speed", "float64 speed")
    register(mine)
    register(mine)
    assert definition_of("my_package/msg/Speed") is mine
    with pytest.raises(MessageError, match="there is another 'my_package/msg/Speed' already"):
        register(Definition("my_package/msg/Speed", ()))
    # What differs in a default or a constant alone is the same on the wire.
    register(parse_definition("my_package/msg/Speed", "float64 MOST=3.5\nfloat64 speed 1.0"))
    assert definition_of("my_package/msg/Speed") is mine
    register(parse_definition("std_msgs/msg/String", "string data"))
    text = (
        "there is another 'std_msgs/msg/String' already, with the fields string data instead of "
        "int32 data, bool more; give the type another name"
    )
    with pytest.raises(MessageError, match=text):
        register(parse_definition("std_msgs/msg/String", "int32 data\nbool more"))


def test_a_type_of_an_unknown_package_is_told_with_the_remedy():
    remedy = r"'odd_msgs/msg/Thing' is not a known ROS type; make it known from its .msg file by "
    with pytest.raises(MessageError, match=remedy + "parse_definition and register"):
        definition_of("odd_msgs/msg/Thing")


def test_mistakes_are_named():
    with pytest.raises(MessageError, match="'String' is not a ROS type; write it like"):
        parse_definition("String", "")
    with pytest.raises(MessageError, match=r"a/msg/B, line 2: '9 lives' is not a field"):
        parse_definition("a/msg/B", "int8 x\n9 lives")
    with pytest.raises(MessageError, match="did you mean 'std_msgs/msg/String'"):
        definition_of("std_msgs/msg/Strin")
