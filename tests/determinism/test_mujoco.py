"""3D worlds have the same bits on one platform, at any number of threads.

MuJoCo uses the functions of the system's library and its own builds for each processor: between
platforms bits differ, so that a digest belongs to one.
"""

from __future__ import annotations

import platform

import numpy as np
import pytest

from horus_sim.rl import make_vector
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d import World

from .digest import Digest


def this_platform() -> str:
    library = "".join(platform.libc_ver())
    features = np._core._multiarray_umath.__cpu_features__  # type: ignore[attr-defined]
    vectors = [name for name in ("AVX512_SKX", "FMA3", "ASIMDHP") if features.get(name)]
    return " ".join((f"mujoco {mujoco.__version__}", platform.machine(), library, *vectors))


def drive() -> Digest:
    world, digest = World.load("warehouse", seed=1), Digest()
    for k in range(10):
        world.robots["burger"].command(linear=0.2, angular=0.3 * (k - 5))
        world.step(24)
        digest.add(world.data.qpos, world.data.qvel)
    return digest


@pytest.mark.parametrize("name", ["Navigation", "Racing"])
def test_environments_at_any_number_of_threads(name):
    digests = []
    for threads in (1, 2, 5):
        envs, digest = make_vector(name, 6, threads=threads), Digest()
        digest.add(envs.reset(seed=3)[0])
        random = np.random.default_rng(1)
        shape = envs.action_space.shape
        for _ in range(60):
            observations, rewards, *_ = envs.step((2.0 * random.random(shape) - 1.0).astype("f4"))
            digest.add(observations, rewards)
        envs.close()
        digests.append(digest)
    assert len({digest.hex() for digest in digests}) == 1
    digests[0].check(f"3D: {name}", this_platform())


def test_a_world():
    one, other = drive(), drive()
    assert one.hex() == other.hex()
    one.check("3D: warehouse", this_platform())
