"""Look-ups that fail while a writer is about to make them succeed.

Each runs in a process of its own: what is guarded against is a crash of the interpreter.
"""

import subprocess
import sys

import pytest

PREAMBLE = """
import threading, time
import numpy as np
from horus_sim.tf import ExtrapolationError, TFTree, Transform

tree = TFTree(1.0)
tree.add_transform("odom", "base", Transform.identity(), 0)
done = threading.Event()

def write():
    first = 1
    while not done.is_set():
        stamps = np.arange(first, first + 2000) * 1000
        translations = np.column_stack([stamps, stamps, stamps])
        tree.add_transforms("odom", "base", stamps, translations, np.tile((0, 0, 0, 1), (2000, 1)))
        first += 2000

def assert_outside(error):
    # Whatever the writer did meanwhile, the numbers of one error belong together.
    assert not error.oldest_ns <= error.requested_ns <= error.newest_ns, error
    assert error.gap_ns > 0, error

writer = threading.Thread(target=write)
writer.start()
failures = successes = 0
end = time.monotonic() + 1.0
try:
    while time.monotonic() < end:
        newest_ns = tree.frame("base").newest_ns
        try:
"""
EPILOGUE = """
            successes += 1
        except ExtrapolationError as error:
            failures += 1
            assert_outside(error)
finally:
    done.set()
    writer.join()
print(failures, successes)
"""
LOOK_UPS = {
    "single": 'tree.lookup_transform("base", "odom", newest_ns + 5000)',
    "many times": """
            times = newest_ns + np.arange(0, 200_000, 1000)
            found, _ = tree.lookup_transforms("base", "odom", times)
            assert (found == times[:, None]).all()
""",
    "points": """
            times = newest_ns + np.arange(0, 200_000, 1000)
            found = tree.transform_points(np.zeros((200, 3)), "base", "odom", times)
            assert (found == times[:, None]).all()
""",
}


@pytest.mark.parametrize("look_up", LOOK_UPS.values(), ids=LOOK_UPS.keys())
def test_a_look_up_just_ahead_of_a_writer(look_up):
    code = PREAMBLE + "            " + look_up.strip() + EPILOGUE
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-1000:]
    assert sum(map(int, done.stdout.split())) > 100
