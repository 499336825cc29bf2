"""The tree against the plain oracle: random histories, and random work in random order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from horus_sim.tf import (
    CycleError,
    DisconnectedError,
    ExtrapolationError,
    InvalidTransformError,
    TFTree,
    Transform,
    UnknownFrameError,
)

from .oracle import NS, Disconnected, Oracle, Outside, Unknown
from .strategies import gentle_transforms, matrix_of


def assert_look_up(tree: TFTree, oracle: Oracle, source: str, target: str, time_ns: int | None):
    """One look-up, at a time or at the latest, gives what the oracle says."""
    if time_ns is None:
        asked_ns, expected = oracle.look_up_latest(source, target)
    else:
        asked_ns, expected = time_ns, oracle.look_up(source, target, time_ns)
    if isinstance(expected, np.ndarray):
        actual = tree.lookup_transform(source, target, time_ns)
        np.testing.assert_allclose(matrix_of(actual), expected, rtol=0, atol=1e-9)
        assert abs(np.linalg.norm(actual.rotation) - 1.0) < 1e-12
        assert tree.can_transform(source, target, time_ns)
        return
    assert not tree.can_transform(source, target, time_ns)
    with pytest.raises((UnknownFrameError, DisconnectedError, ExtrapolationError)) as raised:
        tree.lookup_transform(source, target, time_ns)
    error = raised.value
    if isinstance(expected, Unknown):
        assert isinstance(error, UnknownFrameError)
        assert error.frame == expected.frame
    elif isinstance(error, ExtrapolationError):
        assert isinstance(expected, Outside)
        assert (error.parent, error.child, error.oldest_ns, error.newest_ns) in expected.links
        assert error.requested_ns == asked_ns
        assert error.gap_ns > 0
    else:
        assert isinstance(error, DisconnectedError)
        assert isinstance(expected, Disconnected)
        roots = (error.source_root, error.target_root)
        assert roots == (expected.source_root, expected.target_root)


# Histories ----------------------------------------------------------------------------------------


@st.composite
def stamps(draw, most: int):
    """Rising stamps at a regular or irregular rate, with gaps of a nanosecond up to minutes."""
    start = draw(st.sampled_from((0, -3 * NS, 2**60, -(2**62))) | st.integers(-(10**12), 10**12))
    count = draw(st.integers(1, most))
    if draw(st.booleans()):
        return [start + draw(st.integers(1, NS)) * i for i in range(count)]
    gaps = st.sampled_from((1, 1000, 10**6, 10**7, NS, 2**32 - 1, 2**32, 2**32 + 1, 60 * NS))
    steps = draw(st.lists(gaps | st.integers(1, 6 * NS), min_size=count - 1, max_size=count - 1))
    return [start, *np.cumsum([start, *steps], dtype=object)[1:]]


@st.composite
def histories(draw, most: int = 60):
    """A tree with its oracle: every frame hangs from an earlier one, still or moving."""
    oracle = Oracle(buffer_ns=9_000_000_000 * NS)
    tree = TFTree(9_000_000_000.0)
    work = []
    for i in range(1, draw(st.integers(2, 7))):
        parent, child = f"f{draw(st.integers(0, i - 1))}", f"f{i}"
        if draw(st.integers(0, 3)) == 0:
            T = draw(gentle_transforms)
            tree.add_static_transform(parent, child, T)
            oracle.add_static(parent, child, T)
            continue
        poses = draw(st.lists(gentle_transforms, min_size=1, max_size=5))
        for k, stamp_ns in enumerate(draw(stamps(most))):
            work.append((parent, child, poses[k % len(poses)], stamp_ns))
    if draw(st.booleans()):
        work = draw(st.permutations(work))
    for sample in work:
        tree.add_transform(*sample)
        oracle.add(*sample)
    return tree, oracle


def interesting_times(draw, oracle: Oracle) -> int:
    """On a sample, beside one, between two, or anywhere."""
    known = sorted({t for samples in oracle.moving.values() for t in samples}) or [0]
    at = draw(st.sampled_from(known))
    other = draw(st.sampled_from(known))
    return draw(
        st.sampled_from((at, at - 1, at + 1, (at + other) // 2))
        | st.integers(known[0] - NS, known[-1] + NS)
    )


@given(histories(), st.data())
def test_random_trees_with_random_histories(case, data):
    tree, oracle = case
    frames = st.sampled_from(sorted(oracle.present))
    for _ in range(8):
        source, target = data.draw(frames), data.draw(frames)
        assert_look_up(tree, oracle, source, target, interesting_times(data.draw, oracle))
        assert_look_up(tree, oracle, source, target, None)


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "shuffled"])
@pytest.mark.parametrize("gap", ["10 ms", "irregular", "over 4.3 s"])
@pytest.mark.parametrize("count", [15, 16, 17, 100, 1100])
def test_long_histories_are_found_sample_by_sample(count, gap, shuffled):
    rng = np.random.default_rng(count)
    steps = {
        "10 ms": np.full(count, 10_000_000),
        "irregular": rng.choice([1, 1000, 10**7, 3 * 10**9, 2**32 - 1, 2**32], count),
        "over 4.3 s": rng.integers(2**32, 2**33, count),
    }[gap]
    stamps_ns = np.cumsum(steps) - 5 * NS
    order = rng.permutation(count) if shuffled else np.arange(count)
    tree = TFTree(9_000_000_000.0)
    for i in order:
        tree.add_transform("map", "robot", Transform((float(i), 0, 0)), stamps_ns[i])
    info = tree.frame("robot")
    assert (info.samples, info.oldest_ns, info.newest_ns) == (count, stamps_ns[0], stamps_ns[-1])

    at_samples, _ = tree.lookup_transforms("robot", "map", stamps_ns)
    np.testing.assert_array_equal(at_samples[:, 0], np.arange(count))
    middles = stamps_ns[:-1] + np.diff(stamps_ns) // 2
    between, _ = tree.lookup_transforms("robot", "map", middles)
    expected = np.arange(count - 1) + (np.diff(stamps_ns) // 2) / np.diff(stamps_ns)
    np.testing.assert_allclose(between[:, 0], expected, rtol=0, atol=1e-12 * count)
    just_after, _ = tree.lookup_transforms("robot", "map", stamps_ns[:-1] + 1)
    expected = np.arange(count - 1) + 1.0 / np.diff(stamps_ns)
    np.testing.assert_allclose(just_after[:, 0], expected, rtol=0, atol=1e-12 * count)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=200), st.integers(1, 30))
def test_a_short_buffer_keeps_what_it_must_and_no_more(stamps_ns, buffer_ns):
    tree, oracle = TFTree(buffer_ns / NS), Oracle(buffer_ns=buffer_ns)
    for i, stamp_ns in enumerate(stamps_ns):
        T = Transform((float(i), 0, 0))
        if oracle.is_too_old("robot", stamp_ns):
            with pytest.raises(InvalidTransformError, match="older than the history"):
                tree.add_transform("map", "robot", T, stamp_ns)
        else:
            tree.add_transform("map", "robot", T, stamp_ns)
            oracle.add("map", "robot", T, stamp_ns)
        kept = oracle.moving["robot"]
        info = tree.frame("robot")
        assert (info.samples, info.oldest_ns, info.newest_ns) == (len(kept), min(kept), max(kept))
    kept = oracle.moving["robot"]
    times, expected = zip(*((t, T.translation[0]) for t, (_, T) in kept.items()), strict=True)
    assert tree.lookup_transforms("robot", "map", times)[0][:, 0].tolist() == list(expected)


# Work in any order --------------------------------------------------------------------------------

FRAMES = ("a", "b", "c", "d", "e", "f")
frames = st.sampled_from(FRAMES)
# Few enough that samples meet, and more than a buffer long.
times = st.integers(0, 30).map(lambda tenths: tenths * NS // 10)


class AnyOrder(RuleBasedStateMachine):
    """Interleaves writing and reading; after each step every kind of answer must be up to date.

    The same few pairs of frames are asked for again and again, so that prepared look-ups are reused
    across every change.
    """

    @initialize(buffer_ns=st.sampled_from((NS, 2 * NS, 10 * NS)))
    def start(self, buffer_ns):
        self.tree = TFTree(buffer_ns / NS)
        self.oracle = Oracle(buffer_ns=buffer_ns)
        self.clock_ns = 0

    @rule(parent=frames, child=frames, T=gentle_transforms, time_ns=times)
    def add(self, parent, child, T, time_ns):
        self._add(parent, child, T, self.clock_ns + time_ns)

    @rule(child=frames, T=gentle_transforms, time_ns=times)
    def add_under_the_same_parent(self, child, T, time_ns):
        parent = self.oracle.parent_at(child, 2**63 - 1)
        if parent is not None:
            self._add(parent, child, T, self.clock_ns + time_ns)

    @rule(parent=frames, child=frames, T=gentle_transforms)
    def add_static(self, parent, child, T):
        def add():
            self.tree.add_static_transform(parent, child, T)

        if parent == child or child in self.oracle.moving:
            with pytest.raises(InvalidTransformError):
                add()
        elif self._accepts(add, self.oracle.closes_a_cycle(parent, child, None)):
            self.oracle.add_static(parent, child, T)

    @rule(frame=frames, subtree=st.booleans())
    def remove(self, frame, subtree):
        if frame in self.oracle.present:
            self.tree.remove_frame(frame, subtree=subtree)
            self.oracle.remove(frame, subtree=subtree)
        else:
            with pytest.raises(UnknownFrameError):
                self.tree.remove_frame(frame, subtree=subtree)

    @rule()
    def clear(self):
        self.tree.clear()
        self.oracle.clear()

    @rule(tenths=st.integers(1, 15))
    def time_goes_on(self, tenths):
        self.clock_ns += tenths * NS // 10

    @precondition(lambda self: self.oracle.present)
    @rule(time_ns=times | st.none(), data=st.data())
    def look_up(self, time_ns, data):
        known = st.sampled_from(sorted(self.oracle.present)) | frames
        asked_ns = None if time_ns is None else self.clock_ns + time_ns - NS
        assert_look_up(self.tree, self.oracle, data.draw(known), data.draw(known), asked_ns)

    @invariant()
    def favourite_pairs_are_up_to_date(self):
        for source, target in (("a", "b"), ("b", "c"), ("f", "a")):
            assert_look_up(self.tree, self.oracle, source, target, None)
            assert_look_up(self.tree, self.oracle, source, target, self.clock_ns + NS)

    @invariant()
    def frames_are_known(self):
        assert set(self.tree.get_all_frames()) == self.oracle.present
        for info in self.tree.frames():
            assert info.parent == self.oracle.parent_at(info.name, 2**63 - 1)
            assert info.is_static == (info.name in self.oracle.statics)
            assert info.samples == len(self.oracle.moving.get(info.name, ()))

    def _add(self, parent, child, T, stamp_ns):
        def add():
            self.tree.add_transform(parent, child, T, stamp_ns)

        refused = child in self.oracle.statics or self.oracle.is_too_old(child, stamp_ns)
        if parent == child or refused:
            with pytest.raises(InvalidTransformError):
                add()
        elif self._accepts(add, self.oracle.closes_a_cycle(parent, child, stamp_ns)):
            self.oracle.add(parent, child, T, stamp_ns)

    @staticmethod
    def _accepts(add, closes_a_cycle):
        if closes_a_cycle:
            with pytest.raises(CycleError):
                add()
        else:
            add()
        return not closes_a_cycle


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(stateful_step_count=40)
