"""What would run for minutes or fill the memory is refused with the limit that it passes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from horus_sim.arm import Arm
from horus_sim.errors import ArmError, DescriptionError, HorusError, SceneError
from horus_sim.files.document import read_document
from horus_sim.robots import load_robot
from horus_sim.sim3d import World
from horus_sim.sim3d.sensors.rays.lidar import LidarConfig

REPLICATE = "<mujoco><worldbody>{}</worldbody></mujoco>"
BODY = "<body><freejoint/><geom size='0.1'/></body>"
ALIASES = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{inner}'] * 10)}]\n"
    for inner, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "[" * 2000,
            r"1:\d+: this is not valid YAML: lists or mappings are nested deeper than 60 levels",
        ),
        (
            "a: " + "{a: " * 2000,
            r"1:\d+: this is not valid YAML: lists or mappings are nested deeper than 60 levels",
        ),
        (ALIASES, r"6:\d+: this is not valid YAML: there are more than 300000 values"),
        ("a: &a [1, *a]", r"1:\d+: this is not valid YAML: '\*a' is inside of what it stands for"),
    ],
)
def test_yaml_without_end(tmp_path, text, problem):
    path = tmp_path / "scene.yaml"
    path.write_text(text)
    problem = rf"scene\.yaml:{problem}; correct it"
    with pytest.raises(HorusError, match=problem):
        read_document(path, HorusError)
    with pytest.raises(ArmError, match=problem):
        Arm.load(path)
    with pytest.raises(SceneError, match=problem):
        World.load(path)


def test_yaml_within_the_limits_is_read(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("a: &a [1, 2]\nb: [*a, *a]\nc: " + "[" * 58 + "]" * 58)
    data = read_document(path, HorusError).data
    assert isinstance(data, dict)
    assert data["b"] == [[1, 2], [1, 2]]


def robot(folder: Path, parents: Callable[[int], int], links: int) -> Path:
    path = folder / "robot.urdf"
    joints = (
        f"<joint name='j{k}' type='fixed'><parent link='l{parents(k)}'/><child link='l{k}'/>"
        "</joint>"
        for k in range(1, links)
    )
    body = "".join(f"<link name='l{k}'/>" for k in range(links)) + "".join(joints)
    path.write_text(f"<robot name='r'>{body}</robot>")
    return path


@pytest.mark.parametrize(
    ("parents", "links", "problem"),
    [
        (
            lambda k: k - 1,
            502,
            "robot 'r': link 'l501' hangs from the root 'l0' by 501 joints, more than the limit of",
        ),
        (lambda _: 0, 2001, "robot 'r' has 2001 links, more than the limit of 2000; join"),
    ],
)
def test_robots_without_end(tmp_path, parents, links, problem):
    with pytest.raises(DescriptionError, match=problem):
        World.from_robot(load_robot(robot(tmp_path, parents, links)))


@pytest.mark.parametrize(
    "inside",
    [
        f"<replicate count='1000000' offset='1 0 0'>{BODY}</replicate>",
        f"<replicate count='100'><replicate count='100'>{BODY}</replicate></replicate>",
        f"<body><replicate count='{'9' * 5000}'><geom size='1'/></replicate></body>",
        "<body><flexcomp name='f' type='grid' count='100 100 100'/></body>",
    ],
)
def test_copies_without_end(tmp_path, inside):
    path = tmp_path / "robot.xml"
    path.write_text(REPLICATE.format(inside))
    text = r"1:.* make more than 5000 elements, which is the limit; lower 'count'"
    with pytest.raises(DescriptionError, match=text):
        load_robot(path)


@pytest.mark.parametrize(
    ("asset", "problem"),
    [
        (
            "<texture name='t' type='2d' builtin='flat' width='60000' height='60000'/>",
            r"<texture> has 3600000000 points \(width times height\), more than the limit of",
        ),
        (
            "<hfield name='h' nrow='60000' ncol='60000' size='1 1 1 1'/>",
            r"<hfield> has 3600000000 points \(nrow times ncol\), more than the limit of 50000000",
        ),
    ],
)
def test_pictures_and_terrain_without_end(tmp_path, asset, problem):
    path = tmp_path / "robot.xml"
    path.write_text(f"<mujoco><asset>{asset}</asset><worldbody>{BODY}</worldbody></mujoco>")
    with pytest.raises(DescriptionError, match=problem):
        load_robot(path)


def test_lidars_without_end():
    with pytest.raises(ValidationError, match="times 'rays_vertical' are more than 5000000 rays"):
        LidarConfig(name="l", mount="m", rays_horizontal=100_000, rays_vertical=100)


def test_copies_within_the_limit_are_made(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(REPLICATE.format(f"<replicate count='3' offset='1 0 0'>{BODY}</replicate>"))
    assert len(load_robot(path).links) == 4
