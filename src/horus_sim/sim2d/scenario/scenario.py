"""Reading and writing scenarios. Errors name the file, the key and its line."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, replace
from pathlib import Path

from horus_sim.assets import ROOT
from horus_sim.errors import Sim2dError, UnknownNameError
from horus_sim.files.document import Document
from horus_sim.files.names import did_you_mean
from horus_sim.files.whole_file import write_whole
from horus_sim.sim2d.pose import Pose2D
from horus_sim.sim2d.scenario.checks import (
    robot_doubts,
    robot_problems,
    shared_name_problems,
    world_doubts,
    world_problems,
)
from horus_sim.sim2d.scenario.reading import doubt, parse, read_file, refuse
from horus_sim.sim2d.scenario.schema import (
    FileModel,
    RobotConfig,
    RobotEntry,
    ScenarioConfig,
    WorldConfig,
)

SHIPPED = ROOT / "scenarios"


@dataclass(frozen=True, slots=True)
class RobotSpec:
    """A robot of a scenario.

    Attributes:
        id: Unique in the scenario.
        config: What robot.json says.
        entry: What scenario.json says.
        folder: Folder of the robot's file, or None.
    """

    id: str
    config: RobotConfig
    entry: RobotEntry
    folder: Path | None = None

    @property
    def controller(self) -> str:
        """Name of the controller's module in the folder; '' for none."""
        return self.entry.controller or self.config.controller_module

    @property
    def spawn_pose(self) -> Pose2D:
        """x, y [m], theta [rad], world frame."""
        return Pose2D(*(self.entry.spawn_pose or self.config.spawn_pose))

    @property
    def controller_path(self) -> Path | None:
        """Where the controller's file is or would be; None for a robot without files."""
        if self.folder is None or not self.controller:
            return None
        return self.folder / f"{self.controller}.py"

    @property
    def names_controller(self) -> bool:
        """Whether a file says which controller it is, and does not leave it to the default."""
        return bool(self.entry.controller) or "controller_module" in self.config.model_fields_set


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
        return next((s for s in (self.config.seed, self.world.seed) if s is not None), 0)

    @classmethod
    def make(cls, world: WorldConfig, *robots: RobotConfig, name: str = "scenario") -> Scenario:
        """A scenario without files; robots are called robot, robot_2, ...

        Raises:
            ScenarioError: The world or a robot does not fit.
        """
        unwritten = Document(None)
        refuse(world_problems(world), unwritten)
        doubt(world_doubts(world), unwritten)
        specs = []
        for number, robot in enumerate(robots, 1):
            refuse(robot_problems(robot), unwritten)
            doubt(robot_doubts(robot), unwritten)
            ident = "robot" if number == 1 else f"robot_{number}"
            specs.append(RobotSpec(ident, robot, RobotEntry(ref=f"{ident}.json", id=ident)))
        refuse(shared_name_problems(world, [spec.id for spec in specs]), unwritten)
        config = ScenarioConfig(
            name=name, environment="world.json", robots=tuple(spec.entry for spec in specs)
        )
        return cls(config, world, tuple(specs))


def scenario_names() -> tuple[str, ...]:
    """Names of the shipped scenarios."""
    return tuple(sorted(path.parent.name for path in SHIPPED.glob("*/world.json")))


def scenario_folder(name_or_path: str | Path) -> Path:
    """The folder of a shipped scenario, or of a path to a folder or its scenario.json.

    Raises:
        UnknownNameError: There is neither a path nor a shipped scenario of that name.
    """
    path = Path(name_or_path)
    if path.exists():
        return path if path.is_dir() else path.parent
    if (SHIPPED / path.name / "world.json").is_file() and len(path.parts) == 1:
        return SHIPPED / path.name
    hint = did_you_mean(path.name, scenario_names())
    raise UnknownNameError(
        f"there is no scenario '{name_or_path}', neither as a path nor shipped; {hint}"
    )


def load_scenario(name_or_path: str | Path) -> Scenario:
    """Reads and checks a scenario.

    Args:
        name_or_path: Name of a shipped scenario, or path of a folder with scenario.json, or with
            world.json and robot.json.

    Raises:
        UnknownNameError: No scenario has this name or path.
        ScenarioError: A file is missing or wrong.
    """
    folder = scenario_folder(name_or_path)
    path = folder / "scenario.json"
    written = Document(None, str(path))
    if path.exists():
        written = read_file(path)
        config = parse(written, ScenarioConfig)
    else:
        has_robot = (folder / "robot.json").exists()
        robots = (RobotEntry(ref="robot.json", id="robot"),) if has_robot else ()
        config = ScenarioConfig(name=folder.name, environment="world.json", robots=robots)
    world_file = read_file(folder / config.environment)
    world = parse(world_file, WorldConfig, world_problems, world_doubts)
    specs: list[RobotSpec] = []
    for index, entry in enumerate(config.robots):
        path = folder / entry.ref
        ident = entry.id or (path.stem if path.parent == folder else path.parent.name)
        key, problem = "id", ""
        if not path.is_file():
            key, problem = "ref", f"there is no file '{entry.ref}' in {folder}; correct the path"
        elif any(spec.id == ident for spec in specs):
            problem = f"two robots have the id '{ident}'; give each its own"
        elif "/" in ident:
            problem = f"the id '{ident}' has a '/', which parts robots from bodies; leave it out"
        if problem:
            refuse([(("robots", index, key), problem)], written)
        robot = parse(read_file(path), RobotConfig, robot_problems, robot_doubts)
        specs.append(RobotSpec(ident, robot, entry, path.parent))
    refuse(shared_name_problems(world, [spec.id for spec in specs]), world_file)
    return Scenario(config, world, tuple(specs), folder)


def save_scenario(scenario: Scenario, folder: str | Path) -> Scenario:
    """Writes scenario.json, world.json and the robots' files; controllers are not copied.

    Nothing is written outside the folder: files that were elsewhere get a name inside it.

    Returns:
        The scenario with its folder, and the names of its files there.

    Raises:
        Sim2dError: A file cannot be written.
    """
    folder = Path(folder)
    taken = {"scenario.json"}
    environment = _inside(folder, scenario.config.environment, "world.json", taken)
    places: dict[str, str] = {}
    specs: list[RobotSpec] = []
    for spec in scenario.robots:
        ref = spec.entry.ref
        if ref not in places:
            places[ref] = _inside(folder, ref, f"{spec.id}.json", taken)
        specs.append(replace(spec, entry=spec.entry.model_copy(update={"ref": places[ref]})))
    changes: dict[str, object] = {"environment": environment}
    if specs:
        changes["robots"] = tuple(spec.entry for spec in specs)
    config = scenario.config.model_copy(update=changes)
    for spec in specs:
        write_file(folder / spec.entry.ref, spec.config)
    write_file(folder / environment, scenario.world)
    # Last, so that what it names is there.
    write_file(folder / "scenario.json", config)
    return replace(scenario, config=config, robots=tuple(specs), folder=folder)


def _inside(folder: Path, name: str, otherwise: str, taken: set[str]) -> str:
    """The name if it is one inside the folder, else another one that is not taken."""
    if not (folder / name).resolve().is_relative_to(folder.resolve()):
        stem = otherwise.removesuffix(".json")
        others = (f"{stem}_{number}.json" for number in itertools.count(2))
        name = next(n for n in itertools.chain([otherwise], others) if n not in taken)
    taken.add(name)
    return name


def write_file(path: Path, model: FileModel) -> None:
    """Writes one description as JSON, with the keys that were given.

    Raises:
        Sim2dError: The file cannot be written.
    """
    values = model.model_dump(mode="json", exclude_unset=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Sim2dError(
            f"'{path.parent}' cannot be made: {error.strerror}; choose another folder"
        ) from error
    write_whole(path, json.dumps(values, indent=2) + "\n", Sim2dError)
