"""The arm page in a real browser: by accessible name, checked in the model behind it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.ui.conftest import LONGEST_S, Visit

from horus_sim.arm import Arm, to_urdf
from horus_sim.ui.arm.model.arm_thread import ArmThread, ArmThreads
from horus_sim.ui.arm.model.moving_arm import ArmState

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.ui.conftest import Site


class ArmPage(Visit):
    """The page, and the thread behind it."""

    def __init__(self, site: Site, page: Page) -> None:
        super().__init__(page)
        self.site = site

    def open(self, query: str = "") -> ArmPage:
        """Opens the page, and waits until the arm is drawn."""
        self.page.goto(self.site.server.link(f"/arm{query}"))
        self.page.wait_for_selector("[data-tool]")
        self.wait_for_connection()
        return self

    @property
    def thread(self) -> ArmThread:
        return list(ArmThreads.of(self.site.shared).sessions.values())[-1]

    @property
    def state(self) -> ArmState:
        return self.thread.state

    def wait_for(self, condition: Callable[[ArmState], bool]) -> ArmState:
        end = time.monotonic() + LONGEST_S
        while not condition(self.state):
            assert time.monotonic() < end, "it did not happen"
            time.sleep(0.02)
        return self.state

    def rest(self) -> ArmState:
        return self.wait_for(lambda state: not state.is_moving)

    def nudge(self, slider: str) -> None:
        """Moves a slider by a step, with the keyboard."""
        found = self.page.get_by_role("slider", name=slider, exact=True)
        found.locator("[tabindex='0']").press("ArrowRight")

    def says(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).get_by_text(text).wait_for()


@pytest.fixture
def arm(site: Site, page: Page) -> ArmPage:
    return ArmPage(site, page)


def test_a_reachable_and_an_unreachable_target(arm: ArmPage):
    arm.open()
    for label, text in zip("XYZ", ("0.4", "-0.2", "0.35"), strict=True):
        arm.fill(label, text)
    arm.press("Move To XYZ")
    arm.says("Result", "solved")
    state = arm.rest()
    np.testing.assert_allclose(state.arm.fk(state.q).translation, (0.4, -0.2, 0.35), atol=2e-6)
    arm.says("End effector", "X 0.4000  Y -0.2000  Z 0.3500 m")
    arm.keep("arm")

    arm.fill("X", "1.2")
    arm.press("Move To XYZ")
    arm.says("Result", "out of reach by 0.")
    state = arm.wait_for(lambda state: state.is_unreachable and not state.is_moving)
    left = np.linalg.norm(state.arm.fk(state.q).translation - (1.2, -0.2, 0.35))
    arm.says("Result", f"residual {left:.4f} m")
    arm.page.locator(".horus-arm-note", has_text="out of reach by").wait_for()
    arm.keep("arm_unreachable")
    arm.page.wait_for_url("**/arm?*target=1.2,-0.2,0.35*")
    address = arm.page.url

    # A link opens it again.
    arm.page.goto("about:blank")
    arm.page.goto(address)
    arm.page.locator(".horus-arm-note", has_text="out of reach by").wait_for()
    arm.wait_for_connection()
    again = arm.rest()
    np.testing.assert_allclose(again.goal, state.goal, atol=1e-4)

    # The solver of the file: one start, and its own tolerance.
    arm.choose("Solver", "damped least squares")
    arm.wait_for(lambda state: state.method == "dls")
    arm.sees_value("X", "1.2000")
    arm.fill("X", "0.6")
    arm.press("Move To XYZ")
    arm.says("Result", "solved")
    state = arm.rest()
    assert state.answer is not None
    assert state.answer.starts == 1
    assert 1e-6 < state.answer.position_error <= state.arm.description.dls.tolerance_m
    arm.page.wait_for_url("**/arm?*solver=dls*")


@pytest.mark.parametrize("query", ["", "?q=10,20,30,40,50,60", "?target=0.3,0.1,0.2"])
def test_what_is_typed_as_soon_as_the_page_is_seen_stays(arm: ArmPage, query: str):
    arm.page.goto(arm.site.server.link(f"/arm{query}"), wait_until="commit")
    arm.fill("X", "0.4")
    arm.page.wait_for_selector("[data-tool]")
    arm.wait_for_connection()
    # Longer than the page's timer and the server's delay before its first messages.
    arm.page.wait_for_timeout(500)
    arm.sees_value("X", "0.4")
    before = arm.state.goals
    arm.press("Move To XYZ")
    state = arm.wait_for(lambda state: state.goals > before and not state.is_moving)
    assert state.T_world_target.translation[0] == 0.4


def test_nonsense_is_refused_beside_the_field(arm: ArmPage):
    arm.open("?q=10,20,30,40,50,60")
    before = arm.rest()
    arm.fill("X", "far away")
    arm.page.get_by_text("not a number").wait_for()
    arm.press("Move To XYZ")
    arm.fill("X", "0.4")
    arm.fill("Y", "1e999")
    arm.page.get_by_text("not finite").wait_for()
    arm.press("Move To XYZ")
    arm.fill("Y", "0")
    arm.fill("joint_2", "151")
    arm.page.get_by_text("at most 150").wait_for()
    arm.fill("joint_3", "-120.5")
    arm.page.get_by_text("at least -120").wait_for()
    arm.press("Apply Joint Angles")
    arm.fill("joint_2", "90")
    arm.press("Apply Joint Angles")
    arm.page.get_by_text("at least -120").wait_for()
    assert arm.state.goals == before.goals
    arm.fill("joint_3", "-120")
    arm.press("Apply Joint Angles")
    state = arm.wait_for(lambda state: state.goals > before.goals and not state.is_moving)
    np.testing.assert_allclose(np.degrees(state.q), (10, 90, -120, 40, 50, 60), atol=1e-9)
    arm.says("Joint positions", "joint_2 90.00 deg")


def test_a_pose_on_a_straight_line_in_millimetres(arm: ArmPage):
    arm.open("?arm=ur5e&q=0,-90,90,-90,-90,0")
    arm.rest()
    arm.choose_setting("CAD millimetres")
    arm.says("End effector", "mm")
    arm.page.get_by_role("button", name="Pose", exact=True).click()
    arm.page.get_by_label("Roll", exact=True).wait_for()
    assert arm.state.mode == "pose"
    tool = arm.state.T_world_tool
    x, y, z = tool.translation
    arm.fill("Z", f"{1000 * z - 80:.1f}")
    arm.choose("Path", "straight line")
    arm.press("Move To XYZ")
    arm.says("Result", "solved")
    state = arm.rest()
    np.testing.assert_allclose(state.T_world_tool.translation, (x, y, z - 0.08), atol=2e-4)
    turned = state.T_world_tool.inverse() @ tool
    assert np.linalg.norm(turned.rotation[:3]) < 1e-3


def test_the_target_is_dragged(arm: ArmPage):
    arm.open()
    before = arm.rest().T_world_target.translation
    view = arm.page.locator("[data-target]")
    box = view.bounding_box()
    assert box is not None
    x, y = (int(part) for part in str(view.get_attribute("data-target")).split(","))
    arm.page.mouse.move(box["x"] + x, box["y"] + y)
    arm.page.mouse.down()
    arm.page.mouse.move(box["x"] + x - 30, box["y"] + y - 20, steps=3)
    arm.wait_for(lambda state: state.goal_by == "drag")
    arm.page.mouse.up()
    state = arm.rest()
    moved = state.T_world_target.translation - before
    assert 0.02 < np.linalg.norm(moved) < 0.6
    assert moved[2] > 0, "up on the screen is up"
    np.testing.assert_allclose(
        state.arm.fk(state.q).translation, state.T_world_target.translation, atol=2e-5
    )
    arm.keep("arm_dragged")


def test_sliders_teach_jog_and_turn_the_view(arm: ArmPage):
    arm.open()
    before = arm.rest()
    arm.unfold("Teach")
    arm.nudge("Teach Z")
    state = arm.wait_for(lambda state: state.goal_by == "teach 2" and not state.is_moving)
    assert state.T_world_tool.translation[2] > before.T_world_tool.translation[2]
    arm.nudge("Jog joint_1")
    arm.wait_for(lambda state: state.goal_by == "slider 0" and not state.is_moving)
    assert arm.state.q[0] > state.q[0]
    np.testing.assert_array_equal(arm.state.q[1:], state.q[1:])
    arm.unfold("View")
    arm.nudge("Rz")
    arm.page.wait_for_selector('[data-turn="0,0,1"]')
    arm.page.wait_for_url("**view=0,0,1*")
    arm.press("Reset View")
    arm.page.wait_for_selector('[data-turn="0,0,0"]')


def test_record_play_and_export(arm: ArmPage, tmp_path: Path):
    arm.open()
    arm.unfold("Recording")
    arm.press("Record")
    arm.wait_for(lambda state: state.is_recording)
    arm.fill("joint_1", "20")
    arm.press("Apply Joint Angles")
    arm.wait_for(lambda state: state.goal_by == "joints" and not state.is_moving)
    arm.press("Stop recording")
    recording = arm.wait_for(lambda state: state.recording is not None).recording
    assert recording is not None
    assert np.degrees(recording.q[-1][0]) == pytest.approx(20)
    arm.press("Home")
    arm.wait_for(lambda state: state.q[0] == 0.0 and not state.is_moving)
    arm.fill("Playback speed", "0")
    arm.page.get_by_text("at least 0.1").wait_for()
    arm.press("Play")
    assert not arm.state.is_playing
    arm.fill("Playback speed", "5")
    arm.press("Play")
    arm.wait_for(lambda state: np.isclose(np.degrees(state.q[0]), 20) and not state.is_moving)
    leaves = "window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert not arm.page.evaluate(leaves), "the browser asks before it loses the recording"
    for kind in ("CSV", "JSON"):
        with arm.page.expect_download() as download:
            arm.press(f"Export {kind}")
        download.value.save_as(tmp_path / download.value.suggested_filename)
    assert (tmp_path / "robot_arm.csv").read_text() == recording.to_csv()
    found = json.loads((tmp_path / "robot_arm.json").read_text())
    np.testing.assert_array_equal(found["q"], recording.q)
    arm.wait_for(lambda state: state.is_exported)
    arm.page.wait_for_function(leaves)


def test_arms_are_chosen_and_uploaded(arm: ArmPage, tmp_path: Path):
    arm.open()
    arm.choose("Arm", "scara")
    arm.page.wait_for_selector('[data-arm="scara"]')
    arm.press("Workspace")
    arm.press("Manipulability")
    arm.page.wait_for_url("**/arm?arm=scara*show=*cloud,ellipsoid*")
    arm.unfold("Arm file")
    before = arm.state
    broken = tmp_path / "broken.yaml"
    text = Path(str(Arm.load("ur5e").description.path)).read_text()
    broken.write_text(text.replace("alpha_rad", "alfa_rad", 1))
    chooser = arm.page.get_by_label("Arm file").locator("input[type=file]")
    chooser.set_input_files(broken)
    arm.says("Upload message", "broken.yaml:16: robot.joints[0]")
    arm.says("Upload message", "unknown key 'alfa_rad'; did you mean 'alpha_rad'?")
    arm.keep("arm_broken_file")
    assert arm.state.revision == before.revision
    good = tmp_path / "good.urdf"
    good.write_text(to_urdf(Arm.load("planar3")))
    chooser.set_input_files(good)
    arm.page.wait_for_selector('[data-arm="planar3"]')
    assert arm.state.arm.dof == 3
    assert arm.state.arm.description.convention is None
    arm.page.get_by_label("Upload message").wait_for(state="hidden")
    np.testing.assert_allclose(
        arm.state.T_world_tool.to_matrix(),
        Arm.load("planar3").fk(arm.state.q).to_matrix(),
        atol=1e-9,
    )


def test_a_choice_is_not_undone_by_a_page_that_follows_the_arm(
    arm: ArmPage, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("horus_sim.ui.arm.page._REFRESH_S", 0.003)
    arm.open()
    for name in ("scara", "planar3", "scara"):
        arm.choose("Arm", name)
        arm.wait_for(lambda state, name=name: state.arm.name == name)


def test_a_choice_stays_while_it_is_loaded(arm: ArmPage, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("horus_sim.ui.arm.page._REFRESH_S", 0.003)
    arm.open()
    library, may_load = ArmThreads.of(arm.site.shared).library, threading.Event()
    load, asked = library.get, threading.Event()

    def load_late(name: str) -> Arm:
        asked.set()
        assert may_load.wait(LONGEST_S)
        return load(name)

    monkeypatch.setattr(library, "get", load_late)
    arm.choose("Arm", "scara")
    assert asked.wait(LONGEST_S)
    field = arm.page.get_by_role("combobox", name="Arm", exact=True)
    shown = arm.page.locator(".q-select", has=field)
    shown.get_by_text("scara").wait_for()
    seen = {shown.inner_text().split()[0] for _ in range(50)}
    may_load.set()
    arm.wait_for(lambda state: state.arm.name == "scara")
    assert seen == {"scara"}


def test_an_address_that_means_nothing_is_named(arm: ArmPage):
    arm.open("?arm=nobody&q=1,2")
    arm.says("Address message", "there is no arm 'nobody' here")
    assert arm.state.arm.name == "robot_arm"
