"""Lines over time, drawn from the stream."""

from __future__ import annotations

from nicegui.element import Element

from horus_sim.ui.view3d import View3d  # noqa: F401 - registers the module `horus-view3d`


class Plot2d(Element, component="plot2d.js", default_classes="full-width"):
    """Plots the newest message of a channel.

    It is JSON text `{"channel", "window" [s], "names", "time", "values"}`, one list of values for
    each name.

    Args:
        channel: Where it comes from.
        label: Accessible name.
    """

    def __init__(self, channel: str, label: str = "Plot of signals") -> None:
        super().__init__()
        self._props["channel"] = channel
        self._props["label"] = label
