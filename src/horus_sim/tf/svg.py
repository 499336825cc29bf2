"""A tree of frames as an SVG drawing: roots on the left, each frame a box."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from horus_sim.files.printable import printable
from horus_sim.tf.frame_info import FrameInfo, children_of

_CHARACTER, _PADDING = 7.3, 12.0
_BOX_HEIGHT, _ROW, _GAP, _MARGIN = 36.0, 48.0, 48.0, 12.0

_STYLE = (
    "text{font-family:monospace;font-size:12px;fill:#1b1f24}"
    ".note{font-size:10px;fill:#59636e}"
    "rect{fill:#f6f8fa;stroke:#59636e}"
    "path{fill:none;stroke:#59636e}"
    ".moving{stroke-dasharray:5 3}"
)


def draw_svg(frames: Sequence[FrameInfo]) -> str:
    """The drawing; links that move are dashed.

    Args:
        frames: The frames of a tree, or of several.
    """
    children = children_of(frames)
    order = _depth_first(frames, children)
    columns = _columns(order)
    rows = _rows(order, children)
    height = _ROW * max(1, sum(info.name not in children for info, _ in order)) + 2 * _MARGIN
    width = columns[-1][0] + columns[-1][1] + _MARGIN if columns else 2 * _MARGIN
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', f"<style>{_STYLE}</style>"]
    boxes: list[str] = []
    for info, depth in order:
        left, box_width = columns[depth]
        y = rows[info.name]
        lines.extend(
            _link(left + box_width, y, columns[depth + 1][0], rows[child.name], child)
            for child in children.get(info.name, ())
        )
        top = y - _BOX_HEIGHT / 2
        boxes.append(
            f'<g><rect x="{left:.1f}" y="{top:.1f}" width="{box_width:.1f}" '
            f'height="{_BOX_HEIGHT:.1f}" rx="4"/>'
            f'<text x="{left + _PADDING:.1f}" y="{y - 3:.1f}">{_text(info.name)}</text>'
            f'<text class="note" x="{left + _PADDING:.1f}" y="{y + 11:.1f}">'
            f"{_text(_note(info))}</text></g>"
        )
    return "\n".join([*lines, *boxes, "</svg>"])


def _depth_first(
    frames: Sequence[FrameInfo], children: dict[str, list[FrameInfo]]
) -> list[tuple[FrameInfo, int]]:
    """Every frame with its depth, parents before children."""
    order: list[tuple[FrameInfo, int]] = []
    stack = [(info, 0) for info in reversed(frames) if info.is_top]
    while stack:
        info, depth = stack.pop()
        order.append((info, depth))
        stack.extend((child, depth + 1) for child in reversed(children.get(info.name, ())))
    return order


def _columns(order: Sequence[tuple[FrameInfo, int]]) -> list[tuple[float, float]]:
    """Left edge and width of the boxes at each depth."""
    widths: list[float] = []
    for info, depth in order:
        if depth == len(widths):
            widths.append(0.0)
        characters = max(len(printable(info.name)), len(_note(info)))
        widths[depth] = max(widths[depth], characters * _CHARACTER + 2 * _PADDING)
    columns: list[tuple[float, float]] = []
    left = _MARGIN
    for width in widths:
        columns.append((left, width))
        left += width + _GAP
    return columns


def _rows(
    order: Sequence[tuple[FrameInfo, int]], children: dict[str, list[FrameInfo]]
) -> dict[str, float]:
    """Middle of each box: leaves one below the other, parents halfway between their children."""
    rows: dict[str, float] = {}
    leaves = 0
    for info, _ in order:
        if info.name not in children:
            rows[info.name] = _MARGIN + _ROW * (leaves + 0.5)
            leaves += 1
    for info, _ in reversed(order):
        below = children.get(info.name)
        if below:
            rows[info.name] = (rows[below[0].name] + rows[below[-1].name]) / 2
    return rows


def _link(x: float, y: float, child_x: float, child_y: float, child: FrameInfo) -> str:
    middle = (x + child_x) / 2
    moving = "" if child.is_static else ' class="moving"'
    return (
        f'<path{moving} d="M{x:.1f} {y:.1f} C{middle:.1f} {y:.1f} {middle:.1f} {child_y:.1f} '
        f'{child_x:.1f} {child_y:.1f}"/>'
    )


def _note(info: FrameInfo) -> str:
    if info.is_orphan:
        return "orphan"
    if info.parent is None:
        return "root"
    if info.is_static:
        return "static"
    return "moving" if info.rate_hz is None else f"{info.rate_hz:.1f} Hz"


def _text(text: str) -> str:
    return escape(printable(text))
