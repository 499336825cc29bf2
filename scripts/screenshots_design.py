"""Takes the pictures of the designer in docs/images with a real browser.

Run it after a change of its page: .venv/bin/python scripts/screenshots_design.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from horus_sim.ui.serving import open_site
from horus_sim.ui.shell.server import Server, ServerConfig

TARGET = Path(__file__).resolve().parent.parent / "docs" / "images"
ARGUMENTS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
SETTLE_MS = 2000


def main() -> None:
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
        server = Server(site, ServerConfig(port=0))
        browser = playwright.chromium.launch(executable_path=browser_path, args=list(ARGUMENTS))
        with server.in_thread():
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.goto(server.link("/design?scenario=box_pushing&sel=robots/0/bodies/0"))
            page.wait_for_selector('[data-scene="box_pushing"]')
            page.mouse.move(2, 2)
            page.wait_for_timeout(SETTLE_MS)
            page.screenshot(path=TARGET / "ui_design.png")
            print(TARGET / "ui_design.png")
            browser.close()


if __name__ == "__main__":
    main()
