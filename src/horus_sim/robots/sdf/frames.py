"""The frames of an SDF file: who is given relative to whom, and where everything is in the end.

Links, joints, models and explicit frames are all frames. A reference is looked up in the scope
where it stands, and goes down into nested models ('inner::link'), never up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum

from horus_sim.errors import DescriptionError, InvalidTransformError
from horus_sim.files.names import close_names
from horus_sim.robots.description import IDENTITY
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import shown
from horus_sim.tf import Transform

MODEL_FRAME = "__model__"
ROOT_FRAME = "__root__"
WORLD = "world"


class FrameKind(Enum):
    """What a frame belongs to. The order decides who keeps a name that two kinds share."""

    WORLD = 0
    LINK = 1
    MODEL = 2
    FRAME = 3
    JOINT = 4


@dataclass(slots=True, eq=False)
class Frame:
    """A frame as the file gives it.

    Attributes:
        name: Unique in its scope.
        kind: What it belongs to.
        scope: Where its references are looked up.
        element: Where it stands in the file.
        T: Its pose in the frame `relative_to`; that of `placement` if this is set.
        relative_to: Reference to a frame; '' only for the world.
        held_by: Reference to what it moves with: of a joint its child, of a frame the one that it
            is attached to. Links and models need none.
        inside: Scope of a model's members, or where `placement` is looked up.
        placement: The frame inside that the pose is about, instead of this one.
    """

    name: str
    kind: FrameKind
    scope: Scope
    element: Element
    T: Transform = IDENTITY
    relative_to: str = ""
    held_by: str = ""
    inside: Scope | None = None
    placement: str = ""

    def __str__(self) -> str:
        return f"{self.kind.name.lower()} '{self.scope.prefix}{self.name}'"


@dataclass(slots=True, eq=False)
class Scope:
    """The names of a model or world.

    Attributes:
        title: What errors call it, such as "model 'a::b'".
        prefix: What stands before its names, seen from the top level: '' or 'a::b::'.
        origin: The frame that poses are relative to by default: ``__model__`` or ``world``.
        canonical: Reference to the canonical link, or ''.
        frames: Frames by name.
        scopes: Those of nested models, by name.
        links: Links in the order of the file.
        models: Models in the order of the file.
    """

    title: str
    prefix: str = ""
    origin: str = MODEL_FRAME
    canonical: str = ""
    frames: dict[str, Frame] = field(default_factory=dict)
    scopes: dict[str, Scope] = field(default_factory=dict)
    links: list[Frame] = field(default_factory=list)
    models: list[Frame] = field(default_factory=list)
    _taken: dict[tuple[FrameKind, str], Frame] = field(default_factory=dict)

    def add(self, frame: Frame) -> Frame | None:
        """Adds a frame.

        Returns:
            The frame of another kind that has the same name, or None. References mean the link
            rather than the model, the frame or the joint.

        Raises:
            DescriptionError: Another of its kind has the name.
        """
        earlier = self._taken.setdefault((frame.kind, frame.name), frame)
        if earlier is not frame:
            tag = frame.kind.name.lower()
            remedy = "give one of them another name"
            if frame.element.tag == "include":
                remedy = "give the <include> another <name>"
            raise frame.element.error(
                f"{self.title} has two {tag}s called {shown(frame.name)}, the other in line "
                f"{earlier.element.line}; {remedy}"
            )
        if frame.kind is FrameKind.LINK:
            self.links.append(frame)
        elif frame.kind is FrameKind.MODEL and frame.inside is not None:
            self.models.append(frame)
            self.scopes[frame.name] = frame.inside
            frame.inside.frames[MODEL_FRAME] = frame
        other = self.frames.get(frame.name)
        if other is None or frame.kind.value < other.kind.value:
            self.frames[frame.name] = frame
        return other


class FrameGraph:
    """Answers where frames are, and which link holds them. Built once the file is read."""

    def __init__(self) -> None:
        self._edges: dict[Frame, tuple[Frame, Transform]] = {}
        self._T_world: dict[Frame, Transform] = {}
        self._links: dict[Frame, Frame] = {}

    def find(self, scope: Scope, reference: str, element: Element, culprit: str) -> Frame:
        """The frame that a reference means.

        Args:
            scope: Where the reference stands.
            reference: Such as 'link', 'inner::link' or '__model__'.
            element: For errors: where it stands in the file.
            culprit: For errors: who refers, such as "joint 'j', <parent>".

        Raises:
            DescriptionError: There is none; the text names close matches.
        """
        current, rest = scope, reference
        while rest not in current.frames:
            inner = _split_scope(current, rest)
            if inner is None:
                raise element.error(f"{culprit}: {_unknown(scope, current, reference, rest)}")
            current, rest = inner
        return current.frames[rest]

    def T_world(self, frame: Frame) -> Transform:
        """T_world_frame.

        Raises:
            DescriptionError: Frames are given relative to each other in a circle, a reference is
                unknown, or the numbers are beyond all bounds.
        """
        chain, top = self._climb(
            frame,
            lambda above: above in self._T_world or above.kind is FrameKind.WORLD,
            lambda below: self._edge(below)[0],
            "given relative to",
        )
        T = self._T_world.get(top, IDENTITY)
        for below in reversed(chain):
            with _within_bounds(below):
                T = T @ self._edge(below)[1]
            self._T_world[below] = T
        return T

    def T_frame(self, base: Frame, frame: Frame) -> Transform:
        """T_base_frame."""
        with _within_bounds(frame):
            return self.T_world(base).inverse() @ self.T_world(frame)

    def link_of(self, frame: Frame) -> Frame:
        """The link that a frame moves with, or the world's frame.

        Raises:
            DescriptionError: Frames are attached to each other in a circle, or a model has no link.
        """
        chain, top = self._climb(
            frame,
            lambda above: above in self._links or above.kind in (FrameKind.LINK, FrameKind.WORLD),
            self._holder,
            "attached to",
        )
        link = self._links.get(top, top)
        self._links.update((below, link) for below in chain)
        return link

    def canonical_link(self, scope: Scope, element: Element) -> Frame | None:
        """The link that a model's frame moves with, or None if the model has no link.

        Raises:
            DescriptionError: The model names one that is not there.
        """
        if scope.canonical:
            culprit = f"{scope.title}, canonical_link"
            link = self.find(scope, scope.canonical, element, culprit)
            if link.kind is not FrameKind.LINK:
                raise element.error(f"{culprit}: {link} is not a link; name a link")
            return link
        if scope.links:
            return scope.links[0]
        inner = (
            self.canonical_link(model.inside, model.element)
            for model in scope.models
            if model.inside is not None
        )
        return next((link for link in inner if link is not None), None)

    def _holder(self, frame: Frame) -> Frame:
        if frame.kind is FrameKind.MODEL and frame.inside is not None:
            link = self.canonical_link(frame.inside, frame.element)
            if link is None:
                raise frame.element.error(
                    f"{frame} has no link that its frame could move with; give it a <link>"
                )
            return link
        what = "<child>" if frame.kind is FrameKind.JOINT else "attached_to"
        return self.find(frame.scope, frame.held_by, frame.element, f"{frame}, {what}")

    def _edge(self, frame: Frame) -> tuple[Frame, Transform]:
        """The frame that this one is given relative to, and T_parent_frame."""
        if frame in self._edges:
            return self._edges[frame]
        culprit = f"{frame}, pose relative_to"
        parent = self.find(frame.scope, frame.relative_to, frame.element, culprit)
        T = frame.T
        if frame.placement and frame.inside is not None:
            placed = self.find(
                frame.inside, frame.placement, frame.element, f"{frame}, placement_frame"
            )
            with _within_bounds(frame):
                T = T @ self._T_inside(frame, placed).inverse()
        self._edges[frame] = (parent, T)
        return parent, T

    def _T_inside(self, base: Frame, frame: Frame) -> Transform:
        """T_base_frame for a frame inside `base`, whose own pose may still be unknown."""
        chain, top = self._climb(
            frame,
            lambda above: above is base or above.kind is FrameKind.WORLD,
            lambda below: self._edge(below)[0],
            "given relative to",
        )
        if top is not base:
            raise base.element.error(
                f"{base}, placement_frame: {frame} does not lie inside; name a frame inside"
            )
        T = IDENTITY
        for below in chain:
            with _within_bounds(below):
                T = self._edge(below)[1] @ T
        return T

    @staticmethod
    def _climb(
        frame: Frame,
        is_end: Callable[[Frame], bool],
        above: Callable[[Frame], Frame],
        relation: str,
    ) -> tuple[list[Frame], Frame]:
        """The frames from one up to an end, which is not among them, and the end."""
        chain: dict[Frame, None] = {}  # an ordered set
        while not is_end(frame):
            if frame in chain:
                way = list(chain)
                raise _circle(way[way.index(frame) :], relation)
            chain[frame] = None
            frame = above(frame)
        return list(chain), frame


def _split_scope(scope: Scope, reference: str) -> tuple[Scope, str] | None:
    """The nested scope that a reference begins with, and the rest; names may hold '::'."""
    position = reference.find("::")
    while position >= 0:
        inner = scope.scopes.get(reference[:position])
        if inner is not None:
            return inner, reference[position + 2 :]
        position = reference.find("::", position + 2)
    return None


def _unknown(scope: Scope, reached: Scope, reference: str, rest: str) -> str:
    names = [name for name in reached.frames if not name.startswith("_merged__")]
    step = reference[: len(reference) - len(rest)]
    close = close_names(rest.split("::")[0], names)
    if close:
        hint = "did you mean " + " or ".join(f"'{step}{name}'" for name in close) + "?"
    else:
        listed = ", ".join(f"'{name}'" for name in sorted(names)[:8])
        hint = f"known there: {listed}" + (", ..." if len(names) > 8 else "")
    if reference == WORLD:
        hint = f"the world's frame has no name inside a model; {hint}"
    return f"{shown(reference)} is not a frame of {scope.title}; {hint}"


def _circle(frames: list[Frame], relation: str) -> DescriptionError:
    way = circle_text([str(frame) for frame in frames])
    return frames[0].element.error(
        f"frames are {relation} each other in a circle ({way}); give one of them relative to "
        "another frame"
    )


def circle_text(names: list[str]) -> str:
    """The way round a circle, shortened in the middle."""
    listed = names if len(names) <= 8 else [*names[:4], "...", *names[-3:]]
    return " -> ".join((*listed, names[0]))


@contextmanager
def _within_bounds(frame: Frame) -> Iterator[None]:
    """Explains numbers that are too large to be multiplied."""
    try:
        yield
    except InvalidTransformError as error:
        raise frame.element.error(f"{frame}: its pose is beyond all bounds: {error}") from error
