"""The 2D designer in a real browser: drawn by mouse and name, checked in files and by running."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.ui.conftest import Site, Visit

from horus_sim.sim2d import Simulator, load_scenario
from horus_sim.ui.designer.model.content import Content
from horus_sim.ui.designer.model.document import Document, files_of
from horus_sim.ui.designer.model.sessions import DesignSessions
from horus_sim.ui.runner.model.runs import Runs

if TYPE_CHECKING:
    from playwright.sync_api import Dialog, Page

NEEDS_WEBGL = False
LONGEST_S = 60.0  # the machine may be busy
_TO_SCREEN = """([x, y]) => {
  const svg = document.querySelector('.h2d svg');
  const m = svg.querySelector('g[transform^="matrix"]').getScreenCTM();
  return [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f];
}"""


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def take(page: Page, tool: str) -> None:
    """Takes a tool, and waits until the view has it too."""
    press(page, tool)
    page.get_by_role("button", name=tool, exact=True, pressed=True).wait_for()
    drawing = "" if tool == "Select" else ".h2d-drawing"
    page.locator(f".h2d svg{drawing}").wait_for()


def fill(page: Page, label: str, text: str) -> None:
    page.get_by_label(label, exact=True).fill(text)


def choose(page: Page, label: str, option: str) -> None:
    Visit(page).choose(label, option)


def at(page: Page, x: float, y: float) -> tuple[float, float]:
    px, py = page.evaluate(_TO_SCREEN, [x, y])
    return px, py


def click(page: Page, x: float, y: float) -> None:
    page.mouse.click(*at(page, x, y))


def drag(page: Page, *points: tuple[float, float]) -> None:
    page.mouse.move(*at(page, *points[0]))
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*at(page, *point), steps=3)
        # The view tells where the pointer is 30 times a second.
        page.wait_for_timeout(40)
    page.mouse.up()


def pull(page: Page, name: str, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Pulls a handle once the view shows it where it should be."""
    handle = page.get_by_role("button", name=name, exact=True)

    def is_there() -> bool:
        box = handle.bounding_box()
        if box is None:
            return False
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        return math.dist(middle, at(page, *start)) < 3.0

    wait_for(is_there)
    drag(page, start, end)


def wait_for(condition: Callable[[], Any]) -> None:
    end = time.monotonic() + LONGEST_S
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


@pytest.fixture
def design(site: Site, page: Page) -> Callable[[str], Document]:
    """Opens a scenario in the designer and gives its document."""

    def show(name: str) -> Document:
        page.goto(site.server.link(f"/design?scenario={name}"))
        page.wait_for_selector(f'[data-scene="{name}"]')
        Visit(page).wait_for_connection()
        return DesignSessions.of(site.shared).open(name).document

    return show


def own(site: Site, name: str, content: Content | None = None) -> Path:
    """A scenario of the working folder."""
    folder = site.shared.folder / name
    folder.mkdir()
    for file, text in files_of(content or Content.empty(name)).items():
        (folder / file).write_text(text, encoding="utf-8")
    return folder


def test_a_robot_built_from_nothing_is_saved_valid_and_follows_a_drawn_line(site: Site, page: Page):
    page.goto(site.server.link("/design"))
    page.get_by_role("button", name="Design maze").wait_for()
    Visit(page).wait_for_connection()
    Visit(page).keep("design_gallery")
    fill(page, "Name of the new scenario", "../evil")
    press(page, "Create")
    page.get_by_text("beginning with a letter or digit").wait_for()
    fill(page, "Name of the new scenario", "triangle")
    press(page, "Create")
    page.wait_for_selector('[data-scene="triangle"]')
    document = DesignSessions.of(site.shared).open("triangle").document

    choose(page, "New bodies belong to", "a new robot")
    take(page, "Polygon")
    for corner in ((-0.08, 0.08), (-0.08, -0.08), (0.12, 0.0)):
        click(page, *corner)
    press(page, "Finish")
    wait_for(lambda: document.content.robots)
    take(page, "Motor")
    click(page, -0.04, 0.05)
    wait_for(lambda: len(document.content.robots[0].actuators) == 1)
    click(page, -0.04, -0.05)
    wait_for(lambda: len(document.content.robots[0].actuators) == 2)
    take(page, "Line array")
    click(page, 0.06, 0.0)
    wait_for(lambda: document.content.robots[0].sensors)
    take(page, "Line")
    drag(page, *((0.05 * k, 0.0) for k in range(8)))
    wait_for(lambda: document.content.world.drawings)
    press(page, "Save")
    wait_for(lambda: not document.is_changed)
    Visit(page).keep("design_triangle")

    scenario = load_scenario(site.shared.folder / "triangle")
    robot = scenario.robots[0].config
    assert len(robot.bodies[0].points) == 3
    assert [motor.name for motor in robot.actuators] == ["left", "right"]
    assert [sensor.type for sensor in robot.sensors] == ["line_array"]
    start = scenario.robots[0].spawn_pose
    sim = Simulator.load(site.shared.folder / "triangle")
    sim.run(1.0)
    assert sim.error is None
    assert sim.robots["robot"].pose[0] > start[0] + 0.1
    assert abs(sim.robots["robot"].pose[1]) < 0.05

    press(page, "Run it")
    page.wait_for_url("**/sim2d?scenario=triangle*")
    run = Runs.of(site.shared).newest
    assert run is not None
    wait_for(lambda: run.place is not None and run.place.name == "triangle")
    page.go_back()
    page.wait_for_selector('[data-scene="triangle"]')
    assert DesignSessions.of(site.shared).open("triangle").document is document


def test_a_stroke_that_was_drawn_is_followed(site: Site, page: Page, design: Any):
    follower = load_scenario("line_follower")
    content = Content(
        follower.config,
        follower.world.model_copy(update={"drawings": ()}),
        tuple(spec.config for spec in follower.robots),
    )
    folder = own(site, "drawn", content)
    (folder / "controller.py").write_text(
        (follower.folder / "controller.py").read_text(encoding="utf-8")  # type: ignore[operator]
    )
    document = design("drawn")
    take(page, "Line")
    turns = [math.tau * k / 24 for k in range(25)]
    drag(page, *((math.cos(t), 0.6 * math.sin(t)) for t in turns))
    wait_for(lambda: document.content.world.drawings)
    Visit(page).keep("design_stroke")
    page.keyboard.press("Control+s")
    wait_for(lambda: not document.is_changed)
    sim = Simulator.load(folder, seed=1)
    seen, angles = 0, []
    for _ in range(int(18.0 / sim.timestep)):
        assert sim.step()
        x, y, _theta = sim.robots["robot"].pose
        angles.append(math.atan2(y / 0.6, x))
        seen += bool(max(sim.readings["line"]) > 0.5)
    turned = sum(math.remainder(b - a, math.tau) for a, b in pairwise(angles))
    assert turned > math.tau, "a whole lap on the drawn line"
    assert seen > 0.9 * len(angles)


def test_twenty_mixed_edits_undone_and_redone_return_identical_json(
    site: Site, page: Page, design: Any
):
    own(site, "mixed")
    document = design("mixed")
    states = [files_of(document.content)]

    def done() -> None:
        wait_for(lambda: files_of(document.content) != states[-1])
        states.append(files_of(document.content))

    take(page, "Rectangle")
    drag(page, (-0.4, 0.1), (-0.2, 0.3))
    done()
    take(page, "Circle")
    drag(page, (0.2, 0.2), (0.3, 0.2))
    done()
    take(page, "Wall")
    drag(page, (-0.4, -0.3), (0.0, -0.3), (0.3, -0.3))
    done()
    take(page, "Bounds")
    drag(page, (-0.48, -0.4), (0.48, 0.4))
    done()
    choose(page, "New bodies belong to", "a new robot")
    take(page, "Rectangle")
    drag(page, (-0.1, -0.1), (0.1, 0.1))
    done()
    for tool, y in (("Motor", 0.06), ("Motor", -0.06), ("Distance sensor", 0.0), ("Encoder", 0.04)):
        take(page, tool)
        click(page, 0.04, y)
        done()
    choose(page, "New bodies belong to", "robot")
    take(page, "Circle")
    drag(page, (0.2, -0.1), (0.24, -0.1))
    done()
    take(page, "Hinge")
    click(page, 0.08, 0.08)
    page.get_by_text("now click on the second body").wait_for()
    click(page, 0.2, -0.1)
    done()
    take(page, "Select")
    drag(page, (-0.3, 0.2), (-0.3, 0.25))
    # It is one edit, but the document follows the pointer all the way.
    wait_for(lambda: document.content.world.shape_objects[0].body.pose[1] == 0.25)
    done()
    for label, text in (("Mass [kg]", "2.5"), ("Friction", "0.9"), ("Angle [deg]", "30")):
        fill(page, label, text)
        done()
    press(page, "Material rubber")
    done()
    press(page, "Copy")
    press(page, "Paste")
    done()
    press(page, "Delete")
    done()
    click(page, 0.2, 0.2)
    page.get_by_label("Radius [m]", exact=True).wait_for()
    fill(page, "Name", "ball")
    done()
    page.get_by_role("application", name="Drawing board").focus()
    page.keyboard.press("ArrowUp")
    done()
    assert len(states) == 21
    for state in reversed(states[:-1]):
        press(page, "Undo")
        wait_for(lambda state=state: files_of(document.content) == state)
    page.get_by_role("button", name="Undo", exact=True, disabled=True).wait_for()
    for state in states[1:]:
        press(page, "Redo")
        wait_for(lambda state=state: files_of(document.content) == state)

    # The same in millimetres.
    click(page, 0.2, 0.2)
    Visit(page).choose_setting("CAD millimetres")
    fill(page, "Radius [mm]", "55")
    wait_for(
        lambda: any(item.body.radius == 0.055 for item in document.content.world.shape_objects)
    )


def test_corners_are_pulled_added_and_removed(site: Site, page: Page, design: Any):
    own(site, "corners")
    document = design("corners")
    take(page, "Polygon")
    for corner in ((-0.2, -0.2), (0.2, -0.2), (0.0, 0.2)):
        click(page, *corner)
    page.keyboard.press("Enter")
    wait_for(lambda: document.content.world.shape_objects)
    take(page, "Select")

    def points() -> list[tuple[float, float]]:
        body = document.content.world.shape_objects[0].body
        x, y, _ = body.pose
        return [(round(x + px, 3), round(y + py, 3)) for px, py in body.points]

    pull(page, "Corner 3", (0.0, 0.2), (0.1, 0.3))
    wait_for(lambda: points()[2] == (0.1, 0.3))
    pull(page, "New corner after 2", (0.15, 0.05), (0.3, 0.05))
    wait_for(lambda: len(points()) == 4)
    Visit(page).keep("design_corners")
    pull(page, "Corner 3", (0.3, 0.05), (-0.1, -0.1))
    page.get_by_text("not convex").wait_for()
    assert points()[3] == (0.1, 0.3), "the other corners stay"
    press(page, "Remove corner 3")
    page.get_by_role("button", name="Remove corner 4", exact=True).wait_for(state="detached")
    assert len(points()) == 3
    press(page, "Remove corner 1")
    page.get_by_label("Message").get_by_text("at least 3 points").wait_for()
    assert len(points()) == 3


def test_nonsense_in_any_field_is_said_beside_it_and_changes_nothing(
    site: Site, page: Page, design: Any
):
    document = design("line_follower")
    before = document.content
    nonsense = {
        "robots/0/bodies/0": (
            ("Name", ""), ("x [m]", "1e999"), ("y [m]", "abc"), ("Angle [deg]", ""),
            ("Length [m]", "-1"), ("Mass [kg]", "0"), ("Inertia [kg m²]", "-3"), ("Colour", "blue"),
            ("Friction", "-1"), ("Restitution", "2"), ("Corner 1 x [m]", "nan"),
        ),
        "robots/0/actuators/0": (
            ("Name", "right"), ("Wheel radius [m]", "0"), ("Gear ratio", "x"), ("Load [N]", "-1"),
        ),
        "robots/0/sensors/0": (("Points", "1.5"), ("Spacing [m]", "-1"), ("Noise", "much")),
        "world/drawings/0": (("Width [m]", "0"), ("Line intensity", "dark")),
        "world/bounds": (("Left [m]", "99"), ("Top [m]", "-99")),
        "": (("Time step [s]", "0"), ("Seed", "1.5")),
    }  # fmt: skip
    for place, entries in nonsense.items():
        page.goto(site.server.link(f"/design?scenario=line_follower&sel={place}"))
        page.wait_for_selector('[data-scene="line_follower"]')
        Visit(page).wait_for_connection()
        form = page.get_by_role("form", name="Properties")
        for label, text in entries:
            field = form.get_by_label(label, exact=True)
            field.wait_for()
            good = field.input_value()
            field.fill(text)
            wrong = form.locator(".q-field--error").filter(has=page.get_by_label(label, exact=True))
            wrong.get_by_role("alert").wait_for()
            assert document.content == before, label
            field.fill(good)
            wrong.wait_for(state="detached")
    assert files_of(document.content) == files_of(before)


def test_an_empty_inertia_shows_what_counts_while_the_mass_is_typed(
    site: Site, page: Page, design: Any
):
    document = design("line_follower")
    page.goto(site.server.link("/design?scenario=line_follower&sel=robots/0/bodies/0"))
    form = page.get_by_role("form", name="Properties")
    inertia, mass = (form.get_by_label(name) for name in ("Inertia [kg m²]", "Mass [kg]"))
    inertia.fill("")
    wait_for(lambda: document.content.robots[0].bodies[0].inertia is None)
    # 0.6 kg, 16 cm by 12 cm.
    form.locator('input[aria-label="Inertia [kg m²]"][placeholder="0.002"]').wait_for()
    mass.fill("1.2")
    form.locator('input[aria-label="Inertia [kg m²]"][placeholder="0.004"]').wait_for()
    assert mass.evaluate("field => field === document.activeElement"), "typing goes on"


def test_unsaved_work_warns_and_a_link_reopens_the_state(site: Site, page: Page, design: Any):
    own(site, "linked", _crowd(3))
    document = design("linked")
    page.get_by_role("tab", name="Outline").click()
    page.get_by_role("tree", name="Outline").get_by_text("Object box_2").click()
    page.wait_for_url("**sel=world%2Fshape_objects%2F1*")
    page.get_by_role("tab", name="Properties").click()
    page.get_by_role("button", name="Zoom in").click()
    page.wait_for_url("**cam=*")
    fill(page, "x [m]", "0.5")
    wait_for(lambda: document.is_changed)
    leaves = "window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    page.wait_for_function(f"!{leaves}")
    asked: list[str] = []

    def agree(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.once("dialog", agree)
    page.reload()
    assert asked == ["beforeunload"]
    assert page.get_by_label("Name", exact=True).input_value() == "box_2"
    assert page.get_by_label("x [m]", exact=True).input_value() == "0.5"
    press(page, "Undo")
    wait_for(lambda: not document.is_changed)
    page.wait_for_function(leaves)


def test_a_shipped_scenario_is_saved_as_a_copy_with_its_controller(
    site: Site, page: Page, design: Any
):
    document = design("maze")
    page.get_by_label("Description", exact=True).fill("mine")
    wait_for(lambda: document.is_changed)
    press(page, "Save")
    fill(page, "Name of the scenario", "maze")
    press(page, "Save copy")
    page.get_by_text("exists already").wait_for()
    fill(page, "Name of the scenario", "my_maze")
    press(page, "Save copy")
    page.wait_for_url("**scenario=my_maze*")
    folder = site.shared.folder / "my_maze"
    wait_for((folder / "controller.py").exists)
    assert json.loads((folder / "scenario.json").read_text())["description"] == "mine"
    assert load_scenario("maze").config.description != "mine"


def _crowd(count: int) -> Content:
    from horus_sim.ui.designer.model import edits
    from horus_sim.ui.designer.model.geometry import rectangle
    from horus_sim.ui.designer.model.materials import MATERIALS

    content = Content.empty("crowd")
    body = edits.new_body("box", rectangle(0.1, 0.08), None, MATERIALS["wood"], moves=True)
    for k in range(count):
        pose = (0.2 * (k % 20) - 1.9, 0.2 * (k // 20) - 0.9, 0.1 * k)
        content = edits.add_object(content, body, pose)[0]
    return content


def test_two_hundred_bodies_are_drawn_dragged_and_typed(site: Site, page: Page, design: Any):
    own(site, "crowd", _crowd(200))
    document = design("crowd")
    assert page.locator('[data-kind="body"]').count() == 200
    Visit(page).keep("design_crowd")
    drag(page, (-1.9, -0.9), (-1.9, -1.2))
    wait_for(lambda: document.content.world.shape_objects[0].body.pose[1] == -1.2)
    fill(page, "Mass [kg]", "3")
    wait_for(lambda: document.content.world.shape_objects[0].body.mass == 3.0)


def test_light_dark_and_a_phone(site: Site, page: Page, design: Any):
    design("sumo")
    press(page, "Light or dark")
    page.wait_for_selector(".body--dark")
    Visit(page).keep("design_dark")
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("form", name="Properties").wait_for()
    Visit(page).keep("design_phone")
