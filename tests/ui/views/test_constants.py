"""Constants that Python and JavaScript share."""

from __future__ import annotations

import mujoco

from horus_sim.ui.stream.constants import KIND, SCRIPT, javascript


def test_the_script_has_the_constants_of_python():
    assert SCRIPT.read_text() == javascript(), "run python -m horus_sim.ui.stream.constants"


def test_kinds_stand_in_the_order_of_mujoco():
    geoms, lights, joints = mujoco.mjtGeom, mujoco.mjtLightType, mujoco.mjtJoint
    wanted = {"field": "HFIELD"}
    for kind in KIND["geom"]:
        name = f"mjGEOM_{wanted.get(kind, kind.upper())}"
        assert KIND["geom"].index(kind) == int(getattr(geoms, name))
    for kind in KIND["light"]:
        assert KIND["light"].index(kind) == int(getattr(lights, f"mjLIGHT_{kind.upper()}"))
    for kind in KIND["joint"]:
        assert KIND["joint"].index(kind) == int(getattr(joints, f"mjJNT_{kind.upper()}"))
