"""The 3D simulator: robots and scenes from files, and worlds that run them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.lazy_names import lazy_names

if TYPE_CHECKING:
    from horus_sim.sim3d.exchange.rebuilding import recorded_world
    from horus_sim.sim3d.scene.base import PoseConfig
    from horus_sim.sim3d.scene.objects import ObjectConfig
    from horus_sim.sim3d.scene.physics import PhysicsConfig
    from horus_sim.sim3d.scene.reading import scene_names
    from horus_sim.sim3d.scene.scene import RobotConfig, Scene
    from horus_sim.sim3d.world.contacts import Contact
    from horus_sim.sim3d.world.loading import load_scene
    from horus_sim.sim3d.world.snapshot import WorldSnapshot
    from horus_sim.sim3d.world.world import World

_HOMES = {
    "Contact": "world.contacts",
    "ObjectConfig": "scene.objects",
    "PhysicsConfig": "scene.physics",
    "PoseConfig": "scene.base",
    "RobotConfig": "scene.scene",
    "Scene": "scene.scene",
    "World": "world.world",
    "WorldSnapshot": "world.snapshot",
    "load_scene": "world.loading",
    "recorded_world": "exchange.rebuilding",
    "scene_names": "scene.reading",
}

__all__ = [
    "Contact",
    "ObjectConfig",
    "PhysicsConfig",
    "PoseConfig",
    "RobotConfig",
    "Scene",
    "World",
    "WorldSnapshot",
    "load_scene",
    "recorded_world",
    "scene_names",
]

__getattr__ = lazy_names(__name__, _HOMES)
