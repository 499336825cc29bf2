"""Edits of a running world: undone, done again, and saved as a scene."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import HorusError, UiError, UnknownNameError
from horus_sim.running.loop.loop import Loop
from horus_sim.sim3d import ObjectConfig, Scene, World, load_scene
from horus_sim.tf import Transform
from horus_sim.ui.shell.uploads import UploadFolder
from horus_sim.ui.world.model.editing import WorldEditor, pose_of
from horus_sim.ui.world.model.scene_files import check_name, save_scene, saved_scenes

LONGEST_S = 20.0


def box(name: str = "box", **more: Any) -> ObjectConfig:
    data = {"name": name, "shape": {"kind": "box", "size": [0.2, 0.2, 0.2]}} | more
    return ObjectConfig.model_validate(data)


class Bench:
    """A paused world with an editor."""

    def __init__(self, world: World) -> None:
        self.simulation = Loop(world, running=False)
        self.editor = WorldEditor(self.simulation)

    def where(self, name: str) -> list[float]:
        future = self.simulation.call(lambda world: pose_of(world, name).translation.tolist())
        return future.result(LONGEST_S)

    def names(self) -> set[str]:
        future = self.simulation.call(lambda world: {*world.objects, *world.robots})
        return future.result(LONGEST_S)

    def scene(self) -> Scene:
        return self.editor.scene().result(LONGEST_S)


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench(World.load("empty_world"))
    with bench.simulation:
        yield bench


def test_adding_is_undone_and_done_again(bench: Bench):
    assert bench.editor.add_object(box(pose={"xyz": [1, 0, 0]})).result(LONGEST_S) == "box"
    assert bench.editor.add_object(box()).result(LONGEST_S) == "box_2"
    assert bench.editor.undo().result(LONGEST_S) == "box_2"
    assert bench.names() == {"ground", "box"}
    bench.editor.undo().result(LONGEST_S)
    bench.editor.redo().result(LONGEST_S)
    assert bench.names() == {"ground", "box"}
    assert bench.where("box") == [1, 0, 0]


def test_what_was_deleted_comes_back_where_it_was(bench: Bench):
    bench.editor.add_object(box()).result(LONGEST_S)
    bench.editor.move("box", Transform((3, 2, 1))).result(LONGEST_S)
    bench.editor.remove("box").result(LONGEST_S)
    assert bench.names() == {"ground"}
    bench.editor.undo().result(LONGEST_S)
    assert bench.where("box") == [3, 2, 1]
    bench.editor.undo().result(LONGEST_S)
    assert bench.where("box") == [0, 0, 0]


def test_a_robot_is_added_deleted_and_comes_back(bench: Bench):
    name = bench.editor.add_robot("turtlebot3_burger", Transform((0, 1, 0))).result(LONGEST_S)
    bench.editor.remove(name).result(LONGEST_S)
    bench.editor.undo().result(LONGEST_S)
    np.testing.assert_allclose(bench.where(name), (0, 1, 0), atol=0.02)


def test_a_new_edit_ends_what_could_be_done_again(bench: Bench):
    bench.editor.add_object(box()).result(LONGEST_S)
    bench.editor.undo().result(LONGEST_S)
    bench.editor.add_object(box("other")).result(LONGEST_S)
    assert not bench.editor.can_redo
    with pytest.raises(UiError, match="nothing to do again"):
        bench.editor.redo().result(LONGEST_S)


def test_without_edits_there_is_nothing_to_undo(bench: Bench):
    with pytest.raises(UiError, match="nothing to undo"):
        bench.editor.undo().result(LONGEST_S)


def test_a_drag_is_one_edit(bench: Bench):
    bench.editor.add_object(box()).result(LONGEST_S)
    for x in (0.1, 0.2, 0.3):
        bench.editor.drag(1, "box", Transform((x, 0, 0)))
    bench.simulation.call(lambda _: None).result(LONGEST_S)
    bench.editor.end_drag(1)
    bench.simulation.call(lambda _: None).result(LONGEST_S)
    bench.simulation.call(lambda _: None).result(LONGEST_S)
    assert bench.where("box") == [0.3, 0, 0]
    bench.editor.undo().result(LONGEST_S)
    assert bench.where("box") == [0, 0, 0]


def test_a_refused_edit_is_not_remembered(bench: Bench):
    with pytest.raises(UnknownNameError, match="did you mean 'ground'"):
        bench.editor.remove("grund").result(LONGEST_S)
    assert not bench.editor.can_undo


def test_another_world_begins_without_edits(bench: Bench):
    bench.editor.add_object(box()).result(LONGEST_S)
    bench.simulation.replace(World.load("empty_world")).result(LONGEST_S)
    assert not bench.editor.can_undo


def test_the_saved_scene_holds_the_edits(bench: Bench, tmp_path: Path):
    bench.editor.add_object(box(pose={"xyz": [1, 0, 0]})).result(LONGEST_S)
    bench.editor.add_object(box("gone")).result(LONGEST_S)
    bench.editor.remove("gone").result(LONGEST_S)
    bench.editor.move("box", Transform.from_euler((2, 0, 1), (0, 0, 0.5))).result(LONGEST_S)
    bench.editor.add_robot("turtlebot3_burger", Transform((0, 1, 0.2))).result(LONGEST_S)
    path = save_scene(bench.scene(), "mine", tmp_path, tmp_path / "dropped")
    assert saved_scenes(tmp_path) == ["mine"]
    world = World.load(path)
    assert {*world.objects, *world.robots} == bench.names()
    np.testing.assert_allclose(world.objects["box"].pose.translation, (2, 0, 1), atol=1e-9)
    np.testing.assert_allclose(world.objects["box"].pose.to_euler(), (0, 0, 0.5), atol=1e-9)
    [robot] = world.robots.values()
    np.testing.assert_allclose(robot.pose.translation, (0, 1, 0.2), atol=0.02)


def test_a_dropped_robot_is_kept_beside_the_scene(bench: Bench, tmp_path: Path):
    drop = UploadFolder()
    text = '<robot name="toy"><link name="base"/></robot>'
    path = drop.keep("toy.urdf", text.encode())
    bench.editor.add_robot(path, Transform()).result(LONGEST_S)
    saved = save_scene(bench.scene(), "mine", tmp_path, drop.path)
    assert (tmp_path / "mine_files" / "toy" / "toy.urdf").read_text() == text
    assert load_scene(saved).robots[0].model == "mine_files/toy/toy.urdf"
    assert list(World.load(saved).robots) == ["toy"]


def test_what_an_included_file_brings_cannot_be_saved_changed(tmp_path: Path):
    (tmp_path / "outer.yaml").write_text("include: [{file: empty_world}]\n")
    bench = Bench(World.load(tmp_path / "outer.yaml"))
    with bench.simulation:
        bench.editor.remove("ground").result(LONGEST_S)
        with pytest.raises(UiError, match=r"'ground' comes from a file .*undo it"):
            bench.scene()


@pytest.mark.parametrize("name", ["", " ", "../x", "a/b", ".hidden", "-x", "ä", "x" * 65, "a\n"])
def test_names_that_could_be_paths_are_refused(name: str):
    if name == "a\n":
        assert check_name(name) == "a"
        return
    with pytest.raises(UiError, match="a name has 1 to 64 letters"):
        check_name(name)


@pytest.mark.parametrize(
    ("name", "text"),
    [("../x.urdf", "not a name for a file"), ("x.exe", "neither robot nor scene")],
)
def test_dropped_files_are_checked(name: str, text: str):
    with pytest.raises(HorusError, match=text):
        UploadFolder().keep(name, b"")
