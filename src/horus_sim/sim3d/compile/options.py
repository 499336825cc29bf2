"""An empty spec with a scene's physics."""

from __future__ import annotations

from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.scene.physics import PhysicsConfig

_SAME = (
    "timestep",
    "gravity",
    "wind",
    "density",
    "viscosity",
    "iterations",
    "tolerance",
    "impratio",
    "noslip_iterations",
)
"""Options that MuJoCo calls as scenes do."""
LARGEST_IMAGE = (1920, 1080)


def new_spec(name: str, physics: PhysicsConfig) -> mujoco.MjSpec:
    """An empty spec: radians, no fusing, and the given physics."""
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.compiler.degree = False
    spec.compiler.fusestatic = False
    # Shapes of robots weigh nothing; those of objects do.
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO
    option = spec.option
    for name in _SAME:
        setattr(option, name, getattr(physics, name))
    option.integrator = mujoco.mjtIntegrator.__members__[f"mjINT_{physics.integrator.upper()}"]
    option.solver = mujoco.mjtSolver.__members__[f"mjSOL_{physics.solver.upper()}"]
    option.cone = mujoco.mjtCone.__members__[f"mjCONE_{physics.cone.upper()}"]
    # A diverged state is an error with the last good state, not a silent return to the start.
    option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    if physics.contact.speculative:
        option.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SPECULATIVE)
    view = spec.visual
    view.global_.offwidth, view.global_.offheight = LARGEST_IMAGE
    view.quality.offsamples = 0
    view.map.znear = 0.01
    return spec
