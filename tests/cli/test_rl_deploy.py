"""`horus-sim rl deploy`, `check`, `scene` and `export`, as users call them."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

from horus_sim.cli import app as cli
from horus_sim.rl.contract.contract import read_contract

runner = CliRunner()


def call(*arguments: str):
    return runner.invoke(cli.app, ["rl", *arguments])


def text_of(result) -> str:
    """What was printed, without the frames and line breaks of Typer's boxes."""
    return re.sub(r"[\s│]+", " ", result.output + str(result.exception or ""))


def test_a_policy_plays_layouts_of_its_task():
    result = call("deploy", "NavigationOpen", "--scene", "task", "--episodes", "2")
    assert result.exit_code == 0, text_of(result)
    assert re.search(r"episode 0: goal after \d+\.\d\d s, solved", result.output)
    assert "solved 2 of 2" in result.output


def test_a_policy_drives_in_a_scene():
    result = call("deploy", "Navigation", "--scene", "warehouse", "--goal", "0.6,0.2")
    assert result.exit_code == 0, text_of(result)
    assert "acting at 20 Hz" in result.output
    assert re.search(r"arrived after \d+\.\d\d s", result.output)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("deploy", "Navigaton"), "did you mean 'Navigation'"),
        (("deploy", "Navigation", "--policy", "random"), "random actions have no contract"),
        (("deploy", "Navigation", "--goal", "1"), "give metres such as 1.5,0.5"),
        (("deploy", "Navigation", "--goal", "nan,1"), "give metres such as 1.5,0.5"),
        (("deploy", "Navigation", "--time", "noon"), "give auto, simulated or wall"),
        (
            ("deploy", "Navigation", "--scene", "task", "--goal", "1,1"),
            "the task's own layouts have goals of their own",
        ),
        (("deploy", "Navigation", "--scene", "nowhere"), "no shipped scene is called 'nowhere'"),
        (
            ("deploy", "Navigation", "--scene", "empty_world", "--goal", "1,1"),
            "the world has these robots: none",
        ),
        (
            ("deploy", "Navigation", "--scene", "tabletop", "--goal", "1,1", "--duration", "3"),
            "nobody sends topic 'scan' (sensor_msgs/msg/LaserScan): start the laser scanner",
        ),
        (
            ("deploy", "Navigation", "--scene", "warehouse", "--duration", "1"),
            "nobody sends topic 'goal_pose' (geometry_msgs/msg/PoseStamped): say where to go",
        ),
        (
            ("deploy", "Racing", "--scene", "race_track", "--goal", "1,1"),
            "the policy of task 'Racing' has no goal; leave out --goal",
        ),
        (("check", "Navigation", "--scene", "warehouse"), "the batch has no scene 'warehouse'"),
        (("check", "absent.onnx"), "'absent.onnx' does not exist"),
        (("scene", "Navigation", "--out", "x.txt"), "must end with .yaml"),
        (("scene", "LineFollower2D", "--out", "x.yaml"), "is no world of the 3D simulator"),
        (("export", "Navigation"), "--onnx FILE, --contract FILE or both"),
    ],
)
def test_mistakes_are_told(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call(*arguments)
    assert result.exit_code != 0
    assert said in text_of(result)


def test_a_check_tells_both_and_writes_figures(tmp_path):
    path = tmp_path / "check.json"
    result = call("check", "ArmReach", "--episodes", "2", "--json", str(path))
    assert result.exit_code == 0, text_of(result)
    assert "batch     2 of 2, 100.0%" in result.output
    assert "world     2 of 2, 100.0%" in result.output
    assert json.loads(path.read_text())["batch"]["successes"] == 2


def test_a_policy_goes_out_as_onnx_and_comes_back(tmp_path):
    pytest.importorskip("onnxruntime", reason="pip install 'horus-sim[onnx]'")
    onnx, contract = tmp_path / "p.onnx", tmp_path / "contract.json"
    result = call("export", "NavigationOpen", "--onnx", str(onnx), "--contract", str(contract))
    assert result.exit_code == 0, text_of(result)
    assert read_contract(contract).task == "NavigationOpen"
    result = call("eval", "NavigationOpen", "--policy", str(onnx), "--episodes", "4")
    assert result.exit_code == 0, text_of(result)
    assert "success   100.0%" in result.output
    result = call("play", "NavigationOpen", "--policy", str(onnx), "--episodes", "1")
    assert "ended by  goal 1" in result.output
    result = call("export", str(onnx), "--onnx", str(tmp_path / "again.onnx"))
    assert "is an ONNX file already" in text_of(result)


def test_a_contract_of_a_task_without_a_policy(tmp_path):
    path = tmp_path / "contract.json"
    result = call("export", "LineFollower2D", "--contract", str(path))
    assert result.exit_code == 0, text_of(result)
    assert [part.name for part in read_contract(path).observations][:2] == ["line", "line_before"]


def test_a_layout_is_written_with_what_to_run(tmp_path):
    path = tmp_path / "layout.yaml"
    result = call("scene", "NavigationOpen", "--seed", "5", "--out", str(path))
    assert result.exit_code == 0, text_of(result)
    assert path.exists()
    assert f"sim3d {path} --headless --ros-names --session NavigationOpen" in text_of(result)
    assert re.search(r"--goal=-?\d\.\d+,-?\d\.\d+", result.output)
