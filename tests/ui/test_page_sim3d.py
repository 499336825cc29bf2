"""The 3D page in a real browser: each main job is done by accessible name and seen in the world."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.sim3d import ObjectConfig, World, load_scene

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from .conftest import Site

Open = Callable[[str], "Page"]
Keep = Callable[[str], bytes]


def burger_x(world: World) -> float:
    return float(world.robots["burger"].pose.translation[0])


def burger_speed(world: World) -> float:
    return float(np.linalg.norm(world.robots["burger"].velocity[0]))


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def unfold(page: Page, panel: str) -> None:
    page.get_by_role("button", name=f'Expand "{panel}"').click()


def fill(page: Page, label: str, text: str) -> None:
    page.get_by_label(label, exact=True).fill(text)


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def test_time_is_played_paused_stepped_and_reset(site: Site, open_page: Open, keep: Keep):
    page = open_page("warehouse")
    keep("sim3d")
    press(page, "Pause")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    steps = site.session.simulation.status.steps
    press(page, "Step")
    site.wait_for(lambda world: world.steps == steps + 1)
    press(page, "Reset")
    site.wait_for(lambda world: world.steps == 0)
    press(page, "Play")
    site.wait_for(lambda world: world.steps > 10)
    box = page.get_by_role("slider", name="Speed", exact=True).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2)
    site.wait_for(lambda _: site.session.simulation.status.speed > 5.0)
    assert site.ask(lambda world: world.robots["burger"].has_control)


def test_keys_drive_and_letting_go_stops(site: Site, open_page: Open):
    page = open_page("warehouse")
    page.get_by_test_id("joystick").wait_for()
    page.get_by_label("Speed [m/s]").click()
    page.keyboard.down("ArrowUp")
    page.wait_for_timeout(300)
    page.keyboard.up("ArrowUp")
    assert abs(site.ask(burger_x)) < 0.02, "keys in a field do not drive"
    page.locator("canvas").focus()
    page.keyboard.down("w")
    site.wait_for(lambda world: burger_x(world) > 0.1)
    page.keyboard.up("w")
    released = time.monotonic()
    site.wait_for(lambda world: burger_speed(world) < 0.01)
    # The machine may be busy; the time itself is measured without a browser in test_teleop.
    assert time.monotonic() - released < 5.0
    where = site.ask(burger_x)
    page.keyboard.down("ArrowLeft")
    site.wait_for(lambda world: world.robots["burger"].pose.to_euler()[2] > 0.2)
    page.keyboard.up("ArrowLeft")
    assert abs(site.ask(burger_x) - where) < 0.1


def test_a_closed_tab_stops_the_robot(site: Site, open_page: Open, page: Page):
    open_page("warehouse")
    page.get_by_test_id("joystick").wait_for()
    page.locator("canvas").focus()
    page.keyboard.down("w")
    site.wait_for(lambda world: burger_x(world) > 0.1)
    page.close(run_before_unload=False)
    site.wait_for(lambda world: burger_speed(world) < 0.01)


def test_the_joystick_drives(site: Site, open_page: Open):
    page = open_page("warehouse")
    pad = page.get_by_test_id("joystick")
    pad.wait_for()
    box = pad.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 50)
    site.wait_for(lambda world: burger_x(world) > 0.1)
    page.mouse.up()
    site.wait_for(lambda world: burger_speed(world) < 0.01)


def test_a_second_browser_sees_the_same(site: Site, open_page: Open, browser: Browser):
    page = open_page("warehouse")
    other = browser.new_page()
    other.goto(site.server.address)
    other.wait_for_selector('[data-scene="warehouse"]')
    press(page, "Pause")
    other.get_by_role("button", name="Play", exact=True).wait_for()
    press(other, "Play")
    page.get_by_role("button", name="Pause", exact=True).wait_for()
    assert site.session.stream.clients == 2
    other.close()
    end = time.monotonic() + 10
    while site.session.stream.clients > 1 and time.monotonic() < end:
        time.sleep(0.05)
    assert site.session.stream.clients == 1


VIEW_MODES = {
    "Frames": "frames",
    "Collision shapes": "collision",
    "Sensors": "sensors",
    "Physics": "physics",
}


def test_view_modes_change_the_picture(open_page: Open, keep: Keep):
    page = open_page("warehouse")
    page.get_by_test_id("joystick").wait_for()
    press(page, "Pause")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    view = page.locator(".horus-view canvas")
    for name, file in VIEW_MODES.items():
        button = page.get_by_role("button", name=name, exact=True)
        assert button.get_attribute("aria-pressed") == "false"
        before = view.screenshot()
        same = view.screenshot() == before
        assert same, f"a paused world looks the same twice, before '{name}'"
        button.click()
        page.mouse.move(2, 2)  # no tooltip in the picture
        page.wait_for_timeout(1200)
        assert button.get_attribute("aria-pressed") == "true"
        same = view.screenshot() == before
        assert not same, name
        keep(f"sim3d_{file}")
        button.click()
        page.mouse.move(2, 2)
        page.wait_for_timeout(1200)
        same = view.screenshot() == before
        assert same, f"'{name}' leaves nothing behind"
    for camera in ("Follow", "Top"):
        press(page, camera)
        page.wait_for_timeout(500)
        keep(f"sim3d_{camera.lower()}")
    press(page, "Play")


def test_frames_are_filtered(open_page: Open):
    page = open_page("warehouse")
    press(page, "Frames")
    page.locator(".horus-frame-label", has_text="burger/scan").first.wait_for()
    assert page.locator(".horus-frame-label:visible", has_text="ground").count() == 1
    press(page, "Frame filter")
    page.get_by_role("radio", name="robots").click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.horus-frame-label')]"
        ".filter(e => e.style.display !== 'none').every(e => e.textContent.startsWith('burger'))"
    )


def test_a_box_is_added_moved_deleted_undone_saved_and_loaded(site: Site, open_page: Open):
    page = open_page("empty_world")
    unfold(page, "Add")
    fill(page, "x [m]", "2")
    page.get_by_label("Moves").click()
    press(page, "Add")
    site.wait_for(lambda world: "box" in world.objects)
    assert site.ask(lambda world: world.objects["box"].pose.translation.tolist()) == [2.0, 0.0, 0.5]
    unfold(page, "Selection")
    page.wait_for_timeout(700)
    choose(page, "Selected", "box")
    page.wait_for_function(
        "() => document.querySelector('[aria-label=\"X position\"]').value === '2.000'"
    )
    fill(page, "X position", "3.5")
    fill(page, "Yaw [deg]", "90")
    press(page, "Move")
    site.wait_for(lambda world: world.objects["box"].pose.translation[0] == 3.5)
    press(page, "Undo")
    site.wait_for(lambda world: world.objects["box"].pose.translation[0] == 2.0)
    press(page, "Redo")
    site.wait_for(lambda world: world.objects["box"].pose.translation[0] == 3.5)
    unfold(page, "Scene")
    fill(page, "Save as", "with_box")
    press(page, "Save")
    path = site.session.folder / "with_box.yaml"
    site.wait_for(lambda _: path.is_file())
    saved = {item.name: item for item in load_scene(path).objects}
    np.testing.assert_allclose(saved["box"].pose.transform().translation, (3.5, 0, 0.5))
    press(page, "Delete")
    site.wait_for(lambda world: "box" not in world.objects)
    page.get_by_role("combobox", name="Scene", exact=True).click()
    page.get_by_role("option", name="with_box (saved)").click()
    press(page, "Open")
    site.wait_for(lambda world: world.scene.name == "with_box" and "box" in world.objects)
    page.wait_for_selector('[data-scene="with_box"]')


def test_a_thing_is_picked_and_dragged_and_a_killed_browser_loses_nothing(
    site: Site, open_page: Open, keep: Keep
):
    page = open_page("empty_world")
    x, y, _ = site.ask(lambda world: world.model.stat.center.tolist())
    crate = {"name": "crate", "shape": {"kind": "box", "size": [0.6, 0.6, 0.6]}}
    crate["pose"] = {"xyz": [x, y, 0.3]}
    site.session.editor.add_object(ObjectConfig.model_validate(crate)).result(20)
    press(page, "Top")
    unfold(page, "Selection")
    page.wait_for_timeout(1500)
    box = page.locator(".horus-view canvas").bounding_box()
    assert box is not None
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(*middle)
    page.wait_for_function(
        "() => document.querySelector('[aria-label=Selected]').value === 'crate'"
    )
    page.wait_for_timeout(800)
    keep("sim3d_gizmo")
    # From above 10 m fill the height, and the arrow along x is 1.4 m long.
    metre = box["height"] / 10
    page.mouse.move(middle[0] + 0.9 * metre, middle[1])
    page.mouse.down()
    page.mouse.move(middle[0] + 1.9 * metre, middle[1], steps=5)
    site.wait_for(lambda world: abs(world.objects["crate"].pose.translation[0] - x - 1) < 0.1)
    page.close(run_before_unload=False)
    site.wait_for(lambda _: site.session.stream.clients == 0)
    site.wait_for(lambda world: abs(world.objects["crate"].pose.translation[0] - x - 1) < 0.1)
    site.wait_for(lambda _: site.session.editor.can_undo)
    assert site.session.editor.undo().result(20) == "crate"
    np.testing.assert_allclose(
        site.ask(lambda world: world.objects["crate"].pose.translation), (x, y, 0.3), atol=1e-9
    )


def test_a_urdf_that_is_dropped_joins_the_world(site: Site, open_page: Open, tmp_path: Path):
    page = open_page("empty_world")
    path = tmp_path / "toy.urdf"
    path.write_text(
        '<robot name="toy"><link name="base"><inertial><mass value="1"/>'
        '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual>'
        '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link></robot>'
    )
    page.wait_for_timeout(500)
    transfer = page.evaluate_handle(
        """([name, text]) => { const data = new DataTransfer();
        data.items.add(new File([text], name)); return data; }""",
        ["toy.urdf", path.read_text()],
    )
    page.locator(".horus-view canvas").dispatch_event("drop", {"dataTransfer": transfer})
    site.wait_for(lambda world: "toy" in world.robots)


BAD_FILES = {
    "bad.urdf": ("<robot", "bad.urdf"),
    "evil.exe": ("MZ", "neither robot nor scene"),
    "bad.sdf": ("<sdf", "bad.sdf"),
    "bad.yaml": ("robtos: []", "did you mean 'robots'"),
}
NONSENSE = (
    ("Length [m]", "abc", "not a number"),
    ("Length [m]", "0", "more than 0"),
    ("Width [m]", "1e9", "at most 100"),
    ("Height [m]", "nan", "not finite"),
    ("x [m]", "", "not a number"),
    ("Mass [kg]", "-3", "more than 0"),
)
BAD_NAMES = ("../up", "", "a/b", "x" * 100)


def test_nonsense_is_answered_where_it_was_typed_and_changes_nothing(site: Site, open_page: Open):
    page = open_page("empty_world")
    generation = site.ask(lambda world: world.generation)
    unfold(page, "Add")
    for label, text, message in NONSENSE:
        control = page.get_by_label(label, exact=True)
        right = control.input_value()
        control.fill(text)
        press(page, "Add")
        field = page.locator(".q-field", has=page.get_by_label(label, exact=True))
        field.get_by_text(message).wait_for()
        control.fill(right)
    unfold(page, "Scene")
    for name in BAD_NAMES:
        fill(page, "Save as", name)
        press(page, "Save")
        field = page.locator(".q-field", has=page.get_by_label("Save as", exact=True))
        field.get_by_text("a name has 1 to 64 letters").wait_for()
    for name, (content, message) in BAD_FILES.items():
        page.locator("input[type=file]").set_input_files(
            {"name": name, "mimeType": "text/xml", "buffer": content.encode()}
        )
        page.locator(".q-notification", has_text=message).first.wait_for()
    assert site.ask(lambda world: world.generation) == generation
    assert site.ask(lambda world: world.scene.name) == "empty_world"
    assert list(site.session.folder.parent.glob("up*")) == []


def test_nothing_hangs_over_the_edge(open_page: Open, keep: Keep):
    page = open_page("warehouse")
    for width, height in ((390, 780), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(500)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
        box = page.locator(".horus-view canvas").bounding_box()
        assert box is not None
        assert box["width"] > 300
        assert box["height"] > 300
        keep(f"sim3d_{width}")
    press(page, "Light or dark")
    page.wait_for_selector("body.body--dark")
    page.wait_for_timeout(500)
    keep("sim3d_dark")
    press(page, "Light or dark")
    page.wait_for_selector("body.body--light")


def test_a_lost_connection_comes_back(site: Site, open_page: Open):
    page = open_page("warehouse")
    site.wait_for(lambda _: site.session.stream.clients == 1)
    page.evaluate(
        "() => Object.values(mounted_app.$refs).flat().find(e => e?.connection)"
        ".connection.socket.close()"
    )
    page.wait_for_timeout(1000)
    page.locator(".horus-lost").wait_for(state="hidden")
    page.get_by_test_id("joystick").wait_for()
    page.locator("canvas").focus()
    page.keyboard.down("w")
    site.wait_for(lambda world: burger_x(world) > 0.05)
    page.keyboard.up("w")


def test_joint_sliders_move_an_arm(site: Site, open_page: Open):
    page = open_page("tabletop")
    robot = site.ask(lambda world: next(iter(world.robots)))
    joint = site.ask(lambda world: world.robots[robot].joint_names[0])
    before = site.ask(lambda world: world.robots[robot].joint_positions()[0])
    box = page.get_by_role("slider", name=f"Joint {joint}").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + box["height"] / 2)
    site.wait_for(lambda world: abs(world.robots[robot].joint_positions()[0] - before) > 0.05)
