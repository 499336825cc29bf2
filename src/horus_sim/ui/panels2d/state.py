"""Where robots are, what is selected, what was put right; motors and sensors with their values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nicegui import ui

from horus_sim.ui.panels.fields import NumberField, fixed, numbers
from horus_sim.ui.panels.orders import obey
from horus_sim.ui.units import Units

if TYPE_CHECKING:
    from horus_sim.ui.panels2d.context import Context

_REFRESH_S = 0.2
_MOST_VALUES = 8
_FAR_M = 1e4
_IMU = (("ax", "m/s²"), ("ay", "m/s²"), ("wz", "rad/s"), ("vx", "m/s"), ("vy", "m/s"))


def build_state(context: Context) -> None:
    """Robots, the selected body, and warnings."""
    _title("Robots")
    robots = _Table("Robots")
    _title("Selected")
    _selected(context)
    _title("World")
    world = _Table("World")

    def refresh() -> None:
        status = context.runner.status
        units = context.page.units
        rows: dict[str, str] = {}
        for name, (x, y, theta, vx, vy, w) in status.get("robots", {}).items():
            where = _point(units, x, y)
            rows[name] = (
                f"{where}, {fixed(math.degrees(theta), 1)}°\n"
                f"{fixed(math.hypot(vx, vy))} m/s, {fixed(w, 2)} rad/s"
            )
        robots.show(rows or {"-": "no robots"})
        about = {
            "bodies": str(status.get("bodies", 0)),
            "contacts": str(status.get("contacts", 0)),
            "steps": str(status.get("steps", 0)),
            "cost of a step": f"{status.get('step_ms', 0.0):.3f} ms",
        }
        for text, count in status.get("warnings", []):
            about[f"warning ({count} times)"] = text
        world.show(about)

    refresh()
    context.page.every(_REFRESH_S, refresh)


def _selected(context: Context) -> None:
    hint = ui.label("Click something to see it here; drag it to move it.").classes("text-caption")
    table = _Table("Selected")
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
            table.show({})
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
                "touches": ", ".join(about["touches"]) or "nothing",
            }
        )

    context.page.every(_REFRESH_S, refresh)


def _about(context: Context) -> dict[str, Any] | None:
    about = context.runner.status.get("selected")
    return about if about and about["id"] == context.selected else None


def build_devices(context: Context) -> None:
    """Motors with their commands, sensors with their readings."""
    _title("Motors")
    motors = _Table("Motors")
    _title("Sensors")
    sensors = _Table("Sensors")

    def refresh() -> None:
        status = context.runner.status
        driven = {
            name: f"command {fixed(command, 2)}, {fixed(omega, 1)} rad/s"
            for name, (command, omega) in status.get("motors", {}).items()
        }
        motors.show(driven or {"-": "no motors"})
        kinds = context.runner.kinds
        read = {
            name: _reading(kinds.get(name, ""), values)
            for name, values in status.get("sensors", {}).items()
        }
        sensors.show(read or {"-": "no sensors"})

    refresh()
    context.page.every(_REFRESH_S, refresh)


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


class _Table:
    """Names and values, two columns."""

    def __init__(self, name: str) -> None:
        self._grid = ui.element("div").style(
            "display:grid;grid-template-columns:minmax(6em,auto) 1fr;gap:2px 12px;width:100%"
        )
        self._grid.props(f'role="table" aria-label="{name}"')
        self._values: dict[str, ui.label] = {}

    def show(self, rows: dict[str, str]) -> None:
        """Shows these rows; labels are made anew only when the names changed."""
        if list(rows) != list(self._values):
            self._grid.clear()
            self._values = {}
            with self._grid:
                for name in rows:
                    ui.label(name).classes("text-caption text-grey")
                    value = ui.label().classes("text-caption horus-number")
                    value.style("white-space:pre-wrap;overflow-wrap:anywhere")
                    self._values[name] = value.props(f'aria-label="{name}"')
        for name, text in rows.items():
            self._values[name].text = text
