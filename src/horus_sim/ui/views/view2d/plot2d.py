"""Lines over time, drawn from the stream or from what a panel shows."""

from __future__ import annotations

from collections.abc import Sequence

from horus_sim.ui.views.view import View


class Plot2d(View, component="plot2d.js", default_classes="full-width"):
    """Plots the newest message of a channel, or what `show` is given.

    A message is JSON text `{"channel", "window" [s], "names", "time", "values"}`, one list of
    values for each name.

    Args:
        channel: Channel of the messages; '' where only `show` is used.
        label: Accessible name.
    """

    def __init__(self, channel: str = "", label: str = "Plot of signals") -> None:
        super().__init__(channel=channel, label=label)

    def show(
        self, names: Sequence[str], time: Sequence[float], values: Sequence[Sequence[float]]
    ) -> None:
        """Draws lines.

        Args:
            names: Name of each line.
            time: Times of the samples [s].
            values: Samples of each line; those that are not finite leave a gap.
        """
        self.run_method("show", {"names": names, "time": time, "values": values})
