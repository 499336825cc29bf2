"""Bodies of a 2D world, as others ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from horus_sim.running.world.entity import Box, Category, Entity, NamedFile
from horus_sim.sim2d.engine.frames import planar
from horus_sim.sim2d.exchange.shapes import HEIGHT_M
from horus_sim.sim2d.scenario.scenario import (
    load_scenario,
    scenario_folder,
    scenario_names,
)

if TYPE_CHECKING:
    from horus_sim.sim2d.scenario.schema import BodyConfig
    from horus_sim.sim2d.simulation.simulator import Simulator


def entity_of(sim: Simulator, name: str) -> Entity:
    """A body, as it is now; its acceleration is not known.

    Raises:
        UnknownPartError: There is none of that name.
    """
    body = sim.body(name)
    config = _config_of(sim, name)
    robot = next((ident for ident in sim.robots if body.name.startswith(f"{ident}/")), None)
    vx, vy, turn = body.velocity
    moving = Category.DYNAMIC_OBJECT if config.can_move else Category.STATIC_OBJECT
    shape = "a disc" if config.radius is not None else f"a polygon of {len(config.points)} corners"
    owner = "" if robot is None else f" of robot '{robot}'"
    return Entity(
        body.name,
        moving if robot is None else Category.ROBOT,
        f"{shape}{owner}, {'moved by forces' if config.can_move else 'fixed'}",
        planar(*body.pose),
        (vx, vy, 0.0),
        (0.0, 0.0, turn),
        is_free=config.can_move,
    )


def box_of(sim: Simulator, name: str) -> Box:
    """The box around a body, as high as it is drawn.

    Raises:
        UnknownPartError: There is none of that name.
    """
    config = _config_of(sim, name)
    if config.radius is not None:
        return Box((-config.radius, -config.radius, 0.0), (config.radius, config.radius, HEIGHT_M))
    corners = np.asarray(config.points, dtype=np.float64)
    (x, y), (to_x, to_y) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return Box((x, y, 0.0), (to_x, to_y, HEIGHT_M))


def shipped_worlds() -> list[NamedFile]:
    """Scenarios that ship with the package."""
    return [
        NamedFile(name, name, load_scenario(name).config.description) for name in scenario_names()
    ]


def world_file(sim: Simulator) -> NamedFile:
    """The scenario of a simulator; one that a program made has no folder."""
    config, folder = sim.scenario.config, sim.scenario.folder
    if folder is None:
        return NamedFile(config.name, "", config.description)
    shipped = {scenario_folder(name).resolve(): name for name in scenario_names()}
    uri = shipped.get(folder.resolve(), folder.resolve().as_uri())
    return NamedFile(config.name, uri, config.description)


def _config_of(sim: Simulator, name: str) -> BodyConfig:
    return sim.layout.configs[sim.body(name).index]
