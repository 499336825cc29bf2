"""A transform tree: who hangs from whom, how old, what is wrong, and the way between two frames."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.errors import TFError
from horus_sim.ui.kit.controls import select, set_options
from horus_sim.ui.kit.fields import fixed

if TYPE_CHECKING:
    from horus_sim.tf import FrameInfo
    from horus_sim.tf.validation import TreeFinding
    from horus_sim.ui.kit.tf_source import TFSource
    from horus_sim.ui.shell.page import Page

_REFRESH_S = 0.5
_MOST_PROBLEMS = 20


def build_tree(page: Page, source: Callable[[], TFSource]) -> None:
    """The tree and its problems; `source` says whose, at each look."""
    problems = ui.html("", sanitize=False).classes("horus-tree full-width")
    problems.props('aria-label="Problems" role="status"')
    tree = ui.html("", sanitize=False).classes("horus-tree full-width")
    tree.props('aria-label="Transform tree"')

    def refresh() -> None:
        frames, found = source().frames(), source().problems()
        problems.set_content(problems_html(found))
        tree.set_content(tree_html(frames, {name for finding in found for name in finding.frames}))

    page.every(_REFRESH_S, refresh)


def build_lookup(page: Page, source: Callable[[], TFSource]) -> None:
    """The transform between two frames that are chosen, live."""
    with ui.row().classes("no-wrap full-width gap-2"):
        first, second = (
            select(name, with_input=True).style("min-width:0") for name in ("Frame", "Seen from")
        )
    answer = ui.label().classes("horus-fact").style("white-space:pre-line")
    answer.props('aria-label="Transform"')

    def refresh() -> None:
        names = [info.name for info in source().frames()]
        set_options(first, names, names[-1] if names else None)
        set_options(second, names, names[0] if names else None)
        if not first.value or not second.value:
            answer.text = "no frames yet"
            return
        try:
            pose = source().tree.frame_pose(first.value, second.value)
        except TFError as error:
            answer.text = str(error)
            answer.classes(add="text-negative")
            return
        answer.classes(remove="text-negative")
        angles = ", ".join(fixed(math.degrees(angle), 2) for angle in pose.to_euler())
        quaternion = ", ".join(fixed(value, 4) for value in pose.rotation)
        answer.text = (
            f"position {page.units.text(pose.translation)}\nroll, pitch, yaw {angles} deg\n"
            f"quaternion xyzw {quaternion}"
        )

    page.every(_REFRESH_S, refresh)


def tree_html(frames: Sequence[FrameInfo], bad: set[str]) -> str:
    """The tree as text with branches; frames with problems are red."""
    newest_ns = max((info.newest_ns for info in frames if info.newest_ns is not None), default=0)
    children: dict[str | None, list[FrameInfo]] = {}
    known = {info.name for info in frames}
    for info in frames:
        parent = info.parent if info.parent in known and not info.is_orphan else None
        children.setdefault(parent, []).append(info)
    lines: list[str] = []
    stack = [(info, "", "") for info in reversed(children.get(None, []))]
    done: set[str] = set()
    while stack:
        info, lead, rest = stack.pop()
        if info.name in done:
            continue
        done.add(info.name)
        kind = "bad" if info.name in bad else "good"
        name = html.escape(info.name)
        lines.append(f'{lead}<span class="{kind}">{name}</span> {_remark(info, newest_ns)}')
        below = children.get(info.name, [])
        for i, child in reversed(list(enumerate(below))):
            last = i == len(below) - 1
            stack.append((child, rest + ("└ " if last else "├ "), rest + ("  " if last else "│ ")))
    text = "\n".join(lines) or "no frames yet"
    return f"<pre>{text}</pre>"


def problems_html(problems: Sequence[TreeFinding]) -> str:
    """What is wrong, in red, or that nothing is."""
    if not problems:
        return '<span class="fine">no problems</span>'
    lines = [
        f'<div class="bad">{html.escape(str(problem))}</div>'
        for problem in problems[:_MOST_PROBLEMS]
    ]
    if len(problems) > _MOST_PROBLEMS:
        lines.append(f"<div>and {len(problems) - _MOST_PROBLEMS} more</div>")
    return "".join(lines)


def _remark(info: FrameInfo, newest_ns: int) -> str:
    if info.parent is None:
        return ""
    if info.is_static:
        return "<i>static</i>"
    if info.newest_ns is None:
        return "<i>no samples</i>"
    rate = "" if info.rate_hz is None else f"{info.rate_hz:.0f} Hz, "
    return f"<i>{rate}{(newest_ns - info.newest_ns) / 1e9:.2f} s old</i>"
