"""New things: boxes, spheres, cylinders, meshes and robots."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from nicegui import ui

from horus_sim.robots import known_robots, robot_names
from horus_sim.sim3d.scene.reading import check_scene
from horus_sim.tf import Transform
from horus_sim.ui.kit.controls import select, set_options, text_button
from horus_sim.ui.kit.fields import NumberField, TextField, numbers
from horus_sim.ui.shell.units import Units

if TYPE_CHECKING:
    from horus_sim.sim3d import ObjectConfig
    from horus_sim.ui.world.model.world_model import WorldModel

_SMALLEST, _LARGEST = 1e-4, 100.0
_SIZES = ("Length", "Width", "Height")
_SHAPES = ("box", "sphere", "cylinder", "mesh")
_COLOR = [0.85, 0.35, 0.2, 1.0]


def build_spawn(model: WorldModel) -> None:
    """Choice of the shape, its size and place."""
    page, editor = model.page, model.session.editor
    kind = select("Shape", (*_SHAPES, "robot"), "box")
    with ui.row().classes("no-wrap full-width gap-2") as sizes_row:
        size = [NumberField(f"{name} [m]", 0.3, _SMALLEST, _LARGEST, above=0.0) for name in _SIZES]
    robot = select("Model", robot_names(), "turtlebot3_waffle", with_input=True)
    file = TextField("Mesh file in a folder of the scene").classes("full-width")
    file.props('outlined dense aria-label="Mesh file"')
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
        for field, name in zip((*size, *place), (*_SIZES, *"xyz"), strict=True):
            field.rescale(f"{name} [{unit}]", factor)
        if at is not None:
            # The same place; other units may have other axes, too.
            for field, value in zip(place, page.units.show(shown.read(at)), strict=True):
                field.element.value = f"{round(value, 6) + 0.0:g}"
        shown.set(unit)

    page.on_units(follow_units)
    for part, kinds in (
        (sizes_row, ("box", "sphere", "cylinder")),
        (size[1].element, ("box",)),
        (size[2].element, ("box", "cylinder")),
        (robot, ("robot",)),
        (file, ("mesh",)),
        (mass.element, _SHAPES),
        (dynamic, _SHAPES),
    ):
        part.bind_visibility_from(kind, "value", kinds.__contains__)

    async def offer_robots() -> None:
        """Offers the robots of all sources, too, when somebody wants one."""
        if kind.value == "robot":
            # Reading folders takes long: the pages go on meanwhile.
            robots = await asyncio.to_thread(known_robots)
            set_options(robot, [each.address for each in robots], robot.value)

    async def spawn() -> None:
        at = numbers(*place)
        if at is None:
            return
        pose = Transform(page.units.read(at))
        if kind.value == "robot":
            await page.obey(
                lambda: editor.add_robot(robot.value, pose), "'{}' was added", in_thread=True
            )
            return
        sizes, weight = numbers(*size), mass.number
        if sizes is None or weight is None:
            return
        x, y, z = (value / page.units.per_metre for value in sizes)
        shape = {
            "box": {"size": [x, y, z]},
            "sphere": {"radius": x / 2},
            "cylinder": {"radius": x / 2, "length": z},
            "mesh": {"file": file.value or ""},
        }[kind.value]
        field = file if kind.value == "mesh" else None
        weight = weight if dynamic.value else None
        await page.obey(
            lambda: editor.add_object(_object(kind.value, shape, pose, weight)),
            "'{}' was added",
            field,
        )

    kind.on_value_change(offer_robots)
    text_button("Add", spawn, "add").classes("full-width")


def _object(kind: str, shape: dict[str, Any], pose: Transform, mass: float | None) -> ObjectConfig:
    data: dict[str, Any] = {"name": kind, "shape": {"kind": kind, **shape}}
    if mass is not None:
        data |= {"dynamic": True, "mass": mass}
    data |= {"pose": {"xyz": list(pose.translation)}, "material": {"rgba": _COLOR}}
    return check_scene({"objects": [data]}).objects[0]
