"""From descriptions to MuJoCo: one body a link, never fused, with exact names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from horus_sim.sim3d.builder.robot import build_robot_spec

__all__ = ["build_robot_spec"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attributes
    if name == "build_robot_spec":
        from horus_sim.sim3d.builder.robot import build_robot_spec

        return build_robot_spec
    raise AttributeError(f"module 'horus_sim.sim3d.builder' has no attribute '{name}'")
