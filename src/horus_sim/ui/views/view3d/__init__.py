"""The 3D view: a NiceGUI element around `view3d.js`, which draws with the three.js of NiceGUI."""

from __future__ import annotations

from horus_sim.ui.views.view3d.view3d import View3d

__all__ = ["View3d"]
