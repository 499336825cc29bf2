"""Reading and writing scenarios. Errors name the file, the key and its line."""

from __future__ import annotations

import difflib
import json
import types
import typing
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from horus_sim.assets import ROOT
from horus_sim.errors import AssetError, ScenarioError
from horus_sim.sim2d.checks import robot_problems, world_problems
from horus_sim.sim2d.json_lines import key_text, line_of
from horus_sim.sim2d.outline import MOST_POINTS
from horus_sim.sim2d.schema import (
    FileModel,
    RobotConfig,
    RobotEntry,
    ScenarioConfig,
    WorldConfig,
)

SHIPPED = ROOT / "scenarios"
_MOST_BYTES = 64_000_000
M = TypeVar("M", bound=FileModel)


class UnknownKeyWarning(UserWarning):
    """A file has a key that nobody reads; it is kept in the metadata."""


@dataclass(frozen=True, slots=True)
class RobotSpec:
    """A robot of a scenario: its entry, its description and where its controller is.

    Attributes:
        id: Unique in the scenario.
        config: What robot.json says.
        folder: Folder of the robot's file, or None.
        controller: Name of the controller's module in that folder.
        spawn_pose: x, y [m], theta [rad], world frame.
        entry: What scenario.json says.
    """

    id: str
    config: RobotConfig
    folder: Path | None
    controller: str
    spawn_pose: tuple[float, float, float]
    entry: RobotEntry


@dataclass(frozen=True, slots=True)
class Scenario:
    """A world and the robots in it, checked.

    Attributes:
        config: What scenario.json says.
        world: What world.json says.
        robots: The robots.
        folder: The scenario's folder, or None when it was made in memory.
    """

    config: ScenarioConfig
    world: WorldConfig
    robots: tuple[RobotSpec, ...]
    folder: Path | None = None

    @property
    def seed(self) -> int:
        """Seed where the caller gives none: that of scenario.json, else of world.json, else 0."""
        for seed in (self.config.seed, self.world.seed):
            if seed is not None:
                return seed
        return 0

    @classmethod
    def make(cls, world: WorldConfig, *robots: RobotConfig, name: str = "scenario") -> Scenario:
        """A scenario without files; robots are called robot, robot_2, ...

        Raises:
            ScenarioError: The world or a robot does not fit.
        """
        _refuse(world_problems(world), None, "")
        specs = []
        for number, robot in enumerate(robots, 1):
            _refuse(robot_problems(robot), None, "")
            ident = "robot" if number == 1 else f"robot_{number}"
            entry = RobotEntry(ref=f"{ident}.json", id=ident)
            specs.append(
                RobotSpec(ident, robot, None, robot.controller_module, robot.spawn_pose, entry)
            )
        config = ScenarioConfig(
            name=name, environment="world.json", robots=tuple(spec.entry for spec in specs)
        )
        return cls(config, world, tuple(specs))


def scenario_names() -> tuple[str, ...]:
    """Names of the shipped scenarios."""
    return tuple(sorted(path.parent.name for path in SHIPPED.glob("*/world.json")))


def scenario_folder(scenario: str | Path) -> Path:
    """The folder of a shipped scenario, or of a path to a folder or its scenario.json.

    Raises:
        AssetError: There is neither a path nor a shipped scenario of that name.
    """
    path = Path(scenario)
    if path.is_file():
        return path.parent
    if path.is_dir():
        return path
    if (SHIPPED / path.name / "world.json").is_file() and len(path.parts) == 1:
        return SHIPPED / path.name
    known = scenario_names()
    close = difflib.get_close_matches(path.name, known, n=3, cutoff=0.5)
    hint = (
        f"did you mean {' or '.join(repr(match) for match in close)}?"
        if close
        else f"shipped are: {', '.join(known)}"
    )
    raise AssetError(f"there is no scenario '{scenario}', neither as a path nor shipped; {hint}")


def load_scenario(scenario: str | Path) -> Scenario:
    """Reads and checks a scenario.

    Args:
        scenario: Name of a shipped one, or path of a folder with scenario.json, or with world.json
            and robot.json.

    Raises:
        AssetError: There is no such scenario.
        ScenarioError: A file is missing or wrong.
    """
    folder = scenario_folder(scenario)
    path = folder / "scenario.json"
    if path.exists():
        config = read_file(path, ScenarioConfig)
    else:
        has_robot = (folder / "robot.json").exists()
        robots = (RobotEntry(ref="robot.json", id="robot"),) if has_robot else ()
        config = ScenarioConfig(name=folder.name, environment="world.json", robots=robots)
    world_path = folder / config.environment
    world = read_file(world_path, WorldConfig)
    _refuse(world_problems(world), world_path)
    specs: list[RobotSpec] = []
    for index, entry in enumerate(config.robots):
        robot_path = folder / entry.ref
        if not robot_path.is_file():
            problem = f"there is no file '{entry.ref}' in {folder}; correct the path"
            _refuse([(("robots", index, "ref"), problem)], path)
        robot = read_file(robot_path, RobotConfig)
        _refuse(robot_problems(robot), robot_path)
        ident = entry.id or (
            robot_path.stem if robot_path.parent == folder else robot_path.parent.name
        )
        if any(spec.id == ident for spec in specs):
            problem = f"two robots have the id '{ident}'; give each its own"
            _refuse([(("robots", index, "id"), problem)], path)
        specs.append(
            RobotSpec(
                ident,
                robot,
                robot_path.parent,
                entry.controller or robot.controller_module,
                entry.spawn_pose or robot.spawn_pose,
                entry,
            )
        )
    return Scenario(config, world, tuple(specs), folder)


def save_scenario(scenario: Scenario, folder: str | Path) -> Scenario:
    """Writes scenario.json, world.json and the robots' files; controllers are not copied.

    Returns:
        The scenario with its folder.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / "scenario.json", scenario.config)
    write_file(folder / scenario.config.environment, scenario.world)
    for spec in scenario.robots:
        path = folder / spec.entry.ref
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, spec.config)
    return replace(scenario, folder=folder)


def write_file(path: Path, model: FileModel) -> None:
    """Writes one description as JSON, with the keys that were given."""
    values = model.model_dump(mode="json", exclude_unset=True)
    path.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def read_file(path: Path, kind: type[M]) -> M:
    """Reads one description.

    Raises:
        ScenarioError: The file is missing, is no JSON, or a value does not fit.
    """
    if not path.is_file():
        raise ScenarioError(str(path), "", None, "the file does not exist; create it")
    if path.stat().st_size > _MOST_BYTES:
        raise ScenarioError(str(path), "", None, f"the file is larger than {_MOST_BYTES} bytes")
    text = path.read_text(encoding="utf-8")
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise ScenarioError(str(path), "", error.lineno, f"this is no JSON: {error.msg}") from None
    except RecursionError:
        raise ScenarioError(str(path), "", None, "the JSON is nested too deeply") from None
    return parse(values, kind, path, text)


def parse(values: object, kind: type[M], path: Path | None, text: str) -> M:
    """A description from JSON values; unknown keys go into the metadata with a warning."""
    values = _keep_unknown(values, kind, (), path, text)
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = tuple(first["loc"])
        problem = first["msg"]
        if first["type"] == "too_long":
            problem = (
                f"{len(first['input'])} points are too many for one body; simplify the outline to "
                f"at most {MOST_POINTS}"
            )
        elif first["type"] != "missing":
            shown = repr(first["input"])
            problem += f", got {shown if len(shown) <= 60 else shown[:57] + '...'}"
        _refuse([(place, problem)], path, text)
        raise


def _refuse(
    problems: typing.Iterable[tuple[tuple[str | int, ...], str]],
    path: Path | None,
    text: str | None = None,
) -> None:
    """Raises the first problem, if there is one."""
    for place, problem in problems:
        if text is None:
            text = path.read_text(encoding="utf-8") if path is not None and path.is_file() else ""
        line = line_of(text, place) if text else None
        raise ScenarioError(None if path is None else str(path), key_text(place), line, problem)


def _keep_unknown(
    values: object, kind: object, place: tuple[str | int, ...], path: Path | None, text: str
) -> object:
    """The values with the unknown keys of every object moved into its metadata."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        if not isinstance(values, dict):
            return values
        kept: dict[str, Any] = {}
        unknown: dict[str, Any] = {}
        for key, value in values.items():
            if key not in kind.model_fields:
                unknown[key] = value
                continue
            annotation = kind.model_fields[key].annotation
            kept[key] = _keep_unknown(value, annotation, (*place, key), path, text)
        if unknown:
            _warn_unknown(unknown, kind, place, path, text)
            given = kept.get("metadata", {})
            kept["metadata"] = {**given, **unknown} if isinstance(given, dict) else given
        return kept
    inside = typing.get_args(kind)
    if values and isinstance(values, list) and not isinstance(values[0], dict):
        return values
    if typing.get_origin(kind) is tuple and isinstance(values, list) and inside[-1] is Ellipsis:
        return [
            _keep_unknown(value, inside[0], (*place, index), path, text)
            for index, value in enumerate(values)
        ]
    if isinstance(kind, types.UnionType) and isinstance(values, dict):
        models = [part for part in inside if isinstance(part, type) and issubclass(part, BaseModel)]
        return _keep_unknown(values, models[0], place, path, text) if models else values
    return values


def _warn_unknown(
    unknown: dict[str, Any],
    kind: type[BaseModel],
    place: tuple[str | int, ...],
    path: Path | None,
    text: str,
) -> None:
    for key in unknown:
        close = difflib.get_close_matches(key, kind.model_fields, n=1, cutoff=0.7)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        line = line_of(text, (*place, key)) if text else None
        where = f"{path}:{line}: " if line else f"{path}: " if path else ""
        warnings.warn(
            f"{where}{key_text((*place, key))} is unknown and kept in metadata{hint}",
            UnknownKeyWarning,
            stacklevel=2,
        )
