"""Where something goes that is added without a pose, and what overlaps where it starts.

A thing without a pose stands on the ground at a free place: with its lowest point on the highest
plane or terrain below it, or at height zero where there is neither. The origin comes first, then
places around it in growing squares.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from horus_sim.robots.engine import mujoco
from horus_sim.robots.report import NoteKind, Report
from horus_sim.sim3d.compile.compile_spec import compile_spec, touching_bodies
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.placed import Placed, PlacedRobot
from horus_sim.sim3d.scene.world_spec import WorldSpec
from horus_sim.tf import Transform

DEEPEST = 1e-3
"""Overlap [m] beyond which two things that start inside each other are remarked."""

Floats = npt.NDArray[np.float64]
_Geom = mujoco.mjtGeom
_GROUND = (int(_Geom.mjGEOM_PLANE), int(_Geom.mjGEOM_HFIELD))
_SAMPLES = 9
_RINGS = 12
_CLEARANCE = 1e-3
_HIGH = 1e4


def extent_of(part: Placed, physics: PhysicsConfig) -> tuple[Floats, Floats] | None:
    """The box along the world's axes around what touches of a thing where it starts.

    Args:
        part: The robot or object, at the pose it has.
        physics: Physics of the world that it is for.

    Returns:
        Smallest and largest x, y and z [m], shape (3,) each; None if nothing of it touches.
    """
    compiled = compile_spec(WorldSpec("extent", physics).including(part))
    data = mujoco.MjData(compiled.model)
    data.qpos[:] = compiled.initial_positions()
    mujoco.mj_kinematics(compiled.model, data)
    boxes = _boxes(compiled.model, data)
    return (boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)) if len(boxes) else None


def put_down(
    part: Placed, physics: PhysicsConfig, model: mujoco.MjModel, data: mujoco.MjData
) -> Placed:
    """A thing without a pose of its own at a free place on the ground of a running world.

    What the world holds is not lifted by its lowest point: its root stands on the ground.

    Args:
        part: The robot or object.
        physics: Physics of the world.
        model: The model of the world.
        data: Its state, whose poses are up to date.
    """
    extent = extent_of(part, physics)
    if extent is None:
        return part
    lowest, highest = extent
    others = _boxes(model, data)
    places: list[Placed] = []
    for x, y in _places(highest - lowest):
        shift = np.array((x, y, 0.0))
        ground = _ground_height(model, data, lowest + shift, highest + shift)
        shift[2] = ground - lowest[2] if part.is_free else ground
        places.append(replace(part, pose=Transform((x, y, float(shift[2]))) @ part.pose))
        low, high = lowest + shift + _CLEARANCE, highest + shift - _CLEARANCE
        meets = (others[:, 0] < high).all(axis=1) & (others[:, 1] > low).all(axis=1)
        if not meets.any():
            return places[-1]
    return places[0]


def stood_up(robot: PlacedRobot, physics: PhysicsConfig) -> PlacedRobot:
    """A floating robot with its lowest point at z = 0; others stay.

    A robot with a height stays too, unless it stands on legs.
    """
    if not robot.is_free or (robot.pose.translation[2] != 0.0 and not stands(robot)):
        return robot
    extent = extent_of(robot, physics)
    if extent is None:
        return robot
    return replace(robot, pose=Transform((0.0, 0.0, -float(extent[0][2]))) @ robot.pose)


def stands(robot: PlacedRobot) -> bool:
    """Whether a robot starts on legs, as it is described or in a stance that was chosen for it."""
    return robot.stance is not None and bool(robot.stance.source or robot.stance.carried)


def add_overlap_notes(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    names: Collection[str],
    new: Collection[str],
    report: Report,
) -> None:
    """Warns of things that start inside each other.

    Args:
        model: The model of the world.
        data: Its state.
        names: Names of all robots and objects.
        new: Those that were just added.
        report: Gets one warning for each pair.
    """
    scratch = mujoco.MjData(model)
    scratch.qpos[:] = data.qpos
    scratch.mocap_pos[:], scratch.mocap_quat[:] = data.mocap_pos, data.mocap_quat
    deepest: dict[tuple[str, str], float] = {}
    for a, b, distance in touching_bodies(model, scratch):
        roots = [model.body(model.body_rootid[model.body(body).id]).name for body in (a, b)]
        first, second = sorted(_owner(root, names) for root in roots)
        is_old = first not in new and second not in new
        if first != second and not is_old and distance < -DEEPEST:
            deepest[first, second] = min(deepest.get((first, second), 0.0), distance)
    for (first, second), distance in deepest.items():
        text = (
            f"it starts {-1e3 * distance:.3g} mm inside '{second}', which throws the two apart; "
            "give one of them another pose"
        )
        report.add(NoteKind.WARNING, f"'{first}'", text)


def _owner(body: str, names: Collection[str]) -> str:
    """The robot or object that a root body belongs to: itself, or all before one of its '/'."""
    at = body
    while at not in names and "/" in at:
        at = at.rpartition("/")[0]
    return at if at in names else body


def _places(across: Floats) -> Iterator[tuple[float, float]]:
    """The origin, then squares around it."""
    yield 0.0, 0.0
    pitch = max(0.25, 0.6 * float(max(across[0], across[1])))
    for ring in range(1, _RINGS + 1):
        steps = range(-ring, ring + 1)
        around = [(i, j) for i in steps for j in steps if max(abs(i), abs(j)) == ring]
        for i, j in sorted(around, key=lambda at: (at[0] ** 2 + at[1] ** 2, -at[0], -at[1])):
            yield i * pitch, j * pitch


def _ground_height(
    model: mujoco.MjModel, data: mujoco.MjData, lowest: Floats, highest: Floats
) -> float:
    """The highest point of planes and terrain below a box [m]; 0 where there is none."""
    heights: list[float] = []
    points = [
        np.array((x, y, _HIGH))
        for x in np.linspace(lowest[0], highest[0], _SAMPLES)
        for y in np.linspace(lowest[1], highest[1], _SAMPLES)
    ]
    down = np.array((0.0, 0.0, -1.0))
    for geom in np.flatnonzero(np.isin(model.geom_type, _GROUND) & _touches(model)):
        position, normal = data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3)[:, 2]
        if model.geom_type[geom] == int(_Geom.mjGEOM_HFIELD):
            distances = (mujoco.mj_rayHfield(model, data, int(geom), at, down) for at in points)
            heights += [_HIGH - distance for distance in distances if distance >= 0.0]
        elif normal[2] > 0.5:
            slope = normal[:2] / normal[2]
            heights += [float(position[2] - slope @ (at[:2] - position[:2])) for at in points]
    return max(heights, default=0.0)


def _touches(model: mujoco.MjModel) -> npt.NDArray[np.bool_]:
    return (model.geom_contype != 0) | (model.geom_conaffinity != 0)


def _boxes(model: mujoco.MjModel, data: mujoco.MjData) -> Floats:
    """Boxes along the world's axes around every shape that touches and ends, shape (n, 2, 3)."""
    found = [
        _box(model, data, int(geom))
        for geom in np.flatnonzero(_touches(model) & ~np.isin(model.geom_type, _GROUND))
    ]
    return np.array(found).reshape(-1, 2, 3)


def _box(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> tuple[Floats, Floats]:
    """The exact box around one shape."""
    R, centre = data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom]
    size, kind = model.geom_size[geom], int(model.geom_type[geom])
    if kind == int(_Geom.mjGEOM_MESH):
        mesh = int(model.geom_dataid[geom])
        start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        points = model.mesh_vert[start : start + count] @ R.T + centre
        return points.min(axis=0), points.max(axis=0)
    if kind == int(_Geom.mjGEOM_SPHERE):
        reach = np.full(3, size[0])
    elif kind == int(_Geom.mjGEOM_CAPSULE):
        reach = size[0] + np.abs(R[:, 2]) * size[1]
    elif kind == int(_Geom.mjGEOM_CYLINDER):
        across = np.sqrt(np.maximum(1.0 - R[:, 2] ** 2, 0.0))
        reach = size[0] * across + size[1] * np.abs(R[:, 2])
    elif kind == int(_Geom.mjGEOM_ELLIPSOID):
        reach = np.sqrt((R**2) @ size**2)
    else:
        reach = np.abs(R) @ size
    return centre - reach, centre + reach
