"""A world seen from above, for the 2D apps."""

from __future__ import annotations

from horus_sim.ui.views.view2d.view2d import View2d

__all__ = ["View2d"]
