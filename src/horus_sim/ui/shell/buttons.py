"""The one button with an icon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui


def icon_button(
    icon: str,
    name: str,
    action: Callable[..., Any] | None = None,
    tip: str | None = None,
    *,
    props: str = "",
) -> ui.button:
    """A round button with an icon and an accessible name.

    Args:
        icon: Name of a Material icon.
        name: Accessible name, by which tests and screen readers find the button.
        action: Called on a click.
        tip: What is shown beside the pointer; the name unless given, nothing for ''.
        props: Further properties of Quasar, such as 'color=white' or 'size=sm'.
    """
    button = ui.button(icon=icon, on_click=action)
    button.props(f'flat round dense aria-label="{name}" {props}')
    if tip != "":
        button.tooltip(tip or name)
    return button


def set_pressed(button: ui.button, *, pressed: bool) -> None:
    """Shows whether a button that switches something is on."""
    button.props(f'aria-pressed="{str(pressed).lower()}"')
    button.classes(add="on") if pressed else button.classes(remove="on")
