"""Many times, many frames and many points at once."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from horus_sim.tf import (
    CycleError,
    DisconnectedError,
    ExtrapolationError,
    InvalidTransformError,
    TFTree,
    Transform,
    UnknownFrameError,
)

from .strategies import bits_of

I = Transform.identity()  # noqa: E741 - as in the literature
NS = 1_000_000_000
UNIT = [[0, 0, 0, 1]]


def winding_tree() -> TFTree:
    """map -> odom -> base -> lidar and base -> arm, moving at three rates, to two seconds."""
    rng = np.random.default_rng(7)
    tree = TFTree()
    for parent, child, step_ns in (
        ("map", "odom", 10**8),
        ("odom", "base", 10**7),
        ("base", "arm", 3 * 10**7),
    ):
        stamps = np.arange(0, 2 * NS + step_ns, step_ns)
        turns = Rotation.from_rotvec(np.cumsum(rng.normal(0, 0.1, (len(stamps), 3)), axis=0))
        tree.add_transforms(
            parent, child, stamps, rng.normal(size=(len(stamps), 3)), turns.as_quat()
        )
    tree.add_static_transform("base", "lidar", Transform((0, 0, 1), (0.1, 0.2, 0.3, 0.9)))
    return tree


WINDING = winding_tree()
PAIRS = [("base", "odom"), ("odom", "base"), ("lidar", "map"), ("arm", "lidar"), ("map", "map")]


def assert_rows_are(rows, expected: list[Transform]) -> None:
    translations, rotations = rows
    assert translations.shape == (len(expected), 3)
    assert rotations.shape == (len(expected), 4)
    assert translations.dtype == rotations.dtype == np.float64
    assert translations.tobytes() + rotations.tobytes() == (
        b"".join(T.translation.tobytes() for T in expected)
        + b"".join(T.rotation.tobytes() for T in expected)
    )


# Many times ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "target"), PAIRS)
@given(st.lists(st.integers(0, 2 * NS), max_size=150))
def test_many_times_are_single_look_ups_bit_for_bit(source, target, times):
    expected = [WINDING.lookup_transform(source, target, t) for t in times]
    assert_rows_are(WINDING.lookup_transforms(source, target, times), expected)
    backwards = WINDING.lookup_transforms(source, target, np.array(times, np.int64)[::-1])
    assert_rows_are(backwards, expected[::-1])


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 128, 129, 1000])
def test_any_number_of_times(count):
    times = np.random.default_rng(count).integers(0, 2 * NS, count)
    expected = [WINDING.lookup_transform("arm", "map", t) for t in times]
    assert_rows_are(WINDING.lookup_transforms("arm", "map", times), expected)


def test_many_times_across_changes_of_parent():
    tree = TFTree()
    tree.add_static_transform("room", "table", Transform((1, 0, 0)))
    tree.add_static_transform("room", "hand", Transform((2, 0, 0), (0, 0, 1, 1)))
    for i in range(40):
        tree.add_transform(("table", "hand")[i // 10 % 2], "cup", Transform((0, i, 0)), 10 * i)
    times = np.random.default_rng(0).permutation(391)
    expected = [tree.lookup_transform("cup", "room", t) for t in times]
    assert_rows_are(tree.lookup_transforms("cup", "room", times), expected)


@pytest.mark.parametrize(
    "times", [[5, 6], (5, 6), np.array([5, 6], np.int16), np.array([5, 6], np.uint64), range(5, 7)]
)
def test_times_in_any_form(times):
    tree = TFTree()
    tree.add_transforms("a", "b", [0, 10], [[0, 0, 0], [10, 0, 0]], UNIT * 2)
    assert tree.lookup_transforms("b", "a", times)[0][:, 0].tolist() == [5, 6]


@pytest.mark.parametrize("index", [0, 1, 63, 64, 65, 199])
def test_the_first_time_without_an_answer_is_the_one_reported(index):
    times = np.arange(200) * 10**7
    times[index] = 3 * NS + 1
    times[-1] = 4 * NS
    if index == 199:
        times[-1] = 3 * NS + 1
    with pytest.raises(ExtrapolationError) as raised:
        WINDING.lookup_transforms("base", "odom", times)
    assert raised.value.requested_ns == 3 * NS + 1


@given(st.lists(st.integers(-NS, 3 * NS), max_size=150))
def test_a_mask_marks_what_has_no_answer(times):
    translations, rotations, valid = WINDING.lookup_transforms("arm", "map", times, mask=True)
    assert valid.dtype == np.bool_
    assert valid.tolist() == [WINDING.can_transform("arm", "map", t) for t in times]
    assert np.isnan(translations[~valid]).all()
    assert np.isnan(rotations[~valid]).all()
    answered = [WINDING.lookup_transform("arm", "map", t) for t in np.array(times)[valid]]
    assert_rows_are((translations[valid], rotations[valid]), answered)


def test_a_mask_covers_frames_that_are_apart():
    tree = TFTree()
    tree.add_transform("a", "b", I, 0)
    tree.add_transform("c", "d", I, 0)
    _, _, valid = tree.lookup_transforms("b", "d", [0, 1], mask=True)
    assert valid.tolist() == [False, False]
    with pytest.raises(DisconnectedError):
        tree.lookup_transforms("b", "d", [0])


@pytest.mark.parametrize("looked_up_before", [False, True])
@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("times", [[0], []])
def test_a_mask_does_not_cover_frames_that_are_not_there(mask, looked_up_before, times):
    tree = TFTree()
    tree.add_transform("a", "b", I, 0)
    if looked_up_before:
        tree.lookup_transform("b", "a")
        tree.lookup_transform("a", "b")
    tree.remove_frame("b")
    for source, target in (("b", "a"), ("a", "b")):
        with pytest.raises(UnknownFrameError, match="'b' is not in the tree"):
            tree.lookup_transforms(source, target, times, mask=mask)


def test_many_times_take_tolerance_and_prediction():
    tree = TFTree()
    tree.add_transforms("a", "b", [0, 10], [[0, 0, 0], [10, 0, 0]], UNIT * 2)

    def x_at(times, **options):
        return tree.lookup_transforms("b", "a", times, **options)[0][:, 0].tolist()

    assert x_at([-5, 5, 15], tolerance_ns=5) == [0, 5, 10]
    assert x_at([5, 15, 25], predict=True) == [5, 15, 25]
    options = {"predict": True, "tolerance_ns": 5, "mask": True}
    translations, _, valid = tree.lookup_transforms("b", "a", [-6, -5, 15, 16], **options)
    assert valid.tolist() == [False, True, True, False]
    assert translations[1:3, 0].tolist() == [0, 15]


# Many frames --------------------------------------------------------------------------------------


@pytest.mark.parametrize("time_ns", [None, 0, NS, 123_456_789])
def test_many_frames_are_single_look_ups_bit_for_bit(time_ns):
    sources = ["arm", "base", "map", "lidar", "arm"]
    for target in ("map", "lidar"):
        expected = [WINDING.lookup_transform(source, target, time_ns) for source in sources]
        assert_rows_are(WINDING.lookup_many(sources, target, time_ns), expected)
        assert_rows_are(WINDING.lookup_many(tuple(sources), target, time_ns), expected)
        assert_rows_are(WINDING.lookup_many(iter(sources), target, time_ns), expected)  # pyright: ignore[reportArgumentType]


def test_many_frames_each_at_its_own_latest_time():
    tree = TFTree()
    for i, name in enumerate("abc"):
        tree.add_transforms("root", name, [0, 10 * i + 10], [[0, 0, 0], [i + 1, 0, 0]], UNIT * 2)
    translations, _ = tree.lookup_many(["a", "b", "c"], "root")
    assert translations[:, 0].tolist() == [1, 2, 3]


def test_a_mask_marks_frames_without_an_answer():
    tree = TFTree()
    tree.add_transform("root", "a", Transform((1, 0, 0)), 0)
    tree.add_transform("root", "late", I, 9)
    tree.add_transform("other", "apart", I, 0)
    tree.add_transform("root", "gone", I, 0)
    tree.lookup_transform("gone", "root")
    tree.remove_frame("gone")
    sources = ["a", "nowhere", "late", "apart", "gone", "root"]
    translations, rotations, valid = tree.lookup_many(sources, "root", 0, mask=True)
    assert valid.tolist() == [True, False, False, False, False, True]
    assert np.isnan(translations[~valid]).all()
    assert np.isnan(rotations[~valid]).all()
    assert translations[valid].tolist() == [[1, 0, 0], [0, 0, 0]]
    for k, error in ((1, UnknownFrameError), (2, ExtrapolationError), (3, DisconnectedError)):
        with pytest.raises(error, match=f"'{sources[k]}'"):
            tree.lookup_many(["a", sources[k]], "root", 0)
    with pytest.raises(UnknownFrameError, match="'nowhere'"):
        tree.lookup_many(["a"], "nowhere", 0, mask=True)
    with pytest.raises(InvalidTransformError, match="a frame name must be text, got 3"):
        tree.lookup_many(["a", 3], "root", 0, mask=True)  # pyright: ignore[reportCallIssue, reportArgumentType]


def test_many_frames_take_tolerance_and_prediction():
    tree = TFTree()
    tree.add_transforms("a", "b", [0, 10], [[0, 0, 0], [10, 0, 0]], UNIT * 2)
    assert tree.lookup_many(["b"], "a", 15, tolerance_ns=5)[0][0, 0] == 10
    assert tree.lookup_many(["b"], "a", 15, predict=True)[0][0, 0] == 15
    assert tree.lookup_many([], "a")[0].shape == (0, 3)


# Many points --------------------------------------------------------------------------------------


@pytest.mark.parametrize("time", [None, NS, np.int64(NS), np.array(NS)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_points_at_one_time_are_those_of_the_transform(time, dtype):
    points = np.random.default_rng(0).normal(size=(50, 3)).astype(dtype)
    T = WINDING.lookup_transform("arm", "map", None if time is None else NS)
    actual = WINDING.transform_points(points, "arm", "map", time)
    assert actual.dtype == dtype
    np.testing.assert_array_equal(actual, T.transform_points(points))


@pytest.mark.parametrize("as_times", [np.array, list, tuple], ids=["array", "list", "tuple"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_points_at_a_time_each(dtype, as_times):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(300, 3)).astype(dtype)
    times = np.repeat(rng.integers(0, 2 * NS, 100), 3)  # three in a row share a time
    actual = WINDING.transform_points(points, "arm", "map", as_times(times.tolist()))
    expected = np.concatenate(
        [
            WINDING.lookup_transform("arm", "map", t).transform_points(points[i : i + 1])
            for i, t in enumerate(times)
        ]
    )
    assert actual.dtype == dtype
    np.testing.assert_array_equal(actual, expected)


def test_the_sweep_of_a_moving_lidar_is_undone():
    # A robot on a circle of 5 m, at 2 rad/s, sees one corner of a wall in every ray of its sweep.
    speed, radius = 2.0, 5.0

    def pose_at(seconds):
        angle = speed * seconds
        position = (radius * math.sin(angle), radius * (1 - math.cos(angle)), 0)
        return Transform.from_euler(position, (0, 0, angle))

    tree = TFTree()
    for i in range(1001):
        tree.add_transform("odom", "base", pose_at(i * 1e-3), i * 10**6)
    T_base_lidar = Transform.from_euler((0.2, 0, 0.4), (0, 0.1, 3.0))
    tree.add_static_transform("base", "lidar", T_base_lidar)
    corner = np.array((10.0, 3.0, 1.0))
    times = np.linspace(0, NS, 720, dtype=np.int64)
    sweep = np.array(
        [(pose_at(t * 1e-9) @ T_base_lidar).inverse().transform_point(corner) for t in times]
    )
    deskewed = tree.transform_points(sweep, "lidar", "odom", times)
    # Between samples 2 mrad apart the arc is a chord here, at most r (2 mrad)^2 / 8 away.
    np.testing.assert_allclose(deskewed, np.tile(corner, (720, 1)), rtol=0, atol=2.6e-6)
    smeared = tree.transform_points(sweep, "lidar", "odom", NS // 2)
    assert np.abs(smeared - corner).max() > 1.0


def test_points_take_tolerance_and_prediction():
    tree = TFTree()
    tree.add_transforms("a", "b", [0, 10], [[0, 0, 0], [10, 0, 0]], UNIT * 2)
    two = np.zeros((2, 3))
    assert tree.transform_points(two, "b", "a", 15, tolerance_ns=5)[:, 0].tolist() == [10, 10]
    assert tree.transform_points(two, "b", "a", [5, 15], predict=True)[:, 0].tolist() == [5, 15]
    with pytest.raises(ExtrapolationError) as raised:
        tree.transform_points(two, "b", "a", [5, 16], tolerance_ns=5)
    assert raised.value.requested_ns == 16


def test_no_points_at_no_times():
    for dtype in (np.float32, np.float64):
        actual = WINDING.transform_points(np.zeros((0, 3), dtype), "arm", "map", [])
        assert actual.shape == (0, 3)
        assert actual.dtype == dtype


# Many samples -------------------------------------------------------------------------------------


@given(st.permutations(range(40)))
def test_many_samples_are_single_ones_in_any_order(order):
    rng = np.random.default_rng(0)
    translations, rotations = rng.normal(size=(40, 3)), rng.normal(size=(40, 4))
    stamps = np.array(order) * 1000
    together, alone = TFTree(), TFTree()
    together.add_transforms("a", "b", stamps, translations, rotations)
    for stamp, t, q in zip(stamps, translations, rotations, strict=True):
        alone.add_transform("a", "b", Transform(t, q), stamp)
    for time_ns in (0, 1, 500, 20_000, 20_001, 39_000):
        actual, expected = (tree.lookup_transform("b", "a", time_ns) for tree in (together, alone))
        assert bits_of(actual) == bits_of(expected)


def test_of_equal_stamps_in_a_batch_the_last_wins():
    tree = TFTree()
    tree.add_transforms("a", "b", [5, 0, 5], [[1, 0, 0], [2, 0, 0], [3, 0, 0]], UNIT * 3)
    assert tree.lookup_transform("b", "a", 5).translation[0] == 3
    assert tree.frame("b").samples == 2


def test_a_batch_longer_than_the_buffer_keeps_its_end():
    tree = TFTree(1.0)
    stamps = np.arange(0, 5 * NS + 1, 10**8)
    for order in (slice(None), slice(None, None, -1)):
        tree.add_transforms("a", "b", stamps[order], np.zeros((51, 3)), UNIT * 51)
        info = tree.frame("b")
        assert (info.samples, info.oldest_ns, info.newest_ns) == (11, 4 * NS, 5 * NS)
        tree.remove_frame("b")


BAD_BATCHES = {
    "NaN": ([1, 2], [[0, 0, 0], [0, math.nan, 0]], UNIT * 2, r"translations\[1\] is not finite"),
    "infinity": ([1, 2], [[0, 0, math.inf], [0, 0, 0]], UNIT * 2, r"translations\[0\] is not fin"),
    "zero": ([1, 2], [[0, 0, 0]] * 2, [*UNIT, [0] * 4], r"rotations\[1\] is zero or not finite"),
    "NaN quaternion": ([1], [[0, 0, 0]], [[0, 0, math.nan, 1]], r"rotations\[0\] is zero or not f"),
    "too old": ([100 * NS, NS], [[0, 0, 0]] * 2, UNIT * 2, "at 1.000 s is older than the history"),
    "counts": ([1, 2], [[0, 0, 0]], UNIT * 2, "must have one row a sample, got 2, 1 and 2"),
    "seconds": (
        [0.5, 1.5],
        [[0, 0, 0]] * 2,
        UNIT * 2,
        "stamps_ns must be integer nanoseconds, got",
    ),
    "unsigned": (
        np.array([2**63], np.uint64),
        [[0, 0, 0]],
        UNIT,
        r"stamps_ns\[0\] does not fit 64 bits",
    ),
    "wide": ([1], [[0, 0]], UNIT, r"translations must have shape \(N, 3\), got \(1, 2\)"),
    "narrow": ([1], [[0, 0, 0]], [[0, 0, 0]], r"rotations must have shape \(N, 4\), got \(1, 3\)"),
}


@pytest.mark.parametrize("case", BAD_BATCHES.values(), ids=BAD_BATCHES.keys())
def test_a_bad_batch_adds_nothing(case):
    *batch, text = case
    tree = TFTree()
    tree.add_transform("a", "b", I, 50 * NS)
    before = tree.revision
    with pytest.raises(InvalidTransformError, match=text):
        tree.add_transforms("a", "b", *batch)
    assert tree.revision == before
    assert tree.frame("b").samples == 1


@pytest.mark.parametrize("stamps", [[0, 10], [10, 0], [10, 12]])
def test_a_batch_that_would_close_a_cycle_adds_nothing(stamps):
    tree = TFTree()
    tree.add_transform("root", "b", I, 0)
    tree.add_transform("root", "a", I, 5)
    tree.add_transform("a", "b", I, 8)  # so a may hang from b before 8, and not after
    before = tree.revision
    with pytest.raises(CycleError, match="'a' cannot hang from 'b'"):
        tree.add_transforms("b", "a", stamps, np.zeros((2, 3)), UNIT * 2)
    assert tree.revision == before
    assert tree.frame("a").samples == 1
