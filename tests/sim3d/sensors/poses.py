"""Poses of sensors in short."""

from __future__ import annotations

from typing import Any

from horus_sim.sim3d import PoseConfig
from horus_sim.tf import Transform


def posed(**fields: Any) -> dict[str, Any]:
    """Fields of a sensor, with `xyz` [m] and `rpy` [rad] as its `pose`."""
    xyz, rpy = fields.pop("xyz", (0, 0, 0)), fields.pop("rpy", (0, 0, 0))
    return {"pose": PoseConfig.of(Transform.from_euler(xyz, rpy))} | fields
