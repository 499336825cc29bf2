"""Reads ``<model>`` and ``<world>`` into nodes: members get frames, nothing is resolved yet."""

from __future__ import annotations

from dataclasses import dataclass

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
from horus_sim.robots.sdf.includes import Included, ignore_plugins, open_include
from horus_sim.robots.sdf.nodes import LightNode, Member, ModelNode, WorldNode
from horus_sim.robots.sdf.values import Pose, child_bool, child_text, name_of, pose_of
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import parse_bool, read_text, shown


@dataclass(frozen=True, slots=True)
class _Overrides:
    """What an ``<include>`` says instead of the included model."""

    element: Element
    file: SourceFile
    name: str = ""
    pose: Pose | None = None
    placement: str | None = None
    is_static: bool | None = None


def read_world(element: Element, file: SourceFile, title: str) -> WorldNode:
    """A world, or with ``<sdf>`` the loose models and lights of a file.

    Raises:
        DescriptionError: Names are missing, twice or reserved, numbers are wrong, or an included
            file cannot be had.
    """
    scope = Scope(title, origin=WORLD)
    origin = Frame(WORLD, FrameKind.WORLD, scope, element)
    scope.frames[WORLD] = scope.frames[ROOT_FRAME] = origin
    node = WorldNode(element, scope, file)
    _read_world_members(element, file, node, home=WORLD)
    return node


def _read_world_members(element: Element, file: SourceFile, node: WorldNode, home: str) -> None:
    if element.tag != "model":
        file.loading.check_children(element, node.scope.title)
    ignore_plugins(element, file, node.scope.title)
    for child in element.children:
        if element.tag == "sdf" and child.tag not in KNOWN["sdf"].read:
            continue
        if child.tag == "model":
            node.models.append(_read_model(child, file, node.scope, home, depth=1))
        elif child.tag == "frame":
            node.explicit_frames.append(_read_frame(child, file, node.scope, home))
        elif child.tag == "joint":
            node.joints.append(_read_joint(child, file, node.scope, home, is_static=False))
        elif child.tag == "light":
            node.lights.append(_light(child, file, home))
        elif child.tag == "actor":
            _ignore_actor(child, file)
        elif child.tag == "include":
            _read_world_include(child, file, node, home)
        elif child.tag == "link" and element.tag == "model":
            raise child.error(
                f"{node.scope.title}: a model with links cannot be merged into a world; remove "
                "merge='true' from the <include>"
            )


def _read_world_include(element: Element, file: SourceFile, node: WorldNode, home: str) -> None:
    overrides = _overrides(element, file, node.scope.title)
    included = open_include(element, file, _culprit(element, node.scope))
    if included is None:
        return
    if included.element.tag == "actor":
        _ignore_actor(included.element, included.file)
    elif included.element.tag == "light":
        light = _light(included.element, included.file, WORLD)
        pose = light.pose if overrides.pose is None else overrides.pose
        node.lights.append(LightNode(light.element, light.file, overrides.name or light.name, pose))
    elif _is_merged(element):
        proxy = _proxy(included, overrides, node.scope, home)
        node.explicit_frames.append(proxy)
        _read_world_members(included.element, included.file, node, proxy.name)
    else:
        model = _read_model(
            included.element, included.file, node.scope, home, depth=1, overrides=overrides
        )
        node.models.append(model)


def _read_model(
    element: Element,
    file: SourceFile,
    outer: Scope,
    home: str,
    depth: int,
    *,
    overrides: _Overrides | None = None,
    in_static: bool = False,
) -> ModelNode:
    stated = overrides or _Overrides(element, file)
    if depth > MAX_DEPTH:
        raise element.error(f"models are nested deeper than the limit of {MAX_DEPTH}")
    name = stated.name or name_of(element)
    culprit = f"model '{outer.prefix}{name}'"
    own_pose = pose_of(element, culprit, file.version)
    pose = own_pose if stated.pose is None else stated.pose
    own_placement = (element.get("placement_frame") or "").strip()
    own_static = child_bool(element, "static", culprit, default=False)
    is_static = in_static or (own_static if stated.is_static is None else stated.is_static)
    scope = Scope(
        culprit,
        prefix=f"{outer.prefix}{name}::",
        canonical=(element.get("canonical_link") or "").strip(),
    )
    frame = Frame(
        name,
        FrameKind.MODEL,
        outer,
        stated.element,
        pose.T,
        _local(pose.relative_to, home) or home,
        inside=scope,
        placement=own_placement if stated.placement is None else stated.placement,
    )
    _add(outer, frame, stated.file)
    node = ModelNode(
        frame,
        scope,
        file,
        is_static,
        child_bool(element, "self_collide", culprit, default=False),
    )
    _read_model_members(element, file, node, MODEL_FRAME, depth)
    return node


def _read_model_members(
    element: Element, file: SourceFile, node: ModelNode, home: str, depth: int
) -> None:
    scope = node.scope
    file.loading.check_children(element, scope.title)
    ignore_plugins(element, file, scope.title)
    for child in element.children:
        if child.tag == "link":
            node.links.append(_read_link(child, file, node, home))
        elif child.tag == "joint":
            node.joints.append(_read_joint(child, file, scope, home, is_static=node.is_static))
        elif child.tag == "frame":
            node.explicit_frames.append(_read_frame(child, file, scope, home))
        elif child.tag == "model":
            node.models.append(
                _read_model(child, file, scope, home, depth + 1, in_static=node.is_static)
            )
        elif child.tag == "include":
            _read_model_include(child, file, node, home, depth)


def _read_model_include(
    element: Element, file: SourceFile, node: ModelNode, home: str, depth: int
) -> None:
    overrides = _overrides(element, file, node.scope.title)
    culprit = _culprit(element, node.scope)
    included = open_include(element, file, culprit)
    if included is None:
        return
    if included.element.tag != "model":
        raise element.error(
            f"{culprit}: holds a <{included.element.tag}>, and only models can be included in "
            "models; move the <include> into the world"
        )
    if not _is_merged(element):
        node.models.append(
            _read_model(
                included.element,
                included.file,
                node.scope,
                home,
                depth + 1,
                overrides=overrides,
                in_static=node.is_static,
            )
        )
        return
    proxy = _proxy(included, overrides, node.scope, home)
    node.explicit_frames.append(proxy)
    if depth > MAX_DEPTH:
        raise element.error(f"models are nested deeper than the limit of {MAX_DEPTH}")
    _read_model_members(included.element, included.file, node, proxy.name, depth + 1)


def _proxy(included: Included, overrides: _Overrides, outer: Scope, home: str) -> Frame:
    """The frame that stands for the frame of a model that is merged into another."""
    element = included.element
    name = overrides.name or name_of(element)
    culprit = f"model {shown(name)}, merged into {outer.title}"
    own_pose = pose_of(element, culprit, included.file.version)
    pose = own_pose if overrides.pose is None else overrides.pose
    own_placement = (element.get("placement_frame") or "").strip()
    placement = own_placement if overrides.placement is None else overrides.placement
    proxy_name = f"_merged__{name}__model__"
    first = element.find("link") or element.find("model")
    held_by = (element.get("canonical_link") or "").strip()
    if not held_by and first is not None:
        held_by = name_of(first)
    proxy = Frame(
        proxy_name,
        FrameKind.FRAME,
        outer,
        overrides.element,
        pose.T,
        _local(pose.relative_to, home) or home,
        held_by=held_by or home,
        inside=outer,
        placement="" if placement == MODEL_FRAME else placement,
    )
    _add(outer, proxy, overrides.file)
    return proxy


def _read_link(element: Element, file: SourceFile, node: ModelNode, home: str) -> Member:
    name = name_of(element, node.scope.title)
    culprit = f"link '{node.scope.prefix}{name}'"
    pose = pose_of(element, culprit, file.version)
    frame = Frame(
        name,
        FrameKind.LINK,
        node.scope,
        element,
        pose.T,
        _local(pose.relative_to, home) or home,
    )
    _add(node.scope, frame, file)
    return Member(element, file, frame, home, node.is_static)


def _read_joint(
    element: Element, file: SourceFile, scope: Scope, home: str, *, is_static: bool
) -> Member:
    name = name_of(element, scope.title)
    culprit = f"joint '{scope.prefix}{name}'"
    child = _local(child_text(element, "child"), home)
    if not child or not child_text(element, "parent"):
        missing = "parent" if child else "child"
        raise element.error(f"{culprit}: needs a <{missing}>, which is missing or blank")
    pose = pose_of(element, culprit, file.version)
    frame = Frame(
        name,
        FrameKind.JOINT,
        scope,
        element,
        pose.T,
        _local(pose.relative_to, home) or child,
        held_by=child,
    )
    _add(scope, frame, file)
    return Member(element, file, frame, home, is_static)


def _read_frame(element: Element, file: SourceFile, scope: Scope, home: str) -> Frame:
    name = name_of(element, scope.title)
    culprit = f"frame '{scope.prefix}{name}'"
    file.loading.check_children(element, culprit)
    pose = pose_of(element, culprit, file.version)
    attached_to = _local((element.get("attached_to") or "").strip(), home) or home
    frame = Frame(
        name,
        FrameKind.FRAME,
        scope,
        element,
        pose.T,
        _local(pose.relative_to, home) or attached_to,
        held_by=attached_to,
    )
    _add(scope, frame, file)
    return frame


def _light(element: Element, file: SourceFile, home: str) -> LightNode:
    name = read_text(element, "name")
    pose = pose_of(element, f"light {shown(name)}", file.version)
    return LightNode(element, file, name, Pose(pose.T, _local(pose.relative_to, home) or home))


def _overrides(element: Element, file: SourceFile, title: str) -> _Overrides:
    culprit = f"{title}, <include>"
    file.loading.check_children(element, culprit)
    ignore_plugins(element, file, culprit)
    for child in element.children:
        if ":" in child.tag and not child.tag.startswith("xacro:"):
            file.loading.note(
                NoteKind.IGNORED, child, culprit, f"<{child.tag}> changes nothing here"
            )
    has_pose = element.find("pose") is not None
    placement = element.find("placement_frame")
    if placement is not None and not has_pose:
        raise element.error(
            f"{culprit}: <placement_frame> needs a <pose> beside it; add <pose/> for the origin"
        )
    has_static = element.find("static") is not None
    return _Overrides(
        element,
        file,
        child_text(element, "name"),
        pose_of(element, culprit, file.version) if has_pose else None,
        placement.text.strip() if placement is not None else None,
        child_bool(element, "static", culprit, default=False) if has_static else None,
    )


def _add(scope: Scope, frame: Frame, file: SourceFile) -> None:
    file.loading.spend(frame.element)
    other = scope.add(frame)
    if other is None:
        return
    text = f"has the name of {other} in line {other.element.line}; references mean the latter"
    if frame.kind.value < other.kind.value:
        text = f"has the name of {other} in line {other.element.line}; references mean the former"
    file.loading.note(NoteKind.WARNING, frame.element, str(frame), text)


def _local(reference: str, home: str) -> str:
    return home if reference == MODEL_FRAME else reference


def _is_merged(element: Element) -> bool:
    text = element.get("merge") or "false"
    return parse_bool(text, element=element, what="<include> merge")


def _culprit(element: Element, scope: Scope) -> str:
    name = child_text(element, "name")
    return f"{scope.title}, <include>" + (f" {shown(name)}" if name else "")


def _ignore_actor(element: Element, file: SourceFile) -> None:
    name = element.get("name") or ""
    file.loading.note(NoteKind.IGNORED, element, f"actor {shown(name)}", "actors are not simulated")
