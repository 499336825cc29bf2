"""Where a panel says what is wrong."""

from __future__ import annotations

from nicegui import ui


def message_label(name: str) -> ui.label:
    """A label for errors, empty at first.

    Args:
        name: Its accessible name.
    """
    label = ui.label().classes("text-negative text-caption full-width")
    label.props(f'role="alert" aria-label="{name}"').style("overflow-wrap:anywhere")
    label.bind_visibility_from(label, "text", bool)
    return label
