"""Forms in metres and in CAD millimetres."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.sim2d.scenario.schema import Bounds
from horus_sim.ui.designer.model import edits
from horus_sim.ui.designer.model.content import Content, get, put
from horus_sim.ui.designer.model.field import Field, number_text
from horus_sim.ui.designer.model.fields import fields_of
from horus_sim.ui.designer.model.geometry import rectangle
from horus_sim.ui.designer.model.materials import MATERIALS
from horus_sim.ui.designer.model.measures import in_units
from horus_sim.ui.shell.units import Units

BODY = ("robots", 0, "bodies", 0)
COORDINATES = st.floats(-5.0, 5.0).map(lambda value: round(value, 6))


def content() -> Content:
    body = edits.new_body("chassis", rectangle(0.2, 0.1), None, MATERIALS["plastic"], moves=True)
    made = edits.add_robot(Content.empty("mine"), body, (0.0, 0.0, 0.0))[0]
    return edits.add_device(made, BODY, "motor", (0.05, -0.04, 0.0))[0]


def form(made: Content, place: tuple[str | int, ...], system: str) -> dict[str, Field]:
    return {field.label: field for field in in_units(fields_of(made, place), Units(system))}


def test_metres_are_left_as_they_are():
    made = content()
    for place in ((), ("robots", 0), BODY, ("robots", 0, "actuators", 0)):
        fields = fields_of(made, place)
        assert in_units(fields, Units("m")) == fields


def test_points_are_those_of_cad_and_x_comes_first():
    made = content()
    place = ("robots", 0, "actuators", 0)
    found = form(made, place, "mm")
    labels = list(found)
    assert labels.index("x [mm]") + 1 == labels.index("y [mm]")
    # As the view says it under the pointer: x is -y, y is x.
    assert found["x [mm]"].shown(made) == "40"
    assert found["y [mm]"].shown(made) == "50"
    assert found["Angle [deg]"].shown(made) == "0"
    moved = found["x [mm]"].put(made, found["x [mm]"].read("-25"))
    assert get(moved, (*place, "mount_pose"))[:2] == pytest.approx((0.05, 0.025))


def test_lengths_have_no_direction_and_other_units_stay():
    made = content()
    body = form(made, BODY, "mm")
    assert (body["Length [mm]"].shown(made), body["Width [mm]"].shown(made)) == ("200", "100")
    wider = body["Width [mm]"].put(made, body["Width [mm]"].read("150"))
    assert form(wider, BODY, "m")["Width [m]"].shown(wider) == "0.15"
    assert body["Mass [kg]"].shown(made) == form(made, BODY, "m")["Mass [kg]"].shown(made)
    wheel = form(made, ("robots", 0, "actuators", 0), "mm")["Wheel radius [mm]"]
    metres = form(made, ("robots", 0, "actuators", 0), "m")["Wheel radius [m]"]
    assert float(wheel.usual) == pytest.approx(1000 * float(metres.usual))
    assert wheel.read("") is None


def test_bounds_are_coordinates_too():
    made = put(content(), ("world", "bounds"), Bounds(min_x=-1, min_y=-2, max_x=3, max_y=4))
    found = form(made, ("world", "bounds"), "mm")
    shown = {label: field.shown(made) for label, field in found.items()}
    assert shown == {
        "Left [mm]": "-1000",
        "Right [mm]": "3000",
        "Bottom [mm]": "2000",
        "Top [mm]": "-4000",
    }


@given(COORDINATES, COORDINATES)
def test_what_is_shown_reads_as_what_is_there(x: float, y: float):
    made = put(content(), ("robots", 0, "spawn_pose"), (x, y, 0.0))
    for field in form(made, ("robots", 0), "mm").values():
        if field.measure:
            assert number_text(field.read(field.shown(made))) == number_text(field.value(made))
