"""Pictures of single environments, drawn from above."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from horus_sim.rl.engines.planar_batch import PlanarBackend
from horus_sim.rl.randomization.planar_visual import PlanarLook, PlanarVisual
from horus_sim.sim2d import Scenario
from horus_sim.sim2d.pose import compose

Point = tuple[float, float]

_MARGIN = 0.1
_ROUND = 24


class PlanarPictures:
    """Draws worlds: lines on the floor, bodies in their colors, where the robot heads, and a goal.

    Args:
        sim: The worlds.
        scenario: Their scenario.
        goals: x, y of a goal in each environment [m], shape (num_envs, 2), or None.
        visuals: Randomizations of what they show.
    """

    def __init__(
        self,
        sim: PlanarBackend,
        scenario: Scenario,
        goals: npt.NDArray[np.float64] | None,
        visuals: Sequence[PlanarVisual] = (),
    ) -> None:
        self._visuals = visuals
        self._sim = sim
        self._goals = goals
        self._marks = [stroke for stroke in scenario.world.drawings if stroke.kind == "mark"]

    def draw(self, env: int, width: int, height: int) -> npt.NDArray[np.uint8]:
        """A picture, shape (height, width, 3); x points right, y up."""
        look = PlanarLook()
        for visual in self._visuals:
            visual.paint(look, env)
        outlines = self._outlines(env, look)
        points = np.array([point for _, outline in outlines for point in outline])
        low, high = points.min(axis=0) - _MARGIN, points.max(axis=0) + _MARGIN
        scale = float(np.min(np.array([width, height]) / (high - low)))
        middle = 0.5 * (low + high)

        def place(line: list[Point]) -> list[Point]:
            return [
                (0.5 * width + scale * (x - middle[0]), 0.5 * height - scale * (y - middle[1]))
                for x, y in line
            ]

        image = Image.new("RGB", (width, height), "white")
        if look.floor is not None:
            x = middle[0] + (np.arange(width) + 0.5 - 0.5 * width) / scale
            y = middle[1] - (np.arange(height) + 0.5 - 0.5 * height) / scale
            image = Image.fromarray(_tiled(look.floor, look.square, x, y))
        canvas = ImageDraw.Draw(image)
        for mark in self._marks:
            thickness = max(1, round(scale * mark.thickness))
            canvas.line(place(list(mark.points)), fill=(60, 60, 60), width=thickness, joint="curve")
        for color, outline in outlines:
            canvas.polygon(place(outline), fill=color, outline=(40, 40, 40))
        canvas.line(place(self._heading(env)), fill="white", width=max(1, round(0.02 * scale)))
        if self._goals is not None:
            x, y = self._goals[env].tolist()
            canvas.polygon(place(_circle(x, y, 0.05)), fill=(210, 60, 40))
        pixels = np.asarray(image)
        if look.brightness == 1.0:
            return pixels.copy()
        return np.clip(look.brightness * pixels, 0.0, 255.0).astype(np.uint8)

    def _heading(self, env: int) -> list[Point]:
        """A line from the middle of the robot to its front."""
        x, y, theta = self._sim.states[env, :3].tolist()
        body = self._sim.layout.configs[self._sim.robot]
        ahead = body.radius or max(point[0] for point in body.points)
        return [(x, y), (x + ahead * math.cos(theta), y + ahead * math.sin(theta))]

    def close(self) -> None:
        """Nothing to free."""

    def _outlines(
        self, env: int, look: PlanarLook
    ) -> list[tuple[tuple[int, int, int], list[Point]]]:
        outlines = []
        poses = self._sim.body_poses()[env].tolist()
        bodies = zip(poses, self._sim.layout.configs, strict=True)
        for number, (pose, body) in enumerate(bodies):
            if body.radius is not None:
                outline = _circle(pose[0], pose[1], body.radius)
            else:
                corners = (compose((pose[0], pose[1], pose[2]), (*p, 0.0)) for p in body.points)
                outline = [(corner[0], corner[1]) for corner in corners]
            outlines.append((look.colour(number, body.material.color), outline))
        return outlines


def _tiled(
    image: npt.NDArray[np.uint8],
    square: float,
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
) -> npt.NDArray[np.uint8]:
    """What images side by side, in squares of that side [m], show at places [m]."""
    height, width = image.shape[:2]
    columns = (x / square % 1.0 * width).astype(int)
    rows = (-y / square % 1.0 * height).astype(int)
    return np.ascontiguousarray(image[np.minimum(rows, height - 1)[:, None], columns % width])


def _circle(x: float, y: float, radius: float) -> list[Point]:
    turns = [2.0 * math.pi * k / _ROUND for k in range(_ROUND)]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]
