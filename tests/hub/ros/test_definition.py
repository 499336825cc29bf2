"""Definitions of ROS types and their hashes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from horus_sim.errors import MessageError
from horus_sim.hub.ros.definition import (
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
    checked = 0
    for name in type_names():
        found = expected.get(name)
        found = found.get("jazzy") if isinstance(found, dict) else found
        if found is not None:
            assert type_hash(name) == found, name
            checked += 1
    assert checked > 100


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
    assert definition.constants == {"KIND_A": "1"}
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
    with pytest.raises(MessageError, match="there is another 'std_msgs/msg/String' already"):
        register(Definition("std_msgs/msg/String", ()))


def test_mistakes_are_named():
    with pytest.raises(MessageError, match="'String' is not a ROS type; write it like"):
        parse_definition("String", "")
    with pytest.raises(MessageError, match=r"a/msg/B, line 2: '9 lives' is not a field"):
        parse_definition("a/msg/B", "int8 x\n9 lives")
    with pytest.raises(MessageError, match="did you mean 'std_msgs/msg/String'"):
        definition_of("std_msgs/msg/Strin")
