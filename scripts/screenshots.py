"""Takes the pictures of the pages in docs/images with a real browser.

Run it after a change of the pages: .venv/bin/python scripts/screenshots.py [RUN]
RUN is the folder of a training of NavigationOpen, for the picture of one that is watched.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from screenshots_sim2d import take_sim2d

from horus_sim.sim3d import World
from horus_sim.ui.serving import open_site
from horus_sim.ui.shell.server import Server, ServerConfig
from horus_sim.ui.world.model.session import WorldSessions

if TYPE_CHECKING:
    from playwright.sync_api import Page

TARGET = Path(__file__).resolve().parent.parent / "docs" / "images"
ARGUMENTS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
SETTLE_MS = 4000
ARM_MS = 6000
TRAINING_MS = 12000


def take(page: Page, name: str) -> None:
    """Writes a picture of the page."""
    page.mouse.move(2, 2)
    page.wait_for_timeout(SETTLE_MS)
    path = TARGET / f"{name}.png"
    page.screenshot(path=path)
    print(path)


def take_arm(page: Page, server: Server) -> None:
    """The pictures of the arm page."""
    pictures = {
        "ui_arm": "q=-25,75,-40,0,50,0&target=0.42,-0.2,0.38",
        "ui_arm_unreachable": "target=0.9,-0.2,0.35",
        "ui_arm_workspace": "arm=ur5e&q=30,-110,100,-80,-90,0&show=arcs,cloud,ellipsoid",
    }
    for name, query in pictures.items():
        page.goto(server.link(f"/arm?{query}"))
        page.wait_for_selector("[data-tool]")
        page.wait_for_timeout(ARM_MS)
        take(page, name)


def take_training(page: Page, server: Server, folder: Path, run: Path | None) -> None:
    """The pictures of the training page."""
    page.goto(server.link("/training?task=Navigation&speed=2&env=5"))
    page.wait_for_selector('[data-scene="Navigation"]')
    page.wait_for_timeout(TRAINING_MS)
    take(page, "ui_training")
    if run is not None:
        shutil.copytree(run, folder / "runs" / run.name)
        page.goto(server.link(f"/training?task=NavigationOpen&envs=6&run=runs/{run.name}"))
        page.wait_for_selector('[data-scene="NavigationOpen"]')
        page.wait_for_timeout(TRAINING_MS)
        take(page, "ui_training_run")


def main(run: Path | None = None) -> None:
    """Takes all pictures."""
    from playwright.sync_api import sync_playwright

    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        sys.exit("there is no Chromium; run: sudo apt-get install chromium")
    TARGET.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        open_site(Path(folder)) as site,
        sync_playwright() as playwright,
    ):
        WorldSessions.of(site).open(World.load("warehouse", seed=1))
        server = Server(site, ServerConfig(port=0))
        browser = playwright.chromium.launch(executable_path=browser_path, args=list(ARGUMENTS))
        with server.in_thread():
            context = browser.new_context(viewport={"width": 1280, "height": 720})
            # Software rendering would choose low quality, which is not what most will see.
            context.add_cookies([{"name": "horus_quality", "value": "high", "url": server.address}])
            page = context.new_page()
            page.goto(server.address)
            page.wait_for_selector('[data-scene="warehouse"]')
            page.get_by_role("button", name="Sensors", exact=True).click()
            take(page, "ui_sim3d")
            page.get_by_role("button", name="Sensors", exact=True).click()
            page.get_by_role("button", name="Frames", exact=True).click()
            page.get_by_role("button", name="Frame filter").click()
            page.get_by_role("radio", name="robots").click()
            page.keyboard.press("Escape")
            take(page, "ui_frames")
            page.get_by_role("tab", name="TF").click()
            page.wait_for_selector("pre")
            take(page, "ui_tf")
            take_arm(page, server)
            take_training(page, server, site.folder, run)
            browser.close()
            # Without WebGL, which this page does not use, all is many times faster.
            browser = playwright.chromium.launch(executable_path=browser_path, args=[ARGUMENTS[0]])
            take_sim2d(site, server, browser, take)
            browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
