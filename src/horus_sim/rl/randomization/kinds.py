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
from horus_sim.rl.randomization.visual import ColourConfig, LightConfig, TextureConfig

RandomizationConfig = Annotated[
    ScaleConfig
    | GravityConfig
    | CentreOfMassConfig
    | RestitutionConfig
    | NoiseConfig
    | DropoutConfig
    | LatencyConfig
    | PushConfig
    | LightConfig
    | ColourConfig
    | TextureConfig,
    Field(discriminator="kind"),
]
