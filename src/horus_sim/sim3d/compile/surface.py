"""Surfaces as MuJoCo's contact parameters.

MuJoCo's contacts obey ``a = (1 - d) a_free - d (b v + k r)`` along the normal, where `r` is the
distance (negative in contact), `v` its rate and `d` the impedance. In the direct format of `solref`
with constant `d`, ``d b`` is the given damping and ``d k`` the given stiffness, both per unit of
mass.

Restitution: one semi-implicit step of length h turns v into ``v - h C v - h K r``. With
``C = (1 + e) / h`` this is ``-e v``, for any speed and mass, in a single step; later steps cannot
pull, since forces of contacts are not negative. K lifts resting bodies out of an overlap, and adds
up to ``K h^2`` of the speed to a rebound, by the overlap on the first step, which is at most
``|v| h``. A weak bounce needs some of that to climb out of the overlap again; a strong one would
gain energy, so ``K h^2`` is ``0.0025 / e^2`` within 0.005 and 0.03, and e at most ``1 - K h^2``: no
bounce gains, and e = 1 loses up to a hundredth of the energy. The impedance is the largest that
MuJoCo takes, since the share ``1 - d`` of the free motion depends on how many points touch: at 0.99
a box rebounded higher than a ball. The bouncier of two surfaces decides, and friction acts within
the same step.

Friction: a surface with less friction than the scene's default gets a priority, because MuJoCo
would otherwise take the larger coefficient of the two. It is the higher the more slippery the
surface is, so that a caster slides on a floor that is a little slippery as well. One that states
its friction in a robot's file has priority 1 at least; any other priority is the user's, and stays.

Stiffness and damping count where they make a contact softer than the scene's own.
"""

from __future__ import annotations

from dataclasses import dataclass

from horus_sim.robots.description import Surface
from horus_sim.sim3d.scene.physics import PhysicsConfig

BOUNCE_IMPEDANCE = 0.9999
_BOUNCE_STIFFNESS = 0.0025
_LEAST_STIFFNESS = 0.005
_MOST_STIFFNESS = 0.03
_BOUNCE_WEIGHT = 1e6
_MOST_SLIPPERY = 10
_STATED = (0, 1)
_SOFTEST_RATIO = 0.1
_HARDEST_RATIO = 10.0


@dataclass(frozen=True, slots=True)
class ContactParameters:
    """The attributes of a MuJoCo geom that decide how it touches; None leaves the default.

    Attributes:
        friction: Sliding, torsional [m], rolling [m].
        condim: Dimensions of the contact.
        priority: The geom of the higher priority decides how two touch.
        solref: Reference of the constraint.
        solimp: Impedance of the constraint.
        solmix: Weight of this geom where two are mixed.
    """

    friction: tuple[float, float, float]
    condim: int
    priority: int
    solref: tuple[float, float]
    solimp: tuple[float, float, float] | None
    solmix: float


def contact_parameters(surface: Surface, physics: PhysicsConfig, mass: float) -> ContactParameters:
    """What MuJoCo needs to know about a surface.

    Args:
        surface: The surface; None values become the defaults of `physics`.
        physics: The scene's physics.
        mass: Mass that rests on the contact [kg], by which stiffness and damping are divided.
    """
    defaults = physics.contact
    friction = (
        defaults.friction if surface.friction is None else surface.friction,
        defaults.torsional if surface.torsional is None else surface.torsional,
        defaults.rolling if surface.rolling is None else surface.rolling,
    )
    time_constant = max(defaults.time_constant, 2 * physics.timestep)
    solref = (time_constant, 1.0)
    solimp = None
    solmix = 1.0
    if surface.restitution:
        solref, solimp, solmix = _bounce(min(surface.restitution, 1.0), physics.timestep)
    elif surface.stiffness:
        solref = _spring(surface.stiffness, surface.damping, mass, time_constant) or solref
    # MuJoCo takes the larger friction of two geoms, so that a slippery one needs the say.
    priority = surface.priority
    if priority in _STATED:
        priority = max(priority, _slipperiness(friction[0], defaults.friction))
    return ContactParameters(friction, _dimensions(surface), priority, solref, solimp, solmix)


def _slipperiness(friction: float, usual: float) -> int:
    """From 0 for the usual friction, and 1 for a little less, to `_MOST_SLIPPERY` for none."""
    if friction >= usual:
        return 0
    return 1 + int((_MOST_SLIPPERY - 1) * (1.0 - friction / usual))


def _dimensions(surface: Surface) -> int:
    if surface.contact_dimensions is not None:
        return surface.contact_dimensions
    if surface.rolling:
        return 6
    if surface.torsional:
        return 4
    return 1 if surface.friction == 0.0 else 3


def _bounce(
    restitution: float, timestep: float
) -> tuple[tuple[float, float], tuple[float, float, float], float]:
    # The square of a tiny restitution underflows; a tenth is beyond the largest already.
    wanted = _BOUNCE_STIFFNESS / max(restitution, 0.1) ** 2
    lift = min(max(wanted, _LEAST_STIFFNESS), _MOST_STIFFNESS)
    stiffness = lift / timestep**2
    damping = (1.0 + min(restitution, 1.0 - lift)) / timestep
    solimp = (BOUNCE_IMPEDANCE, BOUNCE_IMPEDANCE, 0.001)
    return (-stiffness, -damping), solimp, _BOUNCE_WEIGHT


def _spring(
    stiffness: float, damping: float | None, mass: float, hardest: float
) -> tuple[float, float] | None:
    """The time constant and damping ratio of a spring under a mass.

    None where it is harder than the scene's own contacts: stiffnesses in files are often the
    largest that another engine bore.
    """
    if mass <= 0:
        return None
    rate = (stiffness / mass) ** 0.5
    if rate * hardest >= 1:
        return None
    ratio = 1.0 if damping is None else damping / (2 * (stiffness * mass) ** 0.5)
    ratio = min(max(ratio, _SOFTEST_RATIO), _HARDEST_RATIO)
    return max(1 / (ratio * rate), hardest), ratio
