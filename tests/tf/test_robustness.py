"""What a fresh pair of eyes broke once."""

import subprocess
import sys

import numpy as np
import pytest

from horus_sim.tf import (
    CycleError,
    InvalidTransformError,
    TFBuffer,
    TFTree,
    Transform,
    TransformStamped,
    UnknownFrameError,
)

DAEMONS = """
import threading, time
import numpy as np
from horus_sim.tf import TFTree, Transform

tree = TFTree()
tree.add_transform("a", "b", Transform(), 0)
points, times = np.zeros((100_000, 3)), np.zeros(50_000, dtype=np.int64)

def read():
    while True:
        Transform().transform_points(points)
        tree.lookup_transforms("b", "a", times)

for _ in range(2):
    threading.Thread(target=read, daemon=True).start()
time.sleep(0.2)
"""


def test_daemon_threads_inside_native_calls_do_not_abort_the_exit():
    command = [sys.executable, "-c", DAEMONS]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("timeout", [float("nan"), "x", True])
def test_timeouts_are_numbers(timeout):
    with pytest.raises(InvalidTransformError, match="a timeout must be seconds or None, got"):
        TFBuffer().wait_for_transform("a", "b", timeout=timeout)


@pytest.mark.parametrize("timeout", [float("inf"), 1e300])
def test_an_endless_timeout_is_fine(timeout):
    buffer = TFBuffer()
    buffer.tree.add_static_transform("a", "b", Transform())
    assert buffer.wait_for_transform("b", "a", timeout=timeout) == Transform()


def test_a_product_that_overflowed_does_not_enter_the_tree():
    huge = Transform((1.7e308, 0, 0))
    tree = TFTree()
    with pytest.raises(InvalidTransformError, match="is not finite; a frame cannot be there"):
        tree.add_static_transform("a", "b", huge @ huge)
    with pytest.raises(InvalidTransformError, match="is not finite"):
        tree.add_transform("a", "b", huge @ huge, 0)
    assert tree.get_all_frames() == []


def test_all_leading_slashes_are_dropped():
    tree = TFTree()
    tree.add_static_transform("//map", "///x", Transform())
    assert set(tree.get_all_frames()) == {"map", "x"}
    assert tree.has_frame("/map")
    message = TransformStamped("//a", "b", 0, Transform())
    assert TransformStamped.from_bytes(message.to_bytes()) == message
    assert tree.namespace("robot").resolve("//map") == "map"


def test_errors_made_by_hand_have_a_text():
    assert "'a' is not in the tree" in str(UnknownFrameError("a"))
    path = tuple(f"f{i}" for i in range(10_000))
    assert len(str(CycleError("f0", "f9999", path))) < 500


@pytest.mark.parametrize("duration", [0, -1, float("nan"), float("inf"), 10**400])
def test_durations(duration):
    with pytest.raises(InvalidTransformError, match="must be more than 0 and at most 9e"):
        TFTree(duration)
    assert TFTree(float(np.float32(5))).buffer_duration == 5.0


def test_a_buffer_sits_on_a_tree():
    with pytest.raises(InvalidTransformError, match=r"a buffer sits on a TFTree or TFNamespace"):
        TFBuffer(5.0)  # pyright: ignore[reportArgumentType]


def test_a_batch_older_than_what_is_there_is_merged():
    tree = TFTree(buffer_duration=1000.0)
    rotations = np.tile([0.0, 0.0, 0.0, 1.0], (20_000, 1))
    for start in (20_000, 0):
        stamps_ns = np.arange(start, start + 20_000)
        translations = np.column_stack([stamps_ns, stamps_ns, stamps_ns])
        tree.add_transforms("a", "b", stamps_ns, translations, rotations)
    times = np.arange(0, 40_000, 7)
    found, _ = tree.lookup_transforms("b", "a", times)
    assert np.array_equal(found[:, 0], times)


def test_registrations_of_one_function_end_one_by_one():
    tree, calls = TFTree(), []
    first = tree.on_reset(lambda: calls.append(1))
    second = tree.on_reset(lambda: calls.append(2))
    first()
    first()
    tree.clear()
    assert calls == [2]
    second()
    with pytest.raises(InvalidTransformError, match="on_reset takes a function to call, got None"):
        tree.on_reset(None)  # pyright: ignore[reportArgumentType]
