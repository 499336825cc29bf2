"""Robots and objects of a 3D world, as others ask for them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.errors import SceneError, UnknownNameError, UnsupportedFormatError
from horus_sim.robots.engine import mujoco
from horus_sim.robots.robot import robot_names
from horus_sim.running.world.entity import Box, Category, Entity, NamedFile, Vector
from horus_sim.sim3d.scene.reading import (
    SDF_SUFFIXES,
    SUFFIXES,
    find_file,
    read_scene,
    resolver_of,
    scene_names,
    scene_path,
)
from horus_sim.sim3d.scene.scene import Scene
from horus_sim.sim3d.world.object import WorldObject

if TYPE_CHECKING:
    from horus_sim.sim3d.world.robot import WorldRobot
    from horus_sim.sim3d.world.world import World

SCENE_SUFFIXES = (*SUFFIXES, *SDF_SUFFIXES)
_CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
_EMPTY = "no world"
_ENDLESS = (int(mujoco.mjtGeom.mjGEOM_PLANE),)


def entity_of(world: World, name: str) -> Entity:
    """A robot or an object, as it is now.

    Raises:
        SceneError: There is none of that name.
    """
    handle = world.handle(name)
    linear, angular = handle.velocity
    linear_acceleration, angular_acceleration = handle.acceleration
    is_object = isinstance(handle, WorldObject)
    return Entity(
        name,
        _object_category(handle) if is_object else _robot_category(handle),
        _object_text(handle) if is_object else _robot_text(handle),
        handle.pose,
        _vector(linear),
        _vector(angular),
        _vector(linear_acceleration),
        _vector(angular_acceleration),
        handle.is_free,
    )


def box_of(world: World, name: str) -> Box | None:
    """The box around a robot or an object, as its joints stand now; None where it has no end.

    Raises:
        SceneError: There is none of that name.
    """
    handle = world.handle(name)
    model, data = world.model, world.data
    bodies = [
        handle.body,
        *(body for body in range(model.nbody) if _is_below(model, body, handle.body)),
    ]
    geoms = np.flatnonzero(np.isin(model.geom_bodyid, bodies))
    if np.isin(model.geom_type[geoms], _ENDLESS).any():
        return None
    into_entity = handle.pose.inverse().to_matrix()
    corners = [np.zeros((1, 3))] if len(geoms) == 0 else []
    for geom in geoms:
        middle, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
        body = model.geom_bodyid[geom]
        # Poses of shapes are those of the last step; poses of bodies are those of now.
        R_world_body = data.xmat[body].reshape(3, 3)
        R_body_geom = np.empty(9)
        mujoco.mju_quat2Mat(R_body_geom, model.geom_quat[geom])
        in_body = model.geom_pos[geom] + (middle + _CORNERS * half) @ R_body_geom.reshape(3, 3).T
        in_world = data.xpos[body] + in_body @ R_world_body.T
        corners.append(in_world @ into_entity[:3, :3].T + into_entity[:3, 3])
    return Box.around(np.concatenate(corners))


def shipped_models() -> list[NamedFile]:
    """Robots that ship with the package."""
    return [
        NamedFile(name, name, "a robot that ships with the simulator") for name in robot_names()
    ]


def shipped_worlds() -> list[NamedFile]:
    """Scenes that ship with the package."""
    return [
        NamedFile(name, name, read_scene(scene_path(name)).description) for name in scene_names()
    ]


def load_beside(world: World, uri: str) -> World:
    """A shipped scene, or one in a file that a world may read; an empty one for no name.

    Raises:
        UnknownNameError: There is none.
        UnsupportedFormatError: It is of a format that cannot be read.
        SceneError: It cannot be used.
        DescriptionError: A robot in it cannot be used.
    """
    roots = world.scene.package_roots
    if not uri:
        return type(world).load(Scene(name=_EMPTY), world.seed)
    uri = uri.removeprefix("file://")
    suffix = Path(uri).suffix.lower()
    if not suffix and "/" not in uri:
        return type(world).load(uri, world.seed)
    if suffix not in SCENE_SUFFIXES:
        raise UnsupportedFormatError(
            f"'{uri}' cannot be read; give the name of a shipped scene "
            f"({', '.join(scene_names())}) or a file that ends with {', '.join(SCENE_SUFFIXES)}"
        )
    try:
        path = find_file(resolver_of(world.scene), uri, "the world")
    except SceneError as error:
        raise UnknownNameError(str(error)) from error
    return type(world).load(path, world.seed, package_roots=roots)


def world_file(world: World) -> NamedFile:
    """The scene of a world; one that a program made has no file."""
    scene = world.scene
    if scene.source is None:
        return NamedFile(scene.name, "", scene.description)
    shipped = {scene_path(name).resolve(): name for name in scene_names()}
    source = scene.source.resolve()
    return NamedFile(scene.name, shipped.get(source, source.as_uri()), scene.description)


def _is_below(model: mujoco.MjModel, body: int, above: int) -> bool:
    while body > 0:
        body = int(model.body_parentid[body])
        if body == above:
            return above > 0
    return False


def _robot_category(robot: WorldRobot) -> Category:
    is_driven = any(part.drive is not None for part in robot.coordinates)
    if is_driven and not robot.description.is_static:
        return Category.ROBOT
    is_moved = robot.is_free or (bool(robot.coordinates) and not robot.description.is_static)
    return Category.DYNAMIC_OBJECT if is_moved else Category.STATIC_OBJECT


def _object_category(item: WorldObject) -> Category:
    is_moved = item.is_dynamic or item.motion is not None
    return Category.DYNAMIC_OBJECT if is_moved else Category.STATIC_OBJECT


def _robot_text(robot: WorldRobot) -> str:
    base = "free" if robot.is_free else "held by the world"
    count = len(robot.joint_names)
    joints = "1 joint" if count == 1 else f"{count} joints"
    return f"model '{robot.description.name}' with {joints}, {base}"


def _object_text(item: WorldObject) -> str:
    kinds = ", ".join(dict.fromkeys(part.shape.kind for part in item.config.all_parts()))
    if item.is_dynamic:
        return f"{kinds}, moved by forces"
    return f"{kinds}, {'fixed' if item.motion is None else 'carried along a path'}"


def _vector(values: np.ndarray) -> Vector:
    x, y, z = values.tolist()
    return x, y, z
