"""Where robots are, what is selected, what was put right; motors and sensors with their values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from nicegui import ui

from horus_sim.ui.kit.fields import NumberField, fixed, numbers
from horus_sim.ui.kit.orders import obey
from horus_sim.ui.kit.table import Table
from horus_sim.ui.shell.units import Units

if TYPE_CHECKING:
    from horus_sim.ui.runner.panels.context import Context

_REFRESH_S = 0.2
_MOST_VALUES = 8
_MOST_TOUCHED = 20
_FAR_M = 1e4
_Value = TypeVar("_Value")
_IMU = (("ax", "m/s²"), ("ay", "m/s²"), ("wz", "rad/s"), ("vx", "m/s"), ("vy", "m/s"))


def build_state(context: Context) -> None:
    """Robots, the selected body, and warnings."""
    _title("Robots")
    robots = Table("Robots")
    _title("Selected")
    _selected(context)
    _title("World")
    world = Table("World")

    def state_of(values: list[float]) -> str:
        x, y, theta, vx, vy, w = values
        return (
            f"{_point(context.page.units, x, y)}, {fixed(math.degrees(theta), 1)}°\n"
            f"{fixed(math.hypot(vx, vy))} m/s, {fixed(w, 2)} rad/s"
        )

    def refresh() -> None:
        status = context.runner.status
        _show(robots, status.get("robots", {}), state_of, "no robots")
        about = {
            "bodies": str(status.get("bodies", 0)),
            "contacts": str(status.get("contacts", 0)),
            "steps": str(status.get("steps", 0)),
            "cost of a step": f"{status.get('step_ms', 0.0):.3f} ms",
        }
        for text, count in status.get("warnings", []):
            about[f"warning ({count} times)"] = text
        world.show(about, str)

    _while_seen(context, "State", refresh)


def _selected(context: Context) -> None:
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
            if values is None or not context.selected:
                return
            px, py, _ = context.page.units.read((values[0], values[1], 0.0))
            pose = [px, py, math.radians(values[2])]
            ident = context.selected
            await obey(
                context.runner.log,
                lambda: context.runner.ask("drag", ident=ident, pose=pose, ends=True),
                f"'{ident}' was put elsewhere",
                x.element,
            )

        ui.button("Put it there", on_click=place).props('dense no-caps aria-label="Put it there"')
    form.set_visibility(False)

    def fill() -> None:
        about = _about(context)
        if about is not None:
            units = context.page.units
            digits = 3 if units.system == "m" else 1
            for field, value in zip((x, y), units.show((*about["pose"][:2], 0.0)), strict=False):
                field.show(value, digits)
            theta.show(math.degrees(about["pose"][2]), 1)

    filled = ""
    shown = "m"

    def follow_units() -> None:
        nonlocal shown
        units = context.page.units
        factor = units.per_metre / Units(shown).per_metre
        for field, axis in ((x, "x"), (y, "y")):
            field.rescale(f"{axis} [{units.system}]", factor)
        shown = units.system
        fill()

    context.page.on_units(follow_units)

    def refresh() -> None:
        nonlocal filled
        about = _about(context)
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
                "pose": f"{_point(context.page.units, px, py)}, {fixed(math.degrees(angle), 1)}°",
                "velocity": f"{fixed(vx)}, {fixed(vy)} m/s, {fixed(w, 2)} rad/s",
                "mass": f"{about['mass']:g} kg" if about["can_move"] else "fixed",
                "touches": _listed(about["touches"]),
            },
            str,
        )

    context.page.every(_REFRESH_S, refresh)


def _about(context: Context) -> dict[str, Any] | None:
    about = context.runner.status.get("selected")
    return about if about and about["id"] == context.selected else None


def build_devices(context: Context) -> None:
    """Motors with their commands, sensors with their readings."""
    _title("Motors")
    motors = Table("Motors")
    _title("Sensors")
    sensors = Table("Sensors")

    def drive_of(values: list[float]) -> str:
        command, omega = values
        return f"command {fixed(command, 2)}, {fixed(omega, 1)} rad/s"

    def refresh() -> None:
        status, kinds = context.runner.status, context.runner.kinds
        _show(motors, status.get("motors", {}), drive_of, "no motors")
        read = {
            name: (kinds.get(name, ""), values)
            for name, values in status.get("sensors", {}).items()
        }
        _show(sensors, read, lambda reading: _reading(*reading), "no sensors")

    _while_seen(context, "Devices", refresh)


def _show(
    table: Table, rows: dict[str, _Value], text: Callable[[_Value], str], nothing: str
) -> None:
    if rows:
        table.show(rows, text)
    else:
        table.show({"-": nothing}, str)


def _while_seen(context: Context, tab: str, refresh: Callable[[], None]) -> None:
    """Fills a panel now, and again and again while its tab is open."""

    def again() -> None:
        if context.tabs is None or context.tabs.value == tab:
            refresh()

    refresh()
    context.page.every(_REFRESH_S, again)


def _listed(names: list[str]) -> str:
    rest = len(names) - _MOST_TOUCHED
    more = f" and {rest} more" if rest > 0 else ""
    return ", ".join(names[:_MOST_TOUCHED]) + more if names else "nothing"


def _reading(kind: str, values: list[float]) -> str:
    numbers = [fixed(value, 2) for value in values[:_MOST_VALUES]]
    if kind == "imu" and len(values) == len(_IMU):
        pairs = (
            f"{name} {value} {unit}" for (name, unit), value in zip(_IMU, numbers, strict=True)
        )
        return "\n".join(pairs)
    if kind == "encoder":
        return f"{numbers[0]} rad/s, {numbers[-1]} rad"
    rest = len(values) - _MOST_VALUES
    more = f"  and {rest} more" if rest > 0 else ""
    return "  ".join(numbers) + more + (" m" if kind == "distance" else "")


def _point(units: Any, x: float, y: float) -> str:  # noqa: ANN401
    if units.system == "m":
        return f"{fixed(x)}, {fixed(y)} m"
    px, py, _ = units.show((x, y, 0.0))
    return f"{fixed(px, 0)}, {fixed(py, 0)} mm"


def _title(text: str) -> None:
    ui.label(text).classes("text-weight-medium q-mt-sm")
