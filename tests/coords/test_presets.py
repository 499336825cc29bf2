"""The presets against what the tools themselves document."""

import pytest

from horus_sim.coords import (
    BABYLON,
    CAD,
    JT,
    MUJOCO,
    PRESETS,
    RAPIER,
    ROS,
    THREE,
    URDF,
    ConventionError,
    convert,
)


@pytest.mark.parametrize(
    ("convention", "right", "forward", "up", "metres", "right_handed"),
    [
        (CAD, (1, 0, 0), (0, 1, 0), (0, 0, 1), 0.001, True),
        (URDF, (0, -1, 0), (1, 0, 0), (0, 0, 1), 1.0, True),
        (ROS, (0, -1, 0), (1, 0, 0), (0, 0, 1), 1.0, True),
        (MUJOCO, (0, -1, 0), (1, 0, 0), (0, 0, 1), 1.0, True),
        (BABYLON, (1, 0, 0), (0, 0, 1), (0, 1, 0), 1.0, False),
        (RAPIER, (1, 0, 0), (0, 0, 1), (0, 1, 0), 1.0, False),
        (THREE, (1, 0, 0), (0, 0, -1), (0, 1, 0), 1.0, True),
        (JT, (1, 0, 0), (0, 0, 1), (0, 1, 0), 0.001, False),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_directions_unit_and_handedness(convention, right, forward, up, metres, right_handed):
    from_cad = convert(CAD, convention)
    assert tuple(from_cad.vector((1, 0, 0))) == right
    assert tuple(from_cad.vector((0, 1, 0))) == forward
    assert tuple(from_cad.vector((0, 0, 1))) == up
    assert convention.metres_per_unit == metres
    assert convention.is_right_handed is right_handed


def test_presets_hold_every_convention_under_its_name():
    assert PRESETS["cad"] is CAD
    assert set(PRESETS) == {"cad", "urdf", "ros", "mujoco", "babylon", "rapier", "three", "jt"}
    assert all(name == preset.name for name, preset in PRESETS.items())


def test_names_stand_for_presets_in_any_case():
    assert convert("cad", " Babylon") is convert(CAD, BABYLON)


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(ConventionError, match=r"'bablyon' is not a preset .* mean 'babylon'\?"):
        convert("cad", "bablyon")


def test_a_name_unlike_any_other_gets_the_list():
    with pytest.raises(ConventionError, match=r"'xyzzy' .* known: cad, urdf, .* as a Conv"):
        convert("xyzzy", CAD)


def test_something_that_is_no_convention_is_refused():
    with pytest.raises(ConventionError, match="3 is neither a Convention nor a name; pass one"):
        convert(3, CAD)  # pyright: ignore[reportArgumentType]


def test_jt_into_a_right_handed_scene_negates_z():
    assert convert(JT, THREE).point((1000, 2000, 3000)).tolist() == [1.0, 2.0, -3.0]
    assert not convert(JT, THREE).is_proper
