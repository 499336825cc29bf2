"""Any mix of edits: what is refused changes nothing, what is done can be undone to the letter."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horus_sim.errors import EditError, UiError
from horus_sim.sim2d import Simulator, load_scenario
from horus_sim.sim2d.scenario.scenario import Scenario
from horus_sim.sim2d.scenario.schema import Stroke
from horus_sim.ui.designer.model import clipboard, edits, names
from horus_sim.ui.designer.model.content import WORLD_BODIES, Content, Place, place_of, place_text
from horus_sim.ui.designer.model.document import Document, files_of
from horus_sim.ui.designer.model.fields import fields_of
from horus_sim.ui.designer.model.geometry import rectangle
from horus_sim.ui.designer.model.materials import MATERIALS


def content_of(name: str) -> Content:
    scenario = load_scenario(name)
    return Content(scenario.config, scenario.world, tuple(spec.config for spec in scenario.robots))


def things(content: Content) -> list[Place]:
    found: list[Place] = [
        ("world", key, k)
        for key in (*WORLD_BODIES, "drawings")
        for k in range(len(getattr(content.world, key)))
    ]
    for r, robot in enumerate(content.robots):
        found.append(("robots", r))
        for key in ("bodies", "joints", "actuators", "sensors"):
            found += [("robots", r, key, k) for k in range(len(getattr(robot, key)))]
    return found + ([("world", "bounds")] if content.world.bounds else [])


NUMBER = st.floats(-3.0, 3.0)
POINT = st.tuples(NUMBER, NUMBER)
POSE = st.tuples(NUMBER, NUMBER, st.floats(-7.0, 7.0))
TYPED = st.one_of(
    NUMBER.map(str), st.sampled_from(["", "x", "nan", "inf", "1e400", "-1", "0", "#102030", "box"])
)


@st.composite
def an_edit(draw: st.DrawFn) -> Callable[[Content], Content]:
    """Does something to whatever is there; which thing is drawn as a number."""
    which = draw(st.integers(0, 10_000))
    kind = draw(st.sampled_from(sorted(EDITS)))
    details = draw(
        st.fixed_dictionaries(
            {"pose": POSE, "a": POINT, "b": POINT, "corner": st.integers(0, 9), "typed": TYPED}
        )
    )

    def edit(content: Content) -> Content:
        places = things(content) or [()]
        return EDITS[kind](content, places[which % len(places)], which, details)

    return edit


def _type(content: Content, place: Place, which: int, d: dict) -> Content:
    fields = fields_of(content, place)
    field = fields[which % len(fields)]
    return field.put(content, field.read(d["typed"]))


def _body(radius: float | None = 0.1):
    points = () if radius else rectangle(0.2, 0.1)
    return edits.new_body("thing", points, radius, MATERIALS["wood"], moves=True)


EDITS: dict[str, Callable[[Content, Place, int, dict], Content]] = {
    "object": lambda c, p, n, d: edits.add_object(c, _body(), d["pose"])[0],
    "robot": lambda c, p, n, d: edits.add_robot(c, _body(None), d["pose"])[0],
    "part": lambda c, p, n, d: edits.add_robot_body(c, 0, _body(), d["pose"])[0] if c.robots else c,
    "motor": lambda c, p, n, d: edits.add_device(c, p, "motor", d["pose"])[0],
    "sensor": lambda c, p, n, d: edits.add_device(
        c, p, ("line", "line_array", "distance", "imu", "encoder")[n % 5], d["pose"]
    )[0],
    "joint": lambda c, p, n, d: edits.add_joint(
        c, p, [*things(c), ()][d["corner"] % (len(things(c)) + 1)], "hinge", d["a"]
    )[0],
    "stroke": lambda c, p, n, d: edits.add_stroke(c, Stroke(points=(d["a"], d["b"])))[0],
    "bounds": lambda c, p, n, d: edits.set_bounds(c, d["a"], d["b"]),
    "move": lambda c, p, n, d: edits.move(c, p, d["pose"]),
    "corner": lambda c, p, n, d: edits.move_corner(c, p, d["corner"], d["a"]),
    "more": lambda c, p, n, d: edits.add_corner(c, p, d["corner"], d["a"]),
    "less": lambda c, p, n, d: edits.remove_corner(c, p, d["corner"]),
    "centre": lambda c, p, n, d: edits.centre(c, p),
    "delete": lambda c, p, n, d: names.delete(c, p),
    "paste": lambda c, p, n, d: clipboard.paste(c, clipboard.copy(c, p), (0.05, 0.05), p)[0],
    "type": _type,
}


@settings(max_examples=30, deadline=None)
@given(
    scenario=st.sampled_from(["", "trailer", "sumo", "box_pushing"]),
    steps=st.lists(an_edit(), min_size=20, max_size=25),
)
def test_mixed_edits_undone_and_redone_return_identical_json(scenario: str, steps: list):
    document = Document(content_of(scenario) if scenario else Content.empty("new"))
    states = [files_of(document.content)]
    for step in steps:
        before = document.content
        try:
            document.apply("edit", step)
        except EditError:
            assert document.content is before
            continue
        if document.content is not before:
            states.append(files_of(document.content))
    for state in reversed(states[:-1]):
        document.undo()
        assert files_of(document.content) == state
    with pytest.raises(UiError, match="nothing to undo"):
        document.undo()
    assert not document.is_changed
    for state in states[1:]:
        document.redo()
        assert files_of(document.content) == state
    with pytest.raises(UiError, match="nothing to do again"):
        document.redo()


# Bodies that are moved one by one leave their joints; sizes and inertias are edited at random.
@pytest.mark.filterwarnings("ignore:.*the anchors of:horus_sim.sim2d.UnlikelyValueWarning")
@pytest.mark.filterwarnings("ignore:.*outside its outline:horus_sim.sim2d.UnlikelyValueWarning")
@pytest.mark.filterwarnings("ignore:.*the inertia of:horus_sim.sim2d.UnlikelyValueWarning")
@pytest.mark.filterwarnings("ignore:.*outside its limits:horus_sim.sim2d.UnlikelyValueWarning")
@settings(max_examples=15, deadline=None)
@given(steps=st.lists(an_edit(), min_size=5, max_size=20))
def test_whatever_was_edited_can_be_simulated(steps: list):
    document = Document(content_of("trailer"))
    for step in steps:
        try:
            document.apply("edit", step)
        except EditError:
            continue
    content = document.content
    scenario = Scenario.make(content.world, *content.robots)
    sim = Simulator(scenario)
    for _ in range(3):
        assert sim.step()


def test_edits_that_belong_together_are_undone_together():
    document = Document(Content.empty("new"))
    document.apply("add", lambda c: edits.add_object(c, _body(), (0, 0, 0))[0])
    place: Place = ("world", "shape_objects", 0)
    for x in (0.1, 0.2, 0.3):
        document.apply("move", lambda c, x=x: edits.move(c, place, (x, 0, 0)), merge="drag")
    document.seal()
    document.apply("move", lambda c: edits.move(c, place, (0.4, 0, 0)), merge="drag")
    document.undo()
    assert document.content.world.shape_objects[0].body.pose == (0.3, 0.0, 0.0)
    assert document.undo() == "move"
    assert document.content.world.shape_objects[0].body.pose == (0.0, 0.0, 0.0)
    assert document.can_redo
    document.apply("delete", lambda c: names.delete(c, place))
    assert not document.can_redo


def test_saved_work_is_no_change_and_revert_can_be_undone():
    document = Document(Content.empty("new"))
    told = []
    document.on_change.append(lambda: told.append(document.is_changed))
    document.apply("bounds", lambda c: edits.set_bounds(c, (1, 1), (-1, -1)))
    document.mark_saved(document.content)
    document.apply("delete", lambda c: names.delete(c, ("world", "bounds")))
    document.revert()
    assert document.content.world.bounds is not None
    document.undo()
    assert told == [True, False, True, False, True]


@given(st.lists(st.one_of(st.integers(0, 99), st.sampled_from(["world", "robots", "pose"]))))
def test_places_are_their_texts(parts: list):
    assert place_of(place_text(tuple(parts))) == tuple(parts)


def test_two_bodies_of_a_name_are_refused_and_what_refers_to_a_name_follows_it():
    document = Document(content_of("trailer"))
    robot = document.content.robots[0]
    body: Place = ("robots", 0, "bodies", 0, "name")
    with pytest.raises(EditError, match=f"'{robot.bodies[1].name}' is taken"):
        document.apply("name", lambda c: edits.set_value(c, body, robot.bodies[1].name))
    document.apply("name", lambda c: edits.set_value(c, body, "tractor"))
    after = document.content.robots[0]
    assert [j.parent for j in after.joints] == [
        "tractor" if j.parent == robot.bodies[0].name else j.parent for j in robot.joints
    ]
    assert {m.body for m in after.actuators} <= {b.name for b in after.bodies}


def test_a_deleted_body_takes_its_devices_and_joints_with_it():
    content = content_of("trailer")
    after = names.delete(content, ("robots", 0, "bodies", 0))
    gone = content.robots[0].bodies[0].name
    robot = after.robots[0]
    assert all(gone not in (j.parent, j.child) for j in robot.joints)
    assert all(device.body != gone for device in (*robot.actuators, *robot.sensors))
    follower = names.delete(content_of("line_follower"), ("robots", 0, "actuators", 0))
    assert [sensor.name for sensor in follower.robots[0].sensors] == [
        "line",
        "imu",
        "right_encoder",
    ]
    alone = names.delete(content_of("line_follower"), ("robots", 0, "bodies", 0))
    assert alone.robots == ()
    assert alone.scenario.robots == ()


def test_centring_moves_nothing_in_the_world_but_the_origin():
    content, place = edits.add_robot(Content.empty("new"), _body(None), (1.0, 2.0, 0.7))
    body: Place = (*place, "bodies", 0)
    content, motor = edits.add_device(content, body, "motor", (1.1, 2.0, 0.0))
    content = edits.move_corner(content, body, 2, (1.4, 2.5))
    corners, mount = edits.outline(content, body), edits.world_pose(content, motor)
    after = edits.centre(content, body)
    assert after.robots[0].bodies[0].points != content.robots[0].bodies[0].points
    for old, new in zip(corners, edits.outline(after, body), strict=True):
        assert math.dist(old, new) < 1e-5
    assert math.dist(mount, edits.world_pose(after, motor)) < 1e-5


def test_robots_of_one_file_are_edited_together():
    content = content_of("line_follower")
    twin = edits.insert_robot(content, content.robots[0], "twin")[0]
    entries = tuple(e.model_copy(update={"ref": "robot.json"}) for e in twin.scenario.robots)
    both = Content(twin.scenario.model_copy(update={"robots": entries}), twin.world, twin.robots)
    after = edits.set_value(both, ("robots", 1, "bodies", 0, "mass"), 2.0)
    assert [robot.bodies[0].mass for robot in after.robots] == [2.0, 2.0]
