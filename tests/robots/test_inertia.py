"""Masses and inertias: what is possible, and how the impossible is mended."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.robots.description import Inertial, Joint, JointType, Link, RobotDescription
from horus_sim.robots.inertia import (
    MINIMAL_INERTIA,
    MINIMAL_MASS,
    inertia_matrix,
    inertia_problem,
    physical_inertials,
    repaired_inertial,
)
from horus_sim.robots.report import NoteKind
from horus_sim.tf import Transform

MOMENTS = st.floats(-10.0, 10.0)


def inertial(*moments: float, mass: float = 2.0) -> Inertial:
    ixx, iyy, izz, ixy, ixz, iyz = (*moments, 0.0, 0.0, 0.0)[:6]
    return Inertial(mass, Transform.identity(), (ixx, iyy, izz, ixy, ixz, iyz))


@pytest.mark.parametrize(
    ("moments", "problem"),
    [
        ((1, 1, 1), None),
        ((1, 1, 2), None),
        ((1, 1, 2.000001), None),
        ((1, 1, 3), r"exceeds the sum of the others \(1, 1, 3"),
        ((0, 0, 0), "a principal moment is zero"),
        ((1, 1, -1), "a principal moment is negative"),
        ((1, 1, 1, 2, 0, 0), "a principal moment is negative"),
        ((float("nan"), 1, 1), "not finite"),
    ],
)
def test_problems(moments, problem):
    found = inertia_problem(inertial(*moments))
    if problem is None:
        assert found is None
    else:
        assert re.search(problem, found or "")


def test_problem_of_mass():
    assert inertia_problem(inertial(1, 1, 1, mass=-1.0)) == "the mass -1 kg is negative"
    assert inertia_problem(inertial(0, 0, 0, mass=0.0)) is None


def test_closed_forms_of_solids_are_possible():
    for size in ((1, 2, 3), (0.001, 1, 1), (1e-4, 1e-4, 1)):
        x, y, z = size
        box = [(y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12]
        assert inertia_problem(inertial(*box, mass=1.0)) is None
        assert repaired_inertial(inertial(*box, mass=1.0)) == inertial(*box, mass=1.0)


@given(st.tuples(*[MOMENTS] * 6), st.floats(1e-3, 100.0))
def test_a_repair_is_possible_and_stays(moments, mass):
    mended = repaired_inertial(inertial(*moments, mass=mass))
    values = np.linalg.eigvalsh(inertia_matrix(mended))
    assert values[0] > 0.0
    assert values[0] + values[1] >= values[2] * (1 - 1e-9)
    assert inertia_problem(mended) is None
    assert mended.mass == mass


@given(st.tuples(*[MOMENTS] * 6))
def test_a_repair_keeps_the_axes_and_never_lowers_a_second_moment(moments):
    before = inertia_matrix(inertial(*moments))
    after = inertia_matrix(repaired_inertial(inertial(*moments)))

    def seconds(matrix):
        return np.trace(matrix) / 2 * np.eye(3) - matrix

    assert np.linalg.eigvalsh(seconds(after) - seconds(before)).min() > -1e-9
    np.testing.assert_allclose(after @ before, before @ after, atol=1e-7)


def robot(*links: Link, kinds: tuple[JointType, ...]) -> RobotDescription:
    """A chain."""
    joints = tuple(
        Joint(f"j{k}", kind, links[k].name, links[k + 1].name) for k, kind in enumerate(kinds)
    )
    return RobotDescription("r", links, joints, links[0].name)


HEAVY = inertial(1, 1, 1)


def test_links_that_move_get_mass_unless_something_fixed_to_them_has():
    fixed, hinge = JointType.FIXED, JointType.CONTINUOUS
    chain = robot(
        Link("root"),
        Link("body", HEAVY),
        Link("empty"),
        Link("tip"),
        Link("hand"),
        Link("load", HEAVY),
        kinds=(fixed, hinge, fixed, hinge, fixed),
    )
    found, notes = physical_inertials(chain, root_moves=True)
    assert set(found) == {"body", "empty", "load"}
    assert found["empty"].mass == MINIMAL_MASS
    assert found["empty"].inertia[:3] == (MINIMAL_INERTIA,) * 3
    (note,) = notes
    assert note.kind is NoteKind.REPAIR
    assert note.culprit == "link 'empty'"
    assert note.text == "it moves but has no mass; 0.001 kg and 1e-06 kg m^2 are used"


def test_a_root_that_is_held_needs_no_mass():
    lonely = robot(Link("root"), kinds=())
    assert physical_inertials(lonely, root_moves=False) == ({}, ())
    assert set(physical_inertials(lonely, root_moves=True)[0]) == {"root"}


def test_each_repaired_link_has_a_remark():
    found, notes = physical_inertials(
        robot(Link("a", inertial(1, 1, 5)), kinds=()), root_moves=True
    )
    np.testing.assert_allclose(sorted(found["a"].inertia[:3]), (2.5, 2.5, 5.0), rtol=1e-6)
    assert "exceeds the sum of the others (1, 1, 5 kg m^2); principal moments 2.5, 2.5, 5" in (
        notes[0].text
    )
