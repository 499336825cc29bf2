"""What is wrong with the transforms of a session, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.errors import CycleError, seconds
from horus_sim.tf.validation import TreeFinding, listed, validate
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from horus_sim.hub.transforms.watch import Refusal
    from horus_sim.tf import FrameInfo

YEAR_NS = 365 * 24 * 3600 * NS_PER_S


def find_problems(
    frames: Sequence[FrameInfo],
    refusals: Sequence[Refusal] = (),
    publishers: Mapping[str, set[str]] | None = None,
    parents: Mapping[str, set[str]] | None = None,
    stale_s: float = 1.0,
) -> list[TreeFinding]:
    """Everything that is wrong with the frames.

    Args:
        frames: All frames.
        refusals: The links that the tree refused.
        publishers: For each child frame, the connections that published it.
        parents: For each child frame, the parents that it was given.
        stale_s: Seconds by which a frame may lag behind the newest one.
    """
    clocks = _clocks(frames)
    return [
        *(_refused(refusal) for refusal in refusals),
        *_cycles(frames),
        *validate(frames).findings,
        *_several_parents(parents or {}),
        *_several_publishers(publishers or {}),
        *_mixed(clocks),
        *(finding for clock in clocks for finding in _stale(clock, stale_s)),
    ]


def _refused(refusal: Refusal) -> TreeFinding:
    link = f"'{refusal.parent}' -> '{refusal.child}'"
    times = "once" if refusal.count == 1 else f"{refusal.count} times"
    sources = listed(sorted(refusal.sources))
    if isinstance(refusal.error, CycleError):
        path = " -> ".join(f"'{frame}'" for frame in reversed(refusal.error.path))
        return TreeFinding(
            "cycle",
            (refusal.parent, refusal.child),
            f"{link} from {sources} was refused {times}: it closes the circle {path}",
            f"swap its parent and child, or stop one of the publishers of '{refusal.child}' and "
            f"'{refusal.parent}'",
        )
    return TreeFinding(
        "refused",
        (refusal.parent, refusal.child),
        f"{link} from {sources} was refused {times}",
        str(refusal.error),
    )


def _cycles(frames: Sequence[FrameInfo]) -> Iterable[TreeFinding]:
    # A tree refuses circles, but two clocks make it forget half of one before the other half comes.
    parent_of = {info.name: info.parent for info in frames}
    done: set[str] = set()
    for start in parent_of:
        path: list[str] = []
        name: str | None = start
        while name is not None and name not in done and name not in path:
            path.append(name)
            name = parent_of.get(name)
        if name is not None and name in path:
            circle = [*path[path.index(name) :]]
            yield TreeFinding(
                "cycle",
                tuple(circle),
                f"{listed(circle)} hang from each other in a circle",
                "stop the publisher of one of these links",
            )
        done.update(path)


def _several_parents(parents: Mapping[str, set[str]]) -> Iterable[TreeFinding]:
    for child, names in parents.items():
        if len(names) > 1:
            ordered = sorted(names)
            yield TreeFinding(
                "parents",
                (child, *ordered),
                f"'{child}' jumps between the parents {listed(ordered)}",
                f"publish it below one of them only, and the other link as '{ordered[0]}' -> "
                f"'{ordered[1]}' or the reverse",
            )


def _several_publishers(publishers: Mapping[str, set[str]]) -> Iterable[TreeFinding]:
    for child, names in publishers.items():
        if len(names) > 1:
            yield TreeFinding(
                "publishers",
                (child,),
                f"'{child}' is published by {len(names)} programs: {listed(sorted(names))}",
                "stop all but one, or rename the frame in the others",
            )


def _clocks(frames: Sequence[FrameInfo]) -> list[list[tuple[int, str]]]:
    """Newest stamps and frames, oldest first, apart where more than a year lies between."""
    stamped = sorted((info.newest_ns, info.name) for info in frames if info.newest_ns is not None)
    clocks: list[list[tuple[int, str]]] = []
    for stamp_ns, name in stamped:
        if not clocks or stamp_ns - clocks[-1][-1][0] > YEAR_NS:
            clocks.append([])
        clocks[-1].append((stamp_ns, name))
    return clocks


def _mixed(clocks: list[list[tuple[int, str]]]) -> Iterable[TreeFinding]:
    if len(clocks) > 1:
        years = (clocks[-1][-1][0] - clocks[0][0][0]) / YEAR_NS
        groups = "; ".join(
            f"{listed([name for _, name in clock])} at {seconds(clock[-1][0])}" for clock in clocks
        )
        yield TreeFinding(
            "clocks",
            tuple(name for clock in clocks for _, name in clock),
            f"stamps are {years:.1f} years apart, so they come from {len(clocks)} clocks: {groups}",
            "stamp all transforms from the same clock, simulated or wall time",
        )


def _stale(clock: list[tuple[int, str]], stale_s: float) -> Iterable[TreeFinding]:
    newest_ns, newest = clock[-1]
    for stamp_ns, name in clock:
        lag_ns = newest_ns - stamp_ns
        if lag_ns > stale_s * 1e9:
            yield TreeFinding(
                "stale",
                (name,),
                f"'{name}' is {seconds(lag_ns)} older than '{newest}' ({seconds(stamp_ns)})",
                "see whether its publisher has stopped or stamps late; --stale allows more",
            )
