"""MuJoCo, imported without OpenGL, which physics does not need.

MuJoCo looks for OpenGL when it is imported: that starts a process to ask for versions, and fails
where ``MUJOCO_GL`` names a library that is not there. Here it is imported with OpenGL turned off;
`horus_sim.sim3d.rendering.gl` turns it on for the first picture.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import mujoco as mujoco
else:
    _wanted = os.environ.get("MUJOCO_GL")
    os.environ["MUJOCO_GL"] = "disabled"
    try:
        import mujoco
    finally:
        if _wanted is None:
            del os.environ["MUJOCO_GL"]
        else:
            os.environ["MUJOCO_GL"] = _wanted

__all__ = ["mujoco"]
