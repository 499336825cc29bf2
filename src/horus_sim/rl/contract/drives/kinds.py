"""All kinds of drives. A new one is its class, and a line here."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from horus_sim.rl.contract.drives.arm_tool import ArmToolDrive
from horus_sim.rl.contract.drives.joints import JointSteps, JointTargets
from horus_sim.rl.contract.drives.velocity import SteeringDrive, VelocityDrive

DriveConfig = Annotated[
    VelocityDrive | SteeringDrive | JointSteps | JointTargets | ArmToolDrive,
    Field(discriminator="kind"),
]
