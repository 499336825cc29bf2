"""How a policy acts on a robot."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from horus_sim.rl.settings import Config


class DeployConfig(Config):
    """Rules of a node that lets a policy act.

    Attributes:
        robot: What topics and frames of the robot begin with, such as 'burger' for 'burger/scan';
            '' for none, as a ROS robot that is alone has them.
        stale: A sensor that has said nothing new for longer than this makes the robot stop [s].
        keeps_on: Whether it goes on acting at the goal, where the contract knows when it is there.
    """

    robot: str = ""
    stale: Annotated[float, Field(gt=0)] = 0.5
    keeps_on: bool = False
