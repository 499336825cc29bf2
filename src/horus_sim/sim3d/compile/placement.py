"""Where something goes that is added without a pose, and what overlaps where it starts.

A thing without a pose stands on the ground at a free place: with its lowest point on the highest
plane or terrain below it, or at height zero where there is neither. The origin comes first, then
places around it in growing squares.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from horus_sim.robots.engine import mujoco
from horus_sim.robots.report import NoteKind, Report
from horus_sim.sim3d.compile.compile_spec import RobotPart, WorldSpec, assemble, initial_positions
from horus_sim.sim3d.scene.contents import PlacedObject
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.tf import Transform

DEEPEST = 1e-3
"""Overlap [m] beyond which two things that start inside each other are remarked."""

Floats = npt.NDArray[np.float64]
Part = RobotPart | PlacedObject
_Geom = mujoco.mjtGeom
_GROUND = (int(_Geom.mjGEOM_PLANE), int(_Geom.mjGEOM_HFIELD))
_SAMPLES = 9
_RINGS = 12
_CLEARANCE = 1e-3
_HIGH = 1e4


@dataclass(frozen=True, slots=True)
class Extent:
    """The box along the world's axes around what touches of a thing.

    Attributes:
        lowest: Smallest x, y and z [m], world frame, shape (3,).
        highest: Largest x, y and z [m], world frame, shape (3,).
    """

    lowest: Floats
    highest: Floats


def extent_of(part: Part, physics: PhysicsConfig) -> Extent | None:
    """The box around a thing where it starts; None if nothing of it touches.

    Args:
        part: The robot or object, at the pose it has.
        physics: Of the world that it is for.
    """
    if isinstance(part, RobotPart):
        spec = WorldSpec("extent", physics, robots=(part,))
    else:
        spec = WorldSpec("extent", physics, objects=(part,))
    assembly = assemble(spec)
    data = mujoco.MjData(assembly.model)
    data.qpos[:] = initial_positions(assembly.model, spec.robots, assembly.robots)
    mujoco.mj_kinematics(assembly.model, data)
    boxes = _boxes(assembly.model, data)
    if not len(boxes):
        return None
    return Extent(boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0))


def put_down(
    part: Part, physics: PhysicsConfig, model: mujoco.MjModel, data: mujoco.MjData
) -> Part:
    """A thing without a pose of its own at a free place on the ground of a running world.

    What the world holds is not lifted by its lowest point: its root stands on the ground.

    Args:
        part: The robot or object.
        physics: Of the world.
        model: The model of the world.
        data: Its state, whose poses are up to date.
    """
    extent = extent_of(part, physics)
    if extent is None:
        return part
    others = _boxes(model, data)
    first: tuple[float, float, float] | None = None
    for x, y in _places(extent):
        shift = np.array((x, y, 0.0))
        ground = _ground_height(model, data, extent.lowest + shift, extent.highest + shift)
        shift[2] = ground - extent.lowest[2] if _is_free(part) else ground
        place = (x, y, float(shift[2]))
        first = first or place
        low, high = extent.lowest + shift + _CLEARANCE, extent.highest + shift - _CLEARANCE
        meets = (others[:, 0] < high).all(axis=1) & (others[:, 1] > low).all(axis=1)
        if not meets.any():
            return _shifted(part, place)
    return part if first is None else _shifted(part, first)


def stood_up(part: RobotPart, physics: PhysicsConfig) -> RobotPart:
    """A floating robot with its lowest point at z = 0; others, and those with a height, stay."""
    if not _is_free(part) or part.T_world_root.translation[2] != 0.0:
        return part
    extent = extent_of(part, physics)
    if extent is None:
        return part
    up = Transform((0.0, 0.0, -float(extent.lowest[2])))
    return replace(part, T_world_root=up @ part.T_world_root)


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
        names: Of all robots and objects.
        new: Those that were just added.
        report: Gets one warning for each pair.
    """
    scratch = mujoco.MjData(model)
    scratch.qpos[:] = data.qpos
    scratch.mocap_pos[:], scratch.mocap_quat[:] = data.mocap_pos, data.mocap_quat
    mujoco.mj_kinematics(model, scratch)
    mujoco.mj_comPos(model, scratch)
    mujoco.mj_collision(model, scratch)
    deepest: dict[tuple[str, str], float] = {}
    for i in range(scratch.ncon):
        contact = scratch.contact[i]
        bodies = [int(model.geom_bodyid[geom]) for geom in (contact.geom1, contact.geom2)]
        roots = [model.body(int(model.body_rootid[body])).name for body in bodies]
        first, second = sorted(_owner(root, names) for root in roots)
        is_old = first not in new and second not in new
        if first == second or is_old or not contact.dist < -DEEPEST:
            continue
        deepest[first, second] = min(deepest.get((first, second), 0.0), float(contact.dist))
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


def _is_free(part: Part) -> bool:
    if isinstance(part, RobotPart):
        return part.base == "floating"
    return part.config.dynamic


def _shifted(part: Part, by: tuple[float, float, float]) -> Part:
    shift = Transform(by)
    if isinstance(part, RobotPart):
        return replace(part, T_world_root=shift @ part.T_world_root)
    return replace(part, T_world_object=shift @ part.T_world_object)


def _places(extent: Extent) -> Iterator[tuple[float, float]]:
    """The origin, then squares around it."""
    yield 0.0, 0.0
    across = extent.highest - extent.lowest
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
