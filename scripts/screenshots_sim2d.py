"""The pictures of the 2D runner; `screenshots.py` takes them with all others.

Alone: .venv/bin/python scripts/screenshots_sim2d.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from horus_sim.ui.runner.model.runs import Runs
from horus_sim.ui.serving import open_site
from horus_sim.ui.shell.server import Server, ServerConfig
from horus_sim.ui.shell.site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FIRST = """class Controller:
    def __init__(self, sim):
        self.drive = sim.drive

    def step(self, sensors, dt):
        line = sensors["line"]
        left, right = line[0] + line[1], line[3] + line[4]
        self.drive.drive(0.2, 2.0 * (left - right))
"""
LONGEST_S = 60.0
Take = Callable[["Page", str], None]


def wait_for(condition: Callable[[], object]) -> None:
    """Waits until something is so."""
    end = time.monotonic() + LONGEST_S
    while not condition():
        if time.monotonic() > end:
            sys.exit("the page did not do what was asked")
        time.sleep(0.05)


def write(page: Page, text: str) -> None:
    """Replaces what the editor holds."""
    page.get_by_label("Controller", exact=True).locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def take_sim2d(site: Site, server: Server, browser: Browser, take: Take) -> None:
    """Goes through the tutorial and takes pictures on the way."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.set_default_timeout(1000 * LONGEST_S)
    page.goto(server.link("/sim2d?scenario=maze&tab=Signals"))
    page.wait_for_selector('[data-scene="maze"][data-time]')
    runner = Runs.of(site).newest
    if runner is None:
        sys.exit("the page has no run")
    runner.set_speed(4.0).result()
    wait_for(lambda: runner.status.time > 17.0)
    page.get_by_role("button", name="Pause", exact=True).click()
    take(page, "ui_sim2d")
    page.get_by_role("button", name="Choose a scenario", exact=True).click()
    page.get_by_role("button", name="Open line_follower", exact=True).wait_for()
    take(page, "ui_sim2d_gallery")
    page.get_by_role("button", name="Open line_follower", exact=True).click()
    page.wait_for_selector('[data-scene="line_follower"][data-time]')
    page.get_by_role("tab", name="Code", exact=True).click()
    write(page, FIRST.replace('sensors["line"]', 'sensor["line"]'))
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_label("Name of the copy", exact=True).fill("my_follower")
    take(page, "ui_sim2d_copy")
    page.get_by_role("button", name="Save the copy", exact=True).click()
    page.wait_for_selector('[data-scene="my_follower"][data-time]')
    page.get_by_role("button", name="Play", exact=True).click()
    page.locator(".horus-bad-line").wait_for()
    take(page, "ui_sim2d_error")
    write(page, FIRST)
    page.keyboard.press("Control+s")
    start = runner.status.time
    wait_for(lambda: not runner.status.error and runner.status.time > start + 18.0)
    page.get_by_role("tab", name="Signals", exact=True).click()
    take(page, "ui_sim2d_lap")
    page.close()


def main() -> None:
    """Takes only these pictures."""
    from playwright.sync_api import sync_playwright
    from screenshots import take

    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        sys.exit("there is no Chromium; run: sudo apt-get install chromium")
    with (
        tempfile.TemporaryDirectory() as folder,
        open_site(Path(folder)) as site,
        sync_playwright() as playwright,
    ):
        server = Server(site, ServerConfig(port=0))
        # Without WebGL, which this page does not use.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        with server.in_thread():
            take_sim2d(site, server, browser, take)
            browser.close()


if __name__ == "__main__":
    main()
