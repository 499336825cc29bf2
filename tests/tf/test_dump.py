import json
import re

import pytest
import yaml

from horus_sim.tf import InvalidTransformError, TFTree, Transform


@pytest.fixture
def tree():
    tree = TFTree()
    tree.add_static_transform("base", "camera", Transform())
    tree.add_static_transform("base", "lidar", Transform())
    tree.add_static_transform("camera", "lens", Transform())
    for i in range(5):
        tree.add_transform("odom", "base", Transform((i, 0, 0)), i * 10_000_000)
    tree.add_transform("map", "odom", Transform(), 0)
    return tree


def test_text(tree):
    assert tree.dump() == "\n".join(
        [
            "map",
            "└── odom  (1 sample, newest 0.000 s)",
            "    └── base  (5 samples at 100.0 Hz, newest 0.040 s)",
            "        ├── camera  (static)",
            "        │   └── lens  (static)",
            "        └── lidar  (static)",
        ]
    )


def test_text_shows_orphans_as_roots(tree):
    tree.remove_frame("camera")
    assert "lens  (orphan: parent 'camera' was removed)" in tree.dump("text").splitlines()


def test_an_empty_tree():
    assert TFTree().dump() == ""
    assert json.loads(TFTree().dump("json")) == {}


def test_a_deep_chain_needs_no_recursion():
    tree = TFTree()
    for i in range(3000):
        tree.add_static_transform(str(i), str(i + 1), Transform())
    assert len(tree.dump().splitlines()) == 3001


def test_dot(tree):
    dot = tree.dump("dot")
    assert dot.startswith("digraph tf {")
    assert dot.endswith("}")
    edges = set(re.findall(r'"([^"]+)" -> "([^"]+)" \[label="([^"]*)"(?:, style=dashed)?\];', dot))
    assert {(parent, child) for parent, child, _ in edges} == {
        ("map", "odom"),
        ("odom", "base"),
        ("base", "camera"),
        ("base", "lidar"),
        ("camera", "lens"),
    }
    assert ("base", "lidar", "static") in edges


def test_dot_escapes_names():
    tree = TFTree()
    tree.add_static_transform('a"b', "c\\d", Transform())
    assert '"a\\"b" -> "c\\\\d"' in tree.dump("dot")


def test_yaml_and_json_say_the_same(tree):
    from_json = json.loads(tree.dump("json"))
    assert yaml.safe_load(tree.dump("yaml")) == from_json
    assert set(from_json) == set(tree.get_all_frames())
    assert from_json["base"] == {
        "parent": "odom",
        "static": False,
        "orphan": False,
        "samples": 5,
        "rate_hz": 100.0,
        "oldest_ns": 0,
        "newest_ns": 40_000_000,
    }
    assert from_json["map"]["parent"] is None


def test_an_unknown_format(tree):
    with pytest.raises(InvalidTransformError, match="no dump format 'xml'; choose one of 'text'"):
        tree.dump("xml")
