"""How the world moves: step, gravity, solver and the defaults of contacts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from horus_sim.sim3d.scene.base import Config, Vector3

Integrator = Literal["euler", "implicit", "implicitfast", "rk4", "discrete"]


class ContactPhysicsConfig(Config):
    """What a contact is like where the shapes themselves say nothing.

    Attributes:
        friction: Coulomb coefficient of sliding.
        torsional: Coefficient of spinning [m].
        rolling: Coefficient of rolling [m].
        time_constant: How fast an overlap is undone [s]; at least two steps, shorter ones are
            lengthened to that.
        speculative: Whether contacts are foreseen within a step, so that nothing fast crosses
            something thin.
        margin: Distance [m] below which a contact is looked for, beside those foreseen.
    """

    friction: Annotated[float, Field(ge=0)] = 1.0
    torsional: Annotated[float, Field(ge=0)] = 0.005
    rolling: Annotated[float, Field(ge=0)] = 0.0001
    time_constant: Annotated[float, Field(gt=0)] = 0.01
    speculative: bool = True
    margin: Annotated[float, Field(ge=0)] = 0.0


class PhysicsConfig(Config):
    """Step, gravity and solver.

    Attributes:
        timestep: Simulated time of one step [s]; 240 steps a second unless told.
        gravity: [m/s^2], world frame.
        integrator: MuJoCo's integrator.
        solver: Constraint solver.
        iterations: Most iterations of the solver in a step.
        tolerance: Tolerance of the solver, against the mean inertia: links that are much lighter
            than that tremble where it is larger.
        cone: Shape of the friction cone.
        impratio: How much stiffer friction is than the normal force; more slips less.
        noslip_iterations: Extra iterations against slow slipping.
        density: Density of the air or water around [kg/m^3]; 0 for none.
        viscosity: Viscosity of the air or water around [Pa s].
        wind: Speed of the medium [m/s], world frame.
        contact: Defaults of contacts.
    """

    timestep: Annotated[float, Field(ge=1e-6, le=1.0)] = 1 / 240
    gravity: Vector3 = (0.0, 0.0, -9.81)
    integrator: Integrator = "implicitfast"
    solver: Literal["newton", "cg", "pgs"] = "newton"
    iterations: Annotated[int, Field(ge=1, le=100_000)] = 100
    tolerance: Annotated[float, Field(ge=0)] = 1e-12
    cone: Literal["elliptic", "pyramidal"] = "elliptic"
    impratio: Annotated[float, Field(gt=0)] = 10.0
    noslip_iterations: Annotated[int, Field(ge=0, le=1000)] = 0
    density: Annotated[float, Field(ge=0)] = 0.0
    viscosity: Annotated[float, Field(ge=0)] = 0.0
    wind: Vector3 = (0.0, 0.0, 0.0)
    contact: ContactPhysicsConfig = ContactPhysicsConfig()


def with_wishes(own: PhysicsConfig, wishes: Iterable[Mapping[str, Any]]) -> PhysicsConfig:
    """The physics of a world in which robots have wishes of their own.

    Args:
        own: What the scene says; what it sets stays.
        wishes: What each robot asks for, by the names of the fields here. The smallest time step
            counts, and of everything else the first.
    """
    found: dict[str, Any] = {}
    for wish in wishes:
        steps = [each["timestep"] for each in (found, wish) if "timestep" in each]
        found = {**wish, **found}
        if steps:
            found["timestep"] = min(steps)
    said = own.model_dump(exclude_unset=True)
    return PhysicsConfig.model_validate(found | said) if found else own
