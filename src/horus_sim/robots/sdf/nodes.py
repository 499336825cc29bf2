"""The members of models and worlds between reading and building: elements with their frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from horus_sim.robots.sdf.context import SourceFile
from horus_sim.robots.sdf.frames import MODEL_FRAME, Frame, Scope
from horus_sim.robots.sdf.values import Place, Pose
from horus_sim.robots.xml import Element


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A link or joint of the file.

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

    @property
    def place(self) -> Place:
        """Its element, called by its name."""
        return Place(self.element, self.file, f"{self.element.tag} '{self.name}'")

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
class Node:
    """A model with what is nested in it, a world, or the loose models and lights of a file.

    Attributes:
        frame: Its frame; that of the world for a world or a file.
        scope: Names of its members.
        place: ``<model>``, ``<world>`` or ``<sdf>``.
        is_static: Whether it, or a model around it, never moves.
        self_collide: Whether its links touch each other.
        links: Its own links; worlds have none.
        joints: Its own joints; those of a world connect models.
        models: Nested models.
        lights: Those that no link carries; only worlds and files have some.
        explicit_frames: Its ``<frame>`` elements.
        plugins: Its ``<plugin>`` elements.
    """

    frame: Frame
    scope: Scope
    place: Place
    is_static: bool = False
    self_collide: bool = False
    links: list[Member] = field(default_factory=list)
    joints: list[Member] = field(default_factory=list)
    models: list[Node] = field(default_factory=list)
    lights: list[LightNode] = field(default_factory=list)
    explicit_frames: list[Frame] = field(default_factory=list)
    plugins: list[Place] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        """This node and all nested in it, outer first."""
        yield self
        for model in self.models:
            yield from model.walk()
