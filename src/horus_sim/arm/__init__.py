"""Robot arms: forward and inverse kinematics, trajectories, exports and checks."""

from horus_sim.arm.arm import Arm
from horus_sim.arm.cartesian import SingularityWarning, plan_line
from horus_sim.arm.description import (
    ArmDescription,
    ArmJoint,
    DampedLeastSquares,
    DHConvention,
    JointKind,
    ScrewX,
)
from horus_sim.arm.dexterity import (
    VelocityEllipsoid,
    manipulability,
    singularity,
    velocity_ellipsoid,
)
from horus_sim.arm.export.mjcf import to_mjcf
from horus_sim.arm.export.urdf import to_urdf
from horus_sim.arm.file_format import arm_names, parse_arm, read_arm
from horus_sim.arm.result import IKBatchResult, IKResult, Outcome
from horus_sim.arm.trajectory import (
    Trajectory,
    build_range_trajectory,
    plan_quintic,
    plan_trapezoid,
)
from horus_sim.arm.workspace import random_configurations, workspace_cloud

__all__ = [
    "Arm",
    "ArmDescription",
    "ArmJoint",
    "DHConvention",
    "DampedLeastSquares",
    "IKBatchResult",
    "IKResult",
    "JointKind",
    "Outcome",
    "ScrewX",
    "SingularityWarning",
    "Trajectory",
    "VelocityEllipsoid",
    "arm_names",
    "build_range_trajectory",
    "manipulability",
    "parse_arm",
    "plan_line",
    "plan_quintic",
    "plan_trapezoid",
    "random_configurations",
    "read_arm",
    "singularity",
    "to_mjcf",
    "to_urdf",
    "velocity_ellipsoid",
    "workspace_cloud",
]
