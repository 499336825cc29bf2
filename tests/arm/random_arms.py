"""Arms at random, to try what should hold for every arm."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

from horus_sim.arm.arm import Arm
from horus_sim.arm.description import ArmDescription, ArmJoint, DHConvention, JointKind

if TYPE_CHECKING:
    import numpy as np


def random_arm(rng: np.random.Generator, name: str = "random") -> Arm:
    """An arm of 3 to 7 joints, one in eight prismatic, with limits.

    Args:
        rng: What decides; the same state gives the same arm.
        name: Name of the arm.
    """
    convention = DHConvention(rng.choice(["standard", "modified"]))
    joints = []
    for index in range(int(rng.integers(3, 8))):
        slides = rng.random() < 0.125
        lower = rng.uniform(-0.3, 0.2) if slides else rng.uniform(-pi, 0.0)
        width = rng.uniform(0.1, 0.6) if slides else rng.uniform(0.6, 2.5 * pi)
        joints.append(
            ArmJoint.from_dh(
                f"joint_{index + 1}",
                a=float(rng.uniform(0, 0.5) * (rng.random() < 0.7)),
                alpha=float(rng.choice([0.0, pi / 2, -pi / 2, rng.uniform(-pi, pi)])),
                convention=convention,
                kind=JointKind.PRISMATIC if slides else JointKind.REVOLUTE,
                d=float(rng.uniform(-0.2, 0.5) * (rng.random() < 0.7)),
                theta_offset=float(rng.uniform(-pi, pi)),
                lower=float(lower),
                upper=float(lower + width),
                initial=float(lower + 0.5 * width),
                max_velocity=1.0,
            )
        )
    return Arm(ArmDescription(name, tuple(joints), convention=convention))
