"""Where robots are, what is selected, what was put right; motors and sensors with their values."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from nicegui import ui

from horus_sim.ui.kit.controls import text_button
from horus_sim.ui.kit.fields import NumberField, fixed, numbers
from horus_sim.ui.kit.table import Table

if TYPE_CHECKING:
    from horus_sim.ui.runner.model.runner_model import RunnerModel
    from horus_sim.ui.shell.units import Units

_REFRESH_S = 0.2
_MOST_VALUES = 8
_MOST_TOUCHED = 20
_FAR_M = 1e4
_Value = TypeVar("_Value")
_IMU = (("ax", "m/s²"), ("ay", "m/s²"), ("wz", "rad/s"), ("vx", "m/s"), ("vy", "m/s"))


def build_state(model: RunnerModel) -> None:
    """Robots, the selected body, and warnings."""
    _title("Robots")
    robots = Table("Robots")
    _title("Selected")
    _selected(model)
    _title("World")
    world = Table("World")

    def state_of(values: list[float]) -> str:
        x, y, theta, vx, vy, w = values
        return (
            f"{_point(model.page.units, x, y)}, {fixed(math.degrees(theta), 1)}°\n"
            f"{fixed(math.hypot(vx, vy))} m/s, {fixed(w, 2)} rad/s"
        )

    def refresh() -> None:
        status = model.runner.status
        _show(robots, status.robots, state_of, "no robots")
        about = {
            "bodies": str(status.bodies),
            "contacts": str(status.contacts),
            "steps": str(status.steps),
            "cost of a step": f"{status.step_ms:.3f} ms",
        }
        about |= {f"warning ({count} times)": text for text, count in status.warnings}
        world.show(about, str)

    _while_seen(model, "State", refresh)


def _selected(model: RunnerModel) -> None:
    hint = ui.label("Click something to see it here; drag it to move it.").classes("text-caption")
    table = Table("Selected")
    form = ui.column().classes("full-width gap-1")
    with form:
        with ui.row().classes("full-width no-wrap gap-2"):
            x = NumberField("x [m]", 0.0, low=-_FAR_M, high=_FAR_M)
            y = NumberField("y [m]", 0.0, low=-_FAR_M, high=_FAR_M)
            theta = NumberField("heading [deg]", 0.0, low=-3600.0, high=3600.0)

        async def place() -> None:
            values = numbers(x, y, theta)
            if values is None or not model.selected:
                return
            px, py, _ = model.page.units.read((values[0], values[1], 0.0))
            pose = [px, py, math.radians(values[2])]
            ident = model.selected
            order = partial(model.runner.ask, "drag", ident=ident, pose=pose, ends=True)
            await model.page.obey(order, f"'{ident}' was put elsewhere", x.element)

        text_button("Put it there", place, look="dense")
    form.set_visibility(False)

    def fill() -> None:
        about = _about(model)
        if about is not None:
            units = model.page.units
            digits = 3 if units.system == "m" else 1
            for field, value in zip((x, y), units.show((*about["pose"][:2], 0.0)), strict=False):
                field.show(value, digits)
            theta.show(math.degrees(about["pose"][2]), 1)

    filled, metre = "", 1.0

    def follow_units() -> None:
        nonlocal metre
        units = model.page.units
        for field, axis in ((x, "x"), (y, "y")):
            field.rescale(f"{axis} [{units.system}]", units.per_metre / metre)
        metre = units.per_metre
        fill()

    model.page.on_units(follow_units)

    def refresh() -> None:
        nonlocal filled
        about = _about(model)
        hint.set_visibility(about is None)
        form.set_visibility(about is not None and (about["can_move"] or "/" in about["id"]))
        if about is None:
            table.show({}, str)
            filled = ""
            return
        if filled != about["id"]:
            filled = about["id"]
            fill()
        px, py, angle = about["pose"]
        vx, vy, w = about["velocity"]
        table.show(
            {
                "name": about["id"],
                "pose": f"{_point(model.page.units, px, py)}, {fixed(math.degrees(angle), 1)}°",
                "velocity": f"{fixed(vx)}, {fixed(vy)} m/s, {fixed(w, 2)} rad/s",
                "mass": f"{about['mass']:g} kg" if about["can_move"] else "fixed",
                "touches": _listed(about["touches"]),
            },
            str,
        )

    model.page.every(_REFRESH_S, refresh)


def _about(model: RunnerModel) -> dict[str, Any] | None:
    about = model.runner.status.selected
    return about if about and about["id"] == model.selected else None


def build_devices(model: RunnerModel) -> None:
    """Motors with their commands, sensors with their readings."""
    _title("Motors")
    motors = Table("Motors")
    _title("Sensors")
    sensors = Table("Sensors")

    def drive_of(values: list[float]) -> str:
        command, omega = values
        return f"command {fixed(command, 2)}, {fixed(omega, 1)} rad/s"

    def refresh() -> None:
        status, kinds = model.runner.status, model.runner.kinds
        _show(motors, status.motors, drive_of, "no motors")
        read = {name: (kinds.get(name, ""), values) for name, values in status.sensors.items()}
        _show(sensors, read, lambda reading: _reading(*reading), "no sensors")

    _while_seen(model, "Devices", refresh)


def _show(
    table: Table, rows: dict[str, _Value], text: Callable[[_Value], str], nothing: str
) -> None:
    if rows:
        table.show(rows, text)
    else:
        table.show({"-": nothing}, str)


def _while_seen(model: RunnerModel, tab: str, refresh: Callable[[], None]) -> None:
    """Fills a panel now, and again and again while its tab is open."""

    def again() -> None:
        if model.tabs.value == tab:
            refresh()

    refresh()
    model.page.every(_REFRESH_S, again)


def _listed(names: list[str]) -> str:
    rest = len(names) - _MOST_TOUCHED
    more = f" and {rest} more" if rest > 0 else ""
    return ", ".join(names[:_MOST_TOUCHED]) + more if names else "nothing"


def _reading(kind: str, values: list[float]) -> str:
    numbers = [fixed(value, 2) for value in values[:_MOST_VALUES]]
    if kind == "imu" and len(values) == len(_IMU):
        named = zip(_IMU, numbers, strict=True)
        return "\n".join(f"{name} {value} {unit}" for (name, unit), value in named)
    if kind == "encoder":
        return f"{numbers[0]} rad/s, {numbers[-1]} rad"
    rest = len(values) - _MOST_VALUES
    more = f"  and {rest} more" if rest > 0 else ""
    return "  ".join(numbers) + more + (" m" if kind == "distance" else "")


def _point(units: Units, x: float, y: float) -> str:
    px, py, _ = units.show((x, y, 0.0))
    digits = 3 if units.system == "m" else 0
    return f"{fixed(px, digits)}, {fixed(py, digits)} {units.system}"


def _title(text: str) -> None:
    ui.label(text).classes("text-weight-medium q-mt-sm")
