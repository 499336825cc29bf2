"""The names that users may import."""

import horus_sim.coords as coords
from horus_sim.errors import ConventionError, HorusError

PUBLIC_NAMES = {
    *("BABYLON", "CAD", "JT", "MUJOCO", "RAPIER", "ROS", "THREE", "URDF"),
    *("KINETICORE_URDF", "PRESETS"),
    *("Convention", "ConventionError", "Conversion", "convert", "load_conventions"),
    *("user_to_babylon", "babylon_to_user", "user_vector_to_babylon", "babylon_vector_to_user"),
    *("user_rotation_to_babylon", "babylon_rotation_to_user"),
    *("urdf_to_babylon_position", "babylon_to_urdf_position"),
    *("urdf_to_babylon_axis", "babylon_to_urdf_axis"),
    *("urdf_rpy_to_babylon", "babylon_to_urdf_rpy"),
}


def test_public_names_are_these():
    assert set(coords.__all__) == PUBLIC_NAMES


def test_every_public_name_exists():
    assert [name for name in PUBLIC_NAMES if not hasattr(coords, name)] == []


def test_convention_errors_are_horus_errors_and_value_errors():
    assert coords.ConventionError is ConventionError
    assert issubclass(ConventionError, HorusError)
    assert issubclass(ConventionError, ValueError)
