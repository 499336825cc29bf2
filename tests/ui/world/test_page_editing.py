"""Building in a real browser: add, move, drag, delete, undo, save, load, drop; and nonsense."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import trimesh

from horus_sim.sim3d import ObjectConfig, World, load_scene

if TYPE_CHECKING:
    from tests.ui.conftest import Site, Visit

Open = Callable[[str], "Visit"]


def x_of(world: World, name: str) -> float:
    return float(world.objects[name].pose.translation[0])


def test_a_box_is_added_moved_deleted_undone_saved_and_loaded(site: Site, visit: Open):
    user = visit("empty_world")
    user.unfold("Add")
    user.fill("x [m]", "2")
    user.page.get_by_label("Moves").click()
    user.press("Add")
    site.wait_for(lambda world: "box" in world.objects)
    assert site.ask(lambda world: world.objects["box"].pose.translation.tolist()) == [2.0, 0.0, 0.5]
    user.unfold("Selection")
    user.page.get_by_text("Click a thing in the view").wait_for()
    user.choose("Selected", "box")
    user.sees_value("X position", "2.000")
    user.fill("X position", "3.5")
    user.fill("Yaw [deg]", "90")
    user.keep("sim3d_selection")
    user.press("Move")
    site.wait_for(lambda world: x_of(world, "box") == 3.5)
    user.press("Undo")
    site.wait_for(lambda world: x_of(world, "box") == 2.0)
    user.press("Redo")
    site.wait_for(lambda world: x_of(world, "box") == 3.5)
    user.unfold("Scene")
    user.fill("Save as", "with_box")
    user.press("Save")
    path = site.shared.folder / "with_box.yaml"
    site.wait_for(lambda _: path.is_file())
    user.press("Delete")
    site.wait_for(lambda world: "box" not in world.objects)
    user.choose("Scene", "with_box (saved)")
    user.press("Open")
    site.wait_for(lambda world: world.scene.name == "with_box" and "box" in world.objects)
    user.page.wait_for_selector('[data-scene="with_box"]')
    saved = {item.name: item for item in load_scene(path).objects}
    np.testing.assert_allclose(saved["box"].pose.transform().translation, (3.5, 0, 0.5))


def test_shapes_and_robots_are_added(site: Site, visit: Open, tmp_path: Path):
    mesh = tmp_path / "block.stl"
    trimesh.creation.box((0.4, 0.2, 0.2)).export(mesh)
    user = visit("empty_world")
    world = World.load("empty_world", package_roots=[mesh.parent])
    site.session.simulation.replace(world).result(60)
    user.unfold("Add")
    for shape in ("sphere", "cylinder"):
        user.choose("Shape", shape)
        user.press("Add")
        site.wait_for(lambda world, shape=shape: shape in world.objects)
    user.choose("Shape", "mesh")
    user.fill("Mesh file", str(mesh.with_name("none.stl")))
    user.press("Add")
    user.error_at("Mesh file", "none.stl")
    user.fill("Mesh file", str(mesh))
    user.press("Add")
    site.wait_for(lambda world: "mesh" in world.objects)
    user.choose("Shape", "robot")
    user.choose("Model", "turtlebot3_burger")
    user.press("Add")
    site.wait_for(lambda world: len(world.robots) == 1)


def test_sizes_and_places_are_read_in_the_units_that_are_shown(site: Site, visit: Open):
    user = visit("empty_world")
    user.unfold("Add")
    user.choose_setting("CAD millimetres")
    user.sees_value("Length [mm]", "300")
    user.fill("Length [mm]", "400")
    # CAD has y forward, where the world has x.
    user.sees_value("y [mm]", "1000")
    user.fill("y [mm]", "1500")
    user.fill("Width [mm]", "100001")
    user.press("Add")
    user.error_at("Width [mm]", "at most 100000")
    user.fill("Width [mm]", "200")
    user.page.get_by_label("Moves").click()
    user.press("Add")
    site.wait_for(lambda world: "box" in world.objects)
    box = site.ask(lambda world: world.objects["box"])
    np.testing.assert_allclose(box.pose.translation, (1.5, 0, 0.5), atol=1e-9)
    half = site.ask(lambda world: world.model.geom_size[world.model.body_geomadr[box.body]])
    np.testing.assert_allclose(half, (0.2, 0.1, 0.15), atol=1e-9)
    user.unfold("Selection")
    user.choose("Selected", "box")
    user.sees_value("Y position", "1500")
    user.page.reload()
    user.unfold("Add")
    user.sees_value("Length [mm]", "300")  # the choice of units stays


@pytest.mark.parametrize("handles", ["Shift", "Turn"])
def test_a_thing_is_picked_and_dragged_and_a_killed_browser_loses_nothing(
    site: Site, visit: Open, handles: str
):
    user = visit("empty_world")
    page = user.page
    x, y, _ = site.ask(lambda world: world.model.stat.center.tolist())
    crate = {"name": "crate", "shape": {"kind": "box", "size": [0.6, 0.6, 0.6]}}
    crate["pose"] = {"xyz": [x, y, 0.3]}
    site.session.editor.add_object(ObjectConfig.model_validate(crate)).result(60)
    user.press("Pause")
    user.press("Top")
    user.unfold("Selection")
    empty = user.look()
    left, top, width, height = user.box(".horus-view canvas")
    middle = (left + width / 2, top + height / 2)
    page.mouse.click(*middle)
    user.sees_value("Selected", "crate")
    user.press(handles)
    user.look(other_than=empty)
    user.keep(f"sim3d_gizmo_{handles.lower()}")

    def turn(world: World) -> float:
        return float(world.objects["crate"].pose.to_euler()[2])

    # From above 10 m fill the height; an arrow is 1.4 m long, a ring has a radius of 1.05 m.
    metre = height / 10
    if handles == "Shift":
        page.mouse.move(middle[0] + 0.9 * metre, middle[1])
        page.mouse.down()
        page.mouse.move(middle[0] + 1.9 * metre, middle[1], steps=5)
        site.wait_for(lambda world: abs(x_of(world, "crate") - x - 1) < 0.1)
    else:
        side = 1.05 * metre * np.sqrt(0.5)
        page.mouse.move(middle[0] + side, middle[1] - side)
        page.mouse.down()
        page.mouse.move(middle[0] - side, middle[1] - side, steps=5)
        site.wait_for(lambda world: abs(turn(world) - np.pi / 2) < 0.1)
    page.close(run_before_unload=False)
    site.wait_for(lambda _: site.shared.stream.clients == 0)
    site.wait_for(lambda _: site.session.editor.can_undo)
    if handles == "Shift":
        assert abs(site.ask(lambda world: x_of(world, "crate")) - x - 1) < 0.1
    else:
        assert abs(site.ask(turn) - np.pi / 2) < 0.1
    assert site.session.editor.undo().result(60) == "crate"
    pose = site.ask(lambda world: world.objects["crate"].pose)
    np.testing.assert_allclose(pose.translation, (x, y, 0.3), atol=1e-9)
    np.testing.assert_allclose(pose.to_euler(), 0.0, atol=1e-9)


def drop(user: Visit, name: str, text: str) -> None:
    """Drops a file onto the view, as a desktop does."""
    transfer = user.page.evaluate_handle(
        """([name, text]) => { const data = new DataTransfer();
        data.items.add(new File([text], name)); return data; }""",
        [name, text],
    )
    view = user.page.locator(".horus-view canvas")
    view.dispatch_event("dragover", {"dataTransfer": transfer})
    user.page.locator(".horus-drop").wait_for()
    view.dispatch_event("drop", {"dataTransfer": transfer})


URDF = (
    '<robot name="toy"><link name="base"><inertial><mass value="1"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
    '<visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual>'
    '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link></robot>'
)
SDF = (
    '<sdf version="1.9"><world name="yard"><model name="post"><static>true</static>'
    '<link name="l"><collision name="c"><geometry><box><size>1 1 1</size></box></geometry>'
    '</collision><visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual>'
    "</link></model></world></sdf>"
)


def test_a_urdf_and_an_sdf_that_are_dropped_are_taken(site: Site, visit: Open):
    user = visit("empty_world")
    drop(user, "toy.urdf", URDF)
    site.wait_for(lambda world: "toy" in world.robots)
    user.unfold("Scene")
    user.fill("Save as", "with_toy")
    user.press("Save")
    site.wait_for(lambda _: (site.shared.folder / "with_toy.yaml").is_file())
    drop(user, "yard.sdf", SDF)
    site.wait_for(lambda world: world.scene.name == "yard")
    user.page.wait_for_selector('[data-scene="yard"]')
    saved = World.load(site.shared.folder / "with_toy.yaml")
    assert list(saved.robots) == ["toy"]
    user.press("Save")
    user.error_at("Save as", "'with_toy' exists; press Save again to replace it")
    assert load_scene(site.shared.folder / "with_toy.yaml").robots
    user.press("Save")
    site.wait_for(lambda _: not load_scene(site.shared.folder / "with_toy.yaml").robots)


BAD_FILES = {
    "bad.urdf": ("<robot", "bad.urdf"),
    "evil.exe": ("MZ", "neither robot nor scene"),
    "bad.sdf": ("<sdf", "bad.sdf"),
    "bad.yaml": ("robtos: []", "did you mean 'robots'"),
}
NONSENSE = (
    ("Length [m]", "abc", "not a number"),
    ("Length [m]", "0", "more than 0"),
    ("Width [m]", "1e9", "at most 100"),
    ("Height [m]", "nan", "not finite"),
    ("x [m]", "", "not a number"),
    ("y [m]", "--1", "not a number"),
    ("z [m]", "1e5", "at most 10000"),
    ("Mass [kg]", "-3", "more than 0"),
    ("Mass [kg]", "1e-320", "at least 1e-06"),
    ("Length [m]", "1e-320", "at least 0.0001"),
    ("Length [m]", "٣", "not a number"),
    ("Length [m]", "1_0", "not a number"),
)
BAD_NAMES = ("../up", "", "a/b", "x" * 100)


def test_nonsense_is_answered_where_it_was_typed_and_changes_nothing(site: Site, visit: Open):
    user = visit("warehouse")
    page = user.page
    user.press("Pause")
    generation = site.ask(lambda world: world.generation)
    for label, text in (("Speed [m/s]", "-1"), ("Turning [rad/s]", "1e3")):
        user.fill(label, text)
        user.error_at(label, "more than 0" if text == "-1" else "at most 10")
    user.unfold("Selection")
    user.choose("Selected", "carton_5")
    pose = site.ask(lambda world: world.objects["carton_5"].pose)
    for label, text, message in (
        ("X position", "here", "not a number"),
        ("Z position", "inf", "not finite"),
        ("Yaw [deg]", "361", "at most 360"),
    ):
        right = page.get_by_label(label, exact=True).input_value()
        user.fill(label, text)
        user.press("Move")
        user.error_at(label, message)
        user.fill(label, right)
    after = site.ask(lambda world: world.objects["carton_5"].pose)
    np.testing.assert_allclose(after.translation, pose.translation, atol=1e-3)
    np.testing.assert_allclose(after.to_euler(), pose.to_euler(), atol=1e-3)
    user.unfold("Add")
    for label, text, message in NONSENSE:
        right = page.get_by_label(label, exact=True).input_value()
        user.fill(label, text)
        user.press("Add")
        user.error_at(label, message)
        user.fill(label, right)
    user.unfold("Scene")
    for name in BAD_NAMES:
        user.fill("Save as", name)
        user.press("Save")
        user.error_at("Save as", "a name has 1 to 64 letters")
    user.keep("sim3d_nonsense")
    for name, (content, message) in BAD_FILES.items():
        page.locator("input[type=file]").set_input_files(
            {"name": name, "mimeType": "text/xml", "buffer": content.encode()}
        )
        page.locator(".q-notification", has_text=message).first.wait_for()
    assert site.ask(lambda world: world.generation) == generation
    assert site.ask(lambda world: world.scene.name) == "warehouse"
    assert list(site.shared.folder.parent.glob("up*")) == []
