"""Loads SDF: worlds and models, versions 1.4 to 1.12, as Gazebo reads them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.build import build_model
from horus_sim.robots.sdf.context import Loading
from horus_sim.robots.sdf.frames import Frame, FrameGraph, FrameKind
from horus_sim.robots.sdf.includes import model_roots, open_document
from horus_sim.robots.sdf.joints import linked
from horus_sim.robots.sdf.lights import (
    ambience_of,
    gravity_of,
    light_of,
    physics_of,
    place_of,
)
from horus_sim.robots.sdf.models import read_world
from horus_sim.robots.sdf.nodes import Member, Node
from horus_sim.robots.sdf.values import Place, name_of
from horus_sim.robots.sdf.world import (
    SdfFile,
    SdfLight,
    SdfModel,
    SdfWorld,
)
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import shown

__all__ = ["load_sdf"]


def load_sdf(
    path: Path | str, *, roots: Iterable[Path | str] = (), strict: bool = False
) -> SdfFile:
    """Reads an SDF file and everything that it includes.

    Where Gazebo goes on with a warning, so does this function, with a remark in the report:
    unknown elements, includes from servers (which are never fetched), meshes and textures that are
    not there, a joint without axis, two joints between the same links.

    Args:
        path: The file, such as ``worlds/depot.sdf`` or ``models/robot/model.sdf``.
        roots: Folders that hold models, for ``model://`` and ``package://``. Searched before
            ``SDF_PATH``, ``GZ_SIM_RESOURCE_PATH`` and ``GAZEBO_MODEL_PATH``, and a folder
            ``models`` beside the file. Nothing outside of these and the file's own folder is read.
        strict: Whether all of the above are errors.

    Returns:
        Worlds and models, with the report.

    Raises:
        DescriptionError: The file cannot be used; the text names file, line, culprit and remedy.
    """
    file_path = Path(path)
    real = _resolved(file_path)
    loading = Loading(real, model_roots(real, roots), strict)
    document = open_document(real, loading, ())
    root, file = document.element, document.file
    worlds = []
    names: dict[str, Element] = {}
    for element in root.find_all("world"):
        name = name_of(element)
        if name in names:
            raise element.error(
                f"two worlds are called {shown(name)}, the other in line {names[name].line}; "
                "rename one"
            )
        names[name] = element
        worlds.append(_build_world(read_world(element, file, f"world '{name}'"), name, loading))
    loose = read_world(root, file, f"file '{real.name}'")
    models, lights = _build_content(loose, FrameGraph(), loading)
    loading.summarize_missing()
    loading.summarize_unread()
    if not worlds and not models and not lights and not len(loading.report):
        loading.tolerate(
            root, "<sdf>", "holds neither a world nor a model nor a light", "add one", done="empty"
        )
    version = f"{file.version[0]}.{file.version[1]}"
    return SdfFile(file_path, version, tuple(worlds), models, lights, loading.report)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # read_xml says what is wrong with it
        return path


def _build_world(node: Node, name: str, loading: Loading) -> SdfWorld:
    place, graph = node.place, FrameGraph()
    models, lights = _build_content(node, graph, loading)
    return SdfWorld(
        name,
        models,
        lights,
        gravity_of(place),
        place.vector("magnetic_field", SdfWorld("").magnetic_field),
        physics_of(place),
        ambience_of(place),
        place_of(place),
        {
            frame.name: graph.T_world(frame)
            for frame in node.explicit_frames
            if not frame.name.startswith("_merged__")
        },
    )


def _build_content(
    node: Node, graph: FrameGraph, loading: Loading
) -> tuple[tuple[SdfModel, ...], tuple[SdfLight, ...]]:
    models = tuple(
        build_model(models, joints, graph, loading)
        for models, joints in _joined_models(node, graph)
    )
    lights = tuple(
        light_of(
            Place(light.element, light.file, ""),
            light.name,
            graph.T_world(
                graph.find(
                    node.scope,
                    light.pose.relative_to or node.scope.origin,
                    light.element,
                    f"light {shown(light.name)}, pose",
                )
            )
            @ light.pose.T,
            link=None,
        )
        for light in node.lights
    )
    for frame in node.explicit_frames:
        graph.link_of(frame)
    return models, lights


def _joined_models(node: Node, graph: FrameGraph) -> list[tuple[list[Node], list[Member]]]:
    """The models, those together that joints of the world connect, and these joints."""
    owner: dict[Frame, int] = {
        link.frame: k
        for k, model in enumerate(node.models)
        for inner in model.walk()
        for link in inner.links
    }
    group = list(range(len(node.models)))

    def first(k: int) -> int:
        while group[k] != k:
            group[k] = group[group[k]]
            k = group[k]
        return k

    ends: list[tuple[Member, int]] = []
    for member in node.joints:
        indices = [owner[end] for end in linked(member, graph) if end.kind is FrameKind.LINK]
        ends.append((member, indices[0]))
        low, *others = sorted({first(k) for k in indices})
        for other in others:
            group[other] = low
            names = f"'{node.models[low].frame.name}' and '{node.models[other].frame.name}'"
            member.place.note(
                NoteKind.SUBSTITUTION,
                f"connects models {names}, which become one",
            )
    joined: dict[int, tuple[list[Node], list[Member]]] = {}
    for k, model in enumerate(node.models):
        joined.setdefault(first(k), ([], []))[0].append(model)
    for member, k in ends:
        joined[first(k)][1].append(member)
    return list(joined.values())
