"""From what a world is made of to one MuJoCo model with robots, objects and light."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from horus_sim.errors import HorusError, SceneError
from horus_sim.files.names import propose
from horus_sim.robots.engine import mujoco
from horus_sim.robots.report import NoteKind, Report
from horus_sim.robots.stance.stance import Stance
from horus_sim.sim3d.compile.assets import AssetStore
from horus_sim.sim3d.compile.mujoco_types import quat_wxyz
from horus_sim.sim3d.compile.object import add_object
from horus_sim.sim3d.compile.options import new_spec
from horus_sim.sim3d.compile.refusal import refusal
from horus_sim.sim3d.compile.robot.coordinates import BuiltRobot
from horus_sim.sim3d.compile.robot.mjcf import add_mjcf_robot
from horus_sim.sim3d.compile.robot.robot import add_robot
from horus_sim.sim3d.scene.scene import LightConfig
from horus_sim.sim3d.scene.world_spec import WorldSpec
from horus_sim.tf import Transform

_OVERLAP = 1e-4
_GROUND = (int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD))
_REPEATED = re.compile(r"repeated name '(.+)' in (\w+)")
_SUN = LightConfig(name="sun", direction=(-0.4, 0.3, -0.9))


@dataclass(frozen=True, slots=True)
class CompiledWorld:
    """A world as MuJoCo takes it.

    Attributes:
        spec: What it was made of.
        model: The MuJoCo model.
        robots: What each robot became in the model.
        report: Assumptions and substitutions.
    """

    spec: WorldSpec
    model: mujoco.MjModel
    robots: dict[str, BuiltRobot]
    report: Report

    def initial_positions(self) -> npt.NDArray[np.float64]:
        """Where everything starts, shape (nq,)."""
        qpos = self.model.qpos0.copy()
        for placed in self.spec.robots:
            robot = self.robots[placed.name]
            values = {coordinate.name: coordinate.initial for coordinate in robot.coordinates}
            stance = placed.stance or Stance()
            given = {**stance.positions, **placed.joints}
            values |= {name: value for name, value in given.items() if name in values}
            robot.follow(values, set(placed.joints))
            for coordinate in robot.coordinates:
                joint = self.model.joint(coordinate.mujoco_name)
                qpos[joint.qposadr[0]] = values[coordinate.name]
            for name, (x, y, z, w) in stance.rotations.items():
                if name in robot.spherical:
                    at = self.model.joint(robot.spherical[name]).qposadr[0]
                    qpos[at : at + 4] = (w, x, y, z)
        return qpos


def compile_spec(world: WorldSpec) -> CompiledWorld:
    """Builds and compiles a world.

    Links of one robot that overlap where they start do not touch each other; the report says so.

    Raises:
        DescriptionError: A robot cannot be built.
        SceneError: An object cannot be built.
        Sim3dError: MuJoCo refuses the model.
    """
    spec = new_spec(world.name, world.physics)
    assets = AssetStore(spec, Report())
    robots: dict[str, BuiltRobot] = {}
    for robot in world.robots:
        add = add_robot if robot.mjcf is None else add_mjcf_robot
        with _own_names(f"robot '{robot.name}'"):
            robots[robot.name] = add(spec, assets, robot, world.physics)
        _remark_on_stance(robot.name, robot.stance, assets.report)
    for item in world.objects:
        with _own_names(f"object '{item.name}'"):
            add_object(spec, assets, item, world.physics)
    _part_models(spec, world, robots)
    _add_light(spec, world, robots)
    _add_cameras(spec, world, robots)
    compiled = CompiledWorld(world, _compile(spec, world, assets), robots, assets.report)
    pairs, grounded = _overlapping(compiled)
    if not pairs and not grounded:
        return compiled
    for first, second in grounded:
        spec.add_exclude(name=f"{first}|{second}#start", bodyname1=first, bodyname2=second)
        text = f"it starts inside '{second}' and is held; the two do not touch"
        assets.report.add(NoteKind.SUBSTITUTION, f"link '{first}'", text)
    for first, second in pairs:
        spec.add_exclude(name=f"{first}|{second}#start", bodyname1=first, bodyname2=second)
        text = f"it overlaps '{second}' where the robot starts; the two do not touch"
        assets.report.add(NoteKind.SUBSTITUTION, f"link '{first}'", text)
    return replace(compiled, model=_compile(spec, world, assets))


def _remark_on_stance(name: str, stance: Stance | None, report: Report) -> None:
    """Says how a robot stands, or that it will not."""
    if stance is not None and stance.source:
        text = f"its joints start in {stance.source}, in which it stands; joints that you give win"
        report.add(NoteKind.SUBSTITUTION, f"robot '{name}'", text)
    if stance is not None and stance.problem:
        report.add(NoteKind.WARNING, f"robot '{name}'", stance.problem)


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


def _part_models(spec: mujoco.MjSpec, world: WorldSpec, built: dict[str, BuiltRobot]) -> None:
    """Parts of a model that does not collide with itself do not touch each other."""
    parts: dict[str, list[list[str]]] = {}
    for robot in world.robots:
        if robot.model:
            bodies = built[robot.name].bodies
            links = [link.name for link in robot.description.links if link.collisions]
            parts.setdefault(robot.model, []).append([bodies[link] for link in links])
    for groups in parts.values():
        for some, others in itertools.combinations(groups, 2):
            for first, second in itertools.product(some, others):
                spec.add_exclude(name=f"{first}|{second}", bodyname1=first, bodyname2=second)


def _add_light(spec: mujoco.MjSpec, world: WorldSpec, built: dict[str, BuiltRobot]) -> None:
    spec.visual.headlight.ambient = (0.35, 0.35, 0.35)
    spec.visual.headlight.diffuse = (0.3, 0.3, 0.3)
    bodies = _mounts(world, built)
    for light in world.lights or (_SUN,):
        culprit = f"light '{light.name}'"
        _body_of(spec, light.mount, bodies, culprit).add_light(
            name=light.name,
            type=mujoco.mjtLightType.__members__[f"mjLIGHT_{light.kind.upper()}"],
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
    bodies = _mounts(world, built)
    for camera in world.cameras:
        body = _body_of(spec, camera.mount, bodies, f"camera '{camera.name}'")
        forward = np.subtract(camera.target, camera.position)
        body.add_camera(
            name=camera.name,
            pos=camera.position,
            quat=quat_wxyz(_looking_along(forward)),
            fovy=camera.fov_deg,
        )


def _mounts(world: WorldSpec, built: dict[str, BuiltRobot]) -> dict[str, str]:
    """The bodies that may carry something, by the name of the link or object."""
    bodies = {
        f"{robot.name}/{link}": body
        for robot in built.values()
        for link, body in robot.bodies.items()
    }
    return bodies | {item.name: item.name for item in world.objects}


def _body_of(
    spec: mujoco.MjSpec, mount: str | None, bodies: dict[str, str], culprit: str
) -> mujoco.MjsBody:
    if mount is None:
        return spec.worldbody
    if mount not in bodies:
        raise SceneError(
            propose(mount, bodies, f"the mount of {culprit}: the world", "link or object")
        )
    return spec.body(bodies[mount])


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
        clash = _clash(error, f"world '{world.name}'")
        raise clash or refusal(error, world, assets.users) from error


_Pairs = list[tuple[str, str]]


def _overlapping(world: CompiledWorld) -> tuple[_Pairs, _Pairs]:
    """Pairs of bodies that overlap at the start and are not to push each other away.

    Returns:
        Pairs of one robot, and pairs of a link of a robot that the world holds with ground.
    """
    model = world.model
    data = mujoco.MjData(model)
    data.qpos[:] = world.initial_positions()
    robots = world.robots.values()
    owner = {body: robot.name for robot in robots for body in robot.bodies.values()}
    held = {robot.name for robot in robots if robot.base == "fixed"}
    ground = {
        model.body(model.geom_bodyid[geom]).name
        for geom in np.flatnonzero(np.isin(model.geom_type, _GROUND))
    }
    own: set[tuple[str, str]] = set()
    grounded: set[tuple[str, str]] = set()
    for first, second, distance in touching_bodies(model, data):
        if first == second or not math.isfinite(distance) or distance > -_OVERLAP:
            continue
        if owner.get(first, "") == owner.get(second):
            own.add((first, second))
        for link, other in ((first, second), (second, first)):
            if other in ground and owner.get(link, "") in held - {owner.get(other, "")}:
                grounded.add((link, other))
    return sorted(own), sorted(grounded)


def touching_bodies(model: mujoco.MjModel, data: mujoco.MjData) -> Iterator[tuple[str, str, float]]:
    """Bodies that touch or overlap at the positions in a state, and their distances [m].

    Args:
        model: The model.
        data: A state that may be written: its kinematics and contacts are brought up to date.
    """
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    for i in range(data.ncon):
        contact = data.contact[i]
        bodies = model.geom_bodyid[[contact.geom1, contact.geom2]]
        first, second = sorted(model.body(body).name for body in bodies)
        yield first, second, float(contact.dist)
