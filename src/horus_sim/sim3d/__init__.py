"""The 3D simulator: robots and scenes from files, and worlds that run them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from horus_sim.sim3d.contacts import Contact
    from horus_sim.sim3d.exchange.rebuilding import recorded_world
    from horus_sim.sim3d.scene.objects import ObjectConfig
    from horus_sim.sim3d.scene.physics import PhysicsConfig
    from horus_sim.sim3d.scene.reading import load_scene, scene_names
    from horus_sim.sim3d.scene.scene import RobotConfig, Scene
    from horus_sim.sim3d.state import WorldState
    from horus_sim.sim3d.world import World

_HOMES = {
    "Contact": "contacts",
    "ObjectConfig": "scene.objects",
    "PhysicsConfig": "scene.physics",
    "RobotConfig": "scene.scene",
    "Scene": "scene.scene",
    "World": "world",
    "WorldState": "state",
    "load_scene": "scene.reading",
    "recorded_world": "exchange.rebuilding",
    "scene_names": "scene.reading",
}

__all__ = [
    "Contact",
    "ObjectConfig",
    "PhysicsConfig",
    "RobotConfig",
    "Scene",
    "World",
    "WorldState",
    "load_scene",
    "recorded_world",
    "scene_names",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attributes
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(f"horus_sim.sim3d.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'horus_sim.sim3d' has no attribute '{name}'")
