"""What a run looked like: rows of signals, and a picture of the path."""

from __future__ import annotations

import csv
import importlib
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from horus_sim.errors import MissingExtraError, Sim2dError
from horus_sim.files.whole_file import whole_file, write_whole

if TYPE_CHECKING:
    from horus_sim.sim2d.simulation.simulator import Simulator

_PIXELS_PER_M = 200.0
_COLORS = ("#1f6fb4", "#d0492b", "#2f8f4e", "#8c5bb0")


class Recorder:
    """Collects poses, velocities, commands and readings of every step.

    Args:
        sim: The simulator to watch; call the recorder after each step.
    """

    def __init__(self, sim: Simulator) -> None:
        self._sim = sim
        names = ["time"]
        for ident, robot in sim.robots.items():
            first = next(iter(robot.bodies))
            names += [f"{ident}/{first}/{k}" for k in ("x", "y", "theta", "vx", "vy", "w")]
            names += [f"{ident}/{motor}/command" for motor in robot.motors]
        for name, slot in sim.layout.sensors.items():
            names += [f"{name}/{k}" for k in range(slot.width)] if slot.width > 1 else [name]
        self.columns = tuple(names)
        self.rows: list[list[float]] = []

    def __call__(self, sim: Simulator) -> None:
        """Adds a row."""
        row = [sim.time]
        for robot in sim.robots.values():
            first = next(iter(robot.bodies.values()))
            row += [*first.pose, *first.velocity]
            row += [motor.command for motor in robot.motors.values()]
        row += sim.raw_readings().tolist()
        self.rows.append(row)

    def write(self, path: str | Path) -> None:
        """Writes all rows: .csv or .parquet.

        Raises:
            MissingExtraError: Parquet needs pyarrow.
            Sim2dError: Another ending, or the file cannot be written.
        """
        path = Path(path)
        if path.suffix == ".csv":
            text = io.StringIO(newline="")
            writer = csv.writer(text)
            writer.writerow(self.columns)
            writer.writerows(self.rows)
            write_whole(path, text.getvalue(), Sim2dError)
        elif path.suffix == ".parquet":
            try:
                pa = importlib.import_module("pyarrow")
                pq = importlib.import_module("pyarrow.parquet")
            except ImportError as error:
                raise MissingExtraError("pyarrow", "parquet") from error
            values = np.array(self.rows, dtype=np.float64).reshape(-1, len(self.columns))
            table = pa.table({name: values[:, k] for k, name in enumerate(self.columns)})
            with whole_file(path, Sim2dError) as file:
                pq.write_table(table, file)
        else:
            raise Sim2dError(f"'{path}' ends in '{path.suffix}'; logs end in .csv or .parquet")

    def paths(self) -> dict[str, list[tuple[float, float]]]:
        """The points [m] that each robot passed."""
        result = {}
        for ident, robot in self._sim.robots.items():
            column = self.columns.index(f"{ident}/{next(iter(robot.bodies))}/x")
            result[ident] = [(row[column], row[column + 1]) for row in self.rows]
        return result


def write_picture(recorder: Recorder, sim: Simulator, path: str | Path) -> None:
    """Draws the world as it is now and the robots' paths, as SVG or PNG.

    Raises:
        Sim2dError: The path ends in something else, or cannot be written.
    """
    path = Path(path)
    outlines, marks = _shapes(sim)
    paths = recorder.paths()
    points = [p for _, shape in outlines for p in shape] + [
        p for line in paths.values() for p in line
    ]
    points += [p for _, line in marks for p in line] or [(0.0, 0.0)]
    low_x, high_x = min(p[0] for p in points) - 0.1, max(p[0] for p in points) + 0.1
    low_y, high_y = min(p[1] for p in points) - 0.1, max(p[1] for p in points) + 0.1
    scale = min(_PIXELS_PER_M, 4000.0 / max(high_x - low_x, high_y - low_y))
    size = (math.ceil(scale * (high_x - low_x)), math.ceil(scale * (high_y - low_y)))

    def place(line: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(scale * (x - low_x), scale * (high_y - y)) for x, y in line]

    drawn = [
        *((place(line), "#d8d8d8", scale * width, None) for width, line in marks),
        *((place([*shape, shape[0]]), "#555555", 1.5, fill) for fill, shape in outlines),
        *(
            (place(line), _COLORS[k % len(_COLORS)], 2.0, None)
            for k, line in enumerate(paths.values())
        ),
    ]
    if path.suffix == ".svg":
        write_whole(path, _svg(drawn, size), Sim2dError)
    elif path.suffix == ".png":
        with whole_file(path, Sim2dError) as file:
            _png(drawn, size, file)
    else:
        raise Sim2dError(f"'{path}' ends in '{path.suffix}'; pictures end in .svg or .png")


Line = list[tuple[float, float]]
Drawn = list[tuple[Line, str, float, str | None]]


def _shapes(sim: Simulator) -> tuple[list[tuple[str, Line]], list[tuple[float, Line]]]:
    outlines = []
    for name, body in sim.bodies.items():
        config = sim.layout.configs[sim.layout.bodies[name]]
        red, green, blue = config.material.color
        corners = config.points
        if config.radius is not None:
            turns = [2 * math.pi * k / 32 for k in range(32)]
            corners = [(config.radius * math.cos(t), config.radius * math.sin(t)) for t in turns]
        shape = [body.pose.transform_point(corner) for corner in corners]
        outlines.append((f"#{red:02x}{green:02x}{blue:02x}", shape))
    marks = [
        (stroke.thickness, list(stroke.points))
        for stroke in sim.scenario.world.drawings
        if stroke.kind == "mark" and stroke.points
    ]
    return outlines, marks


def _svg(drawn: Drawn, size: tuple[int, int]) -> str:
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" '
            f'width="{size[0]}" height="{size[1]}">'
        ),
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for line, color, width, fill in drawn:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in line)
        lines.append(
            f'<polyline points="{points}" fill="{fill or "none"}" stroke="{color}" '
            f'stroke-width="{width:.1f}" stroke-linecap="round" stroke-linejoin="round"/>'
        )
    return "\n".join([*lines, "</svg>", ""])


def _png(drawn: Drawn, size: tuple[int, int], file: BinaryIO) -> None:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", size, "white")
    canvas = ImageDraw.Draw(image)
    for line, color, width, fill in drawn:
        if fill is not None:
            canvas.polygon(line, fill=fill)
        if len(line) > 1:
            canvas.line(line, fill=color, width=max(1, round(width)), joint="curve")
    image.save(file, "PNG")
