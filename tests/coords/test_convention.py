"""Conventions: what they accept, what they derive and what they refuse."""

import copy
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel, ValidationError

from horus_sim.coords import CAD, Convention, ConventionError


def workshop(**changes: Any) -> Convention:
    fields: dict[str, Any] = {"right": "x", "forward": "y", "up": "z", "unit": "inch"}
    fields.update(changes)
    return Convention("workshop", **fields)


def test_axes_are_kept_in_one_spelling():
    convention = workshop(right="-X", forward=" +y ", up="Z")
    assert (convention.right, convention.forward, convention.up) == ("-x", "y", "z")


def test_axes_map_own_coordinates_to_right_forward_up():
    convention = workshop(right="-y", forward="x", up="z")
    ahead, left, above = 3.0, 2.0, 1.0
    np.testing.assert_array_equal(convention.axes @ (ahead, left, above), (-left, ahead, above))


def test_handedness_is_that_of_the_drawn_axes():
    # x, y and z drawn as (right, forward, up): right-handed if and only if x cross y is z.
    drawn = {"right": (1, 0, 0), "forward": (0, 1, 0), "up": (0, 0, 1)}
    seen = {True: 0, False: 0}
    for order in itertools.permutations("xyz"):
        for signs in itertools.product(("", "-"), repeat=3):
            axes = [sign + axis for sign, axis in zip(signs, order, strict=True)]
            convention = workshop(right=axes[0], forward=axes[1], up=axes[2])
            own: dict[str, np.ndarray] = {}
            for direction, axis in zip(drawn, axes, strict=True):
                own[axis[-1]] = np.array(drawn[direction]) * (-1 if axis[0] == "-" else 1)
            expected = bool((np.cross(own["x"], own["y"]) == own["z"]).all())
            assert convention.is_right_handed == expected, axes
            seen[expected] += 1
    assert seen == {True: 24, False: 24}


@pytest.mark.parametrize(
    ("unit", "metres"),
    [
        ("m", 1.0),
        ("dm", 0.1),
        ("cm", 0.01),
        ("mm", 0.001),
        ("um", 1e-6),
        ("km", 1000.0),
        ("inch", 0.0254),
        ("ft", 0.3048),
        ("yd", 0.9144),
        ("millimeters", 0.001),
        (" mm ", 0.001),
        (0.05, 0.05),
        (2, 2.0),
        (np.float32(0.5), 0.5),
        ("1e-3", 0.001),
    ],
)
def test_unit_by_name_or_metres(unit: object, metres: float):
    assert workshop(unit=unit).metres_per_unit == metres


def test_conventions_are_immutable_hashable_and_compare_by_value():
    with pytest.raises(ValidationError, match="frozen"):
        CAD.up = "x"  # pyright: ignore[reportAttributeAccessIssue]
    assert workshop() == workshop()
    assert len({workshop(), workshop(), workshop(unit="mm")}) == 2


def test_conventions_survive_pickle_and_copy():
    assert pickle.loads(pickle.dumps(CAD)) == CAD  # noqa: S301 - own bytes
    assert copy.deepcopy(CAD) == CAD


def test_model_copy_changes_fields_and_checks_them():
    inches = CAD.model_copy(update={"name": "cad_inch", "unit": "inch"})
    assert (inches.name, inches.metres_per_unit) == ("cad_inch", 0.0254)
    with pytest.raises(ConventionError, match="right='x' and up='x' use the same axis"):
        CAD.model_copy(update={"up": "x"})


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"right": "w"}, r"'workshop': right='w' is not an axis; write x, y or z .* such as '-y'"),
        ({"forward": "--y"}, r"forward='--y' is not an axis"),
        ({"forward": "+-y"}, r"forward='\+-y' is not an axis"),
        ({"forward": ""}, r"forward='' is not an axis"),
        ({"up": 3}, r"up=3 is not an axis"),
        ({"up": "-x"}, r"right='x' and up='-x' use the same axis; let one of them use z\."),
        ({"forward": "x", "up": "x"}, r"right='x' and forward='x' .* use y or z\."),
        ({"left": "y"}, r"'left' is not a field; write right='-y' instead"),
        ({"down": "-z"}, r"'down' is not a field; write up='z' instead"),
        ({"back": "+y"}, r"'back' is not a field; write forward='-y' instead"),
        ({"colour": "red"}, r"'colour' is not a field; the fields are name, right, forward, up"),
        ({"unit": "milimetre"}, r"unit='milimetre' is unknown; did you mean 'millimetre'\?"),
        ({"unit": "MM"}, r"unit='MM' is unknown; did you mean 'mm'\?"),
        (
            {"unit": "furlong"},
            r"unit='furlong' is unknown; known: m, dm, .* metres per unit",
        ),
        ({"unit": True}, r"unit=True is neither a name nor a number; write one of m, dm"),
        ({"unit": None}, r"unit=None is neither a name nor a number"),
        ({"unit": 0.0}, r"unit=0.0 is not a usable length; give metres per unit"),
        ({"unit": -0.001}, r"unit=-0.001 is not a usable length"),
        ({"unit": float("nan")}, r"unit=nan is not a usable length"),
        ({"unit": "inf"}, r"unit=inf is not a usable length"),
        ({"unit": 1e300}, r"unit=1e\+300 is not a usable length; .* from 1e-18 to 1e\+18"),
    ],
)
def test_faulty_fields_are_named_with_a_remedy(changes: dict[str, Any], text: str):
    with pytest.raises(ConventionError, match=text):
        workshop(**changes)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("right", "right is missing; say which own axis points right"),
        ("forward", "forward is missing; say which own axis points forward"),
        ("up", "up is missing; say which own axis points up"),
        ("unit", "unit is missing; say the unit of length"),
    ],
)
def test_missing_fields_are_named(field: str, text: str):
    fields: dict[str, Any] = {"right": "x", "forward": "y", "up": "z", "unit": "m"}
    del fields[field]
    with pytest.raises(ConventionError, match=text):
        Convention("workshop", **fields)


@pytest.mark.parametrize("name", ["", "  ", None, 7])
def test_a_name_is_required(name: Any):
    with pytest.raises(ConventionError, match=r"is not a name; give it a text such as 'workshop'"):
        Convention(name, right="x", forward="y", up="z", unit="m")


def test_every_fault_is_reported_at_once():
    with pytest.raises(ConventionError, match=r"right='w' .* unit='parsec' is unknown"):
        workshop(right="w", unit="parsec")


def test_inside_another_model_a_fault_keeps_its_text():
    class Viewer(BaseModel):
        convention: Convention

    fields = {"name": "screen", "right": "x", "forward": "-z", "up": "y", "unit": "m"}
    assert Viewer.model_validate({"convention": fields}).convention.is_right_handed
    with pytest.raises(ValidationError, match="convention 'screen': up='q' is not an axis"):
        Viewer.model_validate({"convention": {**fields, "up": "q"}})
