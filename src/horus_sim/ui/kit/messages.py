"""Where a panel says what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.errors import HorusError

if TYPE_CHECKING:
    from nicegui.elements.mixins.validation_element import ValidationElement

    from horus_sim.ui.shell.page import Page


def message_label(name: str) -> ui.label:
    """A label for errors, empty at first.

    Args:
        name: Its accessible name.
    """
    label = ui.label().classes("text-negative text-caption full-width")
    label.props(f'role="alert" aria-label="{name}"').style("overflow-wrap:anywhere")
    label.bind_visibility_from(label, "text", bool)
    return label


@contextmanager
def complaining(page: Page, field: ValidationElement | None = None) -> Iterator[None]:
    """Shows an error of what is done inside beside a field, or as a note on the page."""
    try:
        yield
    except HorusError as error:
        page.complain(str(error), field)
    else:
        if field is not None:
            field.error = None
