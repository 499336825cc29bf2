"""A running server with a world, and a real browser that looks at it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from horus_sim.sim3d import World
from horus_sim.ui.server import Server, ServerConfig
from horus_sim.ui.session import Session

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LONGEST_S = 20.0
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
ARTEFACTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"


class Site:
    """The pages, what is behind them, and what was seen of them.

    Attributes:
        session: Behind the pages.
        server: Serves them.
    """

    def __init__(self, session: Session, server: Server) -> None:
        self.session = session
        self.server = server

    def ask(self, question: Callable[[World], Any]) -> Any:
        """Something about the world."""
        return self.session.simulation.call(question).result(LONGEST_S)

    def wait_for(self, condition: Callable[[World], Any]) -> None:
        """Waits until something is so in the world."""
        end = time.monotonic() + LONGEST_S
        while not self.ask(condition):
            assert time.monotonic() < end, "it did not happen"
            time.sleep(0.05)

    def load(self, scene: str) -> None:
        """Another world, running."""
        self.session.simulation.replace(World.load(scene)).result(LONGEST_S)
        self.session.simulation.set_speed(1.0).result(LONGEST_S)
        self.session.simulation.play().result(LONGEST_S)

    def logged(self) -> str:
        """All lines of the log."""
        return "\n".join(event.text for event in self.session.log.since())


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One for all tests: NiceGUI has one application in a process."""
    folder = tmp_path_factory.mktemp("scenes")
    with Session(World.load("empty_world"), folder=folder) as session:
        server = Server(session, ServerConfig(port=0))
        with server.in_thread():
            yield Site(session, server)


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """Chromium of the system; its absence is a failure where CI=true.

    No longer than a module, since Playwright keeps an event loop running in this thread. A module
    with `NEEDS_WEBGL = False` gets one that draws without it, which is many times faster.
    """
    needs_webgl = getattr(request.module, "NEEDS_WEBGL", True)
    arguments = [name for name in ARGUMENTS if needs_webgl or name not in WEBGL]
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        reason = "there is no Chromium; run: sudo apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{reason} (CI=true asks for it)", pytrace=False)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of 1280 x 720 whose script must not fail."""
    errors: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.set_default_timeout(1000 * LONGEST_S)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


@pytest.fixture
def open_page(site: Site, page: Page) -> Callable[[str], Page]:
    """Opens the 3D app with a scene, and waits until it is drawn."""

    def show(scene: str) -> Page:
        site.load(scene)
        page.goto(site.server.address)
        page.wait_for_selector(f'[data-scene="{scene}"]')
        return page

    return show


@pytest.fixture
def keep(page: Page) -> Callable[[str], bytes]:
    """Takes a picture of the page, to be looked at later."""

    def take(name: str) -> bytes:
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        return page.screenshot(path=ARTEFACTS / f"{name}.png")

    return take
