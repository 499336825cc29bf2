"""Pictures are written, and errors tell what is missing."""

from __future__ import annotations

import sys

import pytest

from horus_sim.arm import Arm, build_range_trajectory
from horus_sim.arm.plot import plot_ellipsoid, plot_trajectory, plot_workspace
from horus_sim.errors import ArmError, MissingExtraError

PNG = b"\x89PNG"


def test_pictures_are_saved(tmp_path):
    pytest.importorskip("matplotlib", reason="pip install 'horus-sim[plot]'")
    arm = Arm.load("robot_arm")
    path = tmp_path / "picture.png"
    for draw in (
        lambda: plot_workspace(arm, path, points=300),
        lambda: plot_ellipsoid(arm, arm.initial, path),
        lambda: plot_trajectory(arm, build_range_trajectory(arm, 20), path),
    ):
        path.unlink(missing_ok=True)
        draw()
        assert path.read_bytes().startswith(PNG)
        assert path.stat().st_size > 10_000
    with pytest.raises(ArmError, match=r"the picture cannot be saved as .*check folder and suffix"):
        plot_workspace(arm, tmp_path / "none" / "x.png", points=10)
    with pytest.raises(ArmError, match="cannot be saved"):
        plot_workspace(arm, tmp_path / "x.nonsense", points=10)


def test_a_missing_matplotlib_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'horus-sim\[plot\]'"):
        plot_workspace(Arm.load("planar3"), tmp_path / "x.png")
