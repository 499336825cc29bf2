"""Joints of SDF: axes, trees, loops, gears; kinematics against matrices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Joint, JointType, RobotDescription
from horus_sim.robots.sdf.reading import load_sdf
from horus_sim.robots.sdf.world import SdfFile
from horus_sim.tf import Transform


@pytest.fixture
def load(tmp_path):
    """Loads the body of an ``<sdf>`` element."""

    def load_text(body: str, version: str = "1.9", *, strict: bool = False) -> SdfFile:
        path = tmp_path / "file.sdf"
        path.write_text(f"<sdf version='{version}'>\n{body}\n</sdf>")
        return load_sdf(path, strict=strict)

    return load_text


@pytest.fixture
def tree(load):
    """Loads the members of a model that is one tree."""

    def load_tree(members: str, version: str = "1.9", *, strict: bool = False) -> RobotDescription:
        (found,) = (
            load(f"<model name='m'>{members}</model>", version, strict=strict).models[0].trees
        )
        return found

    return load_tree


def links(*names: str) -> str:
    return "".join(f"<link name='{name}'/>" for name in names)


def joint(
    parent: str, child: str, kind: str = "revolute", name: str = "j", inside: str = ""
) -> str:
    axis = inside or "<axis><xyz>0 0 1</xyz></axis>"
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f"<joint name='{name}' type='{kind}'>{ends}{axis}</joint>"


def motion(joint: Joint, position: float) -> np.ndarray:
    matrix = np.eye(4)
    axis = np.asarray(joint.axis)
    if joint.kind in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.SCREW):
        matrix[:3, :3] = Rotation.from_rotvec(axis * position).as_matrix()
    if joint.kind is JointType.PRISMATIC:
        matrix[:3, 3] = axis * position
    if joint.kind is JointType.SCREW:
        matrix[:3, 3] = axis * position * joint.thread_pitch / (2 * np.pi)
    return matrix


def poses(description: RobotDescription, positions: dict[str, float]) -> dict[str, np.ndarray]:
    """T_world_link at given joint positions, by matrices."""
    found = {description.root: description.T_world_root.to_matrix()}
    pending = list(description.joints)
    while pending:
        entry = pending.pop(0)
        if entry.parent not in found:
            pending.append(entry)
            continue
        T = motion(entry, positions.get(entry.name, 0.0))
        found[entry.child] = (
            found[entry.parent] @ entry.T_parent_joint.to_matrix() @ T
        ) @ entry.T_joint_child.to_matrix()
    return found


@pytest.mark.parametrize(
    ("version", "flag", "expected"),
    [
        ("1.4", "", (0, 1, 0)),
        ("1.5", "", (1, 0, 0)),
        ("1.6", "<use_parent_model_frame>true</use_parent_model_frame>", (0, 1, 0)),
        ("1.6", "<use_parent_model_frame>0</use_parent_model_frame>", (1, 0, 0)),
        ("1.7", "<use_parent_model_frame>true</use_parent_model_frame>", (1, 0, 0)),
    ],
)
def test_the_frame_of_an_axis_depends_on_the_version(tree, version, flag, expected):
    """The child is turned by -90 degrees about z: the model's x is the joint's y."""
    members = (
        "<link name='a'/><link name='b'><pose>0 0 0 0 0 -1.5707963267948966</pose></link>"
        + joint("a", "b", inside=f"<axis><xyz>1 0 0</xyz>{flag}</axis>")
    )
    (found,) = tree(members, version).joints
    np.testing.assert_allclose(found.axis, expected, atol=1e-15)


def test_a_link_with_two_parents_turns_a_joint_round(tree, load):
    """c hangs from a and from b: b becomes the child of c, and moves as the file says."""
    members = """<link name='a'/><link name='c'><pose>1 0 0 0 0 0.3</pose></link>
      <link name='b'><pose>2 1 0 0.2 0 0</pose></link>"""
    members += joint("a", "c", name="ac") + joint(
        "b",
        "c",
        "screw",
        "bc",
        "<axis><xyz>1 2 3</xyz></axis><screw_thread_pitch>0.4"
        "</screw_thread_pitch><pose>0 0 0.5 0 0 0.1</pose>",
    )
    found = tree(members)
    assert found.root == "a"
    assert [(entry.parent, entry.child) for entry in found.joints] == [("a", "c"), ("c", "b")]
    turned = found.joints[1]
    # The oracle: b's pose in c is the inverse of c's pose in b by the joint as written.
    axis = -np.asarray(turned.axis)
    np.testing.assert_allclose(axis, np.array([1, 2, 3]) / np.sqrt(14))
    q = 0.7
    forward = np.eye(4)
    forward[:3, :3] = Rotation.from_rotvec(axis * q).as_matrix()
    forward[:3, 3] = axis * q * 0.4 / (2 * np.pi)
    T_world_b = Transform.from_euler((2, 1, 0), (0.2, 0, 0))
    T_world_c = Transform.from_euler((1, 0, 0), (0, 0, 0.3))
    T_world_j = T_world_c @ Transform.from_euler((0, 0, 0.5), (0, 0, 0.1))
    T_b_j = (T_world_b.inverse() @ T_world_j).to_matrix()
    T_j_c = (T_world_j.inverse() @ T_world_c).to_matrix()
    T_c_b = np.linalg.inv(T_b_j @ forward @ T_j_c)
    moved = poses(found, {"bc": q})
    np.testing.assert_allclose(np.linalg.inv(moved["c"]) @ moved["b"], T_c_b, atol=1e-12)
    notes = [note.text for note in load(f"<model name='m'>{members}</model>").report]
    assert any("is turned round" in text for text in notes)


def test_a_universal_joint_turned_round_swaps_its_axes(tree):
    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
    members = links("a", "c", "b") + joint("a", "c", name="ac")
    turned = tree(members + joint("b", "c", "universal", "bc", axes)).joints[1]
    assert turned.axis2 is not None
    np.testing.assert_allclose(turned.axis, (0, -1, 0))
    np.testing.assert_allclose(turned.axis2, (-1, 0, 0))


def test_four_bar_is_a_tree_with_a_loop(tree):
    members = links("a", "b", "c", "d")
    for parent, child in ("ab", "bc", "ad", "dc"):
        members += joint(parent, child, name=parent + child)
    found = tree(members)
    assert {entry.name for entry in found.joints} == {"ab", "bc", "ad"}
    (loop,) = found.loops
    assert (loop.name, loop.parent, loop.child) == ("dc", "d", "c")


def test_a_ring_hangs_from_the_canonical_link(load):
    body = "<model name='m' canonical_link='b'>" + links("a", "b", "c")
    for parent, child in ("ab", "bc", "ca"):
        body += joint(parent, child, name=parent + child)
    (found,) = load(body + "</model>").models[0].trees
    assert found.root == "b"
    assert [entry.name for entry in found.joints] == ["bc", "ca"]
    assert [entry.name for entry in found.loops] == ["ab"]


def test_a_joint_to_the_world_makes_it_the_root(tree):
    members = "<pose>0 0 2 0 0 0</pose>" + links("a", "b") + joint("world", "a")
    found = tree(members + joint("a", "b", "fixed", "k"))
    assert found.root == "world"
    assert found.links[0].name == "world"
    assert found.links[0].inertial is None
    assert found.T_world_root.is_close(Transform.identity())
    np.testing.assert_allclose(poses(found, {})["b"][:3, 3], (0, 0, 2))


def test_unconnected_links_are_trees_of_their_own(load):
    body = "<model name='m'>" + links("a", "b", "c") + joint("b", "c") + "</model>"
    trees = load(body).models[0].trees
    assert [(tree.name, tree.root) for tree in trees] == [("m", "a"), ("m#2", "b")]


def test_nested_static_models_are_held_to_the_world(load):
    body = f"""<model name='m'>{links("a")}<model name='n'><static>true</static>
      <pose>0 0 1 0 0 0</pose>{links("p", "q")}{joint("p", "q")}</model>
      {joint("n::p", "a", name="k")}</model>"""
    model = load(body).models[0]
    (found,) = model.trees
    assert not model.is_static
    assert not found.is_static
    assert found.root == "world"
    kinds = {entry.child: (entry.parent, entry.kind) for entry in found.joints}
    assert kinds["n::p"] == kinds["n::q"] == ("world", JointType.FIXED)
    assert kinds["a"] == ("n::p", JointType.CONTINUOUS)


def test_joints_of_a_world_join_models(load):
    body = f"""<world name='w'>
      <model name='m'>{links("a")}</model>
      <model name='n'><pose>1 0 0 0 0 0</pose>{links("b")}</model>
      <model name='o'>{links("c")}</model>
      {joint("m::a", "n::b")}</world>"""
    file = load(body, "1.10")
    one, other = file.worlds[0].models
    (found,) = one.trees
    assert [link.name for link in found.links] == ["m::a", "n::b"]
    np.testing.assert_allclose(poses(found, {})["n::b"][:3, 3], (1, 0, 0))
    assert other.name == "o"
    assert any("which become one" in note.text for note in file.report)


def test_a_joint_of_a_world_to_the_world(load):
    body = f"<world name='w'><model name='m'>{links('a')}</model>{joint('world', 'm::a')}</world>"
    (found,) = load(body, "1.10").worlds[0].models[0].trees
    assert found.root == "world"
    assert found.joints[0].child == "a"


def test_gearbox_becomes_mimic(tree):
    """theta_2 = -ratio * theta_1, each angle counted about its axis of the gearbox."""
    gears = """<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 -1</xyz></axis2>
      <gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body>"""
    members = links("base", "g1", "g2") + joint("base", "g1", name="j1")
    members += joint("base", "g2", name="j2") + joint("g1", "g2", "gearbox", "gear", gears)
    found = {entry.name: entry for entry in tree(members).joints}
    assert set(found) == {"j1", "j2"}
    assert found["j2"].mimic is not None
    assert found["j2"].mimic.joint == "j1"
    # About +z theta_1 = q1, about -z theta_2 = -q2.
    assert found["j2"].mimic.multiplier == pytest.approx(3.0)


def test_a_gearbox_without_hinges_is_left_out(load):
    inside = "<gearbox_reference_body>a</gearbox_reference_body><axis/><axis2/>"
    body = (
        f"<model name='m'>{links('a', 'b', 'c')}{joint('b', 'c', 'gearbox', 'g', inside)}</model>"
    )
    assert any("do not each turn on one hinge" in note.text for note in load(body).report)
    with pytest.raises(DescriptionError, match="do not each turn on one hinge of link 'm::a'"):
        load(body, strict=True)


def test_mimic_shifts_its_reference(tree):
    mimic = """<axis><xyz>0 0 1</xyz><mimic joint='j1'><multiplier>2</multiplier>
      <offset>1</offset><reference>0.25</reference></mimic></axis>"""
    members = links("a", "b", "c") + joint("a", "b", name="j1")
    found = tree(members + joint("b", "c", name="j2", inside=mimic), "1.11").joints[1]
    assert found.mimic is not None
    assert (found.mimic.joint, found.mimic.multiplier, found.mimic.offset) == ("j1", 2.0, 0.5)


def test_mimic_circles_are_refused(tree):
    members = links("a", "b", "c")
    for k, (parent, child, leader) in enumerate((("a", "b", "j1"), ("b", "c", "j0"))):
        inside = f"<axis><xyz>0 0 1</xyz><mimic joint='{leader}'/></axis>"
        members += joint(parent, child, name=f"j{k}", inside=inside)
    with pytest.raises(DescriptionError, match=r"follow each other in a circle \('j0' -> 'j1'"):
        tree(members)


def test_revolute2_is_a_universal_joint(load):
    inside = "<axis><xyz>0 0 1</xyz></axis>"
    inside += "<axis2><xyz>0 1 0</xyz><limit><upper>1</upper></limit></axis2>"
    file = load(
        f"<model name='m'>{links('a', 'b')}{joint('a', 'b', 'revolute2', 'j', inside)}</model>"
    )
    found = file.models[0].trees[0].joints[0]
    assert found.kind is JointType.UNIVERSAL
    assert found.axis2 == (0, 1, 0)
    texts = [note.text for note in file.report]
    assert "revolute2 becomes a universal joint" in texts
    assert "limits and dynamics of the second axis are left out" in texts


def test_dynamics_and_limits(tree):
    inside = """<axis><xyz>0 0 2</xyz><limit><lower>-1</lower><upper>2</upper><effort>3</effort>
      <velocity>4</velocity></limit><dynamics><damping>0.5</damping><friction>0.6</friction>
      <spring_stiffness>7</spring_stiffness><spring_reference>0.8</spring_reference></dynamics>
      </axis>"""
    (found,) = tree(links("a", "b") + joint("a", "b", "prismatic", "j", inside)).joints
    assert found.axis == (0, 0, 1)
    limit, dynamics = found.limit, found.dynamics
    assert (limit.lower, limit.upper, limit.effort, limit.velocity) == (-1, 2, 3, 4)
    assert (dynamics.damping, dynamics.friction) == (0.5, 0.6)
    assert (dynamics.stiffness, dynamics.spring_reference) == (7, 0.8)


def test_mimic_across_trees_is_left_out(load):
    inside = "<axis><xyz>0 0 1</xyz><mimic joint='j0'/></axis>"
    body = f"""<model name='m'>{links("a", "b", "c", "d")}{joint("a", "b", name="j0")}
      {joint("c", "d", name="j1", inside=inside)}</model>"""
    file = load(body)
    assert all(entry.mimic is None for tree in file.descriptions for entry in tree.joints)
    assert any("is in another tree of links" in note.text for note in file.report)


def test_a_continuous_joint_has_no_bounds(tree):
    inside = "<axis><xyz>0 0 1</xyz><limit><lower>0</lower><upper>1</upper></limit></axis>"
    (found,) = tree(links("a", "b") + joint("a", "b", "continuous", "j", inside)).joints
    assert found.kind is JointType.CONTINUOUS
    assert (found.limit.lower, found.limit.upper) == (None, None)


def test_names_of_welds_are_free(load):
    body = f"""<model name='m'>{links("a", "b")}{joint("a", "b", name="n::p_static")}
      <model name='n'><static>1</static>{links("p")}</model></model>"""
    names = [entry.name for tree in load(body, "1.7").descriptions for entry in tree.joints]
    assert len(set(names)) == len(names) == 2


@pytest.mark.parametrize(
    ("members", "text"),
    [
        (joint("a", "b", "hinge"), "joint 'm::j': type 'hinge' is not known; use one of revolute,"),
        (joint("a", "c"), "<child>: 'c' is not a frame of model 'm'"),
        (joint("a", "world"), "<child> is 'world', which only a <parent> can be"),
        (joint("a", "j"), "joint 'm::j': <child> is the joint itself"),
        (joint("a", "a"), "<parent> and <child> are both link 'm::a'; a joint needs two links"),
        (joint("a", ""), "joint 'm::j': needs a <child>, which is missing or blank"),
        (joint("", "a"), "joint 'm::j': needs a <parent>"),
        (joint("a", "b", inside="<axis><xyz>0 0 0</xyz></axis>"), "<xyz> has the length 0"),
        (joint("a", "b", inside="<axis><xyz>0 0 a</xyz></axis>"), "line 2: .*'a' is not a number"),
        (
            joint("a", "b", inside="<axis><xyz expressed_in='q'>0 0 1</xyz></axis>"),
            "<xyz> expressed_in: 'q' is not a frame",
        ),
        (
            joint(
                "a",
                "b",
                inside="<axis><limit><lower>2</lower><upper>1</upper></limit></axis>",
            ),
            "<lower> 2 is above <upper> 1",
        ),
        (
            joint("a", "b", inside="<axis><dynamics><damping>-1</damping></dynamics></axis>"),
            "<damping> is -1 and must not be negative",
        ),
        (
            joint("a", "b", inside="<axis><limit><upper>nan</upper></limit></axis>"),
            "<limit> holds nan; remove the bound instead",
        ),
        (
            joint("a", "b")
            + "<model name='n'><static>1</static></model>"
            + joint("a", "n", name="k"),
            "model 'm::n' has no link that its frame could move with",
        ),
        (
            joint("a", "b", "screw", inside="<axis/><thread_pitch>0</thread_pitch>"),
            "<thread_pitch> is 0",
        ),
    ],
)
def test_errors(tree, members, text):
    with pytest.raises(DescriptionError, match=text):
        tree(links("a", "b") + members)


@pytest.mark.parametrize(
    ("member", "text"),
    [
        (
            joint("a", "b", inside="<axis><mimic joint='b'/></axis>"),
            "<mimic>: link 'm::b' cannot be followed (<mimic> is left out); name another joint",
        ),
        (
            joint("a", "b", inside="<axis><mimic joint='q'/></axis>"),
            "<mimic>: 'q' is not a frame of model 'm'",
        ),
        (
            joint("a", "b") + joint("a", "b", "gearbox", name="g"),
            "a gearbox needs <gearbox_reference_body> (left out); name the link",
        ),
    ],
)
def test_what_cannot_be_followed_is_left_out(load, member, text):
    body = f"<model name='m'>{links('a', 'b')}{member}</model>"
    file = load(body)
    assert text in str(file.report)
    (found,) = file.models[0].trees
    assert [each.mimic for each in found.joints] == [None]
    with pytest.raises(DescriptionError, match=text.split(" (")[0].replace("?", r"\?")):
        load(body, strict=True)


def test_frames_without_a_link_are_left_out(load):
    body = "<model name='m'><frame name='f'/><model name='n'><link name='a'/></model></model>"
    assert "f" in load(body).models[0].trees[0].extra_frames
    body = "<model name='m'><static>1</static><frame name='f'/></model><model name='o'/>"
    file = load(body)
    assert [model.trees for model in file.models] == [(), ()]
    text = "has frames but no link that they could move with (its frames are left out); give it"
    assert text in str(file.report)
    with pytest.raises(DescriptionError, match="model 'm': has frames but no link"):
        load(body, strict=True)
