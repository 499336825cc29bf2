"""Where panels live: a drawer at the side, and sections in it that fold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nicegui import ui

if TYPE_CHECKING:
    from horus_sim.ui.shell import Page

_DRAWER_PX = 340
_NARROW_PX = 800


def side_panel(page: Page) -> ui.right_drawer:
    """A drawer at the right with its button in the header; on a phone it begins folded away."""
    drawer = ui.right_drawer(value=None, bordered=True).props(
        f'width={_DRAWER_PX} breakpoint={_NARROW_PX} role="region" aria-label="Panels"'
    )
    drawer.classes("q-pa-none horus-drawer")
    with page.actions:
        ui.button(icon="menu_open", on_click=drawer.toggle).props(
            'flat round dense color=white aria-label="Panels"'
        )
    return drawer


def panel(name: str, build_content: Callable[[], object], *, is_open: bool = False) -> None:
    """A section that folds.

    Args:
        name: In its header; also its accessible name.
        build_content: Fills it.
        is_open: Whether it begins unfolded.
    """
    section = ui.expansion(name, value=is_open).classes("full-width")
    section.props(f'dense header-class="text-weight-medium" aria-label="{name}"')
    with section, ui.column().classes("full-width gap-1"):
        build_content()
