"""Names and keys of the graph, as rmw_zenoh allows and writes them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.hub.qos import QoS
from horus_sim.hub.zenoh.keys import EndPoint, Node, node_name, node_of

HASH = f"RIHS01_{'0' * 64}"


@given(st.text(max_size=300))
def test_a_node_has_a_name_that_tools_of_ros_take(name: str):
    # What rmw_validate_node_name asks for.
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,254}", node_name(name))


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        ("my_node", "my_node"),
        ("horus-sim-81", "horus_sim_81"),
        ("viewer.py-81", "viewer_py_81"),
        ("3d", "_3d"),
        ("", "_"),
    ],
)
def test_what_a_node_name_cannot_hold_becomes_an_underscore(given_name: str, name: str):
    assert node_name(given_name) == name


@pytest.mark.parametrize("more", ["", "/cpu:", "/a/b"])
def test_an_end_is_read_from_its_key_whatever_newer_programs_add(more: str):
    node = Node("c0ffee", "3", "/desk", "viewer")
    qos = QoS(depth=5, reliable=False, latched=True)
    end = EndPoint(node, "7", "MP", "desk/image", "sensor_msgs/msg/Image", HASH, qos)
    key = end.key(4)
    assert key == (
        "@ros2_lv/4/c0ffee/3/7/MP/%/%desk/viewer/%desk%image/"
        f"sensor_msgs::msg::dds_::Image_/{HASH}/2:1:,5:,:,:,,"
    )
    assert EndPoint.parse(key + more) == end
    assert node_of(node.key(4) + more) == node


@pytest.mark.parametrize("rest", ["", "/0/0/NN/%/%/n", "/0/1/MP"])
def test_what_is_no_end_is_none(rest: str):
    assert EndPoint.parse(f"@ros2_lv/0/a{rest}") is None
