"""Robots, objects and light put together into one MuJoCo model."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from horus_sim.errors import HorusError, SceneError, Sim3dError
from horus_sim.files.names import propose
from horus_sim.robots.description import Inertial, RobotDescription
from horus_sim.robots.engine import mujoco
from horus_sim.robots.mjcf.file import MjcfFile
from horus_sim.robots.report import NoteKind, Report
from horus_sim.sim3d.compile.assets import AssetStore
from horus_sim.sim3d.compile.mujoco_types import quat_wxyz
from horus_sim.sim3d.compile.object import add_object
from horus_sim.sim3d.compile.options import new_spec
from horus_sim.sim3d.compile.robot.coordinates import Base, BuiltRobot
from horus_sim.sim3d.compile.robot.mjcf import add_mjcf_robot
from horus_sim.sim3d.compile.robot.robot import add_robot
from horus_sim.sim3d.scene.contents import PlacedObject
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.scene import CameraConfig, LightConfig, SensorEntry
from horus_sim.tf import Transform

_OVERLAP = 1e-4
_REPEATED = re.compile(r"repeated name '(.+)' in (\w+)")
_SUN = LightConfig(name="sun", direction=(-0.4, 0.3, -0.9))


@dataclass(frozen=True, slots=True)
class RobotPart:
    """A robot that is part of a world.

    Attributes:
        name: In the world.
        description: What it is made of.
        base: Whether the world holds its root.
        T_world_root: Where its root starts.
        joints: Where coordinates start [rad] or [m], where not as described.
        frame_prefix: Before its links in the transform tree.
        mjcf: The file, if it is described in MuJoCo's own format.
        hold: Whether its drives hold the joints until a command comes.
        inertials: Mass properties of its links, if it was weighed for this base already.
    """

    name: str
    description: RobotDescription
    base: Base
    T_world_root: Transform = field(default_factory=Transform.identity)
    joints: dict[str, float] = field(default_factory=dict)
    frame_prefix: str = ""
    mjcf: MjcfFile | None = None
    hold: bool = True
    inertials: Mapping[str, Inertial] | None = None


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """All that a world is made of; the order is that of the MuJoCo model.

    Attributes:
        name: Name of the scene.
        physics: Step, gravity and solver.
        robots: Robots and the models of SDF files.
        objects: Objects, with the files that they name.
        lights: Lights in world coordinates.
        cameras: Cameras, each with the pose of the scene that describes it.
        background: Colour where nothing is seen.
        sensors: Sensors that the scene and what it includes describe.
        files: The scene's file, those that it includes, and those of its robots.
    """

    name: str
    physics: PhysicsConfig
    robots: tuple[RobotPart, ...] = ()
    objects: tuple[PlacedObject, ...] = ()
    lights: tuple[LightConfig, ...] = ()
    cameras: tuple[tuple[CameraConfig, Transform], ...] = ()
    background: tuple[float, float, float, float] = (0.6, 0.75, 0.9, 1.0)
    sensors: tuple[SensorEntry, ...] = ()
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Assembly:
    """A compiled world.

    Attributes:
        spec: What it was made of.
        model: The MuJoCo model.
        robots: What the builder made of each robot.
        report: Suppositions and substitutions.
    """

    spec: WorldSpec
    model: mujoco.MjModel
    robots: dict[str, BuiltRobot]
    report: Report


def assemble(world: WorldSpec) -> Assembly:
    """Builds and compiles a world.

    Links of one robot that overlap where they start do not touch each other; the report says so.

    Raises:
        DescriptionError: A robot cannot be built.
        SceneError: An object cannot be built.
        Sim3dError: MuJoCo refuses the model.
    """
    spec, built, assets = _build(world)
    report = assets.report
    model = _compile(spec, world, assets)
    pairs = _overlapping(model, world, built)
    if pairs:
        for first, second in pairs:
            spec.add_exclude(name=f"{first}|{second}#start", bodyname1=first, bodyname2=second)
            text = f"it overlaps '{second}' where the robot starts; the two do not touch"
            report.add(NoteKind.SUBSTITUTION, f"link '{first}'", text)
        model = _compile(spec, world, assets)
    return Assembly(world, model, built, report)


def initial_positions(
    model: mujoco.MjModel, robots: Iterable[RobotPart], built: dict[str, BuiltRobot]
) -> npt.NDArray[np.float64]:
    """Where everything starts, shape (nq,)."""
    qpos = model.qpos0.copy()
    for part in robots:
        coordinates = built[part.name].coordinates
        values = {coordinate.name: coordinate.initial for coordinate in coordinates}
        values |= {name: value for name, value in part.joints.items() if name in values}
        follow(built[part.name], values, set(part.joints))
        for coordinate in coordinates:
            qpos[model.joint(coordinate.mujoco_name).qposadr[0]] = values[coordinate.name]
    return qpos


def follow(robot: BuiltRobot, values: dict[str, float], given: set[str]) -> None:
    """Sets the coordinates that follow others, except those that were given.

    Args:
        robot: The robot.
        values: Every coordinate, changed in place.
        given: Coordinates that keep their value.
    """
    followers = [part for part in robot.coordinates if part.mimic and part.name not in given]
    # A follower may follow another one: the chain is no longer than their number.
    for _ in followers:
        for part in followers:
            if part.mimic is not None:
                values[part.name] = part.mimic.multiplier * values[part.mimic.joint]
                values[part.name] += part.mimic.offset


def _build(world: WorldSpec) -> tuple[mujoco.MjSpec, dict[str, BuiltRobot], AssetStore]:
    spec = new_spec(world.name, world.physics)
    assets = AssetStore(spec, Report())
    built: dict[str, BuiltRobot] = {}
    for robot in world.robots:
        with _own_names(f"robot '{robot.name}'"):
            built[robot.name] = _add_robot(spec, assets, robot, world.physics)
    for item in world.objects:
        config = item.config.model_copy(update={"name": item.name})
        with _own_names(f"object '{item.name}'"):
            add_object(
                spec, assets, config, item.T_world_object, item.materials, item.files, world.physics
            )
    _add_light(spec, world)
    _add_cameras(spec, world, built)
    return spec, built, assets


def _add_robot(
    spec: mujoco.MjSpec, assets: AssetStore, part: RobotPart, physics: PhysicsConfig
) -> BuiltRobot:
    place = (part.description, part.name, part.base, part.T_world_root, physics)
    if part.mjcf is not None:
        return add_mjcf_robot(spec, part.mjcf, *place)
    return add_robot(spec, assets, *place, inertials=part.inertials)


@contextmanager
def _own_names(culprit: str) -> Iterator[None]:
    """Turns MuJoCo's error about a name that is taken into one that says whose it is."""
    try:
        yield
    except HorusError:
        raise
    except ValueError as error:
        raise _clash(error, culprit) or error from error


def _clash(error: Exception, culprit: str) -> SceneError | None:
    found = _REPEATED.search(str(error))
    if found is None:
        return None
    return SceneError(
        f"{culprit}: the {found[2]} name '{found[1]}' is taken already; links are called "
        "'robot/link', so give the robot or the object another name"
    )


def _add_light(spec: mujoco.MjSpec, world: WorldSpec) -> None:
    spec.visual.headlight.ambient = (0.35, 0.35, 0.35)
    spec.visual.headlight.diffuse = (0.3, 0.3, 0.3)
    kinds = {
        "directional": mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        "point": mujoco.mjtLightType.mjLIGHT_POINT,
        "spot": mujoco.mjtLightType.mjLIGHT_SPOT,
    }
    for light in world.lights or (_SUN,):
        spec.worldbody.add_light(
            name=light.name,
            type=kinds[light.kind],
            pos=light.position,
            dir=light.direction,
            diffuse=light.diffuse,
            specular=light.specular,
            castshadow=light.casts_shadows,
        )
    colour = world.background[:3]
    spec.add_texture(
        name="background",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
        rgb1=colour,
        rgb2=colour,
        width=8,
        height=48,
    )


def _add_cameras(spec: mujoco.MjSpec, world: WorldSpec, built: dict[str, BuiltRobot]) -> None:
    bodies = {
        f"{robot.name}/{link}": body
        for robot in built.values()
        for link, body in robot.bodies.items()
    }
    bodies |= {item.name: item.name for item in world.objects}
    for camera, T_world_scene in world.cameras:
        if camera.mount is None:
            body, T_body_frame = spec.worldbody, T_world_scene
        else:
            if camera.mount not in bodies:
                culprit = f"the mount of camera '{camera.name}': the world"
                raise SceneError(propose(camera.mount, bodies, culprit, "link or object"))
            body, T_body_frame = spec.body(bodies[camera.mount]), Transform.identity()
        position = T_body_frame.transform_point(camera.position)
        forward = np.asarray(T_body_frame.transform_point(camera.target)) - position
        body.add_camera(
            name=camera.name,
            pos=position,
            quat=quat_wxyz(_looking_along(forward)),
            fovy=camera.fov_deg,
        )


def _looking_along(forward: npt.NDArray[np.float64]) -> Transform:
    """The rotation of a camera, which looks along -z with y up, upright where it can be."""
    forward = forward / np.linalg.norm(forward)
    above = np.array((0.0, 0.0, 1.0)) if abs(forward[2]) < 0.999 else np.array((0.0, 1.0, 0.0))
    right = np.cross(forward, above)
    right /= np.linalg.norm(right)
    matrix = np.eye(4)
    matrix[:3, :3] = np.column_stack((right, np.cross(right, forward), -forward))
    return Transform.from_matrix(matrix)


def _compile(spec: mujoco.MjSpec, world: WorldSpec, assets: AssetStore) -> mujoco.MjModel:
    try:
        return spec.compile()
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        text = " ".join(str(error).split())
        clash = _clash(error, f"world '{world.name}'")
        if clash is not None:
            raise clash from error
        for mesh, user in assets.users.items():
            if mesh in text:
                text = f"the shape of '{user.partition('#')[0]}': {text}"
                break
        raise Sim3dError(f"world '{world.name}' cannot be compiled: {text}") from error


def _overlapping(
    model: mujoco.MjModel, world: WorldSpec, built: dict[str, BuiltRobot]
) -> list[tuple[str, str]]:
    """Pairs of bodies of one robot that overlap where it starts."""
    data = mujoco.MjData(model)
    data.qpos[:] = initial_positions(model, world.robots, built)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    owner = {body: robot.name for robot in built.values() for body in robot.bodies.values()}
    pairs: set[tuple[str, str]] = set()
    for i in range(data.ncon):
        contact = data.contact[i]
        if contact.dist > -_OVERLAP or not math.isfinite(contact.dist):
            continue
        first, second = (
            model.body(model.geom_bodyid[geom]).name for geom in (contact.geom1, contact.geom2)
        )
        if first != second and owner.get(first, "") == owner.get(second):
            pairs.add((first, second) if first < second else (second, first))
    return sorted(pairs)
