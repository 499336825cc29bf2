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
from horus_sim.ui import ServedWorld, serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

LONGEST_S = 60.0
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    # Debian's default is slow without a GPU.
    "--disable-gpu-rasterization",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
SIZE: ViewportSize = {"width": 1280, "height": 720}
ARTEFACTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Lets a failure be reported although Playwright was at work.

    CPython 3.11 loses count of its recursion in Playwright's greenlets, and then refuses to parse
    the source that a report quotes.
    """
    usual = item.repr_failure

    def report(excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        try:
            return usual(excinfo)
        except SystemError:
            place = excinfo.traceback[-1]
            return f"{place.path}:{place.lineno + 1}: {excinfo.exconly()}"

    item.repr_failure = report


class Site:
    """The pages, what is behind them, and what was seen of them.

    Attributes:
        session: The world behind the 3D pages.
        shared: What all pages share.
        server: Serves them.
    """

    def __init__(self, served: ServedWorld) -> None:
        self.session = served.session
        self.shared = served.session.site
        self.server = served.server
        self._first = 0

    def begin(self) -> None:
        """Another test: what was logged before is not its business."""
        self._first = max((event.number for event in self.shared.log.since()), default=0)

    def ask(self, question: Callable[[World], Any]) -> Any:
        """Something about the world."""
        return self.session.simulation.call(question).result(LONGEST_S)

    def wait_for(self, condition: Callable[[World], Any]) -> None:
        """Waits until something is so in the world."""
        end = time.monotonic() + LONGEST_S
        while not self.ask(condition):
            assert time.monotonic() < end, f"it did not happen; the log:\n{self.logged()}"
            time.sleep(0.05)

    def load(self, scene: str) -> None:
        """Another world, running."""
        self.session.simulation.replace(World.load(scene)).result(LONGEST_S)
        self.session.simulation.set_speed(1.0).result(LONGEST_S)
        self.session.simulation.play().result(LONGEST_S)

    def logged(self) -> str:
        """All lines of the log since the test began."""
        return "\n".join(event.text for event in self.shared.log.since(self._first))


@pytest.fixture(scope="session")
def shared_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One for all tests: NiceGUI has one application in a process."""
    folder = tmp_path_factory.mktemp("scenes")
    with serve(World.load("empty_world"), port=0, folder=folder) as served:
        yield Site(served)


@pytest.fixture
def site(shared_site: Site) -> Site:
    """The one site, with a log of its own for each test."""
    shared_site.begin()
    return shared_site


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
        reason = "there is no Chromium; run: scripts/system-deps.sh browser"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{reason} (CI=true asks for it)", pytrace=False)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One for a module, so that scripts are loaded and compiled once."""
    context = browser.new_context(viewport=SIZE)
    context.set_default_timeout(1000 * LONGEST_S)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page of 1280 x 720 whose script must not fail."""
    errors: list[str] = []
    context.clear_cookies()
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    assert errors == []


class Visit:
    """Somebody at a page, who finds things by their accessible names.

    Attributes:
        page: The page.
    """

    def __init__(self, page: Page) -> None:
        self.page = page

    def wait_for_connection(self) -> None:
        """Waits until events go to the server at once.

        Those from before the handshake are sent by a timer, and may arrive after later ones.
        """
        self.page.wait_for_function("window.did_handshake === true")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def unfold(self, panel: str) -> None:
        self.page.get_by_role("button", name=f'Expand "{panel}"').click()

    def fill(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).fill(text)

    def choose(self, label: str, option: str) -> None:
        from playwright.sync_api import TimeoutError as TookTooLong

        wanted = self.page.get_by_role("option", name=option, exact=True)
        end = time.monotonic() + LONGEST_S
        while time.monotonic() < end:
            self.page.get_by_role("combobox", name=label, exact=True).click()
            try:
                wanted.click(timeout=5_000)
            except TookTooLong:
                # A list that opens while the page is still being filled closes again.
                continue
            return
        pytest.fail(f"'{label}' has no option '{option}'")

    def choose_setting(self, name: str) -> None:
        self.press("Settings")
        self.page.get_by_role("radio", name=name).click()
        self.page.keyboard.press("Escape")

    def sees_value(self, label: str, value: str) -> None:
        """Waits until a field has a value."""
        self.page.wait_for_function(
            "([at, value]) => document.querySelector(at)?.value === value",
            arg=[f"[aria-label='{label}']", value],
        )

    def error_at(self, label: str, message: str) -> None:
        """Waits for a message at a field."""
        field = self.page.locator(".q-field", has=self.page.get_by_label(label, exact=True))
        field.get_by_text(message).first.wait_for()

    def slide(self, name: str, share: float) -> None:
        """Sets a slider to a share of its range."""
        slider = self.page.get_by_role("slider", name=name, exact=True)
        box = slider.bounding_box()
        assert box is not None
        x = min(max(share * box["width"], 1), box["width"] - 1)
        slider.click(position={"x": x, "y": box["height"] / 2})

    def drive(self, *keys: str) -> None:
        """Holds keys down, with the view in focus."""
        self.page.get_by_test_id("joystick").wait_for()
        self.page.get_by_role("img", name="3D view").focus()
        for key in keys:
            self.page.keyboard.down(key)

    def box(self, selector: str) -> tuple[float, float, float, float]:
        """Where something is: left, top, width, height [px]."""
        found = self.page.locator(selector).bounding_box()
        assert found is not None
        return found["x"], found["y"], found["width"], found["height"]

    def look(self, other_than: bytes | None = None) -> bytes:
        """A picture of the view once it does not change any more; of a paused world."""
        self.page.mouse.move(2, 2)  # no tooltip in the picture
        end = time.monotonic() + LONGEST_S
        view = self.page.locator(".horus-view canvas")
        before = view.screenshot()
        while time.monotonic() < end:
            now = view.screenshot()
            if now == before and now != other_than:
                return now
            before = now
        pytest.fail("the picture does not settle", pytrace=False)

    def keep(self, name: str) -> None:
        """Takes a picture of the page, to be looked at later."""
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        self.page.mouse.move(2, 2)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png")


@pytest.fixture
def visit(site: Site, page: Page) -> Callable[[str], Visit]:
    """Opens the 3D app with a scene, and waits until it is drawn."""

    def show(scene: str) -> Visit:
        site.load(scene)
        page.goto(site.server.address)
        page.wait_for_selector(f'[data-scene="{scene}"]')
        user = Visit(page)
        user.wait_for_connection()
        return user

    return show


@pytest.fixture
def visit_tf(site: Site, page: Page) -> Callable[[], Visit]:
    """Opens the TF app."""

    def show() -> Visit:
        page.goto(site.server.link("/tf"))
        page.get_by_label("Transform tree").wait_for()
        user = Visit(page)
        user.wait_for_connection()
        return user

    return show
