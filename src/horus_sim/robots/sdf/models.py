"""Reads ``<model>`` and ``<world>`` into nodes: members get frames, nothing is resolved yet."""

from __future__ import annotations

from dataclasses import dataclass, replace

from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.context import KNOWN, MAX_DEPTH, SourceFile
from horus_sim.robots.sdf.frames import (
    MODEL_FRAME,
    ROOT_FRAME,
    WORLD,
    Frame,
    FrameKind,
    Scope,
)
from horus_sim.robots.sdf.includes import Included, open_include
from horus_sim.robots.sdf.nodes import LightNode, Member, Node
from horus_sim.robots.sdf.values import Place, Pose, name_of
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import read_text, shown


@dataclass(frozen=True, slots=True)
class _Overrides:
    """What an ``<include>`` says instead of the included model."""

    element: Element
    file: SourceFile
    name: str = ""
    pose: Pose | None = None
    placement: str | None = None
    is_static: bool | None = None


def read_world(element: Element, file: SourceFile, title: str) -> Node:
    """A world, or with ``<sdf>`` the loose models and lights of a file.

    Raises:
        DescriptionError: Names are missing, twice or reserved, numbers are wrong, or an included
            file cannot be had.
    """
    scope = Scope(title, origin=WORLD)
    origin = Frame(WORLD, FrameKind.WORLD, scope, element)
    scope.frames[WORLD] = scope.frames[ROOT_FRAME] = origin
    node = Node(origin, scope, Place(element, file, title))
    _read_members(node.place, node, WORLD, 0)
    return node


def _read_members(place: Place, node: Node, home: str, depth: int) -> None:
    """Reads what stands in a model or world, or in a model that is merged into the node."""
    element, file = place.element, place.file
    if depth > MAX_DEPTH:
        raise element.error(f"models are nested deeper than the limit of {MAX_DEPTH}")
    in_world = node.frame.kind is FrameKind.WORLD
    if not in_world or element.tag != "model":
        place.check()
    if in_world:
        place.ignore_plugins()
    else:
        node.plugins += place.find_all("plugin")
    for child in element.children:
        if element.tag == "sdf" and child.tag not in KNOWN["sdf"].read:
            continue
        match child.tag:
            case "link" if in_world and element.tag == "model":
                raise child.error(
                    f"{node.scope.title}: a model with links cannot be merged into a world; remove "
                    "merge='true' from the <include>"
                )
            case "link" if not in_world:
                node.links.append(_read_link(child, file, node, home))
            case "joint":
                node.joints.append(_read_joint(child, file, node, home))
            case "frame":
                node.explicit_frames.append(_read_frame(child, file, node.scope, home))
            case "model":
                stated = _Overrides(child, file)
                node.models.append(_read_model(child, file, node, home, depth + 1, stated))
            case "include":
                _read_include(replace(place, element=child), node, home, depth)
            case "light" if in_world:
                node.lights.append(_light(child, file, home))
            case "actor" if in_world:
                _ignore_actor(child, file)


def _read_include(place: Place, node: Node, home: str, depth: int) -> None:
    overrides = _overrides(replace(place, culprit=f"{node.scope.title}, <include>"))
    name = place.text("name")
    culprit = f"{node.scope.title}, <include>" + (f" {shown(name)}" if name else "")
    included = open_include(replace(place, culprit=culprit))
    if included is None:
        return
    element, file = included.element, included.file
    if element.tag != "model" and node.frame.kind is not FrameKind.WORLD:
        raise place.element.error(
            f"{culprit}: holds a <{element.tag}>, and only models can be included in models; move "
            "the <include> into the world"
        )
    if element.tag == "actor":
        _ignore_actor(element, file)
    elif element.tag == "light":
        light = _light(element, file, WORLD)
        pose = light.pose if overrides.pose is None else overrides.pose
        node.lights.append(LightNode(element, file, overrides.name or light.name, pose))
    elif place.flag("merge"):
        proxy = _proxy(included, overrides, node.scope, home)
        node.explicit_frames.append(proxy)
        node.plugins += place.find_all("plugin")
        merged = Place(element, file, node.scope.title)
        _read_members(merged, node, proxy.name, depth + 1)
    else:
        inner = _read_model(element, file, node, home, depth + 1, overrides)
        inner.plugins += place.find_all("plugin")
        node.models.append(inner)


def _read_model(
    element: Element, file: SourceFile, outer: Node, home: str, depth: int, stated: _Overrides
) -> Node:
    name = stated.name or name_of(element)
    place = Place(element, file, f"model '{outer.scope.prefix}{name}'")
    own_static = place.bool("static", default=False)
    is_static = own_static if stated.is_static is None else stated.is_static
    scope = Scope(
        place.culprit,
        prefix=f"{outer.scope.prefix}{name}::",
        canonical=place.attribute("canonical_link"),
    )
    frame = _model_frame(place, stated, name, FrameKind.MODEL, outer.scope, home)
    frame.inside = scope
    _add(outer.scope, frame, stated.file)
    self_collide = place.bool("self_collide", default=False)
    node = Node(frame, scope, place, outer.is_static or is_static, self_collide)
    _read_members(place, node, MODEL_FRAME, depth)
    return node


def _proxy(included: Included, overrides: _Overrides, outer: Scope, home: str) -> Frame:
    """The frame that stands for the frame of a model that is merged into another."""
    element = included.element
    name = overrides.name or name_of(element)
    place = Place(element, included.file, f"model {shown(name)}, merged into {outer.title}")
    first = element.find("link") or element.find("model")
    held_by = place.attribute("canonical_link")
    if not held_by and first is not None:
        held_by = name_of(first)
    proxy_name = f"_merged__{name}__model__"
    proxy = _model_frame(place, overrides, proxy_name, FrameKind.FRAME, outer, home)
    proxy.held_by, proxy.inside = held_by or home, outer
    _add(outer, proxy, overrides.file)
    return proxy


def _model_frame(
    place: Place, stated: _Overrides, name: str, kind: FrameKind, outer: Scope, home: str
) -> Frame:
    """The frame of a model where its file, or the ``<include>``, puts it."""
    own_pose, own_placement = place.pose(), place.attribute("placement_frame")
    pose = own_pose if stated.pose is None else stated.pose
    placement = own_placement if stated.placement is None else stated.placement
    return Frame(
        name,
        kind,
        outer,
        stated.element,
        pose.T,
        _local(pose.relative_to, home) or home,
        placement="" if placement == MODEL_FRAME else placement,
    )


def _read_link(element: Element, file: SourceFile, node: Node, home: str) -> Member:
    name = name_of(element, node.scope.title)
    frame = _member_frame(name, FrameKind.LINK, element, file, node.scope, home, home)
    return Member(element, file, frame, home, node.is_static)


def _read_joint(element: Element, file: SourceFile, node: Node, home: str) -> Member:
    name = name_of(element, node.scope.title)
    place = Place(element, file, f"joint '{node.scope.prefix}{name}'")
    child = _local(place.text("child"), home)
    if not child or not place.text("parent"):
        missing = "parent" if child else "child"
        raise place.error(f"needs a <{missing}>, which is missing or blank")
    frame = _member_frame(name, FrameKind.JOINT, element, file, node.scope, home, child, child)
    return Member(element, file, frame, home, node.is_static)


def _read_frame(element: Element, file: SourceFile, scope: Scope, home: str) -> Frame:
    name = name_of(element, scope.title)
    place = Place(element, file, f"frame '{scope.prefix}{name}'")
    place.check()
    held_by = _local(place.attribute("attached_to"), home) or home
    return _member_frame(name, FrameKind.FRAME, element, file, scope, home, held_by, held_by)


def _member_frame(
    name: str,
    kind: FrameKind,
    element: Element,
    file: SourceFile,
    scope: Scope,
    home: str,
    usual: str,
    held_by: str = "",
) -> Frame:
    """Adds a frame; its pose is relative to `usual` unless the file says otherwise."""
    pose = Place(element, file, f"{element.tag} '{scope.prefix}{name}'").pose()
    relative_to = _local(pose.relative_to, home) or usual
    frame = Frame(name, kind, scope, element, pose.T, relative_to, held_by)
    _add(scope, frame, file)
    return frame


def _light(element: Element, file: SourceFile, home: str) -> LightNode:
    name = read_text(element, "name")
    pose = Place(element, file, f"light {shown(name)}").pose()
    return LightNode(element, file, name, Pose(pose.T, _local(pose.relative_to, home) or home))


def _overrides(place: Place) -> _Overrides:
    place.check()
    for child in place.element.children:
        if ":" in child.tag and not child.tag.startswith("xacro:"):
            named = replace(place, element=child)
            named.note(NoteKind.IGNORED, f"<{child.tag}> changes nothing here")
    has_pose, has_static = (place.find(tag) is not None for tag in ("pose", "static"))
    placement = place.element.find("placement_frame")
    if placement is not None and not has_pose:
        raise place.error("<placement_frame> needs a <pose> beside it; add <pose/> for the origin")
    return _Overrides(
        place.element,
        place.file,
        place.text("name"),
        place.pose() if has_pose else None,
        placement.text.strip() if placement is not None else None,
        place.bool("static", default=False) if has_static else None,
    )


def _add(scope: Scope, frame: Frame, file: SourceFile) -> None:
    file.loading.spend(frame.element)
    other = scope.add(frame)
    if other is None:
        return
    meant = "former" if frame.kind.value < other.kind.value else "latter"
    text = f"has the name of {other} in line {other.element.line}; references mean the {meant}"
    file.loading.note(NoteKind.WARNING, frame.element, str(frame), text)


def _local(reference: str, home: str) -> str:
    return home if reference == MODEL_FRAME else reference


def _ignore_actor(element: Element, file: SourceFile) -> None:
    name = element.get("name") or ""
    file.loading.note(NoteKind.IGNORED, element, f"actor {shown(name)}", "actors are not simulated")
