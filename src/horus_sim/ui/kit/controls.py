"""Controls that look the same on every page, each with an accessible name.

`icon_button` of `shell.buttons` is the one button with an icon alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nicegui import ui

from horus_sim.ui.kit.fields import slid_to
from horus_sim.ui.shell.buttons import icon_button, set_pressed

if TYPE_CHECKING:
    from nicegui.events import GenericEventArguments

SMALL = "outline dense size=sm"


def select(
    label: str,
    options: Sequence[Any] | Mapping[Any, str] = (),
    value: object = None,
    on_change: Callable[..., Any] | None = None,
    **more: Any,  # noqa: ANN401 - arguments of ui.select
) -> ui.select:
    """A list to choose from, as wide as its place.

    Args:
        label: Label and accessible name.
        options: What can be chosen, or texts by what they stand for.
        value: What is chosen at first.
        on_change: Called with the event when something else is chosen.
        more: Further arguments of `ui.select`.
    """
    given = dict(options) if isinstance(options, Mapping) else list(options)
    chosen = ui.select(given, label=label, value=value, on_change=on_change, **more)
    return chosen.props(f'outlined dense aria-label="{label}"').classes("col full-width")


def choice(
    label: str, options: Mapping[Any, str], value: object, on_change: Callable[..., Any]
) -> ui.toggle:
    """A few words side by side, of which one is chosen.

    Args:
        label: Accessible name.
        options: Texts by what they stand for.
        value: What is chosen at first.
        on_change: Called with the event when something else is chosen.
    """
    chosen = ui.toggle(dict(options), value=value, on_change=on_change).classes("horus-choice")
    return chosen.props(f'dense no-caps unelevated toggle-color=primary aria-label="{label}"')


def slider(
    name: str,
    low: float,
    high: float,
    step: float,
    value: float,
    on_slide: Callable[[float], Any],
    *,
    throttle: float = 0.1,
) -> ui.slider:
    """A slider that tells where the user moves it; its value may also follow something else.

    Args:
        name: Accessible name.
        low: Least value.
        high: Greatest value.
        step: Distance of values that can be chosen.
        value: Value at first.
        on_slide: Called with the value that the user chooses.
        throttle: Seconds between two calls, at least.
    """

    def tell(event: GenericEventArguments) -> object:
        chosen = slid_to(event)
        return None if chosen is None else on_slide(chosen)

    made = ui.slider(min=low, max=high, step=step, value=value)
    made.on("update:model-value", tell, throttle=throttle)
    return made.props(f'dense aria-label="{name}"')


def text_button(
    text: str,
    action: Callable[..., Any] | None = None,
    icon: str | None = None,
    *,
    look: str = "unelevated",
    name: str = "",
) -> ui.button:
    """A button with a word.

    Args:
        text: The word.
        action: Called on a click.
        icon: Name of a Material icon before the word.
        look: Properties of Quasar: 'unelevated', 'outline', 'flat dense'; `SMALL` for panels.
        name: Accessible name; the word unless given.
    """
    button = ui.button(text, icon=icon, on_click=action)
    return button.props(f'{look} no-caps aria-label="{name or text}"')


def mode_button(
    icon: str, name: str, action: Callable[..., Any] | None = None, tip: str | None = None
) -> ui.button:
    """A button in a bar over a view, grey until `set_pressed` says that it is on."""
    button = icon_button(icon, name, action, tip, props="color=grey-7")
    return button.props(remove="round").classes("horus-mode")


def set_options(chosen: ui.select, options: list[Any], default: object = None) -> None:
    """Offers other options; what is chosen stays chosen as long as it is among them."""
    if options != chosen.options:
        chosen.set_options(options, value=chosen.value if chosen.value in options else default)


__all__ = [
    "SMALL",
    "choice",
    "icon_button",
    "mode_button",
    "select",
    "set_options",
    "set_pressed",
    "slider",
    "text_button",
]
