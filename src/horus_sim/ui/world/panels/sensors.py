"""Sensors: what they say now, plots of their numbers, and pictures of cameras."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.kit.fields import fixed
from horus_sim.ui.kit.panel import hint
from horus_sim.ui.stream.sensor_stream import Reading, is_picture, points_of, values_of

if TYPE_CHECKING:
    from horus_sim.ui.world.page_state import WorldPageState

_REFRESH_S = 0.25
_SAMPLES = 120
_COLORS = ("#e53935", "#43a047", "#1e88e5", "#fb8c00")


def build_sensors(state: WorldPageState) -> None:
    """A read-out for each sensor, a plot of the chosen one, and pictures."""
    stream = state.session.sensors
    stream.is_watched = True
    empty = hint("This scene has no sensors.")
    column = ui.column().classes("full-width").style("gap:8px")
    labels: dict[str, ui.label] = {}
    plots: dict[str, Plot] = {}

    def rebuild(readings: dict[str, Reading]) -> None:
        column.clear()
        labels.clear()
        plots.clear()
        cameras = False
        with column:
            for number, reading in enumerate(readings.values()):
                if is_picture(reading.kind):
                    cameras = True
                with ui.column().classes("horus-card"):
                    _show(number, reading)
        state.view.set_pictures(shown=cameras)

    def _show(number: int, reading: Reading) -> None:
        with ui.row().classes("no-wrap full-width items-baseline gap-2"):
            ui.label(reading.name).classes("text-weight-medium ellipsis")
            ui.space()
            ui.label(reading.kind.replace("_", " ")).classes("horus-fact")
        if is_picture(reading.kind):
            ui.element("img").props(f'data-camera="{number}" alt="Picture of {reading.name}"')
        elif reading.kind not in ("lidar", "laser_scan"):
            plots[reading.name] = Plot(reading.name)
        label = ui.label().classes("horus-fact").style("white-space:pre-line")
        label.props(f'aria-label="Reading of {reading.name}"')
        labels[reading.name] = label

    def refresh() -> None:
        readings = stream.readings
        empty.set_visibility(not readings)
        if list(readings) != list(labels):
            rebuild(readings)
        for name, reading in readings.items():
            labels[name].text = summary(reading)
            if name in plots and reading.message is not None:
                plots[name].add(values_of(reading.message))

    state.page.every(_REFRESH_S, refresh)


def summary(reading: Reading) -> str:
    """A reading in few lines."""
    message = reading.message
    if message is None:
        return "no message yet"
    points = points_of(message)
    if points is not None:
        if len(points) == 0:
            return "nothing in reach"
        nearest = float((points**2).sum(axis=1).min() ** 0.5)
        return f"{len(points)} hits, nearest {nearest:.2f} m"
    lines = [
        f"{name} {', '.join(fixed(value) for value in values)}"
        for name, values in values_of(message).items()
    ]
    return "\n".join(lines[:6])


class Plot:
    """The last values of a field of a message, as lines; which field is chosen beside them."""

    def __init__(self, name: str) -> None:
        self._field = ui.select([], label="Plot").props(
            f'dense borderless options-dense aria-label="Plotted of {name}"'
        )
        self._field.on_value_change(self._lines_anew)
        self._field.classes("full-width")
        self._image = ui.html("", sanitize=False).classes("full-width")
        self._image.props(f'role="img" aria-label="Plot of {name}"')
        self._lines: list[deque[float]] = []

    def add(self, values: dict[str, list[float]]) -> None:
        """Adds a sample."""
        if not values:
            return
        if list(values) != self._field.options:
            self._field.set_options(list(values), value=next(iter(values)))
        sample = values[self._field.value or next(iter(values))][: len(_COLORS)]
        if len(self._lines) != len(sample):
            self._lines = [deque(maxlen=_SAMPLES) for _ in sample]
        for line, value in zip(self._lines, sample, strict=True):
            line.append(value)
        self._image.set_content(polyline_svg(self._lines))

    def _lines_anew(self) -> None:
        self._lines = []


def polyline_svg(lines: list[deque[float]], width: int = 300, height: int = 64) -> str:
    """Lines in one picture, scaled to what is in them, with the limits at the left."""
    every = [value for line in lines for value in line if value == value]
    if not every:
        return ""
    low, high = min(every), max(every)
    if high - low < 1e-6 * max(abs(low), abs(high), 1.0):
        low, high = low - 0.5, high + 0.5
    left, edge = 52, 5
    paths = []
    for line, color in zip(lines, _COLORS, strict=False):
        points = " ".join(
            f"{left + (width - left) * i / (_SAMPLES - 1):.1f},"
            f"{height - edge - (height - 2 * edge) * (value - low) / (high - low):.1f}"
            for i, value in enumerate(line)
            if value == value
        )
        paths.append(f'<polyline points="{points}" fill="none" stroke="{color}"/>')
    marks = "".join(
        f'<line x1="{left}" x2="{width}" y1="{y}" y2="{y}" stroke="currentColor" opacity=".2"/>'
        f'<text x="{left - 5}" y="{y + 4}" font-size="10" text-anchor="end" fill="currentColor" '
        f'opacity=".7">{value:.4g}</text>'
        for y, value in ((edge, high), (height - edge, low))
    )
    drawn = "".join(paths)
    return f'<svg viewBox="0 0 {width} {height}" style="width:100%">{marks}{drawn}</svg>'
