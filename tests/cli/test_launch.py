"""`horus-sim launch`, as far as nothing is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from horus_sim.cli import app


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        app.main(["launch", *words])
    captured = capsys.readouterr()
    return int(str(stop.value.code or 0)), captured.out, captured.err


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "avoid.py").write_text("raise SystemExit('it was started')", encoding="utf-8")
    path = tmp_path / "demo.yaml"
    path.write_text(
        """
session: demo
world: {scene: warehouse, seed: 1, page: false}
nodes:
  logger: {run: [python, -c, pass], after: avoid, env: {LEVEL: 1}}
  avoid: {run: avoid.py, args: [a b], remap: {scan: burger/scan}, restart: always, required: true}
""",
        encoding="utf-8",
    )
    return path


def test_check_prints_what_would_start(file: Path, capsys: pytest.CaptureFixture[str]):
    assert run(capsys, str(file), "--check", "--set", "world.seed=2") == (
        0,
        f"""\
{file}: sound; in session 'demo' it would start
1. world: horus-sim sim3d run warehouse --session demo --headless --seed 2
     all ends with it
2. avoid: python avoid.py 'a b'
     after world
     scan is burger/scan
     restart always, at most 5 times in a row
     all ends with it
3. logger: python -c pass
     after world, avoid
     sets LEVEL
""",
        "",
    )


def test_check_names_what_is_wrong(file: Path, capsys: pytest.CaptureFixture[str]):
    code, out, err = run(capsys, str(file), "--check", "--set", "nodes.avoid.run=avod.py")
    assert (code, out) == (1, "")
    assert f"nodes.avoid.run: there is no file '{file.parent / 'avod.py'}'" in err


def test_help_tells_what_it_is(capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert "Start a world, nodes and a page from one file; Ctrl-C ends them all." in out
    for option in ("--check", "--session", "--set"):
        assert option in out
