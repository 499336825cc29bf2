"""Includes of SDF: where models are found, which version is taken, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from horus_sim.errors import DescriptionError, MissingResourceError
from horus_sim.robots.sdf.reading import load_sdf
from horus_sim.robots.sdf.world import SdfWorld
from horus_sim.tf import Transform

ENVIRONMENT = (
    "SDF_PATH",
    "GZ_SIM_RESOURCE_PATH",
    "IGN_GAZEBO_RESOURCE_PATH",
    "GAZEBO_MODEL_PATH",
    "ROS_PACKAGE_PATH",
    "AMENT_PREFIX_PATH",
)


@pytest.fixture(autouse=True)
def no_gazebo(monkeypatch):
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def put_model(folder: Path, members: str, version: str = "1.9", attributes: str = "") -> Path:
    """A model with a folder of its own, called as the folder."""
    config = f"<model><name>x</name><sdf version='{version}'>model.sdf</sdf></model>"
    put(folder / "model.config", config)
    body = f"<model name='{folder.name}' {attributes}>{members}</model>"
    return put(folder / "model.sdf", f"<sdf version='{version}'>{body}</sdf>")


def world(folder: Path, members: str, **options) -> SdfWorld:
    path = put(folder / "w.sdf", f"<sdf version='1.9'><world name='w'>\n{members}\n</world></sdf>")
    return load_sdf(path, **options).worlds[0]


def include(uri: str, inside: str = "", attributes: str = "") -> str:
    return f"<include {attributes}><uri>{uri}</uri>{inside}</include>"


def test_the_newest_version_of_a_model_is_taken(tmp_path):
    models = tmp_path / "models"
    entries = {"1.4": "old", "1.9": "new", "1.7": "middle", "9.9": "future"}
    listed = "".join(f"<sdf version='{v}'>{name}.sdf</sdf>" for v, name in entries.items())
    put(models / "box/model.config", f"<model>{listed}</model>")
    for version, name in entries.items():
        text = f"<sdf version='{version}'><model name='{name}'><link name='a'/></model></sdf>"
        put(models / f"box/{name}.sdf", text)
    assert [m.name for m in world(tmp_path, include("model://box")).models] == ["new"]


@pytest.mark.parametrize("variable", ["SDF_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH"])
def test_models_of_the_environment(tmp_path, monkeypatch, variable):
    put_model(tmp_path / "elsewhere/box", "<link name='a'/>")
    members = include("model://box")
    with pytest.raises(MissingResourceError, match=r"line 2: .*'model://box' is neither a file"):
        world(tmp_path / "here", members)
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    assert world(tmp_path / "here", members).models[0].name == "box"


@pytest.mark.parametrize("uri", ["model://box", "package://box/model.sdf", "box", "  box\n "])
def test_spellings_of_an_include(tmp_path, uri):
    put_model(tmp_path / "library/box", "<link name='a'/>")
    found = world(tmp_path / "here", include(uri), roots=[tmp_path / "library"])
    assert found.models[0].name == "box"


def test_absolute_uris_stay_inside_the_roots(tmp_path):
    inside = put_model(tmp_path / "library/box", "<link name='a'/>")
    outside = put_model(tmp_path / "secret/box", "<link name='a'/>")
    roots = [tmp_path / "library"]
    assert world(tmp_path / "here", include(f"file://{inside}"), roots=roots).models
    for uri in (f"file://{outside}", str(outside), "../secret/box", "model://box/../../secret/box"):
        with pytest.raises(DescriptionError, match="outside the package roots"):
            world(tmp_path / "here", include(uri), roots=roots)


def test_a_config_cannot_lead_out_of_its_folder(tmp_path):
    put(
        tmp_path / "secret.sdf", "<sdf version='1.9'><model name='s'><link name='a'/></model></sdf>"
    )
    put(tmp_path / "models/box/model.config", "<model><sdf>../../secret.sdf</sdf></model>")
    with pytest.raises(DescriptionError, match="leads out of the model's folder"):
        world(tmp_path, include("model://box"))


@pytest.mark.parametrize("uri", ["https://fuel.gazebosim.org/1.0/x/models/y", "fuel://x/y"])
def test_servers_are_not_asked(tmp_path, uri):
    assert world(tmp_path, include(uri)).models == ()
    with pytest.raises(DescriptionError, match=r"line 2: .*lies on a server, and nothing is fetch"):
        world(tmp_path, include(uri), strict=True)


def test_overrides(tmp_path):
    members = "<pose>9 9 9 0 0 0</pose><link name='a'><pose>0 0 1 0 0 0</pose></link>"
    put_model(tmp_path / "models/box", members)
    text = include("model://box")
    text += include(
        "model://box",
        "<name>two</name><pose>1 0 0 0 0 0</pose><static>true</static>",
    )
    text += include(
        "model://box",
        "<name>three</name><pose>1 0 0 0 0 0</pose><placement_frame>a</placement_frame>",
    )
    first, second, third = world(tmp_path, text).models
    assert (first.name, second.name, third.name) == ("box", "two", "three")
    assert first.trees[0].T_world_root.is_close(Transform((9, 9, 10)))
    assert not first.is_static
    assert second.trees[0].T_world_root.is_close(Transform((1, 0, 1)))
    assert second.is_static
    assert second.trees[0].is_static
    assert third.trees[0].T_world_root.is_close(Transform((1, 0, 0)))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            2 * include("model://box"),
            "two models called 'box', .*give the <include> another <name>",
        ),
        (include(""), "<include> needs a <uri>"),
        (
            include("model://box", "<placement_frame>a</placement_frame>"),
            "<placement_frame> needs a <pose>",
        ),
        (
            include("model://box", "<pose/><placement_frame>b</placement_frame>"),
            "model 'box', placement_frame: 'b' is not a frame of model 'box'",
        ),
        (
            include("model://bxo"),
            "'model://bxo' is neither a file nor the folder .*tried: ",
        ),
        (include("model://two"), "holds 2 models, lights and actors, where an <include> takes one"),
        (
            include("model://robot.urdf"),
            "line 1: the root element is <robot>; this is a URDF robot",
        ),
        (include("model://empty"), "no <sdf version='...'> of at most 1.12 is listed"),
        (include("model://broken"), "broken/model.sdf, line 1: not well-formed XML"),
        (include("model://gone"), "gone.sdf: the file cannot be read"),
        (
            include("model://box", attributes="merge='true'"),
            "a model with links cannot be merged into a world",
        ),
    ],
)
def test_errors(tmp_path, text, error):
    models = tmp_path / "models"
    put_model(models / "box", "<link name='a'/>")
    put_model(models / "two", "<link name='a'/></model><model name='c'><link name='a'/>")
    put_model(models / "broken", "<link")
    put(models / "robot.urdf", "<robot name='r'/>")
    put(models / "empty/model.config", "<model/>")
    put(models / "gone/model.config", "<model><sdf version='1.9'>gone.sdf</sdf></model>")
    with pytest.raises(DescriptionError, match=error):
        world(tmp_path, text)


def test_models_that_include_each_other(tmp_path):
    put_model(tmp_path / "models/a", "<link name='l'/>" + include("model://b"))
    put_model(tmp_path / "models/b", "<link name='l'/>" + include("model://a"))
    with pytest.raises(DescriptionError, match=r"'model://a' includes itself \(.*; remove one"):
        world(tmp_path, include("model://a"))


def test_includes_are_bounded_in_depth_and_number(tmp_path):
    for k in range(60):
        put_model(tmp_path / f"models/deep{k}", include(f"model://deep{k + 1}"))
    with pytest.raises(DescriptionError, match="nested deeper than the limit of 50"):
        world(tmp_path, include("model://deep0"))
    for k in range(20):
        twice = "".join(include(f"model://wide{k + 1}", f"<name>n{i}</name>") for i in range(2))
        put_model(tmp_path / f"models/wide{k}", twice)
    put_model(tmp_path / "models/wide20", "<link name='a'/>")
    with pytest.raises(DescriptionError, match="more than 5000 includes, which is the limit"):
        world(tmp_path, include("model://wide0"))


MERGED = """<pose>0 0 1 0 0 0</pose><link name='a'/>
  <link name='b'><pose relative_to='__model__'>1 0 0 0 0 0</pose></link>
  <frame name='f'/><model name='n'><pose>0 1 0 0 0 0</pose><link name='c'/></model>
  <joint name='j' type='revolute'><parent>a</parent><child>b</child>
    <axis><xyz expressed_in='__model__'>1 0 0</xyz></axis></joint>
  <joint name='k' type='fixed'><parent>__model__</parent><child>n</child></joint>"""


def test_merge_places_members_where_the_model_would_be(tmp_path):
    """Merged, the members keep the poses they have as a nested model, and lose its scope."""
    put_model(tmp_path / "models/part", MERGED)
    placed = "<pose>0 0 5 0 0 1.5707963267948966</pose>"
    outer = "<model name='m'><link name='base'/>{}</model>"
    nested = world(tmp_path, outer.format(include("model://part", placed))).models[0]
    merged = world(tmp_path, outer.format(include("model://part", placed, "merge='true'"))).models[
        0
    ]
    by_root = {tree.root: tree for tree in merged.trees}
    for tree in nested.trees:
        found = by_root[tree.root.removeprefix("part::")]
        assert found.T_world_root.is_close(tree.T_world_root)
        assert len(found.joints) == len(tree.joints)
        for mine, theirs in zip(found.joints, tree.joints, strict=True):
            assert mine.name == theirs.name.removeprefix("part::")
            assert mine.T_parent_joint.is_close(theirs.T_parent_joint)
            assert mine.axis == pytest.approx(theirs.axis)
    assert set(by_root) == {"base", "a"}
    assert set(by_root["a"].extra_frames) == {"f"}


def test_merge_with_placement_frame(tmp_path):
    put_model(tmp_path / "models/part", MERGED)
    inside = "<pose>0 0 5 0 0 0</pose><placement_frame>b</placement_frame>"
    text = include("model://part", inside, "merge='true'")
    (tree,) = world(tmp_path, f"<model name='m'>{text}</model>").models[0].trees
    assert tree.root == "a"
    assert tree.T_world_root.is_close(Transform((-1, 0, 5)))


def test_merge_into_a_world(tmp_path):
    put_model(tmp_path / "models/group", "<model name='n'><link name='a'/></model>")
    text = include("model://group", "<pose>0 0 3 0 0 0</pose>", "merge='true'")
    (model,) = world(tmp_path, text).models
    assert model.name == "n"
    assert model.trees[0].T_world_root.is_close(Transform((0, 0, 3)))


def test_merged_names_must_not_clash(tmp_path):
    put_model(tmp_path / "models/part", MERGED)
    text = "<link name='a'/>" + include("model://part", attributes="merge='true'")
    with pytest.raises(DescriptionError, match="two links called 'a'"):
        world(tmp_path, f"<model name='m'>{text}</model>")


def test_each_file_is_read_by_its_own_version(tmp_path):
    joint = """<link name='a'/><link name='b'><pose>0 0 0 0 0 -1.5707963267948966</pose></link>
      <joint name='j' type='revolute'><parent>a</parent><child>b</child>
      <axis><xyz>1 0 0</xyz></axis></joint>"""
    put_model(tmp_path / "models/old", joint, "1.4")
    put_model(tmp_path / "models/new", joint, "1.9")
    old, new = world(tmp_path, include("model://old") + include("model://new")).models
    assert old.trees[0].joints[0].axis == pytest.approx((0, 1, 0))
    assert new.trees[0].joints[0].axis == pytest.approx((1, 0, 0))


def test_plugins_of_includes_are_remarked(tmp_path):
    put_model(tmp_path / "models/box", "<link name='a'/><plugin name='p' filename='q.so'/>")
    path = put(
        tmp_path / "w.sdf",
        "<sdf version='1.9'><world name='w'>" + include("model://box") + "</world></sdf>",
    )
    (note,) = load_sdf(path).report
    assert note.text == "has no counterpart here (q.so) and is not run"
    assert "models/box/model.sdf: model 'box', plugin 'p'" in note.culprit
