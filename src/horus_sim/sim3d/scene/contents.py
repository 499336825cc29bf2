"""A scene with everything it includes, and the files it names found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from horus_sim.assets import ROOT, SHIPPED_SCHEME, asset_path
from horus_sim.errors import MissingResourceError, SceneError, UnknownNameError
from horus_sim.robots.description import RobotDescription
from horus_sim.robots.report import Report
from horus_sim.robots.robot import ROBOT_SUFFIXES
from horus_sim.robots.uris import UriResolver, resolver_for
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.reading import read_scene, scene_path
from horus_sim.sim3d.scene.scene import (
    CameraConfig,
    IncludeConfig,
    LightConfig,
    RobotConfig,
    Scene,
    SensorEntry,
)
from horus_sim.sim3d.scene.shapes import MaterialConfig
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.robots.sdf.world import SdfModel, SdfSensor

SCENES = ROOT / "scenes"
"""Begins the name of a file that ships with the package, such as 'shipped:door.sdf'."""
_DEEPEST = 10
_MOST_FILES = 500
_SDF = (".sdf", ".world")


@dataclass(frozen=True, slots=True)
class PlacedRobot:
    """A robot of a scene: `model` is a shipped file, or one in the allowed folders."""

    config: RobotConfig
    name: str
    T_world_root: Transform
    model: Path
    package_roots: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class PlacedModel:
    """A model of an SDF file."""

    name: str
    description: RobotDescription
    T_world_root: Transform
    base: Literal["fixed", "floating"]


@dataclass(frozen=True, slots=True)
class PlacedObject:
    """An object of a scene, the files it names and the materials it may name."""

    config: ObjectConfig
    name: str
    T_world_object: Transform
    T_world_scene: Transform
    files: dict[str, Path]
    materials: dict[str, MaterialConfig]


@dataclass(slots=True)
class SceneContents:
    """Everything that a scene and its includes hold, placed in one world.

    Attributes:
        scene: The outermost scene.
        physics: Its physics; what it does not set is as in the first include that gives any.
        robots: Of all scenes.
        models: Of all SDF files.
        objects: Of all scenes.
        lights: Of all scenes, in world coordinates.
        cameras: Of all scenes, each with the pose of its scene.
        sensors: Of all scenes.
        files: The files of all scenes, those of SDF included, and of their robots.
        report: Remarks of the SDF importer.
    """

    scene: Scene
    physics: PhysicsConfig
    robots: list[PlacedRobot] = field(default_factory=list)
    models: list[PlacedModel] = field(default_factory=list)
    objects: list[PlacedObject] = field(default_factory=list)
    lights: list[LightConfig] = field(default_factory=list)
    cameras: list[tuple[CameraConfig, Transform]] = field(default_factory=list)
    sensors: list[SensorEntry] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    report: Report = field(default_factory=Report)


def open_scene(
    name_or_path: str | Path,
    overrides: Mapping[str, Any] | Sequence[str] = (),
    package_roots: Iterable[Path | str] = (),
) -> SceneContents:
    """Reads a scene and what it includes; see `load_scene` in `horus_sim.sim3d`."""
    roots = tuple(Path(root).resolve() for root in package_roots)
    return contents_of(read_scene(scene_path(name_or_path), overrides, roots))


def contents_of(scene: Scene) -> SceneContents:
    """Reads what a scene includes and finds the files it names.

    Raises:
        SceneError: A file is missing, outside the allowed folders, includes itself, or names clash.
    """
    contents = SceneContents(scene, scene.physics)
    _Collector(contents).add(scene, Transform.identity(), "", ())
    things = [part.name for part in (*contents.robots, *contents.models, *contents.objects)]
    _check_unlike(things, "things", scene)
    _check_unlike([light.name for light in contents.lights], "lights", scene)
    _check_unlike([camera.name for camera, _ in contents.cameras], "cameras", scene)
    return contents


def _check_unlike(names: Iterable[str], kind: str, scene: Scene) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise SceneError(
                f"scene '{scene.name}': two {kind} are called '{name}'; give the include a prefix, "
                "or rename one"
            )
        seen.add(name)


class _Collector:
    def __init__(self, contents: SceneContents) -> None:
        self.contents = contents
        self.included = 0
        self.has_physics = False

    def add(
        self, scene: Scene, T_world_scene: Transform, prefix: str, way: tuple[Path, ...]
    ) -> None:
        """Adds one scene, then what it includes."""
        resolver = resolver_of(scene)
        contents = self.contents
        if scene.source is not None:
            contents.files.append(scene.source)
        for robot in scene.robots:
            contents.robots.append(self._robot(robot, scene, resolver, T_world_scene, prefix))
        for item in scene.objects:
            files = {
                file: _find(resolver, file, f"object '{item.name}'")
                for file in _files_of(item, scene.materials)
            }
            T_world_object = T_world_scene @ item.pose.transform()
            if item.motion is not None:
                T_world_object = T_world_scene @ item.motion.waypoints[0].pose.transform()
            contents.objects.append(
                PlacedObject(
                    item, prefix + item.name, T_world_object, T_world_scene, files, scene.materials
                )
            )
        for light in scene.lights:
            contents.lights.append(_moved_light(light, T_world_scene, prefix))
        for camera in scene.cameras:
            mount = None if camera.mount is None else prefix + camera.mount
            changes = {"name": prefix + camera.name, "mount": mount}
            contents.cameras.append((camera.model_copy(update=changes), T_world_scene))
        for sensor in scene.sensors:
            changes = {"name": prefix + sensor.name, "mount": prefix + sensor.mount}
            contents.sensors.append(sensor.model_copy(update=changes))
        for include in scene.include:
            self._include(include, scene, resolver, T_world_scene, prefix, way)

    def _robot(
        self,
        robot: RobotConfig,
        scene: Scene,
        resolver: UriResolver,
        T_world_scene: Transform,
        prefix: str,
    ) -> PlacedRobot:
        culprit = f"robot '{robot.name}'"
        model = _robot_file(resolver, robot.model, culprit)
        self.contents.files.append(model)
        roots = tuple(_find(resolver, root, culprit, "directory") for root in robot.package_roots)
        T_world_root = T_world_scene @ robot.pose.transform()
        return PlacedRobot(
            robot, prefix + robot.name, T_world_root, model, (*roots, *scene.package_roots)
        )

    def _include(
        self,
        include: IncludeConfig,
        scene: Scene,
        resolver: UriResolver,
        T_world_scene: Transform,
        prefix: str,
        way: tuple[Path, ...],
    ) -> None:
        culprit = f"{scene.source or scene.name}: include '{include.file}'"
        if Path(include.file).suffix:
            path = _find(resolver, include.file, f"include of scene '{scene.name}'")
        else:
            try:
                path = scene_path(include.file)
            except UnknownNameError as error:
                raise SceneError(f"{culprit}: {error}") from None
        path = path.resolve()
        here = () if scene.source is None else (scene.source.resolve(),)
        if path in (*way, *here) and path.suffix.lower() not in _SDF:
            raise SceneError(f"{culprit}: the scene includes itself; remove one of the includes")
        self.included += 1
        if len(way) >= _DEEPEST or self.included > _MOST_FILES:
            raise SceneError(
                f"{culprit}: more than {_DEEPEST} levels or {_MOST_FILES} files are included"
            )
        T_world_include = T_world_scene @ include.pose.transform()
        if path.suffix.lower() in _SDF:
            self.contents.files.append(path)
            try:
                self._include_sdf(
                    path, T_world_include, prefix + include.prefix, scene.package_roots
                )
            except ValidationError as error:
                # A value that SDF allows and a scene does not.
                detail = error.errors(include_url=False)[0]
                key = ".".join(str(part) for part in detail["loc"])
                raise SceneError(
                    f"{culprit}: {path}: {key}: {detail['msg']}, not {detail['input']!r:.60}; "
                    "correct the file"
                ) from error
            return
        inner = read_scene(path, package_roots=scene.package_roots)
        if "physics" in inner.model_fields_set:
            self._take_physics(inner.physics.model_dump(exclude_unset=True))
        self.add(inner, T_world_include, prefix + include.prefix, (*way, *here))

    def _include_sdf(
        self, path: Path, T_world_file: Transform, prefix: str, roots: tuple[Path, ...]
    ) -> None:
        from horus_sim.robots.sdf.reading import load_sdf

        loaded = load_sdf(path, roots=roots)
        self.contents.report.notes.extend(loaded.report.notes)
        models = [*loaded.models, *(model for world in loaded.worlds for model in world.models)]
        for model in models:
            for tree in model.trees:
                held = tree.is_static or model.is_static or tree.root == "world"
                self.contents.models.append(
                    PlacedModel(
                        prefix + tree.name,
                        replace(tree, is_static=tree.is_static or model.is_static),
                        T_world_file @ tree.T_world_root,
                        "fixed" if held else "floating",
                    )
                )
            for sensor in model.sensors:
                config = _sensor(sensor, prefix, model)
                if config is not None:
                    self.contents.sensors.append(config)
        lights = [*loaded.lights, *(light for world in loaded.worlds for light in world.lights)]
        for light in lights:
            T_world_light = T_world_file @ light.T_parent_light
            config = LightConfig(
                name=prefix + light.name,
                kind=light.kind,
                position=_numbers(T_world_light.translation),
                direction=_numbers(T_world_light.transform_vector(light.direction)),
                diffuse=light.diffuse[:3],
                specular=light.specular[:3],
                casts_shadows=light.casts_shadows,
            )
            self.contents.lights.append(config)
        if loaded.worlds:
            world = loaded.worlds[0]
            self._take_physics({"gravity": world.gravity, "timestep": world.physics.max_step_size})

    def _take_physics(self, included: dict[str, Any]) -> None:
        """The physics of the first include that has any, but for what the scene itself sets."""
        if not self.has_physics:
            own = self.contents.scene.physics.model_dump(exclude_unset=True)
            self.contents.physics = PhysicsConfig.model_validate(included | own)
            self.has_physics = True


def _sensor(sensor: SdfSensor, prefix: str, model: SdfModel) -> SensorEntry | None:
    """A sensor of an SDF model, on the tree that has its link."""
    for tree in model.trees:
        if any(link.name == sensor.link for link in tree.links):
            return SensorEntry.model_validate(
                {
                    "kind": sensor.type,
                    "name": f"{prefix}{tree.name}/{sensor.name}",
                    "mount": f"{prefix}{tree.name}/{sensor.link}",
                    "rate_hz": sensor.rate,
                    "pose": PoseConfig.of(sensor.T_link_sensor).model_dump(exclude_unset=True),
                    "joint": sensor.joint,
                    "sdf": sensor.parameters,
                }
            )
    return None


def resolver_of(scene: Scene) -> UriResolver:
    """Finds the files that a scene names."""
    source = scene.source
    # A scene made in Python has its files where the program runs.
    return resolver_for(source if source is not None else Path.cwd() / "scene", scene.package_roots)


def _robot_file(resolver: UriResolver, model: str, culprit: str) -> Path:
    """The file of a shipped robot or one that the scene may read."""
    is_plain = "/" not in model and not Path(model).suffix
    if not is_plain:
        return _find(resolver, model, culprit)
    try:
        return asset_path("robots", model, ROBOT_SUFFIXES)
    except UnknownNameError as error:
        try:
            return resolver.resolve(model, culprit)
        except MissingResourceError as missing:
            refused = f"; tried: {', '.join(missing.tried)}" if missing.tried else ""
            raise SceneError(f"{culprit}: {error}{refused}") from None


def _find(
    resolver: UriResolver, uri: str, culprit: str, kind: Literal["file", "directory"] = "file"
) -> Path:
    if uri.startswith(SHIPPED_SCHEME):
        # Where a scene that came with the package keeps its files.
        resolver = resolver_for(SCENES / "scene")
        uri = uri.removeprefix(SHIPPED_SCHEME)
    try:
        return resolver.resolve(uri, culprit, kind)
    except MissingResourceError as error:
        raise SceneError(str(error)) from error


def _files_of(item: ObjectConfig, materials: dict[str, MaterialConfig]) -> list[str]:
    files: list[str] = []
    for part in item.all_parts():
        file = getattr(part.shape, "file", None)
        if file is not None:
            files.append(file)
    for chosen in (item.material, *(part.material for part in item.parts)):
        config = materials.get(chosen) if isinstance(chosen, str) else chosen
        if config is not None and config.texture is not None:
            files.append(config.texture)
    return files


def _moved_light(light: LightConfig, T_world_scene: Transform, prefix: str) -> LightConfig:
    return light.model_copy(
        update={
            "name": prefix + light.name,
            "position": _numbers(T_world_scene.transform_point(light.position)),
            "direction": _numbers(T_world_scene.transform_vector(light.direction)),
        }
    )


def _numbers(values: object) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)  # pyright: ignore[reportGeneralTypeIssues]
    return x, y, z
