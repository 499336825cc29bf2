"""All things of the scenario, by robots and world; a click selects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.designer.model.content import WORLD_BODIES, Content, Place, place_of, place_text
from horus_sim.ui.designer.panels.form import title

if TYPE_CHECKING:
    from horus_sim.ui.designer.model.designer_model import DesignerModel


def build_outline(model: DesignerModel) -> None:
    """The tree."""
    tree = ui.tree([], label_key="label", on_select=lambda event: _choose(model, event.value))
    tree.props('dense no-connectors selected-color=primary aria-label="Outline"')
    tree.props("no-selection-unset no-nodes-label=' '").classes("full-width")
    opened: set[str] = set()

    def show() -> None:
        nodes = _nodes(model.content)
        if nodes != tree.props.get("nodes"):
            tree.props["nodes"] = nodes
            for node in nodes:
                if node["id"] not in opened:
                    opened.add(str(node["id"]))
                    tree.expand([str(node["id"])])
            tree.update()
        mark()

    def mark() -> None:
        selected = place_text(model.selected) or None
        if tree.props.get("selected") != selected:
            tree.props["selected"] = selected
            tree.update()

    model.on_change.append(show)
    model.on_select.append(mark)
    show()


def _choose(model: DesignerModel, ident: str | None) -> None:
    place = place_of(ident or "")
    if ident is not None and place != model.selected:
        model.select(model.picked(ident))


def _nodes(content: Content) -> list[dict[str, object]]:
    world: list[Place] = [
        ("world", key, k)
        for key in (*WORLD_BODIES, "drawings")
        for k in range(len(getattr(content.world, key)))
    ]
    if content.world.bounds is not None:
        world.append(("world", "bounds"))
    nodes = []
    for r, robot in enumerate(content.robots):
        parts: list[Place] = [
            ("robots", r, key, k)
            for key in ("bodies", "joints", "actuators", "sensors")
            for k in range(len(getattr(robot, key)))
        ]
        nodes.append(_node(content, ("robots", r), parts))
    label = f"World ({len(world)})"
    return [*nodes, {"id": "world-root", "label": label, "children": _leaves(content, world)}]


def _node(content: Content, place: Place, parts: list[Place]) -> dict[str, object]:
    leaves = _leaves(content, parts)
    return {"id": place_text(place), "label": title(content, place), "children": leaves}


def _leaves(content: Content, places: list[Place]) -> list[dict[str, object]]:
    return [{"id": place_text(place), "label": title(content, place)} for place in places]
