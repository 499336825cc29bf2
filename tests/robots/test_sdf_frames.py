"""Frames of SDF: references, scopes, circles, and the errors that name them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import DescriptionError
from horus_sim.robots.sdf.reading import load_sdf
from horus_sim.robots.sdf.world import SdfFile
from horus_sim.tf import Transform

RING = "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"


@pytest.fixture
def load(tmp_path):
    """Loads the body of an ``<sdf>`` element."""

    def load_text(body: str, version: str = "1.9", *, strict: bool = False) -> SdfFile:
        path = tmp_path / "file.sdf"
        path.write_text(f"<sdf version='{version}'>\n{body}\n</sdf>")
        return load_sdf(path, strict=strict)

    return load_text


def roots_of(file: SdfFile) -> dict[str, Transform]:
    """T_world_link of every root."""
    return {tree.root: tree.T_world_root for model in file.models for tree in model.trees}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            "<link name='arm'/><link name='b'><pose relative_to='amr'/></link>",
            r"file\.sdf, line 2: link 'm::b', pose relative_to: 'amr' is not .* you mean 'arm'\?",
        ),
        (
            "<link name='a'><pose relative_to='world'/></link>",
            "the world's frame has no name inside a model",
        ),
        (
            "<link name='a'><pose relative_to='f'/></link><frame name='f' attached_to='a'/>",
            r"in a circle \(link 'm::a' -> frame 'm::f' -> link 'm::a'\); give one",
        ),
        (
            f"<link name='a'/>{RING}",
            "frames are .* each other in a circle .*frame 'm::f'",
        ),
        (
            f"<model name='n' placement_frame='f'><link name='a'/>{RING}</model>",
            r"in a circle \(frame 'm::n::f' -> frame 'm::n::g'",
        ),
        (
            "<link name='n::a'/><model name='n'><link name='a'/></model>",
            "link 'm::n::a' has the full name of the link in line 2; rename one",
        ),
        ("<link name='a'/>\n<link name='a'/>", "line 3: .*two links called 'a', .* line 2; give"),
        ("<link name='a'/><frame name='__f__'/>", "'__f__'; names between double underscores are"),
        ("<link name='world'/>", "called 'world', which is reserved"),
        ("<link/>", "<link> needs the attribute 'name'"),
        ("<link name='a'><pose>1 2 3</pose></link>", "<pose> = '1 2 3': needs 6 numbers"),
        (
            "<link name='a'><pose>1 2 3 0 0 x</pose></link>",
            "line 2: link 'm::a': .*'x' is not a",
        ),
        ("<link name='a'><pose>1 2 3 0 0 nan</pose></link>", "the value nan is not finite"),
        ("<link name='a'><pose>1e99 2 3 0 0 0</pose></link>", "farther away than"),
        (
            "<link name='a'><pose rotation_format='quat_xyzw'>1 2 3 0 0 0 0</pose></link>",
            "the quaternion has length 0",
        ),
        (
            "<link name='a'><pose rotation_format='wxyz'>1 2 3 0 0 0 1</pose></link>",
            "rotation_format 'wxyz'; known are",
        ),
        ("<link name='a'/><frame name='f' attached_to='b'/>", "attached_to: 'b' is not a frame of"),
        (
            "<model name='n'><link name='a'/></model><frame name='b' attached_to='n::b'/>",
            "'n::b' is not a frame of model 'm'",
        ),
    ],
)
def test_errors_name_line_culprit_and_remedy(load, body, text):
    with pytest.raises(DescriptionError, match=text):
        load(f"<model name='m'>{body}</model>")


def test_canonical_link_must_be_a_link(load):
    with pytest.raises(DescriptionError, match="canonical_link: 'q' is not a frame"):
        load("<model name='m' canonical_link='q'><link name='a'/></model>")
    with pytest.raises(DescriptionError, match="frame 'm::f' is not a link; name a link"):
        load("<model name='m' canonical_link='f'><link name='a'/><frame name='f'/></model>")


def test_canonical_link_may_be_nested(load):
    body = """<model name='m' canonical_link='n::b'><link name='a'/>
      <model name='n'><link name='b'/></model></model>"""
    trees = load(body).models[0].trees
    assert [tree.name for tree in trees] == ["m", "m#2"]
    assert trees[0].root == "n::b"


def test_a_model_without_own_links_stands_on_its_first_nested_one(load):
    body = """<model name='m'><pose>1 0 0 0 0 0</pose><frame name='f'/>
      <model name='n'><pose>0 1 0 0 0 0</pose><link name='b'/></model></model>"""
    (tree,) = load(body).models[0].trees
    link, T_link_frame = tree.extra_frames["f"]
    assert link == "n::b"
    assert T_link_frame.is_close(Transform((0, -1, 0)))


def test_names_may_hold_scopes_in_old_files(load):
    body = """<model name='m'><link name='n::a'><pose>1 0 0 0 0 0</pose></link>
      <link name='b'><pose relative_to='n::a'>1 0 0 0 0 0</pose></link></model>"""
    assert roots_of(load(body, "1.7"))["b"].is_close(Transform((2, 0, 0)))


def test_the_old_attribute_frame_is_relative_to(load):
    body = """<model name='m'><link name='a'><pose>1 0 0 0 0 0</pose></link>
      <link name='b'><pose frame='a'>1 0 0 0 0 0</pose></link></model>"""
    assert roots_of(load(body, "1.6"))["b"].is_close(Transform((2, 0, 0)))
    assert roots_of(load(body, "1.7"))["b"].is_close(Transform((1, 0, 0)))


def test_a_joint_that_shares_the_name_of_its_link(load):
    body = """<model name='m'>
      <joint name='a' type='fixed'><parent>b</parent><child>a</child></joint>
      <link name='a'><pose>1 0 0 0 0 0</pose></link>
      <link name='b'><pose relative_to='a'>1 0 0 0 0 0</pose></link></model>"""
    file = load(body, "1.6")
    assert roots_of(file) == {"b": Transform((2, 0, 0))}
    assert any("has the name of joint 'm::a'" in note.text for note in file.report)


def test_world_frames(load):
    body = """<world name='w'><frame name='f'><pose relative_to='g'>1 0 0 0 0 0</pose></frame>
      <frame name='g' attached_to='m::a'><pose>0 0 1 0 0 0</pose></frame>
      <model name='m'><pose>0 5 0 0 0 0</pose><link name='a'/></model></world>"""
    frames = load(body).worlds[0].frames
    assert frames["f"].is_close(Transform((1, 5, 1)))


@given(
    st.lists(
        st.tuples(*(st.floats(-3, 3) for _ in range(6)), st.integers(0, 1_000_000)),
        min_size=1,
        max_size=12,
    )
)
def test_chains_of_references_multiply(tmp_path_factory, entries):
    """Link k is given relative to any earlier one; matrices are the oracle."""
    lines, expected = [], [np.eye(4)]
    for k, (*numbers, choice) in enumerate(entries, start=1):
        parent = choice % k
        reference = f"l{parent}" if parent else "__model__"
        text = " ".join(repr(number) for number in numbers)
        lines.append(f"<link name='l{k}'><pose relative_to='{reference}'>{text}</pose></link>")
        x, y, z, roll, pitch, yaw = numbers
        expected.append(expected[parent] @ _matrix(x, y, z, roll, pitch, yaw))
    path = tmp_path_factory.mktemp("sdf") / "file.sdf"
    body = "".join(reversed(lines))  # references may point forward
    path.write_text(f"<sdf version='1.8'><model name='m'>{body}</model></sdf>")
    found = roots_of(load_sdf(path))
    for k in range(1, len(expected)):
        np.testing.assert_allclose(found[f"l{k}"].to_matrix(), expected[k], atol=1e-12)


def _matrix(x, y, z, roll, pitch, yaw):
    cr, sr, cp, sp = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    cy, sy = np.cos(yaw), np.sin(yaw)
    Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    matrix = np.eye(4)
    matrix[:3, :3] = Rz @ Ry @ Rx
    matrix[:3, 3] = x, y, z
    return matrix
