"""Files in an older spelling, rewritten."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import yaml

from horus_sim.errors import HorusError
from horus_sim.files.migration import migrate_file, migrate_text

SCENE = """\
name: hall   # ours
sensors:
  - {kind: lidar, name: front, xyz: [0, 0, 0.1], rpy: [0, 0, 1.5707963267948966], rate_hz: 5}
  - kind: range
    rpy: [0.0, 0.5, 0.0]  # looks down
    field_of_view: 0.5
    xyz:
      - 1
      - 2
      - 3
    name: down
    sees_own: true
  - {rpy: [0, 0, 0], kind: imu}
  - {kind: lidar, fov_horizontal_deg: 90}
objects:
  - {name: box, xyz: kept, field_of_view: kept}
"""


def test_a_scene_keeps_its_comments_and_layout():
    text, changes = migrate_text(SCENE, is_json=False)
    assert "name: hall   # ours\n" in text
    assert "# looks down" in text
    data = yaml.safe_load(text)
    front, down, imu, wide = data["sensors"]
    assert front == {
        "kind": "lidar",
        "name": "front",
        "pose": {"xyz": [0, 0, 0.1], "rpy_deg": [0.0, 0.0, 90.0]},
        "rate_hz": 5,
    }
    assert down["pose"]["xyz"] == [1, 2, 3]
    assert down["pose"]["rpy_deg"] == [0.0, pytest.approx(math.degrees(0.5)), 0.0]
    assert down["fov_deg"] == pytest.approx(math.degrees(0.5))
    assert down["ignore"] == "nothing"
    assert (down["name"], down["kind"]) == ("down", "range")
    assert imu == {"pose": {"rpy_deg": [0, 0, 0]}, "kind": "imu"}
    assert wide == {"kind": "lidar", "fov_deg": 90}
    assert data["objects"] == [{"name": "box", "xyz": "kept", "field_of_view": "kept"}]
    assert changes[0] == "line 3: rpy -> pose.rpy_deg"
    assert migrate_text(text, is_json=False) == (text, [])


def test_a_robot_of_the_2d_simulator():
    sensors = [{"name": "eye", "params": {"max_range": 2.0, "rate": 20}}]
    old = json.dumps({"sensors": sensors, "rate": 1}, indent="\t")
    new, changes = migrate_text(old, is_json=True)
    params = {"range_max": 2.0, "rate_hz": 20}
    assert json.loads(new) == {"sensors": [{"name": "eye", "params": params}], "rate": 1}
    assert "\t" in new
    assert len(changes) == 2


def test_a_task():
    text = "a: {episode_seconds: 5, randomize: [{kind: latency, seconds: [0, 1]}, {seconds: 2}]}"
    new, _ = migrate_text(text, is_json=False)
    randomize = [{"kind": "latency", "delay": [0, 1]}, {"seconds": 2}]
    assert yaml.safe_load(new) == {"a": {"episode_duration": 5, "randomize": randomize}}


def test_aliases_stay():
    text = "where: &here [1, 2, 3]\nsensors: [{xyz: *here, kind: a}, {fov_horizontal_deg: *here}]\n"
    new, _ = migrate_text(text, is_json=False)
    assert yaml.safe_load(new)["sensors"] == [
        {"pose": {"xyz": [1, 2, 3]}, "kind": "a"},
        {"fov_deg": [1, 2, 3]},
    ]
    assert "fov_deg: *here" in new


def test_what_cannot_be_rewritten_is_left_as_it_is(tmp_path: Path):
    text = "sensors: [{xyz: &here [1, 2, 3]}, {xyz: *here, b: *here}]"
    path = tmp_path / "scene.yaml"
    path.write_text(text)
    with pytest.raises(HorusError, match=r"left as it is.*by hand: line 1: xyz -> pose.xyz"):
        migrate_file(path)
    assert path.read_text() == text


def test_files(tmp_path: Path):
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE)
    assert len(migrate_file(path)) == 8
    assert migrate_file(path) == []
    path.write_text("a: [")
    with pytest.raises(HorusError, match=r"scene.yaml:1:5: this is not valid YAML"):
        migrate_file(path)
    with pytest.raises(HorusError, match=r"gone.yaml: the file cannot be read"):
        migrate_file(tmp_path / "gone.yaml")
    (tmp_path / "empty.yaml").write_text("")
    assert migrate_file(tmp_path / "empty.yaml") == []
