"""A policy on episodes it has not seen; anything with `act` can be evaluated, here a rule."""

import numpy as np
import numpy.typing as npt

from horus_sim.rl.training import evaluate


class Homing:
    """Turns to the goal and drives; it does not look where it goes."""

    def act(self, observations: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Speed ahead and rate of turning, from the direction of the goal (columns 24 and 25)."""
        ahead, side = observations[:, 24], observations[:, 25]
        turn = np.where(ahead > 0, np.clip(3 * side, -1, 1), 1.0)
        return np.stack([np.where(ahead > 0.8, 1.0, -1.0), turn], axis=1, dtype=np.float32)


for task in ("NavigationOpen", "Navigation"):
    print(evaluate(Homing(), task, episodes=100).text(), end="\n\n")
