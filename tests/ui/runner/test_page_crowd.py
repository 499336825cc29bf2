"""The 2D runner's page with a thousand bodies: what a frame costs, and that it can be handled."""

from __future__ import annotations

import ast
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.ui.conftest import Site, Visit

from horus_sim.sim2d import Scenario, WorldConfig, load_scenario, save_scenario
from horus_sim.ui.kit.table import MOST_ROWS
from horus_sim.ui.runner.model.run_address import Options, RunAddress
from horus_sim.ui.runner.model.runner import Runner
from horus_sim.ui.runner.model.runs import Runs
from horus_sim.ui.stream.streaming import envelope

if TYPE_CHECKING:
    from playwright.sync_api import Page, WebSocket

NEEDS_WEBGL = False
LONGEST_S = 60.0
COUNT = 1000
SIDE = 32
PITCH_M = 0.12
RADIUS_M = 0.04
HEADER_BYTES = 12
AMBER = (255, 171, 0)
DRIVES = """class Controller:
    def __init__(self, sim):
        self.drive = sim.drive

    def step(self, sensors, dt):
        self.drive.drive(0.1, 0.5)
"""
# Colours of the canvas at points of the world, by the matrix of the nodes below it.
COLORS_AT = """(points) => {
  const canvas = document.querySelector('.h2d-crowd');
  const { left, top } = canvas.getBoundingClientRect();
  const m = document.querySelector('.h2d svg > g[transform]').getScreenCTM();
  const pen = canvas.getContext('2d');
  const at = ([x, y]) => [m.a * x + m.e - left, m.d * y + m.f - top].map(Math.floor);
  return points.map((point) => [...pen.getImageData(...at(point), 1, 1).data].slice(0, 3));
}"""
COUNT_CALLS = """() => {
  window.calls = { fill: 0, clearRect: 0 };
  for (const name of Object.keys(window.calls)) {
    const usual = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...given) {
      window.calls[name] += 1;
      return usual.apply(this, given);
    };
  }
}"""
TEN_PICTURES = """() => new Promise((done) => {
  let left = 10;
  const next = () => { left -= 1; if (left) requestAnimationFrame(next); else done(); };
  next();
})"""


def color_of(index: int) -> tuple[int, int, int]:
    return 60 + index // 32, 200 - index % 32, 90 + index % 100


def many(count: int, robots: int = 0) -> Scenario:
    """Circles and polygons in a square, each of its own colour, and robots without sensors' use."""
    bodies = []
    for k in range(count):
        corners = 3 + k % 4
        turns = [2 * math.pi * corner / corners for corner in range(corners)]
        outline = [[RADIUS_M * math.cos(turn), RADIUS_M * math.sin(turn)] for turn in turns]
        shape = {"radius": RADIUS_M} if k % 2 else {"points": outline}
        material = {"color": color_of(k), "custom": {"ground_friction": 0.0}}
        place = [PITCH_M * (k % SIDE), PITCH_M * (k // SIDE), 0.1 * (k % 60)]
        body = {"name": f"b{k}", "pose": place, "mass": 0.1, "material": material, **shape}
        bodies.append({"name": f"b{k}", "body": body})
    world = WorldConfig.model_validate({"shape_objects": bodies})
    base = load_scenario("line_follower")
    specs = []
    for k in range(robots):
        name, pose = f"robot_{k}", (0.5 * (k % 8), 0.5 * (k // 8), 0.0)
        entry = base.robots[0].entry.model_copy(update={"id": name, "spawn_pose": pose})
        specs.append(replace(base.robots[0], id=name, entry=entry))
    config = base.config.model_copy(update={"robots": tuple(spec.entry for spec in specs)})
    return Scenario(config, world, tuple(specs))


def wait_for(condition: Callable[[], Any]) -> Any:
    """Waits until something is so, and gives it."""
    end = time.monotonic() + LONGEST_S
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.03)
    return found


class Show:
    """A page with a scenario, and the run behind it."""

    def __init__(self, site: Site, page: Page, run: Runner) -> None:
        self.site, self.page, self.run = site, page, run

    def open(self, scenario: Scenario | str, query: str = "") -> None:
        """Opens a scenario, paused at the start, and waits until it is drawn."""
        name = scenario if isinstance(scenario, str) else scenario.world.name
        if not isinstance(scenario, str):
            folder = self.run.scenarios.folder / name
            save_scenario(scenario, folder)
            (folder / "controller.py").write_text(DRIVES)
        self.run.address = RunAddress(self.run.scenarios.find(name))
        self.run.open(self.run.address.place, Options()).result(LONGEST_S)
        self.page.goto(self.site.server.link(f"{self.run.address.link}{query}"))
        self.page.wait_for_selector(f'[data-scene="{name}"][data-time]')
        Visit(self.page).wait_for_connection()

    def evaluate(self, text: str) -> Any:
        return ast.literal_eval(self.run.ask("evaluate", text=text).result(LONGEST_S))

    def step(self, count: int) -> None:
        """Steps, and waits until that is drawn."""
        self.run.ask("step", count=count).result(LONGEST_S)
        now = f"{self.evaluate('sim.time'):.4f}"
        self.page.wait_for_selector(f'[data-time="{now}"]')
        self.page.evaluate(TEN_PICTURES)

    def poses(self, names: list[str]) -> list[tuple[float, float, float]]:
        return self.evaluate(f"[tuple(sim.bodies[name].pose) for name in {names}]")

    def screen(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the world is on the page [px]."""
        matrix = self.page.locator(".h2d svg > g[transform]").evaluate(
            "(world) => { const { a, d, e, f } = world.getScreenCTM(); return [a, d, e, f]; }"
        )
        return matrix[0] * x + matrix[2], matrix[1] * y + matrix[3]


@pytest.fixture
def show(site: Site, page: Page) -> Iterator[Show]:
    runs = Runs.of(site.shared)
    run = runs.open(RunAddress(runs.scenarios.find("empty_plane"), Options(seed=1)))
    yield Show(site, page, run)
    runs.leave(run)


def named(scenario: Scenario, name: str) -> Scenario:
    return replace(scenario, world=scenario.world.model_copy(update={"name": name}))


def assert_painted(show: Show, numbers: list[int]) -> None:
    """Every one of these has its colour where the simulation has it."""
    points = []
    for k, (x, y, theta) in zip(numbers, show.poses([f"b{k}" for k in numbers]), strict=True):
        # The middle, but behind it in circles, whose heading begins there.
        back = 0.4 * RADIUS_M * (k % 2)
        points.append([x - back * math.cos(theta), y - back * math.sin(theta)])
    seen = show.page.evaluate(COLORS_AT, points)
    assert [tuple(color) for color in seen] == [color_of(k) for k in numbers]


def test_a_thousand_bodies_cost_a_canvas_and_one_message_a_frame(show: Show):
    sizes: list[int] = []

    def listen(socket: WebSocket) -> None:
        def hear(payload: str | bytes) -> None:
            name = envelope(show.run.channel, b"")
            if isinstance(payload, bytes) and payload.startswith(name):
                sizes.append(len(payload) - len(name))

        if socket.url.endswith("/horus/stream"):
            socket.on("framereceived", hear)

    page = show.page
    page.on("websocket", listen)
    page.add_init_script(f"({COUNT_CALLS})()")
    show.open(named(many(COUNT), "thousand"))
    sample = list(range(0, COUNT, 83))
    show.step(1)
    assert_painted(show, sample)
    before = show.poses([f"b{k}" for k in sample])
    spread = "0.3 * math.cos(k), 0.3 * math.sin(k), 2.0"
    show.evaluate(f"[b.set_velocity({spread}) for k, b in enumerate(sim.bodies.values())][0]")
    show.step(12)
    after = show.poses([f"b{k}" for k in sample])
    assert all(math.dist(a[:2], b[:2]) > 0.01 for a, b in zip(before, after, strict=True))
    assert_painted(show, sample)
    # Nodes are for what stays where it is: their number does not depend on that of the bodies.
    assert page.locator(".h2d svg *").count() < 60
    assert page.locator(".h2d-crowd").count() == 1
    # An emulated GPU would take several times as long.
    kind = page.locator(".h2d-crowd").evaluate("(c) => c.getContext('2d').getContextAttributes()")
    assert kind["willReadFrequently"] is True
    # x, y, theta of each body as four bytes each, behind a header and three counts.
    assert set(sizes) == {HEADER_BYTES + 4 * (3 + 3 * COUNT)}
    calls = page.evaluate("calls")
    assert calls["clearRect"] > 0
    assert calls["fill"] == COUNT * calls["clearRect"]
    page.evaluate(TEN_PICTURES)
    assert page.evaluate("calls") == calls, "nothing moved, and it was painted again"
    # Looked at closely, only what is in view is painted.
    x, y = show.screen(*after[0][:2])
    page.mouse.move(x, y)
    page.mouse.wheel(0, -1200)
    page.wait_for_function("seen => calls.clearRect > seen", arg=calls["clearRect"])
    page.evaluate(TEN_PICTURES)
    closer = page.evaluate("calls")
    paints, fills = closer["clearRect"] - calls["clearRect"], closer["fill"] - calls["fill"]
    assert fills < 0.5 * COUNT * paints
    assert_painted(show, sample[:1])


def test_one_of_a_crowd_is_picked_dragged_turned_and_let_go(show: Show):
    page, runner = show.page, show.run
    show.open(named(many(COUNT), "handled"))
    show.step(1)
    (x, y, theta) = show.poses(["b500"])[0]
    right, down = show.screen(x, y)
    page.mouse.click(right, down)
    wait_for(lambda: (runner.status.selected or {}).get("id") == "b500")
    page.wait_for_function("location.search.includes('sel=b500')")
    page.locator(".h2d-label", has_text="b500").wait_for()
    corner = [x + RADIUS_M * math.cos(theta), y + RADIUS_M * math.sin(theta)]
    page.wait_for_function(
        f"([at, color]) => String(({COLORS_AT})([at])[0]) === String(color)",
        arg=[corner, list(AMBER)],
    )
    page.mouse.move(right, down)
    page.locator(".h2d svg.h2d-can-drag").wait_for()
    page.mouse.down()
    page.mouse.move(right + 3, down - 25, steps=5)
    page.mouse.up()
    up, over = show.screen(0.0, 0.0), show.screen(1.0, 0.0)
    scale = over[0] - up[0]
    wait_for(lambda: abs(show.poses(["b500"])[0][1] - y - 25 / scale) < 1e-3)
    assert show.poses(["b500"])[0][0] == pytest.approx(x + 3 / scale, abs=1e-3)
    box = page.get_by_role("button", name="Turn", exact=True).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    x, y, _ = show.poses(["b500"])[0]
    right, down = show.screen(x, y)
    page.mouse.move(right, down - 60, steps=5)
    page.mouse.up()
    wait_for(lambda: math.cos(show.poses(["b500"])[0][2] - 0.5 * math.pi) > 0.999)
    # Between four bodies is the floor.
    page.mouse.click(*show.screen(2.5 * PITCH_M, 2.5 * PITCH_M))
    wait_for(lambda: runner.status.selected is None)
    page.get_by_role("button", name="Turn", exact=True).wait_for(state="detached")


def test_colours_of_a_crowd_follow_light_and_dark(show: Show):
    page = show.page
    show.open(named(many(60), "dark"))
    show.step(1)
    rims = [
        [x + RADIUS_M * math.cos(a), y + RADIUS_M * math.sin(a)] for x, y, a in show.poses(["b2"])
    ]
    light = page.evaluate(COLORS_AT, rims)
    page.get_by_role("button", name="Light or dark", exact=True).click()
    page.wait_for_function(
        f"([at, was]) => String(({COLORS_AT})(at)) !== String(was)", arg=[rims, light]
    )
    dark = page.evaluate(COLORS_AT, rims)
    assert sum(dark[0]) > sum(light[0])
    Visit(page).keep("sim2d_crowd_dark")


def test_few_bodies_are_nodes_again_after_a_crowd(show: Show):
    page = show.page
    show.open(named(many(60), "sixty"))
    assert page.locator(".h2d-crowd").count() == 1
    assert page.locator('[data-kind="body"]').count() == 0
    show.run.address = RunAddress(show.run.scenarios.find("box_pushing"))
    show.run.open(show.run.address.place, Options()).result(LONGEST_S)
    page.wait_for_selector('[data-scene="box_pushing"][data-time]')
    assert page.locator(".h2d-crowd").count() == 0
    assert page.locator(".h2d svg").count() == 1
    body = page.locator('[data-id="robot/chassis"]')
    right, down = body.evaluate("(b) => { const { e, f } = b.getScreenCTM(); return [e, f]; }")
    page.mouse.click(right, down)
    page.get_by_role("button", name="Turn", exact=True).wait_for()


def test_tables_of_many_robots_are_short_and_can_be_searched(show: Show):
    page, texts = show.page, list[str]()

    def hear(payload: str | bytes) -> None:
        if isinstance(payload, str):
            texts.append(payload)

    page.on("websocket", lambda socket: socket.on("framereceived", hear))
    show.open(named(many(0, robots=60), "robots"))
    show.run.play().result(LONGEST_S)
    # Nobody sees the tables: nothing is sent for them.
    wait_for(lambda: show.run.status.time > 0.2)
    page.evaluate(TEN_PICTURES)
    del texts[:]
    # The clock goes on: it is sent seven times a second.
    wait_for(lambda: page.wait_for_timeout(100) or sum(" s" in text for text in texts) >= 5)
    assert not any("rad/s" in text for text in texts)
    page.get_by_role("tab", name="State", exact=True).click()
    page.get_by_label("Rows of Robots").get_by_text(f"{MOST_ROWS} of 60 are shown").wait_for()
    wait_for(lambda: page.evaluate(TEN_PICTURES) or any("rad/s" in text for text in texts))
    robots = page.get_by_role("table", name="Robots")
    assert robots.locator("> *").count() == 2 * MOST_ROWS
    assert robots.get_by_text("robot_57", exact=True).count() == 0
    page.get_by_label("Find in Robots").fill("T_57")
    robots.get_by_text("robot_57", exact=True).wait_for()
    page.get_by_label("Rows of Robots").get_by_text("1 of 60 are shown").wait_for()
    assert robots.locator("> *").count() == 2
    page.get_by_role("tab", name="Devices", exact=True).click()
    page.get_by_label("Rows of Motors").get_by_text(f"{MOST_ROWS} of 120 are shown").wait_for()
    assert page.get_by_role("table", name="Motors").locator("> *").count() == 2 * MOST_ROWS
    # Sixty names over the picture would hide it.
    assert page.locator(".h2d-label").count() == 0
