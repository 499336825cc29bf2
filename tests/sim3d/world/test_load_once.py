"""A world is loaded straight on: files are opened, scenes flattened and robots weighed once."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

import horus_sim
from horus_sim.assets import ROOT
from horus_sim.robots import inertia, robot
from horus_sim.sim3d import World
from horus_sim.sim3d.compile.robot import robot as compiled_robot
from horus_sim.sim3d.scene import reading, world_spec
from horus_sim.sim3d.world import live_model

MOST_FILES = 32
"""Modules of scene, compile and world that may run while a scene is loaded."""

_opened: Counter[Path] | None = None


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and _opened is not None and str(arguments[1]).startswith("r"):
        _opened[Path(str(arguments[0]))] += 1


sys.addaudithook(_hook)


@pytest.fixture
def opened() -> Iterator[Counter[Path]]:
    """How often each file was opened."""
    global _opened  # noqa: PLW0603 - an audit hook cannot be taken away
    _opened = Counter()
    yield _opened
    _opened = None


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the steps of the pipeline were taken."""
    counts: Counter[str] = Counter()

    def count(place: object, name: str, key: Callable[..., str]) -> None:
        original = getattr(place, name)

        def counting(*arguments, **options):
            counts[key(*arguments)] += 1
            return original(*arguments, **options)

        monkeypatch.setattr(place, name, counting)

    count(reading, "checked", lambda *_: "check")
    count(world_spec._Collector, "add", lambda _, place: f"flatten {place.scene.name}")
    count(live_model, "compile_spec", lambda _: "compile")
    for module in (robot, compiled_robot):
        count(module, "physical_inertials", lambda description: f"weigh {description.name}")
    assert inertia.physical_inertials is not robot.physical_inertials
    return counts


def files_that_run(action: Callable[[], object]) -> set[str]:
    """The modules of the package, by path below it, of which some function runs."""
    home = Path(horus_sim.__file__).parent
    found: set[str] = set()

    def see(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            found.add(frame.f_code.co_filename)

    sys.setprofile(see)
    try:
        action()
    finally:
        sys.setprofile(None)
    paths = (Path(name) for name in found)
    return {path.relative_to(home).as_posix() for path in paths if path.is_relative_to(home)}


def test_a_shipped_scene(opened: Counter[Path], calls: Counter[str]):
    World.load("warehouse")
    read = {path: n for path, n in opened.items() if path.is_relative_to(ROOT)}
    assert len(read) > 1
    assert set(read.values()) == {1}
    weighed = {name: n for name, n in calls.items() if name.startswith("weigh")}
    assert set(weighed.values()) == {1}
    assert (calls["check"], calls["flatten warehouse"], calls["compile"]) == (1, 1, 1)


def test_a_scene_of_ones_own(tmp_path: Path, opened: Counter[Path], calls: Counter[str]):
    (tmp_path / "arm.urdf").write_text(
        "<robot name='arm'><link name='base'/><link name='rod'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<joint name='hinge' type='continuous'><parent link='base'/><child link='rod'/></joint>"
        "</robot>"
    )
    (tmp_path / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\n")
    (tmp_path / "room.yaml").write_text(
        "name: room\nobjects:\n  - {name: part, shape: {kind: mesh, file: part.obj}}\n"
    )
    (tmp_path / "scene.yaml").write_text(
        "name: house\ninclude: [{file: room.yaml}]\nrobots: [{name: arm, model: arm.urdf}]\n"
    )
    World.load(tmp_path / "scene.yaml")
    read = {path.name: n for path, n in opened.items() if path.is_relative_to(tmp_path)}
    assert read == {"scene.yaml": 1, "room.yaml": 1, "arm.urdf": 1, "part.obj": 1}
    assert calls == {
        "check": 2,
        "flatten house": 1,
        "flatten room": 1,
        "weigh arm": 1,
        "compile": 1,
    }


def test_few_files_run():
    World.load("warehouse")  # what is imported at first use does not count
    ran = files_that_run(lambda: World.load("warehouse"))
    own = {path for path in ran if path.startswith(("sim3d/scene", "sim3d/compile", "sim3d/world"))}
    assert "sim3d/world/live_model.py" in own
    assert len(own) <= MOST_FILES, sorted(own)


def test_the_walk_names_the_files_that_run():
    walk = Path(__file__).parents[3].joinpath("docs/architecture.md").read_text()
    ran = files_that_run(lambda: World.load("warehouse"))
    own = {path for path in ran if path.startswith(("sim3d/scene", "sim3d/compile", "sim3d/world"))}
    assert {path for path in own if f"`{path}`" not in walk} == set()
