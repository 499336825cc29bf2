"""Random numbers for many environments at once, one stream for each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from horus_sim.errors import SceneError

Words = npt.NDArray[np.uint64]
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_TO_UNIT = 2.0**-53


class EnvStreams:
    """A stream of random numbers for each environment, drawn for all of them in one call.

    Each stream is SplitMix64 from a key of its own. What an environment gets depends on its seed
    and on what was drawn for it since its reset, and on nothing else: not on the number of
    environments, on their order, or on the resets of others.

    Args:
        seeds: One for each environment, not negative.
        name: What the numbers are for; other names give other numbers from the same seeds.
    """

    def __init__(self, seeds: npt.ArrayLike, name: str = "") -> None:
        self._name = name
        values = np.atleast_1d(np.asarray(seeds))
        self._keys: Words = np.zeros(len(values), dtype=np.uint64)
        self._counters: Words = np.zeros(len(values), dtype=np.uint64)
        self.reset(np.arange(len(values)), values)

    def __len__(self) -> int:
        return len(self._keys)

    def reset(self, environments: npt.ArrayLike, seeds: npt.ArrayLike) -> None:
        """Starts the streams of some environments again.

        Args:
            environments: Their indices, shape (n,).
            seeds: Their seeds, shape (n,).
        """
        indices = np.atleast_1d(np.asarray(environments))
        words = [int(byte) for byte in self._name.encode()]
        self._keys[indices] = [
            np.random.SeedSequence((int(seed), *words)).generate_state(1, np.uint64)[0]
            for seed in np.broadcast_to(np.asarray(seeds), indices.shape)
        ]
        self._counters[indices] = 0

    def random(self, size: Any = None) -> npt.NDArray[np.float64]:  # noqa: ANN401 - as in NumPy
        """Uniform numbers in [0, 1).

        Args:
            size: Shape; its first axis is that of the environments.
        """
        return np.asarray(self._words(size) >> np.uint64(11), dtype=np.float64) * _TO_UNIT

    def standard_normal(
        self,
        size: Any = None,  # noqa: ANN401 - as in NumPy
        environments: npt.ArrayLike | None = None,
    ) -> npt.NDArray[np.float64]:
        """Normal numbers with mean 0 and standard deviation 1.

        Args:
            size: Shape; its first axis is that of the environments.
            environments: Indices of those that draw, shape (n,); all unless given.
        """
        # The middle of each of the 2^53 cells: neither 0 nor 1, where the inverse is infinite.
        uniform = ((self._words(size, environments) >> np.uint64(11)) + 0.5) * _TO_UNIT
        return np.asarray(ndtri(uniform), dtype=np.float64)

    def get_state(self) -> dict[str, Words]:
        """Keys and counters."""
        return {"keys": self._keys.copy(), "counters": self._counters.copy()}

    def set_state(self, state: dict[str, Words]) -> None:
        """Continues from what `get_state` gave."""
        self._keys = np.array(state["keys"], dtype=np.uint64)
        self._counters = np.array(state["counters"], dtype=np.uint64)

    def _words(self, size: Any, environments: npt.ArrayLike | None = None) -> Words:  # noqa: ANN401
        which = slice(None) if environments is None else np.atleast_1d(np.asarray(environments))
        keys, counters = self._keys[which], self._counters[which]
        shape = keys.shape if size is None else tuple(np.atleast_1d(size).tolist())
        if not shape or shape[0] != len(keys):
            raise SceneError(
                f"a batch of {len(keys)} environments cannot draw numbers of shape {shape}; the "
                "first axis must be that of the environments"
            )
        count = math.prod(shape[1:])
        steps = counters[:, None] + np.arange(1, count + 1, dtype=np.uint64)
        self._counters[which] = counters + np.uint64(count)
        word = keys[:, None] + steps * _GOLDEN
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return (word ^ (word >> np.uint64(31))).reshape(shape)
