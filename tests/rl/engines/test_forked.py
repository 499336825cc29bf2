"""Environments in a process that is forked from the one that made them."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import faulthandler, gc, hashlib, os, sys
import numpy as np
import horus_sim.rl as rl
from horus_sim.errors import ForkError
from horus_sim.sim2d import BatchSimulator

def stepped(envs):
    actions = np.full(envs.action_space.shape, 0.5, np.float32)
    return hashlib.sha256(b"".join(envs.step(actions)[0].tobytes() for _ in range(3))).hexdigest()

plane = rl.make_vector("Navigation2D", 32, 2)
alone = rl.make_vector("NavigationOpen", 4, 1)
lost = rl.make_vector("NavigationOpen", 4, 2)
for envs in (plane, alone, lost):
    envs.reset(seed=0)
    stepped(envs)
worlds = BatchSimulator("line_follower", 8, 2)
parent = os.getpid()
child = os.fork()
if child:
    print("ended", os.waitpid(child, 0)[1], flush=True)
else:
    faulthandler.dump_traceback_later(60, exit=True)  # ends a child that hangs
print("parent" if child else "child", stepped(plane), stepped(alone), flush=True)
worlds.step(n=2)
if child:
    stepped(lost)
else:
    for use in (lambda: stepped(lost), lambda: lost.reset(seed=1), lambda: lost.picture(0)):
        try:
            use()
        except ForkError as error:
            print(str(error).replace(str(parent), "P").replace(str(os.getpid()), "C"), flush=True)
    lost.close()
    fresh = rl.make_vector("NavigationOpen", 4, 2)
    fresh.reset(seed=0)
    print(np.isfinite(fresh.step(np.zeros((4, 2)))[0]).all())
    del plane, alone, lost, worlds, fresh, envs, use
    gc.collect()
    print("deleted")
    sys.exit(0)
"""


def test_a_forked_process_steps_or_says_why_not():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300, check=True
    )
    lines = done.stdout.splitlines()
    told = {line.split()[0]: line.split()[1:] for line in lines}
    assert told["ended"] == ["0"], done.stdout + done.stderr
    assert told["child"] == told["parent"]
    errors = [line for line in lines if "fork" in line]
    assert len(errors) == 3
    expected = (
        "these environments were made by process P, whose threads did not survive the fork to "
        "process C; make the environments in the new process, start it by 'spawn' "
        "(multiprocessing.get_context('spawn')), or make them with threads=1"
    )
    assert set(errors) == {expected}
    assert "True" in lines
    assert "deleted" in lines
