"""A thousand robots of different weight drive at once; the heavy ones are slower to start."""

import numpy as np

from horus_sim.sim2d import BatchSimulator, Randomization

WORLDS = 1000
batch = BatchSimulator(
    "empty_plane", WORLDS, randomize=Randomization(mass=(0.5, 4.0), grip=(0.9, 1.1)), seed=3
)
commands = np.ones((WORLDS, len(batch.motors)))
for _ in range(4):
    batch.step(commands, n=10)
    x = batch.poses[:, 0, 0]
    print(f"{batch.times[0]:.2f} s: {x.min():.3f} m to {x.max():.3f} m from the start")
