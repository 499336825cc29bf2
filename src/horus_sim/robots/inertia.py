"""Masses and inertias as physics needs them: checked, and repaired where a description is wrong.

A rigid body's inertia has positive principal moments, and none exceeds the sum of the other two.
Files break this by rounding, by placeholders and by mistakes. A repair keeps mass and centre, and
changes the moments as little as makes them possible. Links that must move but have no mass, alone
or together with what is fixed to them, get `MINIMAL_MASS` and `MINIMAL_INERTIA`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from horus_sim.robots.description import Inertial, Joint, JointType, RobotDescription
from horus_sim.robots.report import Note, NoteKind
from horus_sim.tf import Transform

MINIMAL_MASS = 1e-3
"""Mass [kg] of a moving link without one."""

MINIMAL_INERTIA = 1e-6
"""Principal moments [kg m^2] of a moving link without mass."""

MINIMAL_GYRATION = 1e-3
"""Smallest radius of gyration [m] that a repair leaves."""

# A violation below this share of the largest moment is rounding, mended without a remark.
_ROUNDING = 1e-5


def inertia_matrix(inertial: Inertial) -> np.ndarray:
    """The inertia [kg m^2] in its own frame, shape (3, 3)."""
    ixx, iyy, izz, ixy, ixz, iyz = inertial.inertia
    return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])


def inertia_problem(inertial: Inertial) -> str | None:
    """What makes an inertia impossible, in a few words, or None.

    Violations that rounding explains are no problem.
    """
    if not all(map(math.isfinite, (inertial.mass, *inertial.inertia))):
        return "mass or inertia is not finite"
    if inertial.mass < 0.0:
        return f"the mass {inertial.mass:g} kg is negative"
    if inertial.mass == 0.0:
        return "the mass is zero" if any(inertial.inertia) else None
    moments = np.linalg.eigvalsh(inertia_matrix(inertial))
    listed = ", ".join(f"{moment:.3g}" for moment in moments)
    slack = _ROUNDING * float(np.abs(moments).max())
    if moments[0] < -slack:
        return f"a principal moment is negative ({listed} kg m^2)"
    if moments[0] <= 0.0:
        return f"a principal moment is zero ({listed} kg m^2)"
    if moments[0] + moments[1] < moments[2] - slack:
        return f"a principal moment exceeds the sum of the others ({listed} kg m^2)"
    return None


def repaired_inertial(inertial: Inertial) -> Inertial:
    """The nearest possible inertia with the same mass and centre.

    The second moments of the mass distribution that are negative become zero, which keeps the
    largest principal moment; then moments are raised to a radius of gyration of `MINIMAL_GYRATION`.
    A possible inertia is returned as it is.

    Args:
        inertial: Finite, with a positive mass.
    """
    moments, axes = np.linalg.eigh(inertia_matrix(inertial))
    # The engine finds the moments by another way, so that an exact equality may fail its check.
    if moments[0] > 0.0 and moments[0] + moments[1] > moments[2] * (1.0 + 1e-12):
        return inertial
    seconds = np.maximum(moments.sum() / 2.0 - moments, 0.0)
    # A sum that is larger by a little survives the rounding of the engine's own check.
    floor = 1e-9 * float(seconds.max())
    smallest_moment = inertial.mass * MINIMAL_GYRATION**2
    if (seconds.sum() - seconds).min() < smallest_moment:
        floor = max(floor, smallest_moment / 2.0)
    seconds = np.maximum(seconds, floor)
    fixed = axes @ np.diag(seconds.sum() - seconds) @ axes.T
    values = (fixed[0, 0], fixed[1, 1], fixed[2, 2], fixed[0, 1], fixed[0, 2], fixed[1, 2])
    ixx, iyy, izz, ixy, ixz, iyz = map(float, values)
    return Inertial(inertial.mass, inertial.T_link_inertia, (ixx, iyy, izz, ixy, ixz, iyz))


def minimal_inertial() -> Inertial:
    """The inertial of a moving link that has none, at the origin of the link."""
    moment = MINIMAL_INERTIA
    return Inertial(MINIMAL_MASS, Transform.identity(), (moment, moment, moment, 0.0, 0.0, 0.0))


def physical_inertials(
    description: RobotDescription, *, root_moves: bool
) -> tuple[dict[str, Inertial], tuple[Note, ...]]:
    """The mass properties with which a robot is simulated, and what had to be changed.

    Args:
        description: The robot; its inertials are finite and no mass is negative.
        root_moves: Whether the root link is free to move.

    Returns:
        The inertial of every link that has mass, by name, and a remark for every repair. Links that
        are absent have none.
    """
    inertials: dict[str, Inertial] = {}
    notes: list[Note] = []
    for link in description.links:
        if link.inertial is None or link.inertial.mass <= 0.0:
            continue
        problem = inertia_problem(link.inertial)
        inertials[link.name] = repaired_inertial(link.inertial)
        if problem is not None:
            moments = np.linalg.eigvalsh(inertia_matrix(inertials[link.name]))
            listed = ", ".join(f"{moment:.3g}" for moment in moments)
            text = f"{problem}; principal moments {listed} kg m^2 are used instead"
            notes.append(Note(NoteKind.REPAIR, f"link '{link.name}'", text))
    for name in _massless_movers(description, inertials, root_moves=root_moves):
        inertials[name] = minimal_inertial()
        text = (
            f"it moves but has no mass; {MINIMAL_MASS:g} kg and {MINIMAL_INERTIA:g} kg m^2 are used"
        )
        notes.append(Note(NoteKind.REPAIR, f"link '{name}'", text))
    return inertials, tuple(notes)


def _massless_movers(
    description: RobotDescription, inertials: Iterable[str], *, root_moves: bool
) -> list[str]:
    """Links on a moving joint that are massless together with all that is fixed to them."""
    fixed_below: dict[str, list[str]] = {}
    movers = [description.root] if root_moves else []
    for joint in description.joints:
        if is_moving(joint):
            movers.append(joint.child)
        else:
            fixed_below.setdefault(joint.parent, []).append(joint.child)
    heavy = set(inertials)

    def has_mass(link: str) -> bool:
        pending = [link]
        while pending:
            name = pending.pop()
            if name in heavy:
                return True
            pending.extend(fixed_below.get(name, ()))
        return False

    return [link for link in movers if not has_mass(link)]


def joints_outwards(description: RobotDescription) -> Iterator[Joint]:
    """The joints of a robot, those of a link after the one that leads to it."""
    below: dict[str, list[Joint]] = {}
    for joint in description.joints:
        below.setdefault(joint.parent, []).append(joint)
    pending = [description.root]
    while pending:
        for joint in below.get(pending.pop(), ()):
            yield joint
            pending.append(joint.child)


def is_moving(joint: Joint) -> bool:
    """Whether a joint lets its child move."""
    return joint.kind is not JointType.FIXED
