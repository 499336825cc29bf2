"""Panels in a real browser: sensors, pictures, joints, recordings; and pages of any width."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from horus_sim.running.recording import McapFile
from horus_sim.sim3d import World

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.ui.conftest import Site, Visit

Open = Callable[[str], "Visit"]
SCENE = """
name: cameras
objects:
  - {name: ground, shape: {kind: plane}, material: {rgba: [0.4, 0.5, 0.4, 1]}}
  - {name: ball, shape: {kind: sphere, radius: 0.3}, pose: {xyz: [1.5, 0, 0.3]},
     material: {rgba: [0.9, 0.2, 0.1, 1]}}
robots:
  - {model: turtlebot3_burger, name: burger}
sensors:
  - {kind: camera, name: rgb, mount: burger/base_scan, rate_hz: 2, width: 160, height: 120}
  - {kind: depth_camera, name: depth, mount: burger/base_scan, rate_hz: 2, width: 160, height: 120}
  - {kind: segmentation_camera, name: seg, mount: burger/base_scan, rate_hz: 2, width: 160,
     height: 120}
  - {kind: gps, name: gps, mount: burger/base_link, rate_hz: 10}
  - {kind: imu, name: imu, mount: burger/imu_link, rate_hz: 50}
  - {kind: laser_scan, name: scan, mount: burger/base_scan, rate_hz: 5, rays: 360}
"""


def test_sensors_have_readings_plots_and_pictures(site: Site, visit: Open, tmp_path: Path):
    (tmp_path / "cameras.yaml").write_text(SCENE)
    user = visit("empty_world")
    page = user.page
    user.unfold("Sensors")
    page.get_by_text("This scene has no sensors.").wait_for()
    site.session.simulation.replace(World.load(tmp_path / "cameras.yaml")).result(60)
    page.wait_for_selector('[data-scene="cameras"]')
    for name in ("rgb", "depth", "seg"):
        page.wait_for_function(
            "(alt) => document.querySelector(`img[alt='${alt}']`)?.naturalWidth === 160",
            arg=f"Picture of burger/{name}",
        )
    page.get_by_label("Reading of burger/scan").get_by_text("hits, nearest").wait_for()
    page.get_by_label("Plot of burger/imu").scroll_into_view_if_needed()
    page.wait_for_selector('canvas[aria-label="Plot of burger/imu"]:not([data-samples="1"])')
    page.get_by_label("Reading of burger/gps").get_by_text("latitude").wait_for()
    user.press("Sensors")
    page.locator(".horus-frame-label", has_text="burger/gps (gps)").wait_for()
    page.get_by_label("Plot of burger/imu").scroll_into_view_if_needed()
    user.keep("sim3d_sensor_panels")


def test_joint_sliders_move_an_arm(site: Site, visit: Open):
    user = visit("tabletop")
    robot = site.ask(lambda world: next(iter(world.robots)))
    joint = site.ask(lambda world: world.robots[robot].joint_names[0])
    before = site.ask(lambda world: world.robots[robot].joint_positions()[0])
    user.slide(f"Joint {joint}", 0.7)
    site.wait_for(lambda world: abs(world.robots[robot].joint_positions()[0] - before) > 0.05)
    user.page.get_by_text("No robot of this scene drives").wait_for()
    assert not user.page.get_by_test_id("joystick").is_visible()
    user.keep("sim3d_arm")


# A busy machine draws few pictures: what was filmed is waited for, not a time.
COUNT_FILMED_BYTES = """
    window.filmedBytes = 0;
    const Usual = window.MediaRecorder;
    window.MediaRecorder = class extends Usual {
      constructor(...given) {
        super(...given);
        this.addEventListener("dataavailable", ({ data }) => { window.filmedBytes += data.size; });
      }
    };
"""


def test_recordings_are_made_by_buttons(site: Site, page: Page, visit: Open, tmp_path: Path):
    page.add_init_script(COUNT_FILMED_BYTES)
    user = visit("warehouse")
    user.press("Record MCAP")
    user.page.get_by_role("button", name="Stop recording").wait_for()
    user.press("Record video")
    steps = site.ask(lambda world: world.steps)
    site.wait_for(lambda world: world.steps > steps + 240)
    user.press("Stop recording")
    user.page.locator(".q-notification", has_text="messages to").wait_for()
    recording = max(site.shared.folder.glob("warehouse_*.mcap"))
    assert {"clock", "burger/scan", "burger/odom"} <= McapFile(recording).topics()
    page.wait_for_function("window.filmedBytes > 10000")
    with user.page.expect_download() as waiting:
        user.press("Stop video")
    waiting.value.save_as(tmp_path / "view.webm")
    assert waiting.value.suggested_filename == "warehouse.webm"
    # An EBML file, as WebM is, with something in it.
    data = (tmp_path / "view.webm").read_bytes()
    assert data[:4] == b"\x1a\x45\xdf\xa3"
    assert len(data) > 10_000


def test_nothing_hangs_over_the_edge_and_choices_stay(visit: Open):
    user = visit("warehouse")
    page = user.page
    user.press("Pause")
    for width, height in ((390, 844), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(
            "(most) => { const { clientWidth, clientHeight } ="
            " document.querySelector('.horus-view');"
            " return 300 < clientWidth && clientWidth <= most && clientHeight > 300; }",
            arg=width,
        )
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
        user.keep(f"sim3d_{width}")
        if width < 600:
            user.press("Panels")
            page.get_by_role("region", name="Panels").wait_for()
            page.mouse.click(10, 400)  # beside the drawer
            page.get_by_role("region", name="Panels").wait_for(state="hidden")
    user.press("Light or dark")
    page.wait_for_selector("body.body--dark")
    user.choose_setting("high: shadows, smooth edges")
    page.wait_for_selector('canvas[data-quality="high"]')
    page.wait_for_selector('[data-scene="warehouse"]')
    page.wait_for_selector("body.body--dark")
    user.keep("sim3d_dark")
    user.press("Light or dark")
    page.wait_for_selector("body.body--light")
