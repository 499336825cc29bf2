"""New things: boxes, spheres, cylinders, meshes and robots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from horus_sim.assets import asset_names
from horus_sim.errors import HorusError
from horus_sim.sim3d.scene.reading import check_scene
from horus_sim.tf import Transform
from horus_sim.ui.kit.controls import select, text_button
from horus_sim.ui.kit.fields import NumberField, TextField, numbers
from horus_sim.ui.shell.units import Units

if TYPE_CHECKING:
    from horus_sim.sim3d import ObjectConfig
    from horus_sim.ui.world.page_state import WorldPageState

_SMALLEST, _LARGEST = 1e-4, 100.0
_SIZES = ("Length", "Width", "Height")
_SHAPES = ("box", "sphere", "cylinder", "mesh", "robot")


def build_spawn(state: WorldPageState) -> None:
    """Choice of the shape, its size and place."""
    page, editor = state.page, state.session.editor
    kind = select("Shape", _SHAPES, "box")
    with ui.row().classes("no-wrap full-width gap-2") as sizes_row:
        size = [NumberField(f"{name} [m]", 0.3, _SMALLEST, _LARGEST, above=0.0) for name in _SIZES]
    model = select("Model", asset_names("robots", (".urdf",)), "turtlebot3_waffle")
    file = TextField("Mesh file in a folder of the scene").props(
        'outlined dense aria-label="Mesh file"'
    )
    file.classes("full-width")
    with ui.row().classes("no-wrap full-width gap-2"):
        place = [
            NumberField(f"{axis} [m]", value, -1e4, 1e4)
            for axis, value in zip("xyz", (1.0, 0.0, 0.5), strict=True)
        ]
    with ui.row().classes("no-wrap full-width gap-2 items-center"):
        mass = NumberField("Mass [kg]", 1.0, 1e-6, 1e5, above=0.0)
        dynamic = ui.checkbox("Moves", value=True).props('dense aria-label="Moves"').classes("col")
    shown = Units()

    def follow_units() -> None:
        factor = page.units.per_metre / shown.per_metre
        unit, at = page.units.system, numbers(*place)
        for field, name in zip(size, _SIZES, strict=True):
            field.rescale(f"{name} [{unit}]", factor)
        for field, axis in zip(place, "xyz", strict=True):
            field.rescale(f"{axis} [{unit}]", factor)
        if at is not None:
            # The same place; other units may have other axes, too.
            for field, value in zip(place, page.units.show(shown.read(at)), strict=True):
                field.element.value = f"{round(value, 6) + 0.0:g}"
        shown.set(unit)

    page.on_units(follow_units)

    def show_fields() -> None:
        is_shape = kind.value in ("box", "sphere", "cylinder")
        for field in size:
            field.element.set_visibility(is_shape)
        size[1].element.set_visibility(kind.value == "box")
        size[2].element.set_visibility(kind.value in ("box", "cylinder"))
        sizes_row.set_visibility(is_shape)
        model.set_visibility(kind.value == "robot")
        file.set_visibility(kind.value == "mesh")
        mass.element.set_visibility(kind.value != "robot")
        dynamic.set_visibility(kind.value != "robot")

    kind.on_value_change(show_fields)
    show_fields()

    async def spawn() -> None:
        at = numbers(*place)
        if at is None:
            return
        at = list(page.units.read(at))
        if kind.value == "robot":
            pose = Transform(at)
            await page.obey(
                lambda: editor.add_robot(model.value, pose), "'{}' was added", in_thread=True
            )
            return
        sizes, weight = numbers(*size), mass.number
        if sizes is None or weight is None:
            return
        sizes = [value / page.units.per_metre for value in sizes]
        field = file if kind.value == "mesh" else None
        try:
            shape = _shape(kind.value, sizes, file.value or "")
            config = _object(kind.value, shape, at, weight if dynamic.value else None)
        except HorusError as error:
            page.complain(str(error), field)
            return
        await page.obey(lambda: editor.add_object(config), "'{}' was added", field)

    text_button("Add", spawn, "add").classes("full-width")


def _shape(kind: str, sizes: list[float], file: str) -> dict[str, Any]:
    match kind:
        case "sphere":
            return {"kind": kind, "radius": sizes[0] / 2}
        case "cylinder":
            return {"kind": kind, "radius": sizes[0] / 2, "length": sizes[2]}
        case "mesh":
            return {"kind": kind, "file": file}
        case _:
            return {"kind": "box", "size": sizes}


def _object(kind: str, shape: dict[str, Any], at: list[float], mass: float | None) -> ObjectConfig:
    data: dict[str, Any] = {"name": kind, "shape": shape, "pose": {"xyz": at}}
    if mass is not None:
        data |= {"dynamic": True, "mass": mass}
    data["material"] = {"rgba": [0.85, 0.35, 0.2, 1.0]}
    return check_scene({"objects": [data]}).objects[0]
