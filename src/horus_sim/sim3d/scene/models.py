"""A model that is put into a running world, by its file or by the text of one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from horus_sim.errors import (
    DescriptionError,
    SceneError,
    UnknownNameError,
    UnsupportedFormatError,
)
from horus_sim.robots.finding.find import find_named
from horus_sim.robots.finding.robot_file import RobotFile
from horus_sim.robots.report import Report
from horus_sim.robots.robot import ROBOT_SUFFIXES, load_robot, robot_names
from horus_sim.robots.xml import parse_xml
from horus_sim.sim3d.scene.base import Config, Name, PoseConfig
from horus_sim.sim3d.scene.placed import PlacedRobot, placed_robot
from horus_sim.sim3d.scene.reading import SDF_SUFFIXES, find_file, resolver_of
from horus_sim.sim3d.scene.scene import IncludeConfig, Scene
from horus_sim.sim3d.scene.world_spec import world_spec

MODEL_FORMATS = ("urdf", "xacro", "mjcf", "sdf")
"""Formats in which a model may be given."""
_SUFFIXES = (*ROBOT_SUFFIXES, ".xacro", ".mjcf", *SDF_SUFFIXES)
_SUFFIX_OF_ROOT = {"robot": ".urdf", "mujoco": ".xml", "sdf": ".sdf", "gazebo": ".sdf"}
_TEXT = "resource_string"


class ModelConfig(Config):
    """A model that is put into a running world.

    Attributes:
        name: Unique in the world.
        uri: Name of a robot, as `load_robot` takes it, or a URDF, xacro, MJCF or SDF file beside
            the scene; or
        text: the content of such a file, whose own files are looked for beside the scene.
        pose: Where it is put.
    """

    name: Name
    uri: Annotated[str, Field(max_length=4096)] = ""
    text: str = ""
    pose: PoseConfig = PoseConfig()

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if bool(self.uri) == bool(self.text):
            raise ValueError("a model is given by either 'uri' or 'text'")
        return self


def read_model(config: ModelConfig, scene: Scene, report: Report) -> PlacedRobot:
    """A model, read and placed.

    Args:
        config: Which, and where.
        scene: The scene beside which its files are looked for.
        report: Gets the remarks of the importer.

    Raises:
        UnknownNameError: There is no such file or robot.
        UnsupportedFormatError: It is of a format that cannot be read.
        MissingResourceError: A file that it names is missing.
        DescriptionError: It cannot be used.
    """
    part = load_model(config.uri, config.text, scene, report)
    pose = part.root_pose(config.pose.transform())
    return replace(part, name=config.name, frame_prefix=f"{config.name}/", pose=pose)


def load_model(uri: str, text: str, scene: Scene, report: Report) -> PlacedRobot:
    """A model under its own name, where its file puts it; see `read_model`."""
    if text:
        with _written(text) as path:
            return _load(RobotFile(path), report, (_folder(scene), *scene.package_roots))
    return _load(_find(uri, scene), report, scene.package_roots)


def _find(uri: str, scene: Scene) -> RobotFile:
    suffix = Path(uri).suffix.lower()
    if not suffix and not uri.startswith((".", "/", "~")):
        return find_named(uri)
    if suffix not in _SUFFIXES:
        raise UnsupportedFormatError(
            f"'{uri}' cannot be read; give the name of a robot ({', '.join(robot_names())}, ...) "
            f"or a file that ends with {', '.join(_SUFFIXES)}"
        )
    try:
        return RobotFile(find_file(resolver_of(scene), uri, "the model"))
    except SceneError as error:
        raise UnknownNameError(str(error)) from error


def _load(file: RobotFile, report: Report, roots: tuple[Path, ...]) -> PlacedRobot:
    if file.path.suffix.lower() in SDF_SUFFIXES:
        return _load_sdf(file.path, report, roots)
    robot = load_robot(file, package_roots=roots)
    report.notes.extend(robot.report.notes)
    return placed_robot(robot)


def _load_sdf(path: Path, report: Report, roots: tuple[Path, ...]) -> PlacedRobot:
    alone = Scene(include=(IncludeConfig(file=path.name),))
    alone._source, alone._package_roots = path, roots
    found = world_spec(alone, report).robots
    if len(found) != 1:
        names = ", ".join(part.name for part in found) or "none"
        raise DescriptionError(
            f"{path}: holds {len(found)} models of connected links ({names}); put one at a time "
            "into a world"
        )
    return found[0]


def _folder(scene: Scene) -> Path:
    return Path.cwd() if scene.source is None else scene.source.resolve().parent


@contextmanager
def _written(text: str) -> Iterator[Path]:
    """A file with a text, in a folder of its own; errors name the text and not the file."""
    suffix = _SUFFIX_OF_ROOT.get(parse_xml(text, _TEXT).tag)
    if suffix is None:
        raise UnsupportedFormatError(
            f"{_TEXT} is neither URDF, MJCF nor SDF: its first element is not <robot>, <mujoco> or "
            "<sdf>"
        )
    with tempfile.TemporaryDirectory(prefix="horus-sim-") as folder:
        path = Path(folder) / f"{_TEXT}{suffix}"
        path.write_text(text, encoding="utf-8")
        try:
            yield path
        except DescriptionError as error:
            error.args = (str(error).replace(f"{path}", _TEXT), *error.args[1:])
            raise
