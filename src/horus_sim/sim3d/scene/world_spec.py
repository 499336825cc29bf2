"""What a world is made of: a scene with all that it includes, each file found and read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from horus_sim.errors import SceneError, UnknownNameError
from horus_sim.robots.description import IDENTITY, RobotDescription
from horus_sim.robots.gazebo.parts import hold_joints
from horus_sim.robots.report import Report
from horus_sim.robots.robot import load_robot
from horus_sim.robots.uris import UriResolver
from horus_sim.sim3d.scene.base import Rgba
from horus_sim.sim3d.scene.described_sensors import described_sensors, without_replaced
from horus_sim.sim3d.scene.physics import PhysicsConfig, with_wishes
from horus_sim.sim3d.scene.placed import (
    Placed,
    PlacedObject,
    PlacedRobot,
    placed_robot,
    without_sensors,
)
from horus_sim.sim3d.scene.reading import (
    SDF_SUFFIXES,
    find_file,
    read_scene,
    resolver_of,
    robot_file,
    scene_path,
)
from horus_sim.sim3d.scene.scene import (
    BACKGROUND,
    CameraConfig,
    IncludeConfig,
    LightConfig,
    RobotConfig,
    Scene,
    SensorEntry,
)
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.robots.sdf.world import SdfLight, SdfModel

_DEEPEST = 10
_MOST_FILES = 500


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """All that a world is made of; the order is that of the MuJoCo model.

    Attributes:
        name: Name of the scene.
        physics: Step, gravity and solver; what the scene does not set is as in the first include
            that gives any.
        robots: Robots and the models of SDF files.
        objects: Objects, with the files that they name.
        lights: Lights in world coordinates.
        cameras: Cameras in coordinates of the world or of their mount.
        background: Colour where nothing is seen.
        sensors: Sensors that the scene and what it includes describe.
        files: The scene's file, those that it includes, and those of its robots.
    """

    name: str
    physics: PhysicsConfig
    robots: tuple[PlacedRobot, ...] = ()
    objects: tuple[PlacedObject, ...] = ()
    lights: tuple[LightConfig, ...] = ()
    cameras: tuple[CameraConfig, ...] = ()
    background: Rgba = BACKGROUND
    sensors: tuple[SensorEntry, ...] = ()
    files: tuple[Path, ...] = ()

    def part(self, name: str) -> Placed:
        """The robot or object of that name."""
        return next(part for part in (*self.robots, *self.objects) if part.name == name)

    def including(self, part: Placed) -> WorldSpec:
        """The same with one more robot or object."""
        if isinstance(part, PlacedRobot):
            return replace(self, robots=(*self.robots, part))
        return replace(self, objects=(*self.objects, part))

    def without(self, name: str) -> WorldSpec:
        """The same without the robot or object of that name."""
        robots = tuple(robot for robot in self.robots if robot.name != name)
        objects = tuple(item for item in self.objects if item.name != name)
        return replace(self, robots=robots, objects=objects)


def world_spec(scene: Scene, report: Report, *, reads_robots: bool = True) -> WorldSpec:
    """What a world of a scene is made of: what it includes is read, and the files it names.

    Args:
        scene: The scene.
        report: Gets the remarks of the importers.
        reads_robots: Whether the files of robots are read; else they are only found, and the
            robots are missing.

    Raises:
        DescriptionError: A robot cannot be used.
        SceneError: A file is missing, outside the allowed folders, includes itself, or names clash.
    """
    found = _Collector(scene, report)
    found.add(_Place(scene, resolver_of(scene)))
    things = [name for name, _ in found.robots]
    things += [part.name for part in (*found.models, *found.objects)]
    for kind, names in (
        ("things", things),
        ("lights", [light.name for light in found.lights]),
        ("cameras", [camera.name for camera in found.cameras]),
    ):
        for name, count in Counter(names).items():
            if count > 1:
                raise SceneError(
                    f"scene '{scene.name}': two {kind} are called '{name}'; give the include a "
                    "prefix, or rename one"
                )
    robots = [read() for _, read in found.robots] if reads_robots else []
    parts = (*robots, *found.models)
    described = [entry for part in parts for entry in described_sensors(part, report)]
    described = without_replaced(described, found.sensors, report)
    wishes = [robot.mjcf.physics for robot in robots if robot.mjcf is not None]
    return WorldSpec(
        scene.name,
        with_wishes(found.physics, wishes) if wishes else found.physics,
        parts,
        tuple(found.objects),
        tuple(found.lights),
        tuple(found.cameras),
        scene.background,
        (*described, *found.sensors),
        tuple(found.files),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """A scene within others: where it is, what stands before its names, and what includes it."""

    scene: Scene
    resolver: UriResolver
    T_world_scene: Transform = IDENTITY
    prefix: str = ""
    way: tuple[Path, ...] = ()


class _Collector:
    """Gathers what a scene and its includes hold, placed in one world."""

    def __init__(self, scene: Scene, report: Report) -> None:
        self.scene = scene
        self.report = report
        self.physics = scene.physics
        self.robots: list[tuple[str, Callable[[], PlacedRobot]]] = []
        self.models: list[PlacedRobot] = []
        self.objects: list[PlacedObject] = []
        self.lights: list[LightConfig] = []
        self.cameras: list[CameraConfig] = []
        self.sensors: list[SensorEntry] = []
        self.files: list[Path] = []
        self.included = 0
        self.has_physics = False

    def add(self, place: _Place) -> None:
        """Adds one scene, then what it includes."""
        scene, T_world_scene, prefix = place.scene, place.T_world_scene, place.prefix
        if scene.source is not None:
            self.files.append(scene.source)
        for robot in scene.robots:
            self._add_robot(robot, place)
        for item in scene.objects:
            start = item.pose if item.motion is None else item.motion.waypoints[0].pose
            files = {
                file: find_file(place.resolver, file, f"object '{item.name}'")
                for file in item.files(scene.materials)
            }
            self.objects.append(
                PlacedObject(
                    prefix + item.name,
                    item,
                    T_world_scene @ start.transform(),
                    T_world_scene,
                    files,
                    scene.materials,
                )
            )
        for light in scene.lights:
            changes: dict[str, Any] = {"name": prefix + light.name}
            if light.mount is None:
                changes |= {
                    "position": _numbers(T_world_scene.transform_point(light.position)),
                    "direction": _numbers(T_world_scene.transform_vector(light.direction)),
                }
            else:
                changes["mount"] = prefix + light.mount
            self.lights.append(light.model_copy(update=changes))
        for camera in scene.cameras:
            if camera.mount is None:
                changes = {
                    "position": _numbers(T_world_scene.transform_point(camera.position)),
                    "target": _numbers(T_world_scene.transform_point(camera.target)),
                }
            else:
                changes = {"mount": prefix + camera.mount}
            self.cameras.append(camera.model_copy(update={"name": prefix + camera.name} | changes))
        for sensor in scene.sensors:
            changes = {"name": prefix + sensor.name, "mount": prefix + sensor.mount}
            self.sensors.append(sensor.model_copy(update=changes))
        for include in scene.include:
            self._include(include, place)

    def _add_robot(self, config: RobotConfig, place: _Place) -> None:
        culprit = f"robot '{config.name}'"
        file = robot_file(place.resolver, config.model, culprit)
        self.files.append(file.path)
        roots = [
            find_file(place.resolver, root, culprit, "directory") for root in config.package_roots
        ]
        name = place.prefix + config.name

        def read() -> PlacedRobot:
            folders = (*roots, *place.scene.package_roots)
            robot = load_robot(
                file,
                package_roots=folders,
                base=config.base,
                decompose=config.decompose,
                collide_visuals=config.collide_visuals,
            )
            self.report.notes.extend(robot.report.notes)
            pose = place.T_world_scene @ config.pose.transform()
            if robot.mjcf is not None and "pose" not in config.model_fields_set:
                pose = pose @ robot.description.T_world_root
            joints, prefix = config.joints, config.frame_prefix
            placed = placed_robot(robot, name, pose, joints, prefix, hold=config.hold)
            placed = replace(placed, is_put="pose" in config.model_fields_set)
            return placed if config.sensors else without_sensors(placed)

        self.robots.append((name, read))

    def _include(self, include: IncludeConfig, place: _Place) -> None:
        scene = place.scene
        culprit = f"{scene.source or scene.name}: include '{include.file}'"
        if Path(include.file).suffix:
            path = find_file(place.resolver, include.file, f"include of scene '{scene.name}'")
        else:
            try:
                path = scene_path(include.file)
            except UnknownNameError as error:
                raise SceneError(f"{culprit}: {error}") from None
        path = path.resolve()
        is_sdf = path.suffix.lower() in SDF_SUFFIXES
        way = place.way if scene.source is None else (*place.way, scene.source.resolve())
        if path in way and not is_sdf:
            raise SceneError(f"{culprit}: the scene includes itself; remove one of the includes")
        self.included += 1
        if len(place.way) >= _DEEPEST or self.included > _MOST_FILES:
            raise SceneError(
                f"{culprit}: more than {_DEEPEST} levels or {_MOST_FILES} files are included"
            )
        T_world_include = place.T_world_scene @ include.pose.transform()
        prefix = place.prefix + include.prefix
        if not is_sdf:
            inner = read_scene(path, package_roots=scene.package_roots)
            if "physics" in inner.model_fields_set:
                self._take_physics(inner.physics.model_dump(exclude_unset=True))
            self.add(_Place(inner, resolver_of(inner), T_world_include, prefix, way))
            return
        self.files.append(path)
        try:
            self._include_sdf(path, T_world_include, prefix, scene.package_roots)
        except ValidationError as error:
            # A value that SDF allows and a scene does not.
            detail = error.errors(include_url=False)[0]
            key = ".".join(str(part) for part in detail["loc"])
            raise SceneError(
                f"{culprit}: {path}: {key}: {detail['msg']}, not {detail['input']!r:.60}; "
                "correct the file"
            ) from error

    def _include_sdf(
        self, path: Path, T_world_file: Transform, prefix: str, roots: tuple[Path, ...]
    ) -> None:
        from horus_sim.robots.sdf.reading import load_sdf

        loaded = load_sdf(path, roots=roots)
        self.report.notes.extend(loaded.report.notes)
        worlds = loaded.worlds
        for model in (*loaded.models, *(model for world in worlds for model in world.models)):
            for tree in model.trees:
                is_static = tree.is_static or model.is_static
                name = prefix + tree.name
                self.models.append(
                    PlacedRobot(
                        name,
                        replace(tree, is_static=is_static),
                        "fixed" if is_static or tree.root == "world" else "floating",
                        T_world_file @ tree.T_world_root,
                        frame_prefix=f"{name}/",
                        # What drives it in Gazebo holds it; the other joints move freely.
                        hold=hold_joints(tree.drives),
                        model="" if tree.self_collide else prefix + model.name,
                    )
                )
            for light in model.lights:
                self._add_sdf_light(light, prefix, Transform.identity(), model)
        for light in (*loaded.lights, *(light for world in worlds for light in world.lights)):
            self._add_sdf_light(light, prefix, T_world_file)
        for world in worlds[:1]:
            self._take_physics({"gravity": world.gravity, "timestep": world.physics.max_step_size})

    def _add_sdf_light(
        self, light: SdfLight, prefix: str, T_parent: Transform, model: SdfModel | None = None
    ) -> None:
        """Adds a light of an SDF file; one on a link of a model moves with it."""
        mount, name = None, prefix + light.name
        if model is not None:
            link = (light.link or "").removeprefix(f"{model.name}::")
            tree = _tree_with(model, link) or _tree_with(model, light.link or "")
            if tree is None:
                return
            link = link if any(each.name == link for each in tree.links) else light.link
            mount = f"{prefix}{tree.name}/{link}"
            name = f"{mount}/{light.name}"
        T = T_parent @ light.T_parent_light
        config = LightConfig(
            name=name,
            kind=light.kind,
            position=_numbers(T.translation),
            direction=_numbers(T.transform_vector(light.direction)),
            diffuse=light.diffuse[:3],
            specular=light.specular[:3],
            casts_shadows=light.casts_shadows,
            mount=mount,
        )
        self.lights.append(config)

    def _take_physics(self, included: dict[str, Any]) -> None:
        """The physics of the first include that has any, but for what the scene itself sets."""
        if not self.has_physics:
            own = self.scene.physics.model_dump(exclude_unset=True)
            self.physics = PhysicsConfig.model_validate(included | own)
            self.has_physics = True


def _tree_with(model: SdfModel, link: str) -> RobotDescription | None:
    """The tree of a model that has a link."""
    for tree in model.trees:
        if any(each.name == link for each in tree.links):
            return tree
    return None


def _numbers(values: Iterable[float]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
