"""The 3D page in a real browser: time, driving, cameras and view modes, several browsers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.sim3d import World

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page
    from tests.ui.conftest import Site, Visit

Open = Callable[[str], "Visit"]


def burger_x(world: World) -> float:
    return float(world.robots["burger"].pose.translation[0])


def burger_speed(world: World) -> float:
    return float(np.linalg.norm(world.robots["burger"].velocity[0]))


def test_time_is_played_paused_stepped_and_reset(site: Site, visit: Open):
    user = visit("warehouse")
    page = user.page
    user.press("Pause")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    steps = site.session.simulation.status.steps
    user.press("Step")
    site.wait_for(lambda world: world.steps == steps + 1)
    user.press("Reset")
    site.wait_for(lambda world: world.steps == 0)
    user.press("Play")
    site.wait_for(lambda world: world.steps > 10)
    user.slide("Speed", 1.0)
    site.wait_for(lambda _: site.session.simulation.status.speed > 7.0)
    user.slide("Speed", 0.0)
    site.wait_for(lambda _: site.session.simulation.status.speed < 0.15)


def test_keys_and_joystick_drive_and_letting_go_stops(site: Site, visit: Open):
    user = visit("warehouse")
    page = user.page
    user.page.get_by_test_id("joystick").wait_for()
    page.get_by_label("Speed [m/s]").click()
    page.keyboard.press("w")
    user.error_at("Speed [m/s]", "not a number")
    user.fill("Speed [m/s]", "0.2")
    assert abs(site.ask(burger_x)) < 0.02, "keys in a field do not drive"
    user.drive("w")
    site.wait_for(lambda world: burger_x(world) > 0.1)
    page.keyboard.up("w")
    site.wait_for(lambda world: burger_speed(world) < 0.01)
    where = site.ask(burger_x)
    user.drive("ArrowLeft")
    site.wait_for(lambda world: world.robots["burger"].pose.to_euler()[2] > 0.2)
    page.keyboard.up("ArrowLeft")
    site.wait_for(lambda world: burger_speed(world) < 0.01)
    assert abs(site.ask(burger_x) - where) < 0.1
    x, y, width, height = user.box("[data-testid=joystick]")
    page.mouse.move(x + width / 2, y + height / 2)
    page.mouse.down()
    page.mouse.move(x + width / 2, y + 4)
    site.wait_for(lambda world: burger_x(world) > where + 0.1)
    page.mouse.up()
    site.wait_for(lambda world: burger_speed(world) < 0.01)


def test_a_closed_tab_stops_the_robot(site: Site, visit: Open):
    user = visit("warehouse")
    user.drive("w")
    site.wait_for(lambda world: burger_x(world) > 0.1)
    user.page.close(run_before_unload=False)
    site.wait_for(lambda world: burger_speed(world) < 0.01)
    where = site.ask(burger_x)
    steps = site.ask(lambda world: world.steps)
    site.wait_for(lambda world: world.steps > steps + 100)
    assert abs(site.ask(burger_x) - where) < 0.01


def test_a_second_browser_sees_the_same(site: Site, visit: Open, context: BrowserContext):
    user = visit("warehouse")
    other = context.new_page()
    other.goto(site.server.address)
    other.wait_for_selector('[data-scene="warehouse"]')
    user.press("Pause")
    other.get_by_role("button", name="Play", exact=True).click()
    user.page.get_by_role("button", name="Pause", exact=True).wait_for()
    assert site.shared.stream.clients == 2
    other.close()
    site.wait_for(lambda _: site.shared.stream.clients == 1)


def test_a_lost_connection_comes_back(site: Site, visit: Open, context: BrowserContext):
    user = visit("warehouse")
    user.drive("w")
    site.wait_for(lambda world: burger_x(world) > 0.05)
    user.page.evaluate(
        "() => { const view = Object.values(mounted_app.$refs).flat().find(e => e?.connection);"
        " window.lost = new Promise(done => view.$watch('isConnected', is => is || done()));"
        " view.connection.socket.close(); return window.lost; }"
    )
    user.page.keyboard.up("w")
    user.page.locator(".horus-lost").wait_for(state="hidden")
    site.wait_for(lambda world: burger_speed(world) < 0.01)
    where = site.ask(burger_x)
    user.drive("w")
    site.wait_for(lambda world: burger_x(world) > where + 0.05)
    user.page.keyboard.up("w")


VIEW_MODES = {
    "Frames": "frames",
    "Collision shapes": "collision",
    "Sensors": "sensors",
    "Physics": "physics",
}


def test_view_modes_and_cameras_change_the_picture(visit: Open):
    user = visit("warehouse")
    page = user.page
    page.get_by_test_id("joystick").wait_for()
    user.keep("sim3d")
    user.press("Pause")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    plain = user.look()
    for name, file in VIEW_MODES.items():
        button = page.get_by_role("button", name=name, exact=True)
        assert button.get_attribute("aria-pressed") == "false"
        button.click()
        user.look(other_than=plain)
        assert button.get_attribute("aria-pressed") == "true"
        user.keep(f"sim3d_{file}")
        button.click()
        end = time.monotonic() + 60
        while (same := user.look() == plain) is False and time.monotonic() < end:
            pass
        assert same, f"'{name}' leaves nothing behind"
    before = plain
    for camera in ("Follow", "Top"):
        user.press(camera)
        before = user.look(other_than=before if camera == "Top" else None)
        user.keep(f"sim3d_{camera.lower()}")


def test_frames_are_filtered(visit: Open):
    user = visit("warehouse")
    page = user.page
    user.press("Frames")
    shown = (
        "(words) => { const names = [...document.querySelectorAll('.horus-frame-label')]"
        ".filter(e => e.style.display !== 'none').map(e => e.textContent);"
        " return names.length && words.every(([word, is]) => names.some("
        "name => name.includes(word)) === is); }"
    )
    page.wait_for_function(shown, arg=[["burger/scan", True], ["ground", True]])
    user.press("Frame filter")
    page.get_by_role("radio", name="robots").click()
    page.wait_for_function(shown, arg=[["burger/base_link", True], ["ground", False]])
    page.get_by_role("radio", name="sensors").click()
    page.wait_for_function(shown, arg=[["burger/scan", True], ["burger/base_link", False]])
    page.get_by_role("radio", name="custom").click()
    user.fill("Parts of names", "carton shelf_2")
    page.wait_for_function(shown, arg=[["carton", True], ["shelf_2", True], ["burger", False]])


def test_a_world_at_rest_is_not_drawn_again(site: Site, page: Page, visit: Open):
    page.add_init_script(
        """
        window.drawn = 0;
        for (const name of ["drawElements", "drawArrays"]) {
          const usual = WebGL2RenderingContext.prototype[name];
          WebGL2RenderingContext.prototype[name] = function (...all) {
            window.drawn += 1;
            return usual.apply(this, all);
          };
        }
        """
    )
    user = visit("apartment")
    page.wait_for_function("window.drawn > 0")
    user.look()
    drawn, steps = page.evaluate("window.drawn"), site.session.simulation.status.steps
    site.wait_for(lambda world: world.steps > steps + 300)
    assert page.evaluate("window.drawn") == drawn
    user.drive("w")
    page.wait_for_function(f"window.drawn > {drawn}")
    page.keyboard.up("w")
