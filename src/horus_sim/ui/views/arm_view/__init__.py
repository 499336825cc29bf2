"""The view of the arm page: a NiceGUI element around `arm_view.js`."""

from __future__ import annotations

from horus_sim.ui.views.arm_view.arm_view import ArmView

__all__ = ["ArmView"]
