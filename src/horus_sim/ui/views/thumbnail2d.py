"""A scene as a small picture."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

Scene = dict[str, Any]
_MARGIN = 0.05


def thumbnail(scene: Scene | None, width: int = 200, height: int = 130) -> str:
    """An SVG of a scene as `scene2d` makes it; an empty one for None."""
    style = f'width="{width}" height="{height}" style="display:block;background:#eef2f5"'
    if scene is None:
        return f'<svg viewBox="0 0 {width} {height}" {style}></svg>'
    low, high = _extent(scene)
    scale = (1 - 2 * _MARGIN) * float(np.min((width, height) / (high - low)))
    x, y = 0.5 * (low + high)
    place = f"translate({width / 2} {height / 2}) scale({scale:.4g} {-scale:.4g})"
    place += f" translate({-x:.4g} {-y:.4g})"
    drawn = [_stroke(stroke) for stroke in scene["strokes"]]
    if scene["bounds"]:
        drawn.append(_bounds(scene["bounds"]))
    drawn += [_body(body) for body in sorted(scene["bodies"], key=lambda b: b["kind"] == "robot")]
    inside = "".join(drawn)
    return f'<svg viewBox="0 0 {width} {height}" {style}><g transform="{place}">{inside}</g></svg>'


def _extent(scene: Scene) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Least and greatest x and y [m] of what is drawn; at least 0.3 m apart."""
    points = [point for stroke in scene["strokes"] for point in stroke["points"]]
    if scene["bounds"]:
        points += [scene["bounds"]["low"], scene["bounds"]["high"]]
    for body in scene["bodies"]:
        x, y, _ = body["pose"]
        corners = [math.hypot(*point) for point in body.get("points", ())]
        reach = body.get("radius") or max(corners, default=0.0)
        points += [(x - reach, y - reach), (x + reach, y + reach)]
    points = points or [(-1.0, -1.0), (1.0, 1.0)]
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    grow = np.maximum(0.0, 0.3 - (high - low))
    return low - grow, high + grow


def _stroke(stroke: Scene) -> str:
    points = " ".join(f"{x:.4g},{y:.4g}" for x, y in stroke["points"])
    color = "#78828c" if stroke["kind"] == "wall" else escape(stroke["color"])
    return (
        f'<polyline points="{points}" fill="none" stroke="{color}" '
        f'stroke-width="{stroke["width"]:.4g}" stroke-linejoin="round"/>'
    )


def _bounds(bounds: Scene) -> str:
    (low_x, low_y), (high_x, high_y) = bounds["low"], bounds["high"]
    return (
        f'<rect x="{low_x:.4g}" y="{low_y:.4g}" width="{high_x - low_x:.4g}" '
        f'height="{high_y - low_y:.4g}" fill="none" stroke="#78828c" '
        f'stroke-width="{bounds["width"]:.4g}"/>'
    )


def _body(body: Scene) -> str:
    x, y, theta = body["pose"]
    place = f'transform="translate({x:.4g} {y:.4g}) rotate({math.degrees(theta):.4g})"'
    fill = f'fill="{escape(body["fill"])}"'
    if "radius" in body:
        return f'<circle r="{body["radius"]:.4g}" {place} {fill}/>'
    points = " ".join(f"{px:.4g},{py:.4g}" for px, py in body["points"])
    return f'<polygon points="{points}" {place} {fill}/>'
