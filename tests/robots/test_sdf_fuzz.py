"""Broken SDF: whatever a file holds, the importer ends with a result or an error of ours."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import HorusError
from horus_sim.robots.sdf.reading import load_sdf

NUMBER = re.compile(r"-?\d+\.?\d*")
WORDS = (
    *("__model__", "__root__", "world", "a::b", "::", "", "nan", "-inf", "1e308", "1e-320", "0"),
    *("-1", "true", "0 0 0", "1 2 3 4 5 6", "model://x", "../../..", "\u00e9", "x" * 300, "1.4"),
    *("revolute", "gearbox", "universal", "screw", "link", "L1", "chassis", "_merged__x__model__"),
)
TAGS = (
    *("link", "joint", "frame", "model", "include", "pose", "axis", "parent", "child", "static"),
    *("inertial", "collision", "visual", "geometry", "mesh", "polyline", "world", "sdf", "mimic"),
)
FILES = (
    "sdformat_semantics/placement_frame.sdf",
    "sdformat_semantics/joint_nested_parent_child.sdf",
    "sdformat_semantics/model_relative_to_nested_reference.sdf",
    "sdformat_semantics/world_nested_frame_attached_to.sdf",
    "sdformat_semantics/joint_screw_thread_pitch.sdf",
    "sdformat_semantics/inertial_stats_auto.sdf",
    "gz_diff_drive/diff_drive.sdf",
    "gz_polylines/polylines.sdf",
    "gz_lights/lights.sdf",
    "gz_sensors/sensors.sdf",
    "turtlebot3_world/models/turtlebot3_burger/model.sdf",
)


@pytest.fixture(scope="session")
def corpus(shared_data, tmp_path_factory) -> tuple[Path, list[str]]:
    """A folder with the included models, and the texts to be mutated."""
    folder = tmp_path_factory.mktemp("fuzz")
    shutil.copytree(shared_data("robots/sdf/sdformat_semantics/models"), folder / "models")
    return folder, [shared_data(f"robots/sdf/{name}").read_text() for name in FILES]


def load_or_refuse(path: Path, *, strict: bool) -> None:
    """Loads; errors must be ours, and trees trees."""
    try:
        file = load_sdf(path, strict=strict)
    except HorusError:
        return
    str(file.report)
    for tree in file.descriptions:
        names = [link.name for link in tree.links]
        children = [joint.child for joint in tree.joints]
        assert len(set(names)) == len(names)
        assert sorted([tree.root, *children]) == sorted(names)


mutations = st.tuples(
    st.sampled_from(("number", "word", "attribute", "tag", "cut", "double")),
    st.floats(0, 1),
    st.sampled_from(WORDS),
    st.sampled_from(TAGS),
    st.integers(1, 200),
)


@given(st.integers(0, len(FILES) - 1), st.lists(mutations, min_size=1, max_size=4), st.booleans())
def test_mutated_files(corpus, number, changes, strict):
    folder, texts = corpus
    text = texts[number]
    for kind, share, word, tag, length in changes:
        text = mutated(text, kind, int(share * len(text)), word, tag, length)
    path = folder / "mutant.sdf"
    path.write_text(text)
    load_or_refuse(path, strict=strict)


def mutated(text: str, kind: str, position: int, word: str, tag: str, length: int) -> str:
    if kind == "cut":
        return text[:position] + text[position + length :]
    if kind == "double":
        return text[:position] + _element_at(text, position) + text[position:]
    pattern, new = {
        "number": (NUMBER, word),
        "word": (re.compile(r">[^<>]+<"), f">{word}<"),
        "attribute": (re.compile(r"=['\"][^'\"]*['\"]"), f"='{word}'"),
        "tag": (re.compile(r"(?<=<)\w+(?=[\s>/])"), tag),
    }[kind]
    found = pattern.search(text, position)
    return text if found is None else text[: found.start()] + new + text[found.end() :]


def _element_at(text: str, position: int) -> str:
    found = re.compile(r"<(\w+)\b[^<>]*>.*?</\1>", re.DOTALL).search(text, position)
    return found[0] if found is not None and len(found[0]) < 2000 else ""


names = st.sampled_from(("a", "b", "c", "a::b", "world", "__model__", "m"))
kinds = st.sampled_from(
    ("fixed", "revolute", "ball", "universal", "screw", "gearbox", "continuous", "prismatic")
)


@st.composite
def members(draw, depth: int = 0) -> str:
    """Members of a model that refer to each other at random."""
    parts = []
    for _ in range(draw(st.integers(1, 5))):
        name, reference, other = draw(names), draw(names), draw(names)
        tag = draw(st.sampled_from(("link", "joint", "frame", "model")))
        pose = f"<pose relative_to='{reference}'>1 0 0 0 0 1</pose>" if draw(st.booleans()) else ""
        if tag == "joint":
            ends = f"<parent>{reference}</parent><child>{other}</child>"
            axes = f"<axis><mimic joint='{name}'/></axis><axis2/>"
            axes += f"<gearbox_reference_body>{other}</gearbox_reference_body>"
            parts.append(f"<joint name='{name}' type='{draw(kinds)}'>{pose}{ends}{axes}</joint>")
        elif tag == "frame":
            parts.append(f"<frame name='{name}' attached_to='{other}'>{pose}</frame>")
        elif tag == "model" and depth < 3:
            placed = f"placement_frame='{other}'" if draw(st.booleans()) else ""
            inside = draw(members(depth + 1))
            parts.append(f"<model name='{name}' {placed}>{pose}{inside}</model>")
        else:
            parts.append(f"<link name='{name}'>{pose}</link>")
    return "".join(parts)


@given(members(), st.sampled_from(("1.4", "1.6", "1.7", "1.9", "1.11")), st.booleans())
def test_generated_references(tmp_path_factory, text, version, strict):
    path = tmp_path_factory.getbasetemp() / "generated.sdf"
    path.write_text(
        f"<sdf version='{version}'><world name='w'><model name='m'>{text}</model></world></sdf>"
    )
    load_or_refuse(path, strict=strict)


def test_deep_and_long_files_do_not_exhaust_the_stack(tmp_path):
    path = tmp_path / "long.sdf"
    nested = "<model name='m'>" * 90 + "<link name='a'/>" + "</model>" * 90
    path.write_text(f"<sdf version='1.9'>{nested}</sdf>")
    with pytest.raises(HorusError, match="nested deeper than the limit of 50"):
        load_sdf(path)
    count = 3000
    chain = "".join(
        f"<link name='l{k}'><pose relative_to='l{k + 1}'>0 0 1 0 0 0</pose></link>"
        f"<joint name='j{k}' type='fixed'><parent>l{k}</parent><child>l{k + 1}</child></joint>"
        for k in range(count)
    )
    path.write_text(
        f"<sdf version='1.9'><model name='m'>{chain}<link name='l{count}'/></model></sdf>"
    )
    (tree,) = load_sdf(path).models[0].trees
    assert tree.T_world_root.translation[2] == pytest.approx(count)
