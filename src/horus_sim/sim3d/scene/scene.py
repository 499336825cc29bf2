"""A scene: robots, objects, light and physics, as written in a file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, PrivateAttr, model_validator

from horus_sim.errors import SceneError
from horus_sim.files.document import Document, KeyPath
from horus_sim.sim3d.scene.base import Config, Finite, Name, PoseConfig, Rgba, Vector3
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.shapes import MaterialConfig

_MANY = 100_000
# Colour behind everything, unless a scene says otherwise.
BACKGROUND: Rgba = (0.6, 0.75, 0.9, 1.0)


class RobotConfig(Config):
    """A robot in a scene.

    Attributes:
        model: Name of a robot, as `load_robot` takes it, or a URDF, xacro or MJCF file beside the
            scene, or a folder or a zip archive with one robot in it.
        name: Unique in the scene.
        pose: Where its root link starts.
        base: Whether the world holds its root; 'auto' lets its description decide.
        package_roots: Folders beside the scene in which its packages are looked for.
        joints: Where joints start [rad] or [m]; the others start as the description says.
        frame_prefix: What stands before its frames in the transform tree; ``<name>/`` unless given.
        hold: Whether its drives hold the joints until a command comes; else they move freely.
        sensors: Whether it has the sensors that its file describes.
        decompose: Whether its collision meshes are cut into convex pieces; else each touches as its
            convex hull.
        collide_visuals: Whether links without a collision shape touch as they look.
    """

    model: Annotated[str, Field(min_length=1, max_length=4096)]
    name: Name
    pose: PoseConfig = PoseConfig()
    base: Literal["auto", "fixed", "floating"] = "auto"
    package_roots: tuple[str, ...] = ()
    joints: dict[str, Finite] = Field(default_factory=dict)
    frame_prefix: str | None = None
    hold: bool = True
    sensors: bool = True
    decompose: bool = False
    collide_visuals: bool = False


class LightConfig(Config):
    """A lamp.

    Attributes:
        name: Unique among lights.
        kind: 'directional' like the sun, 'point' like a bulb, 'spot' like a torch.
        position: [m], in the frame of `mount`.
        direction: Direction of the beam, in the same frame.
        diffuse: Colour, each channel from 0 to 1.
        specular: Colour of highlights.
        casts_shadows: Whether things stand in its way.
        mount: Object, or robot's link as 'robot/link', that carries it; the world by default.
    """

    name: Name
    kind: Literal["directional", "point", "spot"] = "directional"
    position: Vector3 = (0.0, 0.0, 10.0)
    direction: Vector3 = (0.0, 0.0, -1.0)
    diffuse: tuple[Finite, Finite, Finite] = (0.7, 0.7, 0.7)
    specular: tuple[Finite, Finite, Finite] = (0.2, 0.2, 0.2)
    casts_shadows: bool = False
    mount: str | None = None


class CameraConfig(Config):
    """A point of view.

    Attributes:
        name: Unique among cameras.
        position: [m], in the frame of `mount`.
        target: Point [m] it looks at, in the same frame.
        fov_deg: Vertical field of view [deg].
        mount: Object, or robot's link as 'robot/link', that carries it; the world by default.
    """

    name: Name
    position: Vector3 = (3.0, -3.0, 2.5)
    target: Vector3 = (0.0, 0.0, 0.0)
    fov_deg: Annotated[float, Field(gt=0, lt=180)] = 45.0
    mount: str | None = None

    @model_validator(mode="after")
    def _looks_somewhere(self) -> Self:
        if self.position == self.target:
            raise ValueError("'target' must differ from 'position'")
        return self


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was written; it does not count when two configurations are compared.

    Attributes:
        document: What holds it, or None for what a program made.
        key: Its keys and indices there.
    """

    document: Document | None = field(default=None, compare=False)
    key: KeyPath = field(default=(), compare=False)


class SensorEntry(Config):
    """A sensor; keys beside these are kept as they are.

    Attributes:
        kind: What it measures, such as 'lidar'.
        name: Unique among sensors.
        mount: Object, or robot's link as 'robot/link', that carries it.
    """

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)

    kind: Annotated[str, Field(min_length=1)]
    name: Name
    mount: Annotated[str, Field(min_length=1)]
    _place: Place = PrivateAttr(default=Place())

    @property
    def place(self) -> Place:
        """Where it was written."""
        return self._place


class IncludeConfig(Config):
    """Another scene, or an SDF world or model, that is part of this one.

    Attributes:
        file: YAML, JSON or SDF beside this scene, or the name of a shipped scene.
        pose: Where its origin is.
        prefix: What stands before the names of all it brings.
    """

    file: Annotated[str, Field(min_length=1, max_length=4096)]
    pose: PoseConfig = PoseConfig()
    prefix: str = ""


class Scene(Config):
    """What stands where, under which light and physics.

    Attributes:
        name: Name of the scene.
        description: One sentence for people.
        include: Other scenes and SDF files.
        physics: Step, gravity, solver, contacts.
        robots: The robots.
        objects: Everything else.
        materials: Materials of objects by name.
        lights: Lamps; one sun if there are none.
        cameras: Points of view.
        sensors: Sensors on robots and objects.
        background: Colour behind everything.
    """

    name: Name = "scene"
    description: str = ""
    include: tuple[IncludeConfig, ...] = ()
    physics: PhysicsConfig = PhysicsConfig()
    robots: tuple[RobotConfig, ...] = Field(default=(), max_length=_MANY)
    objects: tuple[ObjectConfig, ...] = Field(default=(), max_length=_MANY)
    materials: dict[str, MaterialConfig] = Field(default_factory=dict)
    lights: tuple[LightConfig, ...] = Field(default=(), max_length=_MANY)
    cameras: tuple[CameraConfig, ...] = Field(default=(), max_length=_MANY)
    sensors: tuple[SensorEntry, ...] = Field(default=(), max_length=_MANY)
    background: Rgba = BACKGROUND

    _source: Path | None = PrivateAttr(default=None)
    _package_roots: tuple[Path, ...] = PrivateAttr(default=())

    @model_validator(mode="after")
    def _unique(self) -> Self:
        groups = {
            "robots and objects": [part.name for part in (*self.robots, *self.objects)],
            "lights": [light.name for light in self.lights],
            "cameras": [camera.name for camera in self.cameras],
            "sensors": [sensor.name for sensor in self.sensors],
        }
        for what, names in groups.items():
            for name, count in Counter(names).items():
                if count > 1:
                    raise ValueError(f"{count} {what} are called '{name}'; give each its own name")
        for item in self.objects:
            for material in (item.material, *(part.material for part in item.parts)):
                if isinstance(material, str) and material not in self.materials:
                    known = ", ".join(self.materials) or "none"
                    raise ValueError(
                        f"object '{item.name}' has the material '{material}', which is not in "
                        f"'materials' (known: {known})"
                    )
        return self

    def __eq__(self, other: object) -> bool:
        # The file that a scene came from is not part of it.
        return isinstance(other, Scene) and self.model_dump() == other.model_dump()

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    @property
    def source(self) -> Path | None:
        """The file it was read from, or None."""
        return self._source

    @property
    def package_roots(self) -> tuple[Path, ...]:
        """Folders, beside that of its file, from which its files may come."""
        return self._package_roots

    def with_object(self, item: ObjectConfig) -> Scene:
        """The scene with one more object."""
        return self._changed(objects=(*self.objects, item))

    def with_robot(self, robot: RobotConfig) -> Scene:
        """The scene with one more robot."""
        return self._changed(robots=(*self.robots, robot))

    def without(self, name: str) -> Scene:
        """The scene without the robot or object of that name.

        Raises:
            SceneError: There is none.
        """
        names = [part.name for part in (*self.robots, *self.objects)]
        if name not in names:
            raise SceneError(
                f"scene '{self.name}' has no robot or object '{name}'; it has "
                f"{', '.join(sorted(names)) or 'none'}"
            )
        return self._changed(
            robots=tuple(robot for robot in self.robots if robot.name != name),
            objects=tuple(item for item in self.objects if item.name != name),
        )

    def _changed(self, **parts: Any) -> Scene:  # noqa: ANN401 - fields of the scene
        from horus_sim.sim3d.scene.reading import check_scene

        data = self.to_dict() | {
            key: [part.model_dump(mode="json", exclude_unset=True) for part in value]
            for key, value in parts.items()
        }
        return check_scene(data, source=self._source, package_roots=self._package_roots)

    def to_dict(self) -> dict[str, Any]:
        """What was set, as plain data that reads back as the same scene."""
        return self.model_dump(mode="json", exclude_unset=True)

    def save(self, path: Path | str) -> None:
        """Writes the scene as YAML, or as JSON if the name ends with ``.json``.

        Saved to another folder, the scene keeps its files: those of shipped scenes are named
        ``shipped:...``, meshes, images and included scenes are copied into ``<name>_files`` beside
        it. Robots and SDF files of one's own, which may have packages, are named by their absolute
        path: give their folder as `package_roots` on reading.
        """
        from horus_sim.sim3d.scene.writing import save_scene

        save_scene(self, Path(path))
