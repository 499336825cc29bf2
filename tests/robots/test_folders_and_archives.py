"""A folder or a zip archive given as a robot."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from horus_sim.errors import DescriptionError
from horus_sim.robots import load_robot
from horus_sim.robots.finding import archive
from horus_sim.robots.report import NoteKind

from .finding_places import URDF, put_files

MESH = (
    '<robot name="r"><link name="base"><visual><geometry>'
    '<mesh filename="package://my_robot/meshes/a.stl"/></geometry></visual></link></robot>'
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/horus-sim/archives"


def packed(path: Path, members: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return path


def test_the_only_robot_of_a_folder(tmp_path: Path):
    folder = put_files(
        tmp_path / "my_robot",
        {
            "urdf/arm.urdf": MESH,
            "urdf/parts.xacro": '<robot xmlns:xacro="http://x"/>',
            "meshes/a.stl": "solid",
        },
    )
    for given in (folder, str(folder), f"{folder}/"):
        robot = load_robot(given)
        assert robot.links["base"].visuals
        assert not robot.report.of(NoteKind.WARNING)
        assert "'my_robot': 'urdf/arm.urdf' in it is the robot" in str(robot.report)


def test_a_folder_lists_its_candidates(tmp_path: Path):
    files = {f"urdf/zz{number:02}.urdf": URDF.format("r") for number in range(14)}
    put_files(tmp_path / "many", files)
    with pytest.raises(
        DescriptionError,
        match=r"many: holds 14 robots; give one of 'urdf/zz00.urdf', .*'urdf/zz11.urdf' and 2 more",
    ):
        load_robot(tmp_path / "many")
    put_files(tmp_path / "none", {"model.sdf": "<sdf/>"})
    with pytest.raises(
        DescriptionError,
        match=r"none: holds no robot; .* run an \.sdf by .horus-sim sim3d run FILE",
    ):
        load_robot(tmp_path / "none")


def test_a_folder_of_the_same_name_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    put_files(tmp_path, {"zzarm/a.urdf": URDF.format("mine"), "arm6/a.urdf": URDF.format("mine")})
    assert load_robot("zzarm").name == "mine"
    assert load_robot("arm6").name == "arm6"
    assert load_robot("./arm6").name == "mine"


def test_the_robot_of_an_archive(tmp_path: Path, cache: Path):
    path = packed(
        tmp_path / "a.zip",
        {"my_robot/": "", "my_robot/urdf/arm.urdf": MESH, "my_robot/meshes/a.stl": "solid"},
    )
    robot = load_robot(path)
    assert robot.links["base"].visuals
    assert "'a.zip': 'my_robot/urdf/arm.urdf' in it is the robot" in str(robot.report)
    (folder,) = cache.iterdir()
    made = folder.stat().st_mtime_ns
    assert load_robot(str(path)).name == "r"
    assert (folder.stat().st_mtime_ns, list(cache.iterdir())) == (made, [folder])
    packed(tmp_path / "a.zip", {"other.urdf": URDF.format("other")})
    assert load_robot(path).name == "other"
    assert len(list(cache.iterdir())) == 2


def test_one_of_several_in_an_archive(tmp_path: Path):
    path = packed(
        tmp_path / "b.zip",
        {"x/one.urdf": URDF.format("one"), "y/two.urdf": URDF.format("two"), "y/a.txt": ""},
    )
    with pytest.raises(
        DescriptionError, match=r"b\.zip: holds 2 robots; give one of 'x/one.urdf', 'y/two.urdf' in"
    ):
        load_robot(path)
    assert load_robot(path / "x/one.urdf").name == "one"
    assert load_robot(f"{path}/y").name == "two"
    for inside in ("z.urdf", "../b.zip"):
        with pytest.raises(DescriptionError, match=r"b\.zip: has no '.*give one of 'x/one.urdf'"):
            load_robot(f"{path}/{inside}")


def refused(path: Path, message: str, cache: Path) -> None:
    with pytest.raises(DescriptionError, match=message):
        load_robot(path)
    assert not cache.exists() or not list(cache.iterdir())


@pytest.mark.parametrize(
    "name",
    ["../out.urdf", "a/../../out.urdf", "/out.urdf", "a/..", "..", "//x/out.urdf"],
)
def test_no_member_escapes(tmp_path: Path, cache: Path, name: str):
    path = packed(tmp_path / "a.zip", {"r.urdf": URDF.format("r"), name: "x"})
    refused(path, "member '.*' would be written outside of the folder; pack", cache)
    assert not list(tmp_path.rglob("out.urdf"))


@pytest.mark.parametrize("name", ["c:out.urdf", "a\\..\\b", "a\x07b", "a?b"])
def test_names_that_no_file_may_have(tmp_path: Path, cache: Path, name: str):
    path = packed(tmp_path / "a.zip", {"r.urdf": URDF.format("r"), name: "x"})
    refused(path, "member '.*' has a name that no file may have", cache)


@pytest.mark.parametrize(
    ("kind", "message"),
    [(stat.S_IFLNK, "'link' is a link"), (stat.S_IFIFO, "'link' is neither a file nor a folder")],
)
def test_no_links(tmp_path: Path, cache: Path, kind: int, message: str):
    member = zipfile.ZipInfo("link")
    member.create_system = 3
    member.external_attr = (kind | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as opened:
        opened.writestr("r.urdf", URDF.format("r"))
        opened.writestr(member, "/etc/passwd")
    refused(tmp_path / "a.zip", f"member {message}", cache)


def test_bombs(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch):
    path = packed(tmp_path / "a.zip", {"r.urdf": URDF.format("r"), "zeros": bytes(20_000_000)})
    refused(path, r"member 'zeros' unpacks to \d+ times its size, more than 200 times", cache)
    path = packed(tmp_path / "b.zip", {"r.urdf": URDF.format("r"), "b": "x" * 200})
    monkeypatch.setattr(archive, "MOST_BYTES", 200)
    refused(path, "member 'b' makes the content larger than 200 bytes", cache)
    monkeypatch.setattr(archive, "MOST_MEMBERS", 1)
    refused(path, "has 2 members, more than the limit of 1; pack the robot alone", cache)
    monkeypatch.setattr(archive, "MOST_ARCHIVE_BYTES", 10)
    refused(path, r"has \d+ bytes, more than the limit of 10; unpack it and give the folder", cache)


def test_damaged_archives(tmp_path: Path, cache: Path):
    path = tmp_path / "a.zip"
    path.write_bytes(b"PK\x03\x04 and no more")
    refused(path, r"a\.zip: is not a zip file, or a damaged one: .*; pack it again", cache)
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr("r.urdf", URDF.format("r"))
    data = path.read_bytes()
    assert data.count(b"<link") == 1
    path.write_bytes(data.replace(b"<link", b"<LINK"))
    refused(path, r"member 'r.urdf' cannot be read: Bad CRC-32", cache)
    secret = zipfile.ZipInfo("r.urdf")
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr(secret, URDF.format("r"))
        opened.infolist()[0].flag_bits |= 1
    refused(path, "member 'r.urdf' is encrypted", cache)


def test_names_that_differ_in_capitals(tmp_path: Path, cache: Path):
    path = packed(tmp_path / "a.zip", {"R.urdf": URDF.format("r"), "r.URDF": URDF.format("r")})
    refused(path, "member 'r.URDF' differs from 'R.urdf' in capitals alone", cache)


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    path = packed(tmp_path / "a.zip", {"r.urdf": URDF.format("r")})
    with pytest.raises(
        DescriptionError, match=r"cannot be unpacked: .*; check the file, and the sp"
    ):
        load_robot(path)
