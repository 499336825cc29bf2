"""Files, clipboard, forms and scenes of the designer, without a page."""

from __future__ import annotations

import io
import json
import math
import zipfile
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import EditError, HorusError, UiError
from horus_sim.sim2d import Simulator, load_scenario, scenario_names
from horus_sim.sim2d.scenario.outline import outline_inertia
from horus_sim.sim2d.scenario.schema import JointConfig
from horus_sim.ui.designer.model import clipboard, edits, names
from horus_sim.ui.designer.model.content import Content, get, put
from horus_sim.ui.designer.model.document import Document, files_of
from horus_sim.ui.designer.model.field import number_text
from horus_sim.ui.designer.model.fields import fields_of
from horus_sim.ui.designer.model.geometry import centroid, rectangle, sides, snap
from horus_sim.ui.designer.model.library import import_file, load, zipped
from horus_sim.ui.designer.model.materials import MATERIALS
from horus_sim.ui.designer.model.scene import difference, handles, scene
from horus_sim.ui.designer.model.sessions import DesignSessions
from horus_sim.ui.shell.site import Site


@pytest.fixture
def sessions(tmp_path: Path) -> DesignSessions:
    return DesignSessions(Site(folder=tmp_path))


@pytest.mark.parametrize("name", scenario_names())
def test_a_copy_of_a_shipped_scenario_runs_like_it(name: str, sessions: DesignSessions):
    session = sessions.open(name)
    assert sessions.open(name) is session
    with pytest.raises(UiError, match="is shipped and stays as it is"):
        session.save()
    sessions.save_as(session, f"my_{name}")
    copy = Simulator.load(sessions.scenarios.folder / f"my_{name}", seed=3)
    first = Simulator.load(name, seed=3)
    copy.run(0.5)
    first.run(0.5)
    assert copy.snapshot().world == first.snapshot().world
    assert load(session.place)[0] == session.document.content


def test_names_of_new_scenarios_are_no_paths(sessions: DesignSessions):
    for bad in ("", "../up", "a/b", "-x", "x" * 65):
        with pytest.raises(UiError, match="beginning with a letter or digit"):
            sessions.new(bad)
    sessions.new("mine")
    with pytest.raises(UiError, match="'mine' exists already"):
        sessions.new("mine")
    assert sorted(path.name for path in sessions.scenarios.folder.iterdir()) == ["mine"]


def test_a_robot_saved_without_a_controller_gets_one_that_runs(sessions: DesignSessions):
    session = sessions.new("fresh")
    body = edits.new_body("chassis", rectangle(0.2, 0.1), None, MATERIALS["plastic"], moves=True)
    place = ("robots", 0, "bodies", 0)
    document = session.document
    document.apply("robot", lambda c: edits.add_robot(c, body, (0, 0, 0))[0])
    for y in (0.05, -0.05):
        document.apply(
            "motor", lambda c, y=y: edits.add_device(c, place, "motor", (0.0, y, 0.0))[0]
        )
    session.save()
    text = (session.place.folder / "controller.py").read_text()
    assert "Drives ahead" in text
    sim = Simulator.load(session.place.folder)
    sim.run(1.0)
    assert sim.error is None
    assert sim.robots["robot"].pose[0] > 0.05
    document.apply("line", lambda c: edits.add_device(c, place, "line_array", (0.08, 0, 0))[0])
    session.save()
    assert (session.place.folder / "controller.py").read_text() == text, "what is there stays"


def test_an_unwritable_folder_is_said(sessions: DesignSessions):
    session = sessions.new("blocked")
    (session.place.folder / "world.json").unlink()
    (session.place.folder / "world.json").mkdir()
    with pytest.raises(UiError, match="cannot be written"):
        session.save()


def test_files_are_exported_and_taken_in(sessions: DesignSessions):
    content = sessions.open("line_follower").document.content
    with zipfile.ZipFile(io.BytesIO(zipped(content))) as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == files_of(
            content
        )
    robot = files_of(content)["robot.json"].encode()
    both, done = import_file(content, "robot.json", robot)
    assert done == "robot of robot.json added"
    assert [both.ident(k) for k in range(2)] == ["robot", "robot_2"]
    world = files_of(sessions.open("maze").document.content)["world.json"].encode()
    other, _ = import_file(content, "world.json", world)
    assert other.world.name == "maze"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "is not valid JSON"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"[1]", "neither a world.json nor a robot.json"),
        (b'{"environment": "world.json"}', "neither a world.json nor a robot.json"),
        (b'{"bodies": []}', "bodies: it is empty; write at least one"),
        (b'{"timestep": -1}', "from 1e-06 to 0.1 s"),
        (b'{"bounds": {"min_x": 2, "max_x": 1}}', "bounds.max_x: max_x must be larger"),
    ],
)
def test_files_that_do_not_fit_are_refused(data: bytes, message: str):
    with pytest.raises(HorusError, match=message):
        import_file(Content.empty("new"), "file.json", data)


def test_a_body_is_pasted_with_its_devices_under_free_names():
    document = Document(load_content("line_follower"))
    place = ("robots", 0, "bodies", 0)
    text = clipboard.copy(document.content, place)
    document.apply("paste", lambda c: clipboard.paste(c, text, (0.3, 0.0), place)[0])
    robot = document.content.robots[0]
    assert [body.name for body in robot.bodies] == ["chassis", "chassis_2"]
    assert [motor.name for motor in robot.actuators] == ["left", "right", "left_2", "right_2"]
    old, new = (edits.world_pose(document.content, (*place[:3], k)) for k in (0, 1))
    assert math.dist((old[0] + 0.3, old[1]), new[:2]) < 1e-5
    motor = clipboard.copy(document.content, ("robots", 0, "actuators", 0))
    with pytest.raises(EditError, match="select a robot's body first"):
        clipboard.paste(document.content, motor, (0, 0), ("world",))
    with pytest.raises(EditError, match="cannot be copied"):
        clipboard.copy(document.content, ("world",))


@given(st.text(max_size=40))
def test_any_text_pasted_is_refused_or_fits(text: str):
    with pytest.raises(EditError, match="copy something first"):
        clipboard.paste(Content.empty("new"), text, (0, 0))


def load_content(name: str) -> Content:
    scenario = load_scenario(name)
    return Content(scenario.config, scenario.world, tuple(spec.config for spec in scenario.robots))


@given(st.floats(-100, 100), st.sampled_from([0.001, 0.01, 0.05, 0.1]))
def test_snapping_takes_the_nearest_multiple_and_stays_there(value: float, step: float):
    snapped = snap(value, step)
    assert abs(snapped - value) <= 0.5 * step + 1e-6
    assert snap(snapped, step) == snapped
    assert snap(value, 0.0) == value


@given(st.floats(0.01, 5), st.floats(0.01, 5), st.floats(0.1, 9))
def test_rectangles_have_the_inertia_of_the_books(width: float, height: float, mass: float):
    points = rectangle(width, height)
    w, h = (2 * value for value in points[2])
    assert outline_inertia(points, None, mass) == pytest.approx(mass * (w * w + h * h) / 12)
    assert sides(points) == (w, h)
    moved = [(x + 1.0, y - 2.0) for x, y in points]
    assert centroid(moved) == pytest.approx((1.0, -2.0))
    assert sides(moved) is None


def test_what_fields_show_is_what_they_read():
    for name in ("trailer", "sumo", "box_pushing"):
        content = load_content(name)
        for place in [("robots", 0), *((("robots", 0, key, 0)) for key in ("bodies", "sensors"))]:
            for field in fields_of(content, place):
                again = field.put(content, field.read(field.shown(content)))
                assert field.shown(again) == field.shown(content), field.label


def test_optional_parameters_fall_back_to_the_preset():
    content = load_content("line_follower")
    place = ("robots", 0, "sensors", 0)
    count = next(field for field in fields_of(content, place) if field.label == "Points")
    assert (count.shown(content), count.usual) == ("", "5")
    changed = count.put(content, count.read("7"))
    assert get(changed, (*place, "params")) == {"preset": "line_basic", "count": 7}
    assert count.put(changed, count.read("")) == content


def field(content: Content, place: tuple, label: str):
    return next(field for field in fields_of(content, place) if field.label == label)


def test_what_line_sensors_see_of_a_body_is_given_or_left_out():
    content = load_content("box_pushing")
    place = ("world", "shape_objects", 0)
    seen = field(content, place, "Seen by line sensors")
    assert (seen.shown(content), seen.usual) == ("", "not seen")
    given = seen.put(content, seen.read("0.8"))
    assert seen.shown(given) == "0.8"
    assert '"reflect_line": 0.8' in files_of(given)["world.json"]
    assert files_of(seen.put(given, seen.read(""))) == files_of(content)
    with pytest.raises(EditError, match="should be from 0 to 1000000"):
        seen.put(content, seen.read("-1"))


def test_values_without_effect_say_so():
    content = load_content("box_pushing")
    for label in ("Roughness", "Thickness [m]"):
        found = field(content, ("world", "shape_objects", 0), label)
        assert found.group == "Data for other programs (no effect here)"
        changed = found.put(content, found.read("0.3"))
        assert found.shown(changed) == "0.3"


def test_angles_beyond_a_turn_are_refused_in_the_words_of_the_form():
    content = load_content("line_follower")
    angle = field(content, ("robots", 0), "Angle [deg]")
    assert angle.shown(angle.put(content, angle.read("360"))) == "360"
    with pytest.raises(EditError, match=r"^should be at most a full turn$"):
        angle.put(content, angle.read("720"))


@given(
    old=st.sampled_from(["trailer", "sumo", "line_follower"]),
    new=st.sampled_from(["trailer", "box_pushing", "maze"]),
)
def test_a_difference_leads_from_one_scene_to_the_other(old: str, new: str):
    before, after = (scene(load_content(name), "s") for name in (old, new))
    change = difference(before, after)
    for key in ("bodies", "strokes", "joints", "devices"):
        items = {item["id"]: item for item in before[key]}
        items = {k: v for k, v in items.items() if k not in change.get("removed", ())}
        items |= {item["id"]: item for item in change.get(key, ())}
        assert items == {item["id"]: item for item in after[key]}
    assert change.get("bounds", before["bounds"]) == after["bounds"]
    assert difference(after, after) == {}


def test_handles_are_where_things_are():
    content = load_content("line_follower")
    place = ("robots", 0, "bodies", 0)
    corners = [h for h in handles(content, place) if h["kind"] == "vertex"]
    assert [(h["x"], h["y"]) for h in corners] == list(edits.outline(content, place))
    assert len(handles(content, ("world", "bounds"))) == 4
    circle = edits.new_body("disc", (), 0.2, MATERIALS["wood"], moves=True)
    content, disc = edits.add_object(content, circle, (1.0, 1.0, 0.5))
    (handle,) = handles(content, disc)
    assert math.dist((handle["x"], handle["y"]), (1.0, 1.0)) == pytest.approx(0.2)
    hinge = handles(load_content("trailer"), ("robots", 0, "joints", 0))
    assert [h["id"] for h in hinge] == ["anchor/both"]


def test_the_form_of_a_joint_offers_every_type_of_the_schema():
    fields = fields_of(load_content("trailer"), ("robots", 0, "joints", 0))
    (kind,) = (field for field in fields if field.place[-1] == "type")
    assert kind.choices == get_args(JointConfig.model_fields["type"].annotation)


def test_places_that_are_gone_and_values_that_do_not_fit_name_themselves():
    content = load_content("line_follower")
    with pytest.raises(EditError, match="nothing at 'world/shape_objects/3' any more"):
        get(content, ("world", "shape_objects", 3))
    with pytest.raises(EditError, match="should be from 1e-09 to 1000000000 kg") as caught:
        put(content, ("robots", 0, "bodies", 0, "mass"), -1.0)
    assert caught.value.place == ("robots", 0, "bodies", 0, "mass")
    with pytest.raises(EditError, match="cannot be deleted"):
        names.delete(content, ("world",))
    assert json.loads(files_of(content)["world.json"])["name"] == "line_follower"


def test_an_empty_inertia_is_that_of_the_outline_and_follows_it():
    content = Content.empty("new")
    body = edits.new_body("plate", rectangle(0.2, 0.1), None, MATERIALS["wood"], moves=True)
    content, place = edits.add_object(content, body, (0.0, 0.0, 0.0))

    def field(label: str):
        return next(f for f in fields_of(content, place) if f.label == label)

    def set_field(label: str, typed: str) -> Content:
        return field(label).put(content, field(label).read(typed))

    usual = body.mass * (0.2**2 + 0.1**2) / 12
    assert field("Inertia [kg m²]").shown(content) == ""
    assert float(field("Inertia [kg m²]").usual) == pytest.approx(usual, rel=1e-3)
    content = set_field("Mass [kg]", number_text(2 * body.mass))
    assert float(field("Inertia [kg m²]").usual) == pytest.approx(2 * usual, rel=1e-3)
    content = set_field("Length [m]", "0.4")
    grown = 2 * body.mass * (0.4**2 + 0.1**2) / 12
    assert float(field("Inertia [kg m²]").usual) == pytest.approx(grown, rel=1e-3)
    assert '"inertia"' not in files_of(content)["world.json"]
    # A number counts until the field is emptied, or the body is centred.
    given = set_field("Inertia [kg m²]", "0.5")
    assert json.loads(files_of(given)["world.json"])["shape_objects"][0]["body"]["inertia"] == 0.5
    content, empty = given, content
    assert set_field("Inertia [kg m²]", "") == empty
    assert '"inertia"' not in files_of(edits.centre(given, place))["world.json"]


def test_an_unlikely_inertia_is_a_note_of_the_loaded_scenario(
    tmp_path: Path, sessions: DesignSessions
):
    sessions.save_as(sessions.open("line_follower"), "mine")
    file = tmp_path / "mine" / "robot.json"
    values = json.loads(file.read_text())
    values["bodies"][0]["inertia"] = 1.0
    file.write_text(json.dumps(values))
    _, notes = load(sessions.scenarios.find("mine"))
    assert len(notes) == 1
    assert "bodies[0].inertia: the inertia of 'chassis' is 1 kg m^2" in notes[0]
