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
    assert re.match(r"blocked by limits of joint_1, .* m short\n", out)
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
    assert "DISAGREES" not in out


def test_verify_fails_on_disagreement(capsys, monkeypatch):
    from horus_sim.arm import verify
    from horus_sim.arm.verify import Check

    monkeypatch.setattr(
        verify, "verify_mujoco", lambda arm: (Check("MuJoCo", "URDF", "tool", 0.1, 1e-9),)
    )
    assert "DISAGREES" in run(capsys, "verify", "scara", code=1)


def test_plots_are_saved(capsys, tmp_path):
    pytest.importorskip("matplotlib", reason="pip install 'horus-sim[plot]'")
    path = tmp_path / "picture.png"
    for arguments in (["info"], ["fk"], ["sweep", "--steps", "5"], ["ik", "0.4", "0", "0.3"]):
        path.unlink(missing_ok=True)
        assert str(path) in run(capsys, *arguments, "--plot", str(path))
        assert path.stat().st_size > 10_000


def test_without_a_command_it_opens_the_page(capsys, monkeypatch, tmp_path):
    from horus_sim.ui import server

    opened = []
    monkeypatch.setattr(
        server.Server, "__init__", lambda self, session, config: opened.append(config)
    )
    monkeypatch.setattr(server.Server, "address", "http://here", raising=False)
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
