"""A robot is opened, parsed and weighed once, however it is described."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from horus_sim.robots import inertia, load_robot, robot, xml

_opened: Counter[str] | None = None


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and _opened is not None and str(arguments[1]).startswith("r"):
        _opened[str(arguments[0])] += 1


sys.addaudithook(_hook)


@pytest.fixture
def opened() -> Iterator[Counter[str]]:
    """How often each file was opened."""
    global _opened  # noqa: PLW0603 - an audit hook cannot be taken away
    _opened = Counter()
    yield _opened
    _opened = None


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each document was parsed."""
    counts: Counter[str] = Counter()
    read = xml._TreeBuilder.read

    def counting(self: xml._TreeBuilder, data: bytes) -> xml.Element:
        counts[self._source] += 1
        return read(self, data)

    monkeypatch.setattr(xml._TreeBuilder, "read", counting)
    return counts


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each robot was weighed."""
    counts: Counter[str] = Counter()
    weigh = inertia.physical_inertials

    def counting(description, *, root_moves: bool):
        counts[description.name] += 1
        return weigh(description, root_moves=root_moves)

    monkeypatch.setattr(robot, "physical_inertials", counting)
    return counts


def test_urdf(opened: Counter[str], parsed: Counter[str], weighed: Counter[str]):
    load_robot("turtlebot3_burger")
    file = str(robot.find_robot_file("turtlebot3_burger"))
    assert parsed == {file: 1}
    assert opened[file] == 1
    below = {path: n for path, n in opened.items() if path.startswith(str(Path(file).parent))}
    assert set(below.values()) == {1}
    assert weighed == {"turtlebot3_burger": 1}


def test_mjcf(tmp_path: Path, opened: Counter[str], parsed: Counter[str], weighed: Counter[str]):
    inner = tmp_path / "leg.xml"
    inner.write_text(
        "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='.1'/></body></worldbody>"
        "</mujoco>"
    )
    outer = tmp_path / "robot.xml"
    outer.write_text("<mujoco model='m'><include file='leg.xml'/></mujoco>")
    load_robot(outer)
    assert parsed == {str(outer): 1, str(inner): 1}
    assert (opened[str(outer)], opened[str(inner)]) == (1, 1)
    assert not weighed  # MuJoCo does that


def test_a_world_takes_the_masses_of_the_loaded_robot(
    monkeypatch: pytest.MonkeyPatch, weighed: Counter[str]
):
    from horus_sim.sim3d import World
    from horus_sim.sim3d.compile.robot import robot as compiled

    monkeypatch.setattr(compiled, "physical_inertials", robot.physical_inertials)
    world = World.from_robot(load_robot("turtlebot3_burger"))
    assert weighed == {"turtlebot3_burger": 1}
    assert world.robots["turtlebot3_burger"] is not None
