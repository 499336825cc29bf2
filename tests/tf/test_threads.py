"""Readers and writers in threads. Samples encode their stamp in all numbers: a torn one shows."""

import threading

import numpy as np

from horus_sim.tf import TFTree, Transform

STEP_NS = 1_000_000
ROUNDS = 150


def samples(stamps_ns):
    t = stamps_ns * 1e-9
    translations = np.column_stack([t, 2 * t, -t])
    zero = np.zeros_like(t)
    return translations, np.column_stack([zero, zero, np.sin(t / 2), np.cos(t / 2)])


def assert_whole(translations, rotations):
    expected_t, expected_q = samples(translations[:, 0] * 1e9)
    np.testing.assert_allclose(translations, expected_t, atol=1e-9)
    np.testing.assert_allclose(rotations, expected_q, atol=1e-9)


def run(*targets):
    """Runs functions in threads and raises the first exception of any."""
    failures = []

    def guarded(target):
        try:
            target()
        except BaseException as error:  # noqa: BLE001 - raised again in the test's thread
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(target,)) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_batches_never_see_half_a_sample():
    tree = TFTree(buffer_duration=2.0)
    block = np.arange(100, dtype=np.int64) * STEP_NS
    tree.add_transforms("odom", "base", block, *samples(block))
    written_ns = [int(block[-1])]
    done = threading.Event()
    answered = [0]

    def write():
        for i in range(1, ROUNDS):
            stamps_ns = block + i * 100 * STEP_NS
            tree.add_transforms("odom", "base", stamps_ns, *samples(stamps_ns))
            written_ns[0] = int(stamps_ns[-1])
        done.set()

    def read():
        random = np.random.default_rng(0)
        while not done.is_set():
            times_ns = written_ns[0] - random.integers(0, 1_000_000_000, 500)
            translations, rotations, valid = tree.lookup_transforms(
                "base", "odom", times_ns, mask=True
            )
            assert_whole(translations[valid], rotations[valid])
            answered[0] += int(valid.sum())

    run(write, read, read)
    assert answered[0] > 0


def test_writers_of_different_frames_do_not_disturb_each_other():
    tree = TFTree(buffer_duration=100.0)

    def writer(name):
        def write():
            for i in range(ROUNDS):
                stamps_ns = np.arange(20, dtype=np.int64) * STEP_NS + i * 20 * STEP_NS
                tree.add_transforms("world", name, stamps_ns, *samples(stamps_ns))

        return write

    names = [f"f{i}" for i in range(4)]
    run(*(writer(name) for name in names))
    for name in names:
        assert tree.frame(name).samples == 20 * ROUNDS
        times_ns = np.arange(20 * ROUNDS) * STEP_NS
        assert_whole(*tree.lookup_transforms(name, "world", times_ns))


def test_a_snapshot_is_one_moment():
    # Both arms get the same stamp one after the other: in one moment they differ by at most one.
    tree = TFTree()
    done = threading.Event()
    tree.add_transform("base", "left", Transform(), 0)
    tree.add_transform("base", "right", Transform(), 0)

    def write():
        for i in range(1, 20 * ROUNDS):
            tree.add_transform("base", "left", Transform((i, 0, 0)), i * STEP_NS)
            tree.add_transform("base", "right", Transform((i, 0, 0)), i * STEP_NS)
        done.set()

    def read():
        while not done.is_set():
            moment = tree.snapshot(history=0.01)
            left, right = moment.frame("left").newest_ns, moment.frame("right").newest_ns
            assert left is not None
            assert right is not None
            assert left - right in (0, STEP_NS)
            first = moment.lookup_transform("left", "right")
            assert moment.lookup_transform("left", "right") == first
            assert first == Transform()

    run(write, read)


def test_structure_changes_under_readers():
    tree = TFTree()
    done = threading.Event()
    tree.add_static_transform("world", "base", Transform((1, 0, 0)))

    def write():
        for i in range(10 * ROUNDS):
            tree.add_static_transform("base", f"tool{i % 50}", Transform((i, 0, 0)))
            if i % 7 == 0:
                tree.remove_frame(f"tool{i % 50}")
            if i % 100 == 0:
                tree.clear()
        done.set()

    def read():
        while not done.is_set():
            assert tree.lookup_transform("base", "world").translation[0] == 1.0
            for name in tree.get_all_frames():
                if tree.can_transform(name, "world") and name.startswith("tool"):
                    continue
            assert tree.validate().roots == ("world",)

    run(write, read, read)
