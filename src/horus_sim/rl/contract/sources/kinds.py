"""All kinds of sources. A new one is its class, and a line here."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from horus_sim.rl.contract.sources.joints import Held, JointPositions, JointSpeeds
from horus_sim.rl.contract.sources.motion import BaseMotion, GoalDirection, LastAction
from horus_sim.rl.contract.sources.places import FramePlace, GoalPlace
from horus_sim.rl.contract.sources.scan import Scan
from horus_sim.rl.contract.sources.things import (
    ThingGoal,
    ThingLifted,
    ThingMotion,
    ThingPlace,
    ThingYaw,
)
from horus_sim.rl.contract.sources.walking import ImuRate, ImuUp, VelocityCommand

SourceConfig = Annotated[
    Scan
    | BaseMotion
    | GoalDirection
    | LastAction
    | JointPositions
    | JointSpeeds
    | Held
    | FramePlace
    | GoalPlace
    | ThingPlace
    | ThingYaw
    | ThingMotion
    | ThingGoal
    | ThingLifted
    | ImuRate
    | ImuUp
    | VelocityCommand,
    Field(discriminator="kind"),
]
