"""`horus-sim arm`: what it prints and its exit codes."""

from __future__ import annotations

import re

import pytest

from horus_sim.cli import app


def run(capsys, *arguments: str, code: int = 0) -> str:
    with pytest.raises(SystemExit) as ended:
        app.main(["arm", *arguments])
    captured = capsys.readouterr()
    assert (ended.value.code or 0) == code, captured.err
    return captured.out + captured.err


def test_cli_prints_the_forward_kinematics(capsys):
    out = run(capsys, "cli")
    assert re.search(r"^tool +0\.454904 +0\.000000 +0\.318301$", out, re.MULTILINE)
    assert "joint_6" in out
    assert "end effector rotation: xyzw (0.866025, 0.000000, 0.500000, 0.000000)" in out
    assert "-0.000000" not in out


def test_fk_takes_degrees_and_metres(capsys):
    assert re.search(
        r"tool +0\.325000 +0\.275000 +0\.287000",
        run(capsys, "fk", "0", "90", "0.1", "0", "--arm=scara"),
    )
    out = run(capsys, "fk", "0", "-90", "0.1", "0", "--arm", "scara")
    assert re.search(r"joint_2 +-90\.000 deg +0\.325000 +-0\.275000", out)
    error = run(capsys, "fk", "1", "2", code=1)
    assert "2 positions for the 6 joints of 'robot_arm'; give one for each of joint_1" in error


def test_ik_reaches(capsys):
    out = run(capsys, "ik", "0.4", "-0.1", "0.3")
    assert out.startswith("solved\n")
    out = run(capsys, "ik", "0.4", "-0.1", "0.3", "--rpy", "180,0,0")
    assert out.startswith("solved\n")
    assert run(capsys, "ik", "0.4", "0", "0.3", "--method", "dls").startswith("solved")


def test_ik_tells_why_not(capsys):
    out = run(capsys, "ik", "2", "0", "0", code=1)
    assert re.match(r"out of reach by 1\.\d+ m\n", out)
    out = run(capsys, "ik", "-0.3", "0", "0.2", "--arm", "scara", code=1)
    assert re.match(r"blocked by limits of joint_1: 0\.106 m short\n", out)
    assert "at its limit" in out
    assert "--rpy is '1,2'; write three numbers" in run(
        capsys, "ik", "0", "0", "0", "--rpy", "1,2", code=1
    )


def test_info_and_list(capsys):
    out = run(capsys, "info", "panda")
    assert out.startswith("panda: 7 joints, modified DH, reach below ")
    assert "Franka Emika" in out
    assert re.search(r"panda_joint4 +revolute +-176\.001 +-3\.9992", out)
    assert "ur5e" in run(capsys, "list")
    assert "did you mean 'panda'" in run(capsys, "info", "pand", code=1)


def test_sweep_and_files(capsys, tmp_path):
    table = tmp_path / "sweep.csv"
    out = run(capsys, "sweep", "planar3", "--steps", "5", "--output", str(table))
    assert len(table.read_text(encoding="utf-8").splitlines()) == 6
    assert f"5 points saved as {table}" in out


def test_export_and_info_of_the_file(capsys, tmp_path):
    urdf, mjcf = tmp_path / "arm.urdf", tmp_path / "arm.xml"
    run(capsys, "export", "ur5e", str(urdf))
    run(capsys, "export", "ur5e", str(mjcf))
    assert mjcf.read_text(encoding="utf-8").startswith("<mujoco")
    assert run(capsys, "info", str(urdf)).startswith("ur5e: 6 joints, URDF")
    assert "ends neither in .urdf nor in .xml" in run(capsys, "export", "ur5e", "x.sdf", code=1)


def test_verify_prints_the_table(capsys):
    out = run(capsys, "verify", "scara", "planar3")
    assert out.count("agrees") == 10
    assert (out.count(" static "), out.count(" dynamic ")) == (4, 6)
    assert "DISAGREES" not in out


def test_verify_fails_on_disagreement(capsys, monkeypatch):
    from horus_sim.arm import verify
    from horus_sim.arm.verify import Check

    monkeypatch.setattr(
        verify, "verify_mujoco", lambda arm: (Check("MuJoCo", "URDF", "tool", 0.1, 1e-9),)
    )
    out = run(capsys, "verify", "scara", code=1)
    assert "DISAGREES" in out
    assert "static: 1 disagree; the kinematics or the export is wrong" in out


def test_verify_tells_drives_from_kinematics(capsys, tmp_path):
    long = tmp_path / "long.yaml"
    joint = "{name: NAME, a_m: 50, d_m: 0, alpha_rad: 0, min_deg: -90, max_deg: 90}"
    joints = "\n".join(f"    - {joint.replace('NAME', name)}" for name in ("one", "two"))
    long.write_text(f"robot:\n  joints:\n{joints}\n", encoding="utf-8")
    out = run(capsys, "verify", str(long), code=1)
    assert len(re.findall(r" static .* agrees$", out, re.MULTILINE)) == 2
    assert re.search(r"dynamic: \d disagree, while the static checks agree: the kinematics is", out)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ik", ["[deg]", "[m]"]),
        ("verify", ["[pybullet]"]),
    ],
)
def test_help_keeps_brackets(command, words, capsys):
    out = run(capsys, command, "--help")
    assert all(word in out for word in words)


def test_files_that_cannot_be_written(capsys, tmp_path):
    folder = tmp_path / "folder.urdf"
    folder.mkdir()
    for path in (tmp_path / "none" / "x.urdf", folder):
        out = run(capsys, "export", "ur5e", str(path), code=1)
        assert re.search(r"error: '.*' cannot be written: .*; name a file in a folder that", out)
    assert "cannot be written" in run(capsys, "sweep", "planar3", "--output", str(tmp_path), code=1)


def test_a_picture_needs_a_file(capsys, tmp_path):
    pytest.importorskip("matplotlib", reason="pip install 'horus-sim[plot]'")
    out = run(capsys, "sweep", "planar3", "--steps", "5", "--plot", str(tmp_path), code=1)
    assert "that is a folder; name a file such as arm.png" in out
    assert "saved as" not in out.replace("cannot be saved as", "")
    out = run(capsys, "sweep", "planar3", "--steps", "5", "--plot", str(tmp_path / "x"), code=1)
    assert "that has no suffix; name a file such as arm.png" in out
    assert list(tmp_path.iterdir()) == []


def test_a_sweep_of_too_many_points(capsys):
    assert "1000000" in run(capsys, "sweep", "--steps", "1000000000000", code=2)


BRANCHES = """<robot name="two">
  <link name="base"/><link name="a"/><link name="left"/><link name="right"/>
  <joint name="yaw" type="continuous"><parent link="base"/><child link="a"/></joint>
  <joint name="l" type="continuous"><parent link="a"/><child link="left"/></joint>
  <joint name="r" type="continuous"><parent link="a"/><child link="right"/></joint>
</robot>"""


def test_a_branch_is_chosen(capsys, tmp_path):
    path = tmp_path / "two.urdf"
    path.write_text(BRANCHES, encoding="utf-8")
    out = run(capsys, "info", str(path), code=1)
    assert "has 2 leaf links (left, right); choose one with tip_link (--tip on the command" in out
    assert run(capsys, "info", str(path), "--tip", "left").startswith("two: 2 joints")
    out = run(capsys, "info", str(path), "--base", "a", "--tip", "right")
    assert out.startswith("two: 1 joints")
    for arguments in (["fk", "--arm"], ["cli"], ["sweep", "--steps", "3"]):
        assert "tip_link" not in run(capsys, *arguments, str(path), "--tip", "left")
    run(capsys, "export", str(path), str(tmp_path / "left.urdf"), "--tip", "left")
    assert "--tip chooses a link of a .urdf file, and 'ur5e' is not one; remove it" in run(
        capsys, "info", "ur5e", "--tip", "left", code=1
    )


def test_a_plot_of_an_arm_without_speeds(capsys, tmp_path):
    pytest.importorskip("matplotlib", reason="pip install 'horus-sim[plot]'")
    path, picture = tmp_path / "arm.yaml", tmp_path / "move.png"
    joint = "{name: one, a_m: 0.5, d_m: 0, alpha_rad: 0, min_deg: -90, max_deg: 90}"
    path.write_text(f"robot:\n  joints:\n    - {joint}\n", encoding="utf-8")
    arguments = ["ik", "0.4", "0.3", "0", "--arm", str(path), "--plot", str(picture)]
    out = run(capsys, *arguments, code=1)
    assert "one of 'arm' has no velocity limit; add --duration, the seconds" in out
    assert str(picture) in run(capsys, *arguments, "--duration", "2")
    assert picture.exists()


def test_plots_are_saved(capsys, tmp_path):
    pytest.importorskip("matplotlib", reason="pip install 'horus-sim[plot]'")
    path = tmp_path / "picture.png"
    for arguments in (["info"], ["fk"], ["sweep", "--steps", "5"], ["ik", "0.4", "0", "0.3"]):
        path.unlink(missing_ok=True)
        assert str(path) in run(capsys, *arguments, "--plot", str(path))
        assert path.stat().st_size > 10_000


def test_without_a_command_it_opens_the_page(capsys, monkeypatch, tmp_path):
    from horus_sim.ui.shell import server

    opened = []
    monkeypatch.setattr(
        server.Server, "__init__", lambda self, session, config: opened.append(config)
    )
    monkeypatch.setattr(server.Server, "invitation", "http://here", raising=False)
    monkeypatch.setattr(server.Server, "run", lambda self: None)
    assert "robot_arm: http://here (Ctrl-C ends)" in run(capsys)
    run(capsys, "ur5e", "--port", "0", "--no-open")
    path = tmp_path / "mine.urdf"
    run(capsys, "export", "scara", str(path))
    assert "mine.urdf: http://here" in run(capsys, str(path), "--no-open")
    paths = [(config.path, config.port, config.open_browser) for config in opened]
    assert paths == [
        ("/arm", 8080, True),
        ("/arm?arm=ur5e", 0, False),
        ("/arm?arm=mine.urdf", 8080, False),
    ]
    assert "did you mean 'ur5e'" in run(capsys, "ur5", code=1)
    assert "sweep" in run(capsys, "--help")
