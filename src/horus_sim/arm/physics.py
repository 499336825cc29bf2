"""MuJoCo, for the parts of this package that need it; importing it takes a while."""

from __future__ import annotations

from typing import Any

import mujoco as _mujoco

# It publishes no types.
mujoco: Any = _mujoco
MjModel = Any
