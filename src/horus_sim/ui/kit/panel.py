"""Where panels live: a drawer at the side, and sections in it that fold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.shell.buttons import icon_button

if TYPE_CHECKING:
    from horus_sim.ui.shell.page import Page

_DRAWER_PX = 340
_NARROW_PX = 800


def side_panel(page: Page) -> ui.right_drawer:
    """A drawer at the right with its button in the header; on a phone it begins folded away."""
    # Not value=None: NiceGUI would ask the browser, and complain on the terminal if that is slow.
    drawer = ui.right_drawer(value=False, bordered=True)
    # Its edge for swiping would lie over the buttons of a narrow header.
    drawer.props(f"no-swipe-open show-if-above width={_DRAWER_PX} breakpoint={_NARROW_PX}")
    drawer.props('role="region" aria-label="Panels"').classes("q-pa-none gap-0 horus-drawer")
    with page.actions:
        icon_button("view_sidebar", "Panels", drawer.toggle, props="color=white")
    return drawer


def panel(
    name: str, icon: str, build_content: Callable[[], object], *, is_open: bool = False
) -> None:
    """A section that folds.

    Args:
        name: Name in its header; also its accessible name.
        icon: Name of a Material icon.
        build_content: Fills it.
        is_open: Whether it begins unfolded.
    """
    section = ui.expansion(name, icon=icon, value=is_open).classes("full-width")
    section.props(f'dense header-class="text-weight-medium" aria-label="{name}"')
    with section, ui.column().classes("full-width"):
        build_content()


def hint(text: str = "") -> ui.label:
    """A line that explains, in small and pale letters."""
    return ui.label(text).classes("horus-hint")


def facts(names: tuple[str, ...]) -> dict[str, ui.label]:
    """A table of names and values; the labels of the values by name."""
    labels: dict[str, ui.label] = {}
    with ui.element("div").classes("horus-table"):
        for name in names:
            ui.label(name)
            labels[name] = ui.label("-").classes("horus-number").props(f'aria-label="{name}"')
    return labels
