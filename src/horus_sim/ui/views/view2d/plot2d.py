"""Lines over time, drawn from the stream."""

from __future__ import annotations

from horus_sim.ui.views.view import View


class Plot2d(View, component="plot2d.js", default_classes="full-width"):
    """Plots the newest message of a channel.

    It is JSON text `{"channel", "window" [s], "names", "time", "values"}`, one list of values for
    each name.

    Args:
        channel: Where it comes from.
        label: Accessible name.
    """

    def __init__(self, channel: str, label: str = "Plot of signals") -> None:
        super().__init__(channel=channel, label=label)
