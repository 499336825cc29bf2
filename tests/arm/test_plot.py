"""Pictures are written, and errors tell what is missing."""

from __future__ import annotations

import errno
import os
import re
import sys

import pytest

from horus_sim.arm import Arm, build_range_trajectory
from horus_sim.arm.plot import plot_ellipsoid, plot_trajectory, plot_workspace
from horus_sim.errors import ArmError, MissingExtraError
from horus_sim.installation import install_command

PNG = b"\x89PNG"


def test_pictures_are_saved(tmp_path, monkeypatch):
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
    with pytest.raises(ArmError, match=r"x\.png' cannot be written: No such file"):
        plot_workspace(arm, tmp_path / "none" / "x.png", points=10)
    with pytest.raises(ArmError, match="cannot be saved"):
        plot_workspace(arm, tmp_path / "x.nonsense", points=10)
    old = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ArmError, match="written: No space left on device; free some space"):
        plot_workspace(arm, path, points=10)
    assert path.read_bytes() == old


def test_a_missing_matplotlib_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=re.escape(install_command("plot"))):
        plot_workspace(Arm.load("planar3"), tmp_path / "x.png")
