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
from horus_sim.ui.designer.model.geometry import Point
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
        model = self._model
        return in_units(_all_fields(model.content, self._place), model.page.units)

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
                element.props["placeholder"] = field.usual
                element.props["stack-label"] = True
        if isinstance(element, ValidationElement):
            # It would take away what the document says about the value.
            element.without_auto_validation()
        element.props["dense"] = True
        element.props["hide-bottom-space"] = True
        element.props["aria-label"] = field.label
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
                paint = partial(self._paint, where, name)
                text_button(name, paint, look=look, name=f"Material {name}")

    def _paint(self, where: Place, name: str) -> None:
        self._model.do(f"material {name}", lambda content: put(content, where, MATERIALS[name]))

    def _remove_corner(self, place: Place, corner: int) -> None:
        self._model.do(
            "remove a corner", lambda content: edits.remove_corner(content, place, corner)
        )

    def _actions(self) -> None:
        model, place = self._model, self._place
        thing = get(model.content, place) if place else None
        if isinstance(thing, PlacedBody | BodyConfig):
            text_button(
                "Centre and fit inertia",
                lambda: model.do("centre", lambda c: edits.centre(c, place)),
                "filter_center_focus",
                look=SMALL,
            ).tooltip("The origin becomes the centre of mass; nothing moves in the world")
        if place[:1] == ("robots",) and len(place) == 4:
            whole = partial(model.select, place[:2])
            text_button("Select the whole robot", whole, "smart_toy", look="flat dense size=sm")
        if _has_corners(thing):
            self._corner_buttons(place, thing)

    def _corner_buttons(self, place: Place, thing: Any) -> None:  # noqa: ANN401
        count = len(thing.points if isinstance(thing, Stroke) else _body(thing).points)
        ui.label(
            f"{count} corners; pull a small handle to add one, double-click one to remove it"
        ).classes("text-caption")
        if count > _MOST_CORNERS:
            return
        with ui.row().classes("gap-1"):
            for k in range(count):
                remove, name = partial(self._remove_corner, place, k), f"Remove corner {k + 1}"
                text_button(f"{k + 1}", remove, "close", look="outline dense size=xs", name=name)


def _mark(element: ui.element, problem: str | None) -> None:
    """Shows beside a field what is wrong; None takes it away."""
    element.props["error"] = problem is not None
    element.props["error-message"] = problem or ""


def _body(thing: PlacedBody | BodyConfig) -> BodyConfig:
    return thing.body if isinstance(thing, PlacedBody) else thing


def _has_corners(thing: object) -> bool:
    if isinstance(thing, PlacedBody | BodyConfig):
        return _body(thing).radius is None
    return isinstance(thing, Stroke)


def _all_fields(content: Content, place: Place) -> list[Field]:
    return [*fields_of(content, place), *_corner_fields(content, place)]


def _corner_fields(content: Content, place: Place) -> list[Field]:
    thing = get(content, place) if place else None
    if not _has_corners(thing):
        return []
    where = place if isinstance(thing, Stroke) else edits.body_place(content, place)
    points: tuple[Point, ...] = get(content, where).points
    if len(points) > _MOST_CORNERS:
        return []
    return [
        field
        for k in range(len(points))
        for field in point_fields(f"Corner {k + 1} ", (*where, "points", k), "Corners")
    ]


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


_KINDS = {
    PlacedBody: "Object",
    BodyConfig: "Body",
    Bounds: "Bounds",
    ActuatorConfig: "Motor",
    JointConfig: "Joint",
}


def title(content: Content, place: Place) -> str:
    """What a thing is called in headings and lists."""
    if not place:
        return "Scenario"
    thing = get(content, place)
    if isinstance(thing, Stroke):
        kind = "Line" if thing.kind == "mark" else "Wall"
        return f"{kind} {int(place[-1]) + 1}"
    if isinstance(thing, RobotConfig):
        return f"Robot {content.ident(int(place[1]))}"
    if isinstance(thing, SensorConfig):
        return f"{TOOLS[thing.type].name} {thing.name}"
    kind = _KINDS.get(type(thing), "Object")
    return f"{kind} {getattr(thing, 'name', '')}".strip()
