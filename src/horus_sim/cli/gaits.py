"""Policies that learned to walk, for the robots on legs of worlds that commands open."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from horus_sim.sim3d.control.gait import GaitSource


def offer_policies() -> None:
    """Lets robots on legs walk by policies, where the extra [rl] is installed.

    Nothing of it is loaded before a robot that may have legs is looked at.
    """
    if find_spec("gymnasium") is None:
        return
    from horus_sim.sim3d.control.gait import offer_gaits

    offer_gaits(_policies)


def _policies() -> GaitSource:
    from horus_sim.rl.gaits import PolicyGaits

    return PolicyGaits()
