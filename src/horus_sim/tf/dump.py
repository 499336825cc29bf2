"""A tree as text for people and programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml

from horus_sim.errors import InvalidTransformError, seconds
from horus_sim.tf.frame_info import FrameInfo, children_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def dump(frames: Sequence[FrameInfo], format: str) -> str:  # noqa: A002 - what users expect
    """Frames in one of the formats.

    Args:
        frames: The frames of a tree.
        format: ``text``, ``dot``, ``yaml`` or ``json``.

    Raises:
        InvalidTransformError: There is no such format.
    """
    writer = _WRITERS.get(format)
    if writer is None:
        known = ", ".join(f"'{name}'" for name in _WRITERS)
        raise InvalidTransformError(f"no dump format {format!r}; choose one of {known}")
    return writer(frames)


def _text(frames: Sequence[FrameInfo]) -> str:
    children = children_of(frames)
    lines: list[str] = []
    stack = [(info, "", "") for info in reversed(frames) if info.is_top]
    while stack:
        info, lead, rest = stack.pop()
        lines.append(f"{lead}{info.name}{_remark(info)}")
        below = children.get(info.name, [])
        for i, child in reversed(list(enumerate(below))):
            last = i == len(below) - 1
            branch, indent = ("└── ", "    ") if last else ("├── ", "│   ")
            stack.append((child, rest + branch, rest + indent))
    return "\n".join(lines)


def _dot(frames: Sequence[FrameInfo]) -> str:
    lines = ["digraph tf {", "  node [shape=box];"]
    lines += [f"  {_quoted(info.name)};" for info in frames]
    for info in frames:
        if info.parent is not None:
            style = "" if info.is_static else ", style=dashed"
            label = _quoted(_label(info))
            lines.append(
                f"  {_quoted(info.parent)} -> {_quoted(info.name)} [label={label}{style}];"
            )
    return "\n".join([*lines, "}"])


def _records(frames: Sequence[FrameInfo]) -> dict[str, dict[str, Any]]:
    return {
        info.name: {
            "parent": info.parent,
            "static": info.is_static,
            "orphan": info.is_orphan,
            "samples": info.samples,
            "rate_hz": info.rate_hz,
            "oldest_ns": info.oldest_ns,
            "newest_ns": info.newest_ns,
        }
        for info in frames
    }


def _label(info: FrameInfo) -> str:
    if info.is_static:
        return "static"
    if info.newest_ns is None:
        return "no samples"
    rate = "" if info.rate_hz is None else f" at {info.rate_hz:.1f} Hz"
    plural = "" if info.samples == 1 else "s"
    return f"{info.samples} sample{plural}{rate}, newest {seconds(info.newest_ns)}"


def _remark(info: FrameInfo) -> str:
    if info.is_orphan:
        return f"  (orphan: parent '{info.parent}' was removed)"
    return "" if info.parent is None else f"  ({_label(info)})"


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


_WRITERS: dict[str, Callable[[Sequence[FrameInfo]], str]] = {
    "text": _text,
    "dot": _dot,
    "yaml": lambda frames: yaml.safe_dump(_records(frames), sort_keys=False, allow_unicode=True),
    "json": lambda frames: json.dumps(_records(frames), indent=2, ensure_ascii=False),
}
