"""The members of models and worlds between reading and building: elements with their frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from horus_sim.robots.sdf.context import SourceFile
from horus_sim.robots.sdf.frames import MODEL_FRAME, Frame, Scope
from horus_sim.robots.sdf.values import Pose
from horus_sim.robots.xml import Element


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A link, joint or light of the file.

    Attributes:
        element: What the file says.
        file: The file.
        frame: Its frame.
        home: The frame that ``__model__`` means there: another one in a merged model.
        is_static: Whether its model never moves.
    """

    element: Element
    file: SourceFile
    frame: Frame
    home: str = MODEL_FRAME
    is_static: bool = False

    @property
    def name(self) -> str:
        """Name, seen from the top level: 'link' or 'inner::link'."""
        return f"{self.frame.scope.prefix}{self.frame.name}"

    def local(self, reference: str) -> str:
        """A reference as the scope knows it."""
        return self.home if reference == MODEL_FRAME else reference


@dataclass(frozen=True, slots=True, eq=False)
class LightNode:
    """A light of a world or file: it has a pose, but nothing refers to it."""

    element: Element
    file: SourceFile
    name: str
    pose: Pose


@dataclass(slots=True, eq=False)
class ModelNode:
    """A model and what is nested in it.

    Attributes:
        frame: The model's frame.
        scope: Names of its members.
        file: Where it stands.
        is_static: Whether it, or a model around it, never moves.
        self_collide: Whether its links touch each other.
        links: Its own.
        joints: Its own.
        models: Nested models.
        explicit_frames: Its ``<frame>`` elements.
    """

    frame: Frame
    scope: Scope
    file: SourceFile
    is_static: bool = False
    self_collide: bool = False
    links: list[Member] = field(default_factory=list)
    joints: list[Member] = field(default_factory=list)
    models: list[ModelNode] = field(default_factory=list)
    explicit_frames: list[Frame] = field(default_factory=list)

    def walk(self) -> Iterator[ModelNode]:
        """This model and all nested in it, outer first."""
        yield self
        for model in self.models:
            yield from model.walk()


@dataclass(slots=True, eq=False)
class WorldNode:
    """A world, or the loose models of a file, before building.

    Attributes:
        element: ``<world>`` or ``<sdf>``.
        scope: Names of its members.
        file: Where it stands.
        models: Models of the top level.
        joints: Between models.
        lights: Those that no link carries.
        explicit_frames: Its ``<frame>`` elements.
    """

    element: Element
    scope: Scope
    file: SourceFile
    models: list[ModelNode] = field(default_factory=list)
    joints: list[Member] = field(default_factory=list)
    lights: list[LightNode] = field(default_factory=list)
    explicit_frames: list[Frame] = field(default_factory=list)
