"""The form of the selected thing; what is typed is checked and taken at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.elements.mixins.validation_element import ValidationElement

from horus_sim.errors import EditError
from horus_sim.sim2d.scenario.schema import (
    ActuatorConfig,
    BodyConfig,
    Bounds,
    JointConfig,
    PlacedBody,
    RobotConfig,
    SensorConfig,
    Stroke,
)
from horus_sim.ui.designer.model import edits
from horus_sim.ui.designer.model.content import Content, Place, get, put
from horus_sim.ui.designer.model.field import Field, number_text
from horus_sim.ui.designer.model.fields import fields_of, point_fields
from horus_sim.ui.designer.model.materials import MATERIALS, material_name
from horus_sim.ui.designer.model.measures import in_units
from horus_sim.ui.designer.panels.tools import TOOLS
from horus_sim.ui.kit.controls import SMALL, text_button
from horus_sim.ui.kit.fields import TextField

if TYPE_CHECKING:
    from horus_sim.ui.designer.model.designer_model import DesignerModel

_MOST_CORNERS = 24


class Form:
    """Fields of the selected thing, or of the scenario where nothing is selected.

    Args:
        model: The page.
    """

    def __init__(self, model: DesignerModel) -> None:
        self._model = model
        self._place: Place = ()
        self._fields: list[Field] = []
        self._elements: list[Any] = []
        self._is_showing = False
        self._box = ui.column().classes("full-width gap-1 no-wrap")
        self._box.props('role="form" aria-label="Properties"')
        model.on_select.append(self._rebuild)
        model.on_change.append(self._refresh)
        model.page.on_units(self._follow_units)

    def _follow_units(self) -> None:
        # Before the first selection there is nothing to show yet.
        if self._fields:
            self._rebuild()

    def _find_fields(self) -> list[Field]:
        fields = _all_fields(self._model.content, self._place)
        return in_units(fields, self._model.page.units)

    def _rebuild(self) -> None:
        model = self._model
        self._place = model.selected
        self._fields = self._find_fields()
        self._elements = []
        self._box.clear()
        with self._box:
            ui.label(title(model.content, self._place)).classes("text-subtitle1 q-mt-xs")
            group = ""
            row: ui.row | None = None
            for field in self._fields:
                if field.group != group:
                    group, row = field.group, None
                    ui.label(group).classes("text-caption text-weight-medium q-mt-sm")
                    if group == "Material":
                        self._materials()
                is_wide = field.kind in ("text", "long", "flag") or field.label == "Preset"
                if _is_pose(field) and field.label.startswith("x ["):
                    row = None
                if row is None or is_wide or len(list(row)) == (3 if _is_pose(field) else 2):
                    row = ui.row().classes("full-width no-wrap gap-2 items-start")
                with row:
                    self._elements.append(self._element(field))
                if is_wide or field.label == "Angle [deg]":
                    row = None
            self._actions()

    def _refresh(self) -> None:
        """Shows the values of now; fields that mean the same number keep what was typed."""
        model = self._model
        if model.selected != self._place:
            return
        fields = self._find_fields()
        if [_look(field) for field in fields] != [_look(field) for field in self._fields]:
            self._rebuild()
            return
        before, self._fields = self._fields, fields
        self._is_showing = True
        try:
            for field, old, element in zip(fields, before, self._elements, strict=True):
                if field.usual != old.usual:
                    element.props["placeholder"] = field.usual
                shown = field.shown(model.content)
                if _means(field, element.value) != _means(field, shown):
                    element.value = shown
                    _mark(element, None)
        finally:
            self._is_showing = False

    def _element(self, field: Field) -> Any:  # noqa: ANN401 - an input, a select or a switch
        shown = field.shown(self._model.content)
        if field.kind == "flag":
            element: Any = ui.switch(field.label, value=shown)
        elif field.kind == "choice":
            choices: dict[str | None, str] = {name: name for name in field.choices}
            if field.optional:
                choices = {None: f"usual ({field.usual})" if field.usual else "usual", **choices}
            element = ui.select(choices, label=field.label, value=shown).classes("col")
        elif field.kind == "color":
            element = ui.color_input(field.label, value=shown, preview=True).classes("col")
        elif field.kind == "long":
            element = ui.textarea(field.label, value=shown).props("autogrow").classes("col")
        else:
            element = TextField(field.label, value=shown).classes("col horus-number")
            if field.usual:
                element.props.update({"placeholder": field.usual, "stack-label": True})
        if isinstance(element, ValidationElement):
            # It would take away what the document says about the value.
            element.without_auto_validation()
        element.props.update({"dense": True, "hide-bottom-space": True, "aria-label": field.label})
        element.on_value_change(lambda event: self._typed(field, element, event.value))
        return element

    def _typed(self, field: Field, element: ui.element, typed: object) -> None:
        if self._is_showing:
            return
        if _means(field, typed) == _means(field, field.shown(self._model.content)):
            # What is shown is rounded; typing it again must not round the value.
            _mark(element, None)
            return
        try:
            value = field.read(typed)
            self._model.document.apply(
                f"change {field.label}",
                lambda content: field.put(content, value),
                merge=("field", self._place, field.label),
            )
        except EditError as error:
            _mark(element, str(error))
            if isinstance(element, ui.switch):
                self._model.complain(str(error))
            return
        _mark(element, None)

    def _materials(self) -> None:
        model, place = self._model, self._place
        where: Place = (*edits.body_place(model.content, place), "material")
        present = material_name(get(model.content, where))
        with ui.row().classes("gap-1"):
            for name in MATERIALS:
                look = "unelevated dense size=sm" if name == present else SMALL
                paint = partial(put, place=where, value=MATERIALS[name])
                action = partial(model.do, f"material {name}", paint)
                text_button(name, action, look=look, name=f"Material {name}")

    def _actions(self) -> None:
        model, place = self._model, self._place
        if isinstance(get(model.content, place), PlacedBody | BodyConfig):
            centre = partial(model.do, "centre", partial(edits.centre, place=place))
            text_button(
                "Centre and fit inertia", centre, "filter_center_focus", look=SMALL
            ).tooltip("The origin becomes the centre of mass; nothing moves in the world")
        if place[:1] == ("robots",) and len(place) == 4:
            whole = partial(model.select, place[:2])
            text_button("Select the whole robot", whole, "smart_toy", look="flat dense size=sm")
        where = edits.corners_place(model.content, place)
        if where is None:
            return
        count = len(get(model.content, where))
        pull = "pull a small handle to add one, double-click one to remove it"
        ui.label(f"{count} corners; {pull}").classes("text-caption")
        with ui.row().classes("gap-1"):
            for k in range(count if count <= _MOST_CORNERS else 0):
                remove = partial(edits.remove_corner, place=place, corner=k)
                text_button(
                    f"{k + 1}",
                    partial(model.do, "remove a corner", remove),
                    "close",
                    look="outline dense size=xs",
                    name=f"Remove corner {k + 1}",
                )


def _mark(element: ui.element, problem: str | None) -> None:
    """Shows beside a field what is wrong; None takes it away."""
    element.props.update({"error": problem is not None, "error-message": problem or ""})


def _all_fields(content: Content, place: Place) -> list[Field]:
    where = edits.corners_place(content, place)
    count = 0 if where is None else len(get(content, where))
    corners = [
        field
        for k in range(count if count <= _MOST_CORNERS else 0)
        for field in point_fields(f"Corner {k + 1} ", (*(where or ()), k), "Corners")
    ]
    return [*fields_of(content, place), *corners]


def _is_pose(field: Field) -> bool:
    return field.label in ("x [m]", "y [m]", "x [mm]", "y [mm]", "Angle [deg]")


def _look(field: Field) -> tuple[object, ...]:
    # What counts while a number is empty follows other values, and a form that is typed into stays.
    usual = field.usual if field.kind == "choice" else bool(field.usual)
    return field.label, field.kind, field.group, field.choices, usual, field.place


def _means(field: Field, shown: object) -> object:
    try:
        value = field.read(shown)
    except EditError:
        return shown
    return number_text(value) if isinstance(value, float) else value


_KINDS = {BodyConfig: "Body", Bounds: "Bounds", ActuatorConfig: "Motor", JointConfig: "Joint"}


def title(content: Content, place: Place) -> str:
    """What a thing is called in headings and lists."""
    if not place:
        return "Scenario"
    thing = get(content, place)
    if isinstance(thing, Stroke):
        return f"{TOOLS[thing.kind].name} {int(place[-1]) + 1}"
    if isinstance(thing, RobotConfig):
        return f"Robot {content.ident(int(place[1]))}"
    if isinstance(thing, SensorConfig):
        return f"{TOOLS[thing.type].name} {thing.name}"
    kind = _KINDS.get(type(thing), "Object")
    return f"{kind} {getattr(thing, 'name', '')}".strip()
