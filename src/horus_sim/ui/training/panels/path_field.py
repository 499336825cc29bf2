"""A field for the path of something that no list offers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from horus_sim.ui.kit.controls import icon_button
from horus_sim.ui.kit.fields import TextField


def path_field(
    label: str,
    icon: str,
    action: str,
    take: Callable[[str, TextField], Awaitable[None]],
    wanted: str,
) -> TextField:
    """A field with a button.

    Args:
        label: Label and accessible name.
        icon: Name of a Material icon, for the button.
        action: What the button does; its accessible name.
        take: Called with the path and the field, which shows what is wrong with it.
        wanted: What the field asks for.
    """

    async def use() -> None:
        path = str(field.value or "").strip()
        if path:
            await take(path, field)
        else:
            field.error = f"give {wanted}"

    with ui.row().classes("full-width no-wrap items-start gap-1"):
        field = TextField(label).on("keydown.enter", use)
        field.props(f'outlined dense placeholder="runs/mine" aria-label="{label}"')
        field.classes("col").style("min-width:0")
        icon_button(icon, action, use, wanted.capitalize())
    return field
