"""Addresses of the arm page, and its library of arms."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.arm import Arm, to_urdf
from horus_sim.errors import ArmFileError, UiError
from horus_sim.tf import Transform
from horus_sim.ui.arm.model.address import SHOWN, ArmAddress, from_shown, query_of, to_shown
from horus_sim.ui.arm.model.arm_library import ArmLibrary
from horus_sim.ui.arm.model.moving_arm import MovingArm
from horus_sim.ui.arm.model.readout import joint_lines, tool_lines
from horus_sim.ui.shell.units import Units
from horus_sim.ui.shell.uploads import UploadFolder
from horus_sim.ui.stream.view_messages import read_pose

SCARA = Arm.load("scara")


@given(
    st.tuples(st.floats(-50, 50), st.floats(-88, 88), st.floats(0.0, 0.21), st.floats(-180, 180)),
    st.sets(st.sampled_from(list(SHOWN))),
    st.tuples(*[st.integers(-180, 180)] * 3),
    st.booleans(),
    st.sampled_from(["robust", "dls"]),
)
def test_an_address_brings_back_the_state(q, shown, view, is_pose, method):
    moving = MovingArm(SCARA)
    moving.set_method(method)
    moving.put(SCARA, from_shown(SCARA, q))
    moving.move_to(Transform((0.5, 0.1, 0.3)), "pose" if is_pose else "position")
    query = query_of(moving.state, "scara", view, shown)
    found = ArmAddress.read(dict(parse_qsl(query)))
    assert found.arm == "scara"
    positions = found.positions(SCARA)
    assert positions is not None
    np.testing.assert_allclose(positions, moving.state.goal, atol=1e-4)
    assert len(found.target) == (6 if is_pose else 3)
    assert found.T_world_target is not None
    np.testing.assert_allclose(found.T_world_target.translation, (0.5, 0.1, 0.3), atol=1e-4)
    assert found.view == tuple(float(angle) for angle in view)
    assert set(found.shown) == shown
    assert found.method == method


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({"q": "1,two"}, "the address has q=1,two; write numbers with commas"),
        ({"q": "nan"}, "the address has q=nan"),
        ({"target": "1,2"}, "the address has target=1,2; write 3 or 6 numbers"),
        ({"view": "1,2,3,4"}, "the address has view=1,2,3,4; write 3 numbers"),
        ({"solver": "magic"}, "the address has solver=magic; it knows robust, dls"),
        ({"show": "arcs,everything"}, "show=everything; it knows arcs, frames"),
    ],
)
def test_nonsense_in_an_address_is_named(query, text):
    with pytest.raises(UiError, match=text):
        ArmAddress.read(query)


def test_positions_of_another_arm_are_refused():
    with pytest.raises(UiError, match="2 joint positions, 'scara' has 4 joints"):
        ArmAddress.read({"q": "1,2"}).positions(SCARA)


def test_positions_are_shown_in_degrees_and_lengths():
    q = np.array([0.5, -0.5, 0.1, 0.0])
    assert to_shown(SCARA, q, 1000.0)[2] == pytest.approx(100.0)
    np.testing.assert_allclose(from_shown(SCARA, to_shown(SCARA, q, 1000.0), 1000.0), q)
    # What is rounded outward still counts.
    assert from_shown(SCARA, [105.0004, 0, 0, 0])[0] == SCARA.upper[0]
    state = MovingArm(SCARA).state
    assert "joint_3    50.00 mm" in joint_lines(state, Units("mm"))
    assert "joint_3   0.0500 m" in joint_lines(state, Units("m"))
    tool = state.T_world_tool.translation
    assert tool_lines(state, Units("m")).startswith(f"X {tool[0]:.4f}  Y {tool[1]:.4f}")
    assert f"Y {1000 * tool[0]:.1f}" in tool_lines(state, Units("mm"))


def test_the_library_takes_files():
    library = ArmLibrary(UploadFolder())
    text = Path(str(Arm.load("ur5e").description.path)).read_bytes()
    assert library.upload("mine.yaml", text) == "mine.yaml"
    assert library.get("mine.yaml").dof == 6
    assert library.upload("mine.urdf", to_urdf(SCARA).encode()) == "mine.urdf"
    assert library.get("mine.urdf").dof == 4
    assert library.names[-2:] == ["mine.yaml", "mine.urdf"]
    broken = text.replace(b"alpha_rad", b"alpha_deg", 1)
    with pytest.raises(
        ArmFileError,
        match=r"^broken.yaml:16: robot.joints\[0\].*'alpha_deg'; did you mean 'alpha_rad'",
    ):
        library.upload("broken.yaml", broken)
    assert "broken.yaml" not in library.names
    with pytest.raises(UiError, match=r"'arm\.exe' is not an arm; choose a file"):
        library.upload("arm.exe", b"")
    with pytest.raises(UiError, match="there is no arm 'nobody' here"):
        library.get("nobody")


def test_a_branched_urdf_needs_its_links():
    branched = b"""<robot name="two"><link name="base"/><link name="a"/><link name="b"/>
      <joint name="ja" type="revolute"><parent link="base"/><child link="a"/>
        <origin xyz="0 0 0.2"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/></joint>
      <joint name="jb" type="continuous"><parent link="base"/><child link="b"/></joint></robot>"""
    library = ArmLibrary(UploadFolder())
    with pytest.raises(
        ArmFileError, match=r"^'two.urdf' has 2 leaf links \(a, b\); choose one with tip_link"
    ):
        library.upload("two.urdf", branched)
    assert library.get(library.upload("two.urdf", branched, tip_link="a")).dof == 1


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"xyz": [1, 2, 3]},
        {"xyz": [1, 2], "quat": [0, 0, 0, 1]},
        {"xyz": "abc", "quat": [0, 0, 0, 1]},
        {"xyz": [1, 2, None], "quat": [0, 0, 0, 1]},
        {"xyz": [1, 2, float("nan")], "quat": [0, 0, 0, 1]},
        {"xyz": 3, "quat": {}},
    ],
)
def test_a_message_without_a_pose_is_refused(message):
    with pytest.raises(UiError, match="a view sent no pose"):
        read_pose(message)
