"""Broken, mutated and made-up URDF: an error of ours or a robot, never anything else."""

from __future__ import annotations

import builtins
import io
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from horus_sim.errors import HorusError
from horus_sim.robots.description import Mesh
from horus_sim.robots.inertia import physical_inertials

from .urdf_texts import parse_urdf

FEW = settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
# No dollar sign: that would start a process for xacro at every turn.
LETTERS = st.characters(exclude_characters="$", exclude_categories=("Cs",))


def survive(text: str | bytes, path: Path) -> None:
    """Reads a text; only errors of the package may come out."""
    try:
        description, _ = parse_urdf(text, path, allow_missing=True)
    except HorusError:
        return
    names = {link.name for link in description.links}
    assert len(names) == len(description.links)
    assert description.root in names
    assert len(description.joints) == len(names) - 1
    physical_inertials(description, root_moves=True)
    for link in description.links:
        for shape in (*link.visuals, *link.collisions):
            if isinstance(shape.geometry, Mesh):
                assert shape.geometry.path.is_relative_to(path.parent)


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder with a mesh, below one with a secret."""
    folder = tmp_path_factory.mktemp("fuzz") / "robot"
    folder.mkdir()
    (folder / "a.stl").write_bytes(b"x")
    (folder.parent / "secret.stl").write_bytes(b"secret")
    return folder / "robot.urdf"


@pytest.fixture(scope="module")
def real(shared_data) -> list[bytes]:
    folder = shared_data("robots/urdf")
    names = (
        "sigmaban/robot.urdf",
        "turtlebot3_burger/turtlebot3_description/urdf/turtlebot3_burger.urdf",
        "acrobot_drake/examples/acrobot/Acrobot.urdf",
        "cartpole/data/cartpole.urdf",
    )
    return [(folder / name).read_bytes()[:6000] + b"</robot>" for name in names] + [
        (folder / name).read_bytes() for name in names[2:]
    ]


JUNK = st.sampled_from(
    [
        b"",
        b"<",
        b">",
        b"/>",
        b'"',
        b"nan",
        b"inf",
        b"-1",
        b"1e999",
        b"0",
        b"world",
        b"../secret.stl",
        b"&x;",
        b"\xff",
        b"\x00",
        b"<link name='a'/>",
        b"</link>",
        b"file:///etc/passwd",
        b"base_link",
        b"<!DOCTYPE a>",
        b"<mimic joint='j'/>",
        b"   ",
        b"0 0",
        b"\xe2\x82\xac",
    ]
)


@FEW
@given(st.data())
def test_mutations_of_real_files(real, place, data):
    text = bytearray(data.draw(st.sampled_from(real)))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 40))
        text[start : start + length] = data.draw(JUNK)
    survive(bytes(text), place)


@FEW
@given(st.data())
def test_values_of_real_files_swapped(real, place, data):
    """Well-formed all along: the text between two quotes is replaced."""
    pieces = data.draw(st.sampled_from(real)).decode("utf-8", "replace").split('"')
    for _ in range(data.draw(st.integers(1, 3))):
        k = 2 * data.draw(st.integers(0, (len(pieces) - 2) // 2)) + 1
        pieces[k] = data.draw(
            st.sampled_from(
                ["", "nan", "-inf", "1e400", "x", "1 2 3", "base_link", "../secret.stl"]
            )
            | st.text(LETTERS.filter(lambda c: c not in '"<&'), max_size=8)
        )
    survive('"'.join(pieces), place)


NAMES = st.sampled_from(["a", "b", "c", "world", "", "ü", "a b"])
NUMBERS = st.sampled_from(["0", "1", "-1", "nan", "inf", "1e308", "-1e-320", "x", "", "1 2 3", "٣"])
URIS = st.sampled_from(
    [
        "a.stl",
        "../secret.stl",
        "package://robot/a.stl",
        "package://../secret.stl",
        "/etc/passwd",
        "file:///etc/passwd",
        "x://y",
        "",
        "a.stl/../../secret.stl",
        "%2e%2e/secret.stl",
    ]
)
TAGS = st.sampled_from(
    [
        "link",
        "joint",
        "visual",
        "collision",
        "geometry",
        "mesh",
        "box",
        "sphere",
        "cylinder",
        "inertial",
        "mass",
        "inertia",
        "origin",
        "parent",
        "child",
        "axis",
        "limit",
        "mimic",
        "dynamics",
        "material",
        "color",
        "texture",
        "gazebo",
        "transmission",
        "actuator",
        "contact",
        "mu1",
        "kp",
        "selfCollide",
        "safety_controller",
        "lateral_friction",
        "xx",
    ]
)
ATTRIBUTES = st.one_of(
    st.tuples(st.sampled_from(["name", "link", "joint", "reference"]), NAMES),
    st.tuples(st.just("type"), st.sampled_from(["revolute", "fixed", "planar", "helical"])),
    st.tuples(st.just("filename"), URIS),
    st.tuples(
        st.sampled_from(
            [
                "value",
                "xyz",
                "rpy",
                "size",
                "radius",
                "length",
                "scale",
                "rgba",
                "ixx",
                "iyy",
                "izz",
                "lower",
                "upper",
                "effort",
                "damping",
                "multiplier",
                "armature",
            ]
        ),
        NUMBERS,
    ),
)


def element(children):
    return st.builds(
        lambda tag, attributes, inside: (
            f"<{tag} "
            + " ".join(f'{key}="{value}"' for key, value in dict(attributes).items())
            + f">{''.join(inside)}</{tag}>"
        ),
        TAGS,
        st.lists(ATTRIBUTES, max_size=4),
        st.lists(children, max_size=4),
    )


TREES = st.lists(st.recursive(NUMBERS, element, max_leaves=12), max_size=8)


@FEW
@given(TREES)
def test_generated_elements(place, parts):
    survive(f'<robot name="r"><link name="a"/>{"".join(parts)}</robot>', place)


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.stl",
        "package://robot/../secret.stl",
        "file:///etc/passwd",
        "/etc/passwd",
        "link.stl",
        "folder/secret.stl",
    ],
)
def test_files_outside_are_never_opened(place, monkeypatch, uri):
    """Neither for a mesh nor for a texture, through whatever function opens files."""
    for name, target in (("link.stl", "secret.stl"), ("folder", ".")):
        if not (place.parent / name).is_symlink():
            (place.parent / name).symlink_to(place.parent.parent / target)
    opened: list[str] = []

    def spy(original):
        def call(file, *arguments, **options):
            opened.append(os.fspath(file) if not isinstance(file, int) else str(file))
            return original(file, *arguments, **options)

        return call

    for module, name in ((builtins, "open"), (io, "open"), (os, "open")):
        monkeypatch.setattr(module, name, spy(getattr(module, name)))
    _, report = parse_urdf(
        '<robot name="r"><link name="a"><visual><geometry><sphere radius="1"/></geometry>'
        f'<material name="m"><texture filename="{uri}"/></material></visual>'
        f'<visual><geometry><mesh filename="{uri}"/></geometry></visual></link></robot>',
        place,
    )
    monkeypatch.undo()
    assert opened == []
    assert str(report).count("refused: outside the package roots") == 2
