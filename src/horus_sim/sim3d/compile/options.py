"""An empty spec with a scene's physics."""

from __future__ import annotations

from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.scene.physics import PhysicsConfig

_INTEGRATORS = {
    "euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
    "discrete": mujoco.mjtIntegrator.mjINT_DISCRETE,
}
_SOLVERS = {
    "newton": mujoco.mjtSolver.mjSOL_NEWTON,
    "cg": mujoco.mjtSolver.mjSOL_CG,
    "pgs": mujoco.mjtSolver.mjSOL_PGS,
}
_CONES = {
    "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC,
    "pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL,
}
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
    option.timestep = physics.timestep
    option.gravity = physics.gravity
    option.wind = physics.wind
    option.density = physics.density
    option.viscosity = physics.viscosity
    option.integrator = _INTEGRATORS[physics.integrator]
    option.solver = _SOLVERS[physics.solver]
    option.cone = _CONES[physics.cone]
    option.iterations = physics.iterations
    option.tolerance = physics.tolerance
    option.impratio = physics.impratio
    option.noslip_iterations = physics.noslip_iterations
    # A diverged state is an error with the last good state, not a silent return to the start.
    option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    if physics.contact.speculative:
        option.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SPECULATIVE)
    view = spec.visual
    view.global_.offwidth, view.global_.offheight = LARGEST_IMAGE
    view.quality.offsamples = 0
    view.map.znear = 0.01
    return spec
