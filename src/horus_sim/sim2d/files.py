"""Reading and writing scenarios. Errors name the file, the key and its line."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass, replace
from pathlib import Path

from horus_sim.assets import ROOT
from horus_sim.errors import AssetError, Sim2dError
from horus_sim.files.whole_file import write_whole
from horus_sim.sim2d.checks import (
    robot_doubts,
    robot_problems,
    shared_name_problems,
    world_doubts,
    world_problems,
)
from horus_sim.sim2d.pose import Pose2D
from horus_sim.sim2d.reading import (
    ScenarioWarning,
    UnknownKeyWarning,
    UnlikelyValueWarning,
    doubt,
    parse,
    read_file,
    refuse,
)
from horus_sim.sim2d.schema import (
    FileModel,
    RobotConfig,
    RobotEntry,
    ScenarioConfig,
    WorldConfig,
)

__all__ = [
    "SHIPPED",
    "RobotSpec",
    "Scenario",
    "ScenarioWarning",
    "UnknownKeyWarning",
    "UnlikelyValueWarning",
    "load_scenario",
    "parse",
    "read_file",
    "save_scenario",
    "scenario_folder",
    "scenario_names",
    "write_file",
]

SHIPPED = ROOT / "scenarios"


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
    spawn_pose: Pose2D
    entry: RobotEntry

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
        refuse(world_problems(world), None, "")
        doubt(world_doubts(world), None)
        specs = []
        for number, robot in enumerate(robots, 1):
            refuse(robot_problems(robot), None, "")
            doubt(robot_doubts(robot), None)
            ident = "robot" if number == 1 else f"robot_{number}"
            entry = RobotEntry(ref=f"{ident}.json", id=ident)
            specs.append(
                RobotSpec(
                    ident,
                    robot,
                    None,
                    robot.controller_module,
                    Pose2D(*robot.spawn_pose),
                    entry,
                )
            )
        refuse(shared_name_problems(world, [spec.id for spec in specs]), None, "")
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
    refuse(world_problems(world), world_path)
    doubt(world_doubts(world), world_path)
    specs: list[RobotSpec] = []
    for index, entry in enumerate(config.robots):
        robot_path = folder / entry.ref
        if not robot_path.is_file():
            problem = f"there is no file '{entry.ref}' in {folder}; correct the path"
            refuse([(("robots", index, "ref"), problem)], path)
        robot = read_file(robot_path, RobotConfig)
        refuse(robot_problems(robot), robot_path)
        doubt(robot_doubts(robot), robot_path)
        ident = entry.id or (
            robot_path.stem if robot_path.parent == folder else robot_path.parent.name
        )
        if any(spec.id == ident for spec in specs):
            problem = f"two robots have the id '{ident}'; give each its own"
            refuse([(("robots", index, "id"), problem)], path)
        if "/" in ident:
            problem = f"the id '{ident}' has a '/', which parts robots from bodies; leave it out"
            refuse([(("robots", index, "id"), problem)], path)
        specs.append(
            RobotSpec(
                ident,
                robot,
                robot_path.parent,
                entry.controller or robot.controller_module,
                Pose2D(*(entry.spawn_pose or robot.spawn_pose)),
                entry,
            )
        )
    refuse(shared_name_problems(world, [spec.id for spec in specs]), world_path)
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
        # Copies of what was not changed would count as given.
        same = places[ref] == ref
        entry = spec.entry if same else spec.entry.model_copy(update={"ref": places[ref]})
        specs.append(replace(spec, entry=entry))
    changes: dict[str, object] = {}
    if environment != scenario.config.environment:
        changes["environment"] = environment
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
        stem, number = otherwise.removesuffix(".json"), 1
        name = otherwise
        while name in taken:
            number += 1
            name = f"{stem}_{number}.json"
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
