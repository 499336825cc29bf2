"""The script that judges folders of robot files."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "corpus.py"
LINK = '<link name="a"><inertial><mass value="1"/></inertial></link>'


@pytest.fixture(scope="module")
def corpus():
    spec = importlib.util.spec_from_file_location("corpus", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["corpus"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["corpus"]


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "set" / "deep"
    inside.mkdir(parents=True)
    (inside / "good.urdf").write_text(f'<robot name="r">{LINK}</robot>')
    (inside / "wrong.urdf").write_text('<robot name="r"/>')
    (inside / "world.sdf").write_text("<sdf version='1.9'><world name='w'/></sdf>")
    (inside / "ball.xml").write_text(
        "<?xml version='1.0'?><!-- <robot/> --><mujoco><worldbody><body><freejoint/>"
        "<geom size='1'/></body></worldbody></mujoco>"
    )
    (inside / "package.xml").write_text("<package/>")
    (inside / "notes.txt").write_text("<mujoco/>")
    return tmp_path / "set"


def test_files_are_told_apart(corpus, folder):
    found = {path.name: kind for path, kind in corpus.robot_files(folder)}
    assert found == {
        "good.urdf": "urdf", "wrong.urdf": "urdf", "world.sdf": "sdf", "ball.xml": "mjcf"
    }  # fmt: skip


def test_every_file_gets_a_verdict(folder, tmp_path):
    subprocess.run(
        [sys.executable, str(SCRIPT), str(folder), "--out", str(tmp_path / "out"), "--jobs", "2"],
        check=True,
        capture_output=True,
        cwd=tmp_path,
    )
    verdicts = {one["file"]: one for one in json.loads((tmp_path / "out.json").read_text())}
    outcomes = {name.removeprefix("deep/"): one["outcome"] for name, one in verdicts.items()}
    assert outcomes == {
        "good.urdf": "ok", "wrong.urdf": "refused", "world.sdf": "ok", "ball.xml": "ok"
    }  # fmt: skip
    assert "the robot has no <link>" in verdicts["deep/wrong.urdf"]["reason"]
    assert verdicts["deep/ball.xml"]["peers"]["mujoco"] == "ok"
    text = (tmp_path / "out.md").read_text()
    assert "| urdf | 2 | 1 | 0 | 1 | 0 | 0 |" in text
    assert "| mujoco | 1 | 1 | 0 | 0 | 0 |" in text
    assert (
        "| 1 | refused | DescriptionError: the robot has no <link>; it needs at least one |" in text
    )


def test_a_child_that_does_not_end_or_dies(corpus, folder, monkeypatch):
    work = (folder / "deep/good.urdf", "urdf", [folder], False)
    assert corpus.run_child("horus", (*work, corpus.Limits(0.0, 6.0)))["outcome"] == "hang"
    assert corpus.run_child("horus", (*work, corpus.Limits(60.0, 1e-6)))["outcome"] == "crash"


def test_equal_causes_are_counted_together(corpus):
    first = corpus.cause_of("DescriptionError: a/b.urdf, line 3: joint 'x' is 2.5 m off")
    second = corpus.cause_of("DescriptionError: c.urdf, line 40: joint 'yy' is 31 m off")
    assert first == second == "DescriptionError: joint '...' is # m off"
