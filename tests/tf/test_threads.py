"""Readers and writers in threads. Samples encode one number in all of theirs: a torn one shows.

Writers go on until the readers have read what they were told to, so that the two surely overlap.
"""

import sys
import threading

import numpy as np
import pytest

from horus_sim.tf import TFTree, Transform

STEP_NS = 1_000_000


def samples(numbers):
    """Translations and rotations that all tell the same number."""
    t = np.asarray(numbers, np.float64)
    zero = np.zeros_like(t)
    rotations = np.column_stack([zero, zero, np.sin(t / 2e4), np.cos(t / 2e4)])
    return np.column_stack([t, 2 * t, -t]), rotations


def assert_whole(translations, rotations, tolerance=0.0):
    expected_translations, expected_rotations = samples(translations[:, 0])
    np.testing.assert_allclose(translations, expected_translations, rtol=0, atol=tolerance)
    np.testing.assert_allclose(rotations, expected_rotations, rtol=0, atol=1e-12)


def run(writers, readers):
    """Runs functions in threads, writers again and again while readers run; raises what they do."""
    failures = []
    readers_done = threading.Event()
    start = threading.Barrier(len(writers) + len(readers))

    def reading(read):
        try:
            start.wait()
            read()
        except BaseException as error:  # noqa: BLE001 - raised again in the test's thread
            failures.append(error)

    def writing(write):
        try:
            start.wait()
            rounds = 0
            while not readers_done.is_set() and not failures:
                write(rounds)
                rounds += 1
        except BaseException as error:  # noqa: BLE001 - raised again in the test's thread
            failures.append(error)

    writing_threads = [threading.Thread(target=writing, args=(write,)) for write in writers]
    reading_threads = [threading.Thread(target=reading, args=(read,)) for read in readers]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # threads take turns often, so that more happens in less time
    try:
        for thread in (*writing_threads, *reading_threads):
            thread.start()
        for thread in reading_threads:
            thread.join()
        readers_done.set()
        for thread in writing_threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    if failures:
        raise failures[0]


@pytest.mark.parametrize("chunks", [1, 5])
def test_a_sample_that_is_written_again_and_again_is_never_half_old(chunks):
    # The same stamps get new values all the time, and readers ask for exactly these stamps.
    stamps_ns = np.arange(16 * chunks) * STEP_NS
    tree = TFTree()
    tree.add_transforms("odom", "base", stamps_ns, *samples(np.zeros(len(stamps_ns))))
    batch = np.tile(stamps_ns, 20)

    def write(rounds):
        values = np.repeat(np.arange(20), len(stamps_ns)) + 20 * (rounds % 100)
        tree.add_transforms("odom", "base", batch, *samples(values))

    def read():
        times = np.random.default_rng(0).permutation(np.tile(stamps_ns, 5000 // len(stamps_ns)))
        for _ in range(100):
            assert_whole(*tree.lookup_transforms("base", "odom", times))

    run([write], [read, read])


def test_a_static_transform_that_is_set_again_is_never_half_old():
    tree = TFTree()
    poses = [Transform(*(rows[0] for rows in samples([number]))) for number in range(100)]
    tree.add_static_transform("base", "camera", poses[0])

    def write(rounds):
        for pose in poses:
            tree.add_static_transform("base", "camera", pose)

    def read():
        times = np.zeros(20_000, np.int64)
        for _ in range(20):
            assert_whole(*tree.lookup_transforms("camera", "base", times))

    run([write], [read, read])


def test_a_history_that_moves_on_is_never_half_pruned():
    # A short history, so that chunks are recycled under the readers.
    tree = TFTree(buffer_duration=0.1)
    block = np.arange(100, dtype=np.int64)
    tree.add_transforms("odom", "base", block * STEP_NS, *samples(block))

    def write(rounds):
        numbers = block + 100 * (rounds + 1)
        tree.add_transforms("odom", "base", numbers * STEP_NS, *samples(numbers))

    answered = []

    def read():
        random = np.random.default_rng(0)
        for _ in range(500):
            newest_ns = tree.frame("base").newest_ns
            assert newest_ns is not None
            times_ns = newest_ns - random.integers(0, 100 * STEP_NS, 200)
            translations, rotations, valid = tree.lookup_transforms(
                "base", "odom", times_ns, mask=True
            )
            tolerance = 1e-12 * newest_ns / STEP_NS
            assert_whole(translations[valid], rotations[valid], tolerance)
            np.testing.assert_allclose(
                translations[valid, 0], times_ns[valid] / STEP_NS, rtol=1e-12, atol=1e-9
            )
            answered.append(valid.sum())

    run([write], [read, read])
    assert sum(answered) > 1000


def test_writers_of_different_frames_do_not_disturb_each_other():
    tree = TFTree(buffer_duration=1000.0)
    names = [f"f{i}" for i in range(4)]

    def writer(name):
        def write():
            for i in range(50):
                numbers = np.arange(2000) + 2000 * i
                tree.add_transforms("world", name, numbers * STEP_NS, *samples(numbers))

        return write

    run([], [writer(name) for name in names])
    for name in names:
        assert tree.frame(name).samples == 100_000
        rows = tree.lookup_transforms(name, "world", np.arange(100_000) * STEP_NS)
        assert_whole(*rows)
        np.testing.assert_array_equal(rows[0][:, 0], np.arange(100_000))


def test_a_snapshot_is_one_moment():
    # Both arms get the same stamp one after the other: in one moment they differ by at most one.
    tree = TFTree()
    tree.add_transform("base", "left", Transform(), 0)
    tree.add_transform("base", "right", Transform(), 0)

    def write(rounds):
        for i in range(100 * rounds + 1, 100 * rounds + 101):
            tree.add_transform("base", "left", Transform((i, 0, 0)), i * STEP_NS)
            tree.add_transform("base", "right", Transform((i, 0, 0)), i * STEP_NS)

    def read():
        for _ in range(500):
            moment = tree.snapshot(history=0.01)
            left, right = moment.frame("left").newest_ns, moment.frame("right").newest_ns
            assert left is not None
            assert right is not None
            assert left - right in (0, STEP_NS)
            first = moment.lookup_transform("left", "right")
            assert moment.lookup_transform("left", "right") == first == Transform()

    run([write], [read])


def test_a_snapshot_holds_whole_batches():
    tree = TFTree(buffer_duration=1.0)
    tree.add_transform("odom", "base", Transform(), -STEP_NS)

    def write(rounds):
        numbers = np.arange(2000) + 2000 * rounds
        tree.add_transforms("odom", "base", numbers * STEP_NS, *samples(numbers))

    def read():
        for _ in range(200):
            newest_ns = tree.snapshot(history=0.05).frame("base").newest_ns
            assert newest_ns is not None
            assert newest_ns // STEP_NS % 2000 == 1999

    run([write], [read])


def test_structure_changes_under_readers():
    tree = TFTree()
    tree.add_static_transform("world", "base", Transform((1, 0, 0)))

    def write(rounds):
        name = f"tool{rounds % 50}"
        tree.add_static_transform("base", name, Transform((10, 0, 0)))
        if rounds % 7 == 0:
            tree.remove_frame(name)
        if rounds % 100 == 0:
            tree.clear()

    def read():
        for _ in range(300):
            assert tree.lookup_transform("base", "world").translation[0] == 1.0
            assert tree.validate().roots == ("world",)
            for name in tree.get_all_frames():
                expected = {"world": 0, "base": 1}.get(name, 11)
                rows, _, valid = tree.lookup_many([name], "world", mask=True)
                assert not valid[0] or rows[0, 0] == expected

    run([write], [read, read])


def test_parents_change_under_readers():
    # From 10 m one more, from 20 m nine back: the cup stays at 11, unless its place in one is taken
    # for its place in the other. The same stamps are written again, with the other parent.
    tree = TFTree()
    places = (("table", 10.0, 1.0), ("hand", 20.0, -9.0))
    for place, x, _ in places:
        tree.add_static_transform("room", place, Transform((x, 0, 0)))
    still = np.tile((0.0, 0.0, 0.0, 1.0), (2, 1))

    def write(rounds):
        for place, _, x in places:
            tree.add_transforms(place, "cup", [0, 10], [[x, 0, 0]] * 2, still)

    def read():
        times = np.tile((0, 5, 10), 1000)
        for _ in range(100):
            assert tree.lookup_transform("cup", "room").translation[0] == 11
            rows, _ = tree.lookup_transforms("cup", "room", times)
            assert (rows[:, 0] == 11).all()

    write(0)
    run([write], [read, read])
