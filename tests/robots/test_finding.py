"""Robots by name: ours, those of folders, of installed packages and of downloads."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from horus_sim.errors import SceneError, UnknownNameError
from horus_sim.robots import known_robots, load_robot, robot_names
from horus_sim.robots.finding import sources
from horus_sim.robots.finding.catalog import search_robots
from horus_sim.robots.report import NoteKind
from horus_sim.sim3d import World

from .finding_places import MJCF, URDF, install, put_files

RAISING = "raise ImportError('nothing of a package is imported')"
MESH = (
    '<robot name="meshed"><link name="base"><visual><geometry>'
    '<mesh filename="package://zz-data/robots/meshed/a.stl"/></geometry></visual></link></robot>'
)


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of packages; nobody's downloads are seen."""
    for name in ("HORUS_ROBOTS", "MENAGERIE_ROOT", "MENAGERIE_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "clones"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def addresses(source: str) -> dict[str, str]:
    """Address and format of the robots of a source."""
    return {each.address: each.format for each in known_robots() if each.source == source}


def test_ours_come_first_and_need_no_search(monkeypatch: pytest.MonkeyPatch):
    assert tuple(each.name for each in known_robots())[: len(robot_names())] == robot_names()

    def search() -> None:
        raise AssertionError("another source was searched")

    monkeypatch.setattr(sources, "all_robots", search)
    monkeypatch.setenv("HORUS_ROBOTS", "/elsewhere")
    assert load_robot("arm6").name == "arm6"


def test_folders_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    lab = put_files(
        tmp_path / "lab",
        {
            "zzarm.urdf": URDF.format("zzarm"),
            "zzarm.urdf.xacro": URDF.format("zzarm"),
            "zzleg/leg.xml": MJCF.format("zzleg"),
            "zzleg/scene.xml": (
                '<mujoco><include file="leg.xml"/><worldbody><body/></worldbody></mujoco>'
            ),
            "zzleg/part.xml": "<mujoco><asset/></mujoco>",
            "macros.xacro": '<robot xmlns:xacro="http://x"><xacro:macro name="m"/></robot>',
            "notes.xml": "<notes/>",
            "a/zzdouble.urdf": URDF.format("a"),
            "b/zzdouble.urdf": URDF.format("b"),
            ".hidden/zzhidden.urdf": URDF.format("hidden"),
            "arm6.urdf": URDF.format("theirs"),
        },
    )
    other = put_files(tmp_path / "other", {"zzarm.urdf": URDF.format("other")})
    monkeypatch.setenv("HORUS_ROBOTS", os.pathsep.join(["", str(lab), str(other)]))
    assert addresses("lab") == {
        "zzarm": "urdf",
        "zzarm.urdf.xacro": "xacro",
        "leg": "mjcf",
        "a/zzdouble": "urdf",
        "b/zzdouble": "urdf",
        "lab/arm6": "urdf",
    }
    assert addresses("other") == {"other/zzarm": "urdf"}
    robot = load_robot("ZZarm")
    assert robot.description.source == lab / "zzarm.urdf"
    assert "robot 'zzarm': is that of lab; others are 'other/zzarm'" in str(robot.report)
    assert load_robot("other/zzarm").name == "other"
    assert load_robot("lab/arm6").name == "theirs"
    assert load_robot("arm6").name == "arm6"
    assert load_robot("b/zzdouble").name == "b"
    with pytest.raises(UnknownNameError, match="called 'zzdouble': 'a/zzdouble', 'b/zzdouble';"):
        load_robot("zzdouble")
    with pytest.raises(UnknownNameError, match=r"did you mean 'zzarm'.*robot list.*give its path"):
        load_robot("zzarn")
    with pytest.raises(UnknownNameError, match="no robot is called 'lab/zzarn'"):
        load_robot("lab/zzarn")


def test_a_name_without_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    files = {f"{name}.urdf": URDF.format(name) for name in ("zzsolo8", "zztwo1", "zztwo2")}
    monkeypatch.setenv("HORUS_ROBOTS", str(put_files(tmp_path / "lab", files)))
    robot = load_robot("zzsolo")
    assert robot.name == "zzsolo8"
    assert "robot 'zzsolo': is taken for 'zzsolo8'" in str(robot.report)
    with pytest.raises(UnknownNameError, match="did you mean 'zztwo2' or 'zztwo1'"):
        load_robot("zztwo")


def test_what_is_known_is_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert known_robots() is known_robots()
    before = known_robots()
    lab = put_files(tmp_path / "lab", {"zzarm.urdf": URDF.format("zzarm")})
    monkeypatch.setenv("HORUS_ROBOTS", str(lab))
    assert {each.address for each in known_robots()} == {"zzarm"} | {
        each.address for each in before
    }


def test_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    lab = put_files(tmp_path / "lab", {"zz_maker/Zz-Arm.urdf": URDF.format("zzarm")})
    monkeypatch.setenv("HORUS_ROBOTS", str(lab))
    for text in ("zz_arm", "ZZ-MAK", "z-arm"):
        assert [each.address for each in search_robots(text)] == ["Zz-Arm"]
    assert not search_robots("zz_nothing")


@pytest.mark.parametrize("variable", ["HORUS_ROBOTS", "MENAGERIE_ROOT"])
def test_settings_that_name_no_folder_are_told(tmp_path: Path, monkeypatch, variable: str):
    gone = tmp_path / "gone"
    monkeypatch.setenv(variable, str(gone))
    with pytest.raises(UnknownNameError, match=rf"'zznone'; .*{variable} names '{gone}', which is"):
        load_robot("zznone")


@pytest.mark.parametrize("variable", ["MENAGERIE_ROOT", "MENAGERIE_CACHE_DIR", "XDG_CACHE_HOME"])
def test_menagerie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str):
    inside = {"MENAGERIE_CACHE_DIR": "models", "XDG_CACHE_HOME": "mujoco_menagerie/models"}
    put_files(
        tmp_path / "copy" / inside.get(variable, ""),
        {
            "zz_hand/hand.xml": MJCF.format("zzhand"),
            "zz_hand/scene_left.xml": '<mujoco><include file="hand.xml"/></mujoco>',
            "zz_v3/zz85.xml": MJCF.format("three"),
            "zz_v4/zz85.xml": MJCF.format("four"),
        },
    )
    monkeypatch.setenv(variable, str(tmp_path / "copy"))
    assert set(addresses("mujoco-menagerie")) == {"hand", "zz_v3/zz85", "zz_v4/zz85"}
    assert load_robot("mujoco-menagerie/zz_v4/zz85").name == "four"
    with pytest.raises(UnknownNameError, match="called 'mujoco_menagerie/zz85': 'zz_v3/zz8"):
        load_robot("mujoco_menagerie/zz85")


def test_installed_packages(site: Path):
    install(
        site,
        "zz_data",
        {
            "zz_data/__init__.py": RAISING,
            "cmeel.prefix/share/zz-data/robots/meshed/zzmeshed.urdf": MESH,
            "cmeel.prefix/share/zz-data/robots/meshed/a.stl": "solid",
        },
    )
    install(
        site,
        "zz_gym",
        {
            "zz_gym/__init__.py": RAISING,
            "zz_gym/assets/zzfetch.xml": MJCF.format("zzfetch"),
            "zz_gym/assets/tests/zztested.xml": MJCF.format("zztested"),
            '"zz_gym/assets/zz,comma.urdf"': URDF.format("comma"),
        },
    )
    assert addresses("zz-data") == {"zzmeshed": "urdf"}
    assert addresses("zz-gym") == {"zzfetch": "mjcf"}
    robot = load_robot("zzmeshed")
    assert robot.links["base"].visuals
    assert not robot.report.of(NoteKind.WARNING)
    assert load_robot("zz_gym/zzfetch").name == "zzfetch"


def test_downloads_of_robot_descriptions(site: Path, tmp_path: Path):
    start = (
        "from os import path as _path\n"
        "from ._cache import clone_to_cache as _clone\n"
        'REPOSITORY_PATH: str = _clone("zz-data", commit=None)\n'
        'PACKAGE_PATH: str = _path.join(REPOSITORY_PATH, "robots", "zz_description")\n'
    )
    put_files(
        site / "robot_descriptions",
        {
            "__init__.py": RAISING,
            "_repositories.py": (
                "REPOSITORIES = {\n"
                ' "zz-data": Repository(url="https://x", commit="1", cache_path="zz-data"),\n'
                ' "zz-absent": Repository(url="https://x", commit="1", cache_path="zz-absent"),\n}'
            ),
            "zzarm_description.py": f'{start}URDF_PATH = _path.join(PACKAGE_PATH, "zz.urdf")\n',
            "zzarm_mj_description.py": f'{start}MJCF_PATH = _path.join(PACKAGE_PATH, "zz.xml")\n',
            "zzmacro_description.py": (
                f'{start}XACRO_PATH = _path.join(PACKAGE_PATH, "zz.xacro")\n'
                'XACRO_ARGS = {"kind": "short"}\n'
            ),
            "zzgone_description.py": (
                f'{start}URDF_PATH = _path.join(PACKAGE_PATH, "absent.urdf")\n'
            ),
            "zznever_description.py": (
                'REPOSITORY_PATH = _clone("zz-absent")\n'
                'URDF_PATH = _path.join(REPOSITORY_PATH, "zz.urdf")\n'
            ),
            "zzodd_description.py": "URDF_PATH = 1 + (",
        },
    )
    put_files(
        tmp_path / "clones/zz-data/robots",
        {
            "zz_description/zz.urdf": MESH.replace("zz-data/robots/meshed", "zz_description"),
            "zz_description/zz.xml": MJCF.format("mj"),
            "zz_description/zz.xacro": (
                '<robot name="macro" xmlns:xacro="http://x"><xacro:arg name="kind" default="long"/>'
                '<link name="$(arg kind)"/></robot>'
            ),
            "zz_description/a.stl": "solid",
        },
    )
    assert addresses("robot_descriptions") == {
        "zzarm": "urdf",
        "zzarm_mj": "mjcf",
        "zzmacro": "xacro",
    }
    for name in ("zzarm", "zzarm_description", "robot_descriptions/zzarm_description"):
        robot = load_robot(name)
        assert robot.links["base"].visuals
    assert load_robot("zzarm_mj_description").name == "mj"
    assert "robot_descriptions" not in sys.modules


def test_arguments_of_robot_descriptions(site: Path, tmp_path: Path):
    pytest.importorskip("xacro")
    put_files(
        site / "robot_descriptions",
        {
            "_repositories.py": 'R = {"zz": Repository(cache_path="zz")}',
            "zzmacro_description.py": (
                'REPOSITORY_PATH = _clone("zz")\n'
                'XACRO_PATH = _path.join(REPOSITORY_PATH, "zz.xacro")\n'
                'XACRO_ARGS = {"kind": "short"}\n'
            ),
        },
    )
    text = (
        '<robot name="r" xmlns:xacro="http://x"><xacro:arg name="kind" default="long"/>{}</robot>'
    )
    put_files(tmp_path / "clones/zz", {"zz.xacro": text.format('<link name="$(arg kind)"/>')})
    assert list(load_robot("zzmacro").links) == ["short"]
    assert list(load_robot("zzmacro", xacro_args={"kind": "wide"}).links) == ["wide"]


def test_scenes_and_worlds_take_the_same_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    lab = put_files(
        tmp_path / "lab",
        {"zzarm.urdf": URDF.format("zzarm"), "arm6.urdf": URDF.format("theirs")},
    )
    monkeypatch.setenv("HORUS_ROBOTS", str(lab))
    scene = tmp_path / "scenes" / "s.yaml"
    scene.parent.mkdir()
    scene.write_text(
        "robots: [{name: a, model: zzarm}, {name: b, model: lab/arm6, pose: {xyz: [1, 0, 0]}}]"
    )
    world = World.load(scene)
    assert {name: robot.description.name for name, robot in world.robots.items()} == {
        "a": "zzarm",
        "b": "theirs",
    }
    world.spawn("lab/zzarm", name="c")
    assert world.robots["c"].description.name == "zzarm"
    scene.write_text("robots: [{name: a, model: zzarn}]")
    with pytest.raises(SceneError, match="robot 'a': no robot is called 'zzarn'; did you mean"):
        World.load(scene)
    scene.write_text("robots: [{name: a, model: lab/absent.urdf}]")
    with pytest.raises(SceneError, match=r"robot 'a': 'lab/absent.urdf' was not found"):
        World.load(scene)


def test_folders_and_archives_in_scenes(tmp_path: Path):
    put_files(tmp_path / "mine", {"urdf/zz.urdf": URDF.format("zz")})
    scene = tmp_path / "s.yaml"
    for model in ("mine", "mine/", "./mine"):
        scene.write_text(f"robots: [{{name: a, model: {model}}}]")
        assert World.load(scene).robots["a"].description.name == "zz"
    put_files(tmp_path / "mine", {"urdf/yy.urdf": URDF.format("yy")})
    with pytest.raises(
        SceneError, match=r"robot 'a': .*mine: holds 2 robots; give one of 'urdf/yy"
    ):
        World.load(scene)
