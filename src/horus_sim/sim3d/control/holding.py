"""Which joints hold their position when nobody commands them, decided by how a robot is built."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from horus_sim.sim3d.control.joint_servos import JointServos

_ARM_LENGTH = 3


def holding_joints(servos: JointServos, *, is_fixed: bool) -> npt.NDArray[np.bool_]:
    """Whether each driven joint holds its position at rest, shape (n,).

    A joint with an end to its range holds. One without, such as a wheel, a caster or a pendulum,
    turns freely, unless something below it holds, or it is one of at least three joints in a row
    of a robot that is bolted down: these are arms. A joint with a spring, such as a wheel's
    suspension, is left to its spring.

    Args:
        servos: The drives of the robot.
        is_fixed: Whether the robot is bolted down.
    """
    holds = np.isfinite(servos.lower) & np.isfinite(servos.upper) & ~servos.sprung
    chains = [list(_driven_above(servos, index)) for index in range(len(servos))]
    for index, chain in enumerate(chains):
        if holds[index] or (is_fixed and len(chain) >= _ARM_LENGTH):
            holds[chain] = True
    return holds & ~servos.sprung


def _driven_above(servos: JointServos, index: int) -> Iterator[int]:
    """A driven joint and all those between it and the root."""
    model = servos.model
    of_dof = {int(dof): place for place, dof in enumerate(servos.dof)}
    body = int(model.dof_bodyid[servos.dof[index]])
    while body > 0:
        first = int(model.body_dofadr[body])
        for dof in range(first, first + int(model.body_dofnum[body])):
            if dof in of_dof:
                yield of_dof[dof]
        body = int(model.body_parentid[body])
