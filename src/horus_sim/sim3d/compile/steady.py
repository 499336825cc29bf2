"""The integrator of a world whose robots would shake themselves apart with another one.

The other integrators solve contacts before they count in the damping of drives: legs whose drives
are light for what they carry then walk or throw the robot over. And they follow springs explicitly:
one that swings faster than steps can follow diverges.
"""

from __future__ import annotations

from dataclasses import replace

from horus_sim.robots.inertia import physical_inertials
from horus_sim.robots.report import NoteKind, Report
from horus_sim.sim3d.compile.robot.drives import loads
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.placed import PlacedRobot
from horus_sim.sim3d.scene.world_spec import WorldSpec

_STEADY = "discrete"
_FASTEST_SWING = (
    0.5  # radians a step; explicit steps diverge at 2, with loops and free roots before
)


def steady_physics(spec: WorldSpec, own: PhysicsConfig, report: Report) -> WorldSpec:
    """A world with an integrator that keeps light legs and stiff springs still.

    What the scene itself says of the integrator, and an MJCF file of its own springs, stays.

    Args:
        spec: What the world is made of.
        own: What the scene itself says of physics.
        report: Gets a remark.
    """
    physics = spec.physics
    is_done = "integrator" in own.model_fields_set or physics.integrator == _STEADY
    if is_done or physics.solver not in ("newton", "cg"):
        return spec
    cause = ""
    if any(robot.stance is not None and robot.stance.is_light for robot in spec.robots):
        cause = "drives carry a robot on legs that are light for that"
    else:
        stiff = next(
            filter(None, (_stiff_spring(each, physics.timestep) for each in spec.robots)), ""
        )
        if stiff:
            cause = f"the spring of joint '{stiff}' is stiff for steps of {physics.timestep:.3g} s"
    if not cause:
        return spec
    text = f"is '{_STEADY}', since {cause}, unless the scene names another one"
    report.add(NoteKind.SUBSTITUTION, "physics.integrator", text)
    return replace(spec, physics=physics.model_copy(update={"integrator": _STEADY}))


def _stiff_spring(robot: PlacedRobot, timestep: float) -> str:
    """A joint whose spring makes its load swing too fast for the steps, or ''."""
    description = robot.description
    springs = [joint for joint in description.joints if joint.dynamics.stiffness > 0.0]
    if not springs or robot.mjcf is not None or description.is_static:
        return ""
    inertials = robot.inertials
    if inertials is None:
        inertials, _ = physical_inertials(description, root_moves=robot.is_free)
    hanging = loads(
        description, {link.name: inertials.get(link.name) for link in description.links}
    )
    for joint in springs:
        load = hanging.get(joint.name)
        inertia = (joint.dynamics.armature or 0.0) + (0.0 if load is None else load.inertia)
        if joint.dynamics.stiffness * timestep**2 > _FASTEST_SWING**2 * inertia:
            return f"{robot.name}/{joint.name}"
    return ""
