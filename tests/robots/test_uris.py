"""Resolution of URIs: the places that are searched, and those that never are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import DescriptionError, MissingResourceError
from horus_sim.robots.uris import Kind, resolver_for

ENVIRONMENT = (
    "ROS_PACKAGE_PATH",
    "AMENT_PREFIX_PATH",
    "GZ_SIM_RESOURCE_PATH",
    "IGN_GAZEBO_RESOURCE_PATH",
    "GAZEBO_MODEL_PATH",
)


@pytest.fixture(autouse=True)
def no_ros(monkeypatch):
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    return path


@pytest.fixture
def workspace(tmp_path) -> Path:
    """src/{arm,hand}: two packages; src/loose: a folder; secret.stl above all."""
    for name in (
        "src/arm/package.xml",
        "src/arm/urdf/arm.urdf",
        "src/arm/meshes/link.stl",
        "src/hand/package.xml",
        "src/hand/meshes/palm 1.stl",
        "src/loose/meshes/thing.stl",
        "models/box/model.config",
        "models/box/model.sdf",
        "secret.stl",
        "src/secret.stl",
    ):
        put(tmp_path / name)
    return tmp_path


def find(workspace: Path, uri: str, roots=(), kind: Kind = "file") -> Path:
    return resolver_for(workspace / "src/arm/urdf/arm.urdf", roots).resolve(uri, "link 'x'", kind)


@pytest.mark.parametrize(
    "uri",
    [
        "package://arm/meshes/link.stl",
        "model://arm/meshes/link.stl",
        "../meshes/link.stl",
        "meshes/link.stl",
        "..\\meshes\\link.stl",
        "./../meshes/../meshes/link.stl",
        "file:///opt/ros/jazzy/share/arm/meshes/link.stl",
        "/opt/ros/jazzy/share/arm/meshes/link.stl",
        "PACKAGE://arm//meshes/link.stl",
    ],
)
def test_ways_to_name_a_file_of_the_own_package(workspace, uri):
    assert find(workspace, uri) == workspace / "src/arm/meshes/link.stl"


def test_absolute_paths_inside_the_package(workspace):
    target = workspace / "src/arm/meshes/link.stl"
    assert find(workspace, str(target)) == target
    assert find(workspace, f"file://{target}") == target


def test_a_package_beside_the_own_one(workspace):
    palm = workspace / "src/hand/meshes/palm 1.stl"
    assert find(workspace, "package://hand/meshes/palm%201.stl") == palm
    assert find(workspace, "package://hand/meshes/palm 1.stl") == palm
    with pytest.raises(MissingResourceError, match=r"thing\.stl \(refused: outside the package"):
        find(workspace, "package://loose/meshes/thing.stl")


def test_package_roots_in_order(workspace, tmp_path):
    thing = workspace / "src/loose/meshes/thing.stl"
    for root in ("src", ".", "src/loose"):
        assert find(workspace, "package://loose/meshes/thing.stl", [workspace / root]) == thing
    first = put(tmp_path / "first/loose/meshes/thing.stl")
    roots = [str(tmp_path / "first"), workspace / "src"]
    assert find(workspace, "package://loose/meshes/thing.stl", roots) == first
    # A plain path is looked for beside and above the description first.
    assert find(workspace, "loose/meshes/thing.stl", roots) == thing
    assert find(workspace, "loose/meshes/thing.stl", roots[:1]) == first


def test_directories(workspace):
    models = [workspace / "models"]
    assert find(workspace, "model://box", models, "directory") == workspace / "models/box"
    with pytest.raises(MissingResourceError):
        find(workspace, "model://box", models)
    with pytest.raises(MissingResourceError):
        find(workspace, "model://box/model.sdf", models, "directory")


@pytest.mark.parametrize("name", ENVIRONMENT)
def test_environment(workspace, monkeypatch, name):
    root = workspace / ("prefix/share" if name == "AMENT_PREFIX_PATH" else "src")
    thing = put(root / "loose/meshes/thing.stl")
    value = workspace / "prefix" if name == "AMENT_PREFIX_PATH" else root
    monkeypatch.setenv(name, f"/absent:relative::/:{value}")
    assert find(workspace, "package://loose/meshes/thing.stl") == thing
    with pytest.raises(MissingResourceError):
        find(workspace, "/etc/hostname")


@pytest.mark.parametrize(
    "uri",
    [
        "../../../secret.stl",
        "../../secret.stl",
        "package://arm/../../secret.stl",
        "package://../secret.stl",
        "package://arm/%2e%2e/%2e%2e/secret.stl",
        "package://../../../../../../../../../etc/passwd",
        "package://etc/passwd",
        "model://..//../secret.stl",
        "file:///etc/passwd",
        "/etc/passwd",
        "file:///x/share/arm/../../secret.stl",
        "link_to_secret.stl",
        "folder_link/secret.stl",
    ],
)
def test_nothing_outside_the_roots(workspace, uri):
    urdf = workspace / "src/arm/urdf"
    (urdf / "link_to_secret.stl").symlink_to(workspace / "secret.stl")
    (urdf / "folder_link").symlink_to(workspace)
    with pytest.raises(MissingResourceError, match=r"refused: outside the package roots"):
        find(workspace, uri)


def test_links_inside_the_roots_are_followed(workspace):
    (workspace / "src/arm/urdf/meshes").symlink_to(workspace / "src/arm/meshes")
    assert find(workspace, "meshes/link.stl") == workspace / "src/arm/meshes/link.stl"
    (workspace / "src/arm/urdf/loop").symlink_to(workspace / "src/arm/urdf/loop")
    with pytest.raises(MissingResourceError):
        find(workspace, "loop")


def test_home_without_a_package(tmp_path):
    mesh = put(tmp_path / "robot/meshes/a.stl")
    put(tmp_path / "secret.stl")
    for inner in ("urdf/r.urdf", "r.urdf"):
        resolver = resolver_for(put(tmp_path / "robot" / inner))
        assert resolver.home == tmp_path / "robot"
        assert resolver.resolve("meshes/a.stl", "link 'x'") == mesh
        with pytest.raises(MissingResourceError):
            resolver.resolve("secret.stl", "link 'x'")
    with pytest.raises(MissingResourceError, match="refused"):
        resolver_for(put(tmp_path / "robot/parts/r.urdf")).resolve("../meshes/a.stl", "link 'x'")


def test_failure_names_culprit_uri_and_every_path(workspace):
    with pytest.raises(MissingResourceError) as caught:
        find(workspace, "package://nowhere/a.stl", [workspace / "models", "/absent"])
    error = caught.value
    assert error.uri == "package://nowhere/a.stl"
    text = str(error)
    assert text.startswith(
        "link 'x': 'package://nowhere/a.stl' was not found: no package 'nowhere'"
    )
    for path in (f"{workspace}/models/nowhere/a.stl", "/absent/nowhere/a.stl"):
        assert path in error.tried
        assert path in text
    assert "package_roots" in text


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("", "names no file"),
        ("a\0b", "names no file"),
        ("x" * 5000, "names no file"),
        ("y" * 300, "was not found"),
        ("https://example.org/a.stl", "scheme 'https', which is not read"),
        ("package://", "was not found"),
        ("model:///", "was not found"),
        (".", "was not found"),
    ],
)
def test_odd_uris(workspace, uri, message):
    with pytest.raises(MissingResourceError, match=message):
        find(workspace, uri)


PIECES = st.sampled_from(
    [
        "..",
        ".",
        "",
        "arm",
        "hand",
        "meshes",
        "link.stl",
        "secret.stl",
        "share",
        "%2e%2e",
        "~",
        "etc",
    ]
)
SCHEMES = st.sampled_from(["", "/", "file://", "file:///", "package://", "model://", "x://"])


@given(SCHEMES, st.lists(PIECES | st.text(max_size=4), max_size=8))
def test_whatever_is_found_lies_in_the_roots(tmp_path_factory, scheme, pieces):
    base = tmp_path_factory.getbasetemp() / "fuzzed_uris"
    for name in (
        "in/arm/package.xml",
        "in/arm/urdf/a.urdf",
        "in/arm/meshes/link.stl",
        "secret.stl",
    ):
        if not (base / name).exists():
            put(base / name)
    resolver = resolver_for(base / "in/arm/urdf/a.urdf", [base / "in"])
    try:
        found = resolver.resolve(scheme + "/".join(pieces), "link 'x'")
    except DescriptionError:
        return
    assert found.is_relative_to((base / "in").resolve())


def test_a_package_beside_the_home_is_found_as_a_folder(tmp_path):
    """As ``$(find other)`` of xacro asks for it."""
    for name in ("mine", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "package.xml").write_text(f"<package><name>{name}</name></package>")
    (tmp_path / "secret").mkdir()
    resolver = resolver_for(tmp_path / "mine" / "robot.urdf")
    found = resolver.resolve("package://other", "robot", "directory")
    assert found == (tmp_path / "other").resolve()
    with pytest.raises(MissingResourceError, match=r"no package 'secret' .*refused"):
        resolver.resolve("package://secret", "robot", "directory")
