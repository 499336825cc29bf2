"""The 2D runner's page in a real browser: by accessible name, seen in the simulation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest
from tests.ui.conftest import Site, Visit

from horus_sim.ui.runner.model.run_address import Options, RunAddress
from horus_sim.ui.runner.model.runner import Runner
from horus_sim.ui.runner.model.runs import Runs
from horus_sim.ui.shell.opening import doorway

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[[str], "Page"]
LONGEST_S = 60.0
NEEDS_WEBGL = False
WRONG = """class Controller:
    def __init__(self, sim):
        self.drive = sim.drive

    def step(self, sensors, dt):
        self.drive.drive(0.2, 2.0 * sensor["line"][0])
"""
RIGHT = """class Controller:
    def __init__(self, sim):
        self.drive = sim.drive

    def step(self, sensors, dt):
        line = sensors["line"]
        left, right = line[0] + line[1], line[3] + line[4]
        self.drive.drive(0.25, 2.5 * (left - right))
"""
# Compiled code that does not come back: only the end of its process stops it.
HANGS = """import time

class Controller:
    def __init__(self, sim):
        pass

    def step(self, sensors, dt):
        for _ in range(5000):
            print("again")
        time.sleep(1e6)
"""


def wait_for(condition: Callable[[], Any]) -> Any:
    """Waits until something is so, and gives it."""
    end = time.monotonic() + LONGEST_S
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.03)
    return found


def wait_for_address(page: Page, part: str) -> None:
    page.wait_for_function("part => location.search.includes(part)", arg=part)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()


def write(page: Page, text: str) -> None:
    """Replaces what the editor holds, as by pasting."""
    page.get_by_label("Controller", exact=True).locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def save_copy(page: Page, name: str) -> None:
    """Saves the controller of a shipped scenario into a copy."""
    press(page, "Save")
    page.get_by_label("Name of the copy", exact=True).fill(name)
    press(page, "Save the copy")


@pytest.fixture
def run(site: Site) -> Runner:
    """One run for all tests, since each is a process."""
    runs = Runs.of(site.shared)
    return runs.newest or runs.open(RunAddress(runs.scenarios.find("empty_plane")))


@pytest.fixture
def runner(run: Runner) -> Iterator[Runner]:
    yield run
    if run.stuck is not None:
        run.stop_controller()
    run.pause().result(LONGEST_S)


@pytest.fixture
def open_2d(site: Site, run: Runner, runner: Runner, page: Page) -> Open:
    """Opens a scenario in the page, paused at the start, and waits until it is drawn."""

    def show(query: str) -> Page:
        given = dict(parse_qsl(query))
        name = given["scenario"]
        seed = int(given["seed"]) if "seed" in given else None
        options = Options(seed, "side" not in given, "empty" in given)
        run.address = RunAddress(runner.scenarios.find(name), options)
        runner.open(run.address.place, options).result(LONGEST_S)
        page.goto(site.server.link(f"/sim2d?{query}"))
        page.wait_for_selector(f'[data-scene="{name}"][data-time]')
        Visit(page).wait_for_connection()
        wait_for(lambda: runner.place is not None and runner.place.name == name)
        wait_for_address(page, f"scenario={name}")
        runner.ask("reset").result(LONGEST_S)
        runner.set_speed(1.0).result(LONGEST_S)
        return page

    return show


def test_a_wrong_controller_then_a_right_one_finishes_its_lap(runner: Runner, open_2d: Open):
    page = open_2d("scenario=line_follower")
    write(page, WRONG)
    page.get_by_text("not saved", exact=True).wait_for()
    page.wait_for_function("window.onbeforeunload !== null")
    press(page, "Save")
    name = page.get_by_label("Name of the copy", exact=True)
    name.fill("../nonsense")
    page.get_by_text("letters, digits").wait_for()
    press(page, "Save the copy")
    assert runner.place is not None
    assert runner.place.is_shipped
    name.fill("lap")
    runner.play().result(LONGEST_S)
    press(page, "Save the copy")
    wait_for(lambda: runner.place is not None and runner.place.name == "lap")
    error = wait_for(lambda: runner.status.error)
    assert error["line"] == 6
    bad = page.locator(".horus-bad-line")
    bad.wait_for()
    assert 'sensor["line"]' in bad.inner_text()
    assert "NameError" in page.get_by_role("alert", name="Controller error").inner_text()
    Visit(page).keep("sim2d_error")
    tab(page, "Log")
    told = page.get_by_label("Log").get_by_text("controller of 'robot': step: NameError")
    told.wait_for()
    assert told.inner_text().endswith("(controller.py, line 6)")
    tab(page, "Code")
    held = runner.status.time
    write(page, RIGHT)
    page.keyboard.press("Control+s")
    wait_for(lambda: not runner.status.error and runner.status.time > held)
    bad.wait_for(state="detached")
    page.wait_for_function("window.onbeforeunload === null")
    runner.set_speed(8.0).result(LONGEST_S)
    turned, before = 0.0, None
    end = time.monotonic() + LONGEST_S
    while turned < 2 * math.pi:
        assert time.monotonic() < end, "no lap was finished"
        x, y = runner.status.robots["robot"][:2]
        assert 0.8 < math.hypot(x, y / 0.6) < 1.2, "it lost the line"
        angle = math.atan2(y / 0.6, x)
        if before is not None:
            turned += math.remainder(angle - before, 2 * math.pi)
        before = angle
        time.sleep(0.02)
    Visit(page).keep("sim2d_lap")
    assert (runner.scenarios.folder / "lap" / "controller.py").read_text() == RIGHT


def test_the_controller_comes_with_the_page(site: Site, page: Page):
    runs = Runs.of(site.shared)
    address = RunAddress(runs.scenarios.find("slalom"))
    run = runs.open(address)
    run.open(address.place, address.options).result(LONGEST_S)
    try:
        page.goto(site.server.link("/nowhere"))
        text = page.request.get(site.server.link(address.link)).text()
    finally:
        runs.leave(run)
    # Were it filled in later, what somebody types before that would be lost.
    assert "def step(self, sensors, dt)" in text


def test_a_controller_without_end_is_stopped_from_the_page(runner: Runner, open_2d: Open):
    page = open_2d("scenario=line_follower")
    write(page, HANGS)
    runner.play().result(LONGEST_S)
    save_copy(page, "endless")
    page.get_by_role("alert", name="Not responding").get_by_text("line").wait_for()
    Visit(page).keep("sim2d_stuck")
    page.reload()
    page.get_by_label("File", exact=True).get_by_text("controller.py").wait_for()
    assert "again" in page.get_by_label("Controller", exact=True).inner_text()
    tab(page, "Log")
    page.get_by_text("more printed lines are left out").first.wait_for()
    press(page, "Stop it")
    wait_for(lambda: "stopped by hand" in (runner.status.error or {}).get("text", ""))
    tab(page, "Code")
    assert "again" in page.get_by_label("Controller", exact=True).inner_text()
    write(page, RIGHT)
    press(page, "Save")
    wait_for(lambda: not runner.status.error and runner.status.time > 0.5)


def test_time_is_paused_stepped_reset_and_travelled(runner: Runner, open_2d: Open):
    page = open_2d("scenario=maze")
    press(page, "Play")
    wait_for(lambda: runner.status.name == "maze" and runner.status.time > 0.8)
    press(page, "Pause")
    wait_for(lambda: not runner.status.is_running)
    page.get_by_role("button", name="Play", exact=True).wait_for()
    steps = runner.status.steps
    press(page, "Step")
    wait_for(lambda: runner.status.steps == steps + 1)
    press(page, "Keep a snapshot")
    wait_for(lambda: runner.history.kept)
    kept = runner.history.kept[-1]
    box = page.get_by_role("slider", name="Time travel", exact=True).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2)
    wait_for(lambda: runner.status.time < 0.7 * kept.time)
    press(page, "Kept snapshots")
    press(page, f"Restore snapshot {kept.name}")
    wait_for(lambda: runner.status.steps == steps + 1)
    page.keyboard.press("Escape")
    press(page, "Reset")
    wait_for(lambda: runner.status.steps == 0)
    press(page, "Play")
    wait_for(lambda: runner.status.steps > 10)
    box = page.get_by_role("slider", name="Speed", exact=True).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2)
    wait_for(lambda: runner.status.speed > 5.0)
    wait_for_address(page, "speed=")


def test_a_robot_is_dragged_and_placed_by_numbers(runner: Runner, open_2d: Open):
    page = open_2d("scenario=box_pushing")
    x, y = runner.status.robots["robot"][:2]
    # Its origin: the box about it has the rays of its sensors in it.
    origin = "(body) => { const { e, f } = body.getScreenCTM(); return [e, f]; }"
    right, down = page.locator('[data-id="robot/chassis"]').evaluate(origin)
    page.mouse.move(right, down)
    page.mouse.down()
    page.mouse.move(right + 60, down - 60, steps=5)
    # Held still, it arrives where the pointer is, before that is let go.
    scale = page.evaluate(
        "document.querySelector('.h2d svg > g[transform]').transform.baseVal[0].matrix.a"
    )
    wait_for(lambda: abs(runner.status.robots["robot"][0] - x - 60 / scale) < 1e-3)
    assert runner.status.robots["robot"][1] == pytest.approx(y + 60 / scale, abs=1e-3)
    page.mouse.up()
    wait_for(lambda: (runner.status.selected or {}).get("id") == "robot/chassis")
    wait_for_address(page, "sel=robot")
    tab(page, "State")
    field = page.get_by_label("x [m]", exact=True)
    field.fill("nonsense")
    press(page, "Put it there")
    page.get_by_text("not a number").wait_for()
    before = runner.status.robots["robot"][0]
    field.fill("-0.4")
    press(page, "Put it there")
    wait_for(lambda: abs(runner.status.robots["robot"][0] + 0.4) < 1e-6)
    assert before != pytest.approx(-0.4)


def test_the_console_evaluates_and_complains(runner: Runner, open_2d: Open):
    page = open_2d("scenario=sumo")
    tab(page, "Console")
    field = page.get_by_label("Expression", exact=True)
    field.fill("len(sim.robots)")
    page.keyboard.press("Enter")
    page.get_by_label("Answers").get_by_text("2", exact=True).wait_for()
    field.fill("sim.nonsense")
    press(page, "Evaluate")
    page.get_by_text("AttributeError").first.wait_for()
    assert field.input_value() == "sim.nonsense"


def test_signals_are_plotted_and_recorded(runner: Runner, open_2d: Open):
    page = open_2d("scenario=slalom")
    tab(page, "Signals")
    runner.ask("step", count=60).result(LONGEST_S)
    page.wait_for_function("document.querySelector('canvas[data-samples]')?.dataset.samples > 5")
    press(page, "Record CSV")
    wait_for(lambda: runner.status.log)
    runner.ask("step", count=30).result(LONGEST_S)
    wait_for(lambda: runner.status.logged == 30)
    press(page, "Stop recording")
    wait_for(lambda: not runner.status.log)
    with page.expect_download() as download:
        press(page, "Download CSV")
    lines = download.value.path().read_text().splitlines()
    assert lines[0].startswith("time,robot/chassis/x,")
    assert len(lines) == 31


def test_a_link_reopens_the_page_as_it_was(runner: Runner, open_2d: Open, site: Site):
    page = open_2d("scenario=trailer&seed=7&side=1&empty=1&tab=Devices&hide=grid,rays")
    assert (runner.options.seed, runner.options.top_down) == (7, False)
    assert runner.options.ignore_terrain
    page.get_by_role("table", name="Motors").get_by_text("command").first.wait_for()
    assert page.get_by_role("button", name="Grid", exact=True).get_attribute("aria-pressed") == (
        "false"
    )
    press(page, "Choose a scenario")
    press(page, "Open maze")
    page.wait_for_selector('[data-scene="maze"]')
    wait_for_address(page, "scenario=maze")
    wait_for_address(page, "hide=grid")
    press(page, "Options")
    page.get_by_role("switch", name="Terrain").click()
    wait_for(lambda: runner.options.ignore_terrain)
    wait_for_address(page, "empty=1")
    seed = page.get_by_label("Seed", exact=True)
    seed.fill("minus")
    press(page, "Use seed")
    page.get_by_text("not a number").wait_for()
    seed.fill("12")
    press(page, "Use seed")
    wait_for(lambda: runner.options.seed == 12)
    page.goto(site.server.link("/sim2d?scenario=nonsense&seed=x&cam=1,2&speed=fast"))
    page.get_by_text("there is no scenario 'nonsense'").first.wait_for()
    assert runner.place is not None
    assert runner.place.name == "maze"


def test_the_printed_address_opens_the_page_and_others_are_told_where_it_is(
    site: Site, page: Page, tmp_path: Path
):
    here = f"http://127.0.0.1:{site.server.port}"
    page.goto(f"{here}/tf")
    page.get_by_role("alert").get_by_text("the address that the program printed").wait_for()
    Visit(page).keep("no_token")
    # As a browser is opened: from a file, which is another site. Cheap, as there is no such page.
    page.goto(doorway(tmp_path, site.server.link("/nowhere?a=1")))
    page.wait_for_url(f"{here}/nowhere?a=1")
    page.get_by_text("404", exact=True).wait_for()
    page.reload()
    page.get_by_text("404", exact=True).wait_for()
    cookie = page.context.cookies(here)[0]
    assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Lax")
    assert page.evaluate("document.cookie") == ""


def test_a_second_tab_with_another_scenario_has_a_run_of_its_own(
    site: Site, run: Runner, open_2d: Open, monkeypatch: pytest.MonkeyPatch
):
    runs = Runs.of(site.shared)
    for left_over in [found for found in runs.sessions.values() if found is not run]:
        runs.leave(left_over)
    page = open_2d("scenario=sumo")
    other = page.context.new_page()
    other.goto(site.server.link("/sim2d?scenario=sumo"))
    other.wait_for_selector('[data-scene="sumo"][data-time]')
    wait_for(lambda: run.pages >= 2)
    press(other, "Choose a scenario")
    press(other, "Open empty_plane")
    other.wait_for_selector('[data-scene="empty_plane"][data-time]')
    wait_for_address(other, "scenario=empty_plane")
    second = runs.newest
    assert second is not None
    assert second is not run
    wait_for(lambda: second.status.time > 0.1)
    wait_for(lambda: second.pages == 1)
    assert page.get_by_role("button", name="Choose a scenario").inner_text().endswith("sumo")
    assert run.status.time == 0.0

    monkeypatch.setattr(runs, "_most", len(runs.sessions))
    third = page.context.new_page()
    third.goto(site.server.link("/sim2d?scenario=maze"))
    third.get_by_role("alert", name="No room").get_by_text("2 runs already").wait_for()
    Visit(third).keep("sim2d_no_room")
    third.close()
    press(page, "Runs")
    row = page.get_by_label("List of runs").locator(".q-row, .row", has_text="empty_plane")
    row.get_by_text("1 page").wait_for()
    assert row.get_by_role("link").get_attribute("href") == "/sim2d?scenario=empty_plane"
    Visit(page).keep("sim2d_runs")
    press(page, "Stop empty_plane")
    other.get_by_role("alert", name="Stopped").wait_for()
    assert second.is_closed
    assert list(runs.sessions.values()) == [run]
    other.close()
