"""The exception tree: who is whose child, what errors carry, and how they read."""

import inspect
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim import errors
from horus_sim.errors import (
    ArmError,
    ArmFileError,
    ConventionError,
    CycleError,
    DisconnectedError,
    ExtrapolationError,
    HorusError,
    InvalidTransformError,
    MissingExtraError,
    NativeVersionError,
    ReadOnlyError,
    TFError,
    TransformTimeoutError,
    UnknownFrameError,
    seconds,
)
from horus_sim.installation import install_command

names = st.text(max_size=8)
stamps = st.integers(-(2**63), 2**63 - 1)
EXAMPLES = [
    HorusError("text"),
    MissingExtraError("zenoh", "zenoh"),
    NativeVersionError("text"),
    ConventionError("text"),
    InvalidTransformError("text"),
    ReadOnlyError("text"),
    CycleError("c", "a", ("c", "b", "a")),
    UnknownFrameError("base_lnk", ("base_link", "odom")),
    DisconnectedError("a", "b", "map", "world"),
    ExtrapolationError("odom", "base", 12_500_000_000, 0, 12_180_000_000, False),
    TransformTimeoutError("text"),
    ArmError("text"),
    ArmFileError("text"),
]


def test_every_error_is_a_horus_error():
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    assert [kind for kind in kinds if not issubclass(kind, HorusError)] == []
    assert set(map(type, EXAMPLES)) <= set(kinds)


@pytest.mark.parametrize(
    ("kind", "parents"),
    [
        (MissingExtraError, (ImportError,)),
        (NativeVersionError, (ImportError,)),
        (ConventionError, (ValueError,)),
        (InvalidTransformError, (TFError, ValueError)),
        (CycleError, (TFError, ValueError)),
        (UnknownFrameError, (TFError, LookupError)),
        (DisconnectedError, (TFError, LookupError)),
        (ExtrapolationError, (TFError, LookupError)),
        (TransformTimeoutError, (TFError, TimeoutError)),
        (ReadOnlyError, (TFError,)),
        (ArmError, (ValueError,)),
        (ArmFileError, (ArmError, ValueError)),
    ],
)
def test_errors_are_also_what_python_calls_them(kind, parents):
    assert issubclass(kind, HorusError)
    for parent in parents:
        assert issubclass(kind, parent)


def test_no_transform_error_is_caught_for_another():
    leaves = (InvalidTransformError, CycleError, UnknownFrameError, DisconnectedError)
    leaves += (ExtrapolationError, TransformTimeoutError, ReadOnlyError)
    for one in leaves:
        assert [other for other in leaves if issubclass(one, other)] == [one]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_errors_survive_pickling(error):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        twin = pickle.loads(pickle.dumps(error, protocol))  # noqa: S301
        assert type(twin) is type(error)
        assert twin.args == error.args
        assert str(twin) == str(error)
        assert vars(twin) == vars(error)


def test_a_missing_extra_prints_the_command():
    error = MissingExtraError("eclipse-zenoh", "zenoh")
    assert str(error) == f"eclipse-zenoh is not installed; run: {install_command('zenoh')}"
    assert (error.package, error.extra) == ("eclipse-zenoh", "zenoh")


# Unknown frames -----------------------------------------------------------------------------------


def text_of_unknown(frame, *known):
    error = UnknownFrameError(frame, known)
    assert (error.frame, error.known) == (frame, known)
    return str(error)


def test_a_misspelt_frame_is_suggested():
    many = (*(f"link_{i}" for i in range(49)), "base_link")
    assert text_of_unknown("base_lnk", *many) == (
        "'base_lnk' is not in the tree; did you mean 'base_link'? 50 frames known."
    )
    assert (
        text_of_unknown("map", "mab")
        == "'map' is not in the tree; did you mean 'mab'? 1 frame known."
    )


def test_up_to_three_frames_are_suggested_best_first():
    known = ("camera_front", "odom", "camera", "camera_10", "camera_front_left")
    assert text_of_unknown("camera_1", *known) == (
        "'camera_1' is not in the tree; did you mean 'camera_10' or 'camera' or 'camera_front'? "
        "5 frames known."
    )


def test_without_a_likeness_the_frames_are_listed():
    assert text_of_unknown("xyz", "odom", "map") == (
        "'xyz' is not in the tree; 2 frames known: 'map', 'odom'"
    )
    assert text_of_unknown("xyz", *"jihgfedcba") == (
        "'xyz' is not in the tree; 10 frames known: 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', ..."
    )
    assert text_of_unknown("xyz", *"hgfedcba").endswith("'h'")


def test_an_empty_tree_is_said_to_be_empty():
    assert (
        text_of_unknown("map") == "'map' is not in the tree, which is empty; add transforms first."
    )


@given(names, st.lists(names, max_size=10, unique=True))
def test_the_text_always_names_the_frame(frame, known):
    text = text_of_unknown(frame, *known)
    assert text.startswith(f"'{frame}' is not in the tree")


# Cycles, two trees --------------------------------------------------------------------------------


def test_a_cycle_names_the_way_and_the_frame_to_remove():
    error = CycleError("c", "a", ("c", "b", "a"))
    assert str(error) == (
        "'a' cannot hang from 'c', which hangs from 'a' ('c' -> 'b' -> 'a'); swap parent and "
        "child, or call remove_frame('b') to break the chain first."
    )
    assert (error.parent, error.child, error.path) == ("c", "a", ("c", "b", "a"))
    assert "remove_frame('b')" in str(CycleError("b", "a", ("b", "a")))
    assert "remove_frame('b')" in str(CycleError("b", "a"))


def test_two_trees_name_both_roots():
    error = DisconnectedError("cup", "lidar", "world", "odom")
    assert str(error) == (
        "'cup' and 'lidar' are in two trees: 'cup' ends at root 'world', 'lidar' at root 'odom'; "
        "add a transform between the trees, such as 'odom' -> 'world'."
    )
    assert (error.source, error.target) == ("cup", "lidar")
    assert (error.source_root, error.target_root) == ("world", "odom")


# Times --------------------------------------------------------------------------------------------


@given(stamps, stamps, stamps)
def test_an_extrapolation_tells_direction_and_gap(oldest, newest, requested):
    oldest, newest = min(oldest, newest), max(oldest, newest)
    if oldest <= requested <= newest:
        requested = newest + 1
    error = ExtrapolationError("odom", "base", requested, oldest, newest, False)
    assert error.direction == ("past" if requested < oldest else "future")
    assert error.gap_ns == max(oldest - requested, requested - newest) > 0
    assert (error.requested_ns, error.oldest_ns, error.newest_ns) == (requested, oldest, newest)
    edge = seconds(oldest if requested < oldest else newest)
    assert f"at {seconds(requested)} is {seconds(error.gap_ns)} " in str(error)
    assert f"sample ({edge});" in str(error)


@pytest.mark.parametrize(
    ("duration_ns", "text"),
    [
        (0, "0.000 s"),
        (12_500_000_000, "12.500 s"),
        (12_180_000_000, "12.180 s"),
        (1, "0.000000001 s"),
        (-1, "-0.000000001 s"),
        (999_999_999, "0.999999999 s"),
        (-1_500_000_000, "-1.500 s"),
        (1_230_400_000, "1.2304 s"),
        (-(2**63), "-9223372036.854775808 s"),
        (2**63 - 1, "9223372036.854775807 s"),
        (10**30, "1000000000000000000000.000 s"),
    ],
)
def test_seconds_of(duration_ns, text):
    assert seconds(duration_ns) == text


@given(st.integers())
def test_seconds_are_exact_and_as_short_as_can_be(duration_ns):
    text = seconds(duration_ns)
    number, unit = text.split(" ")
    digits = number.split(".")[1]
    assert unit == "s"
    assert Fraction(number) == Fraction(duration_ns, 10**9)
    assert 3 <= len(digits) <= 9
    assert len(digits) == 3 or digits[-1] != "0"
