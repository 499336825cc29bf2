"""All kinds of randomization, told apart by their `kind`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from horus_sim.rl.randomization.physics import (
    CentreOfMassConfig,
    GravityConfig,
    RestitutionConfig,
    ScaleConfig,
)
from horus_sim.rl.randomization.pushes import PushConfig
from horus_sim.rl.randomization.sensors import DropoutConfig, LatencyConfig, NoiseConfig

RandomizationConfig = Annotated[
    ScaleConfig
    | GravityConfig
    | CentreOfMassConfig
    | RestitutionConfig
    | NoiseConfig
    | DropoutConfig
    | LatencyConfig
    | PushConfig,
    Field(discriminator="kind"),
]
