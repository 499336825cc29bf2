"""Scenarios from and to disk: opened, saved, exported, and single files taken in."""

from __future__ import annotations

import io
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path, PurePosixPath

from horus_sim.errors import EditError, HorusError, UiError
from horus_sim.files.document import parse_json
from horus_sim.files.whole_file import copy_whole, explained, write_whole
from horus_sim.sim2d.scenario.reading import ScenarioWarning, parse
from horus_sim.sim2d.scenario.scenario import load_scenario
from horus_sim.sim2d.scenario.schema import RobotConfig, WorldConfig
from horus_sim.ui.designer.model.content import Content, check, rebuilt
from horus_sim.ui.designer.model.document import files_of
from horus_sim.ui.designer.model.edits import insert_robot
from horus_sim.ui.designer.model.starter import starter_controller
from horus_sim.ui.kit.scenarios import Place, Scenarios

LARGEST_FILE = 10_000_000


def load(place: Place) -> tuple[Content, list[str]]:
    """Reads a scenario; also what was strange about it.

    Raises:
        HorusError: A file is missing or wrong.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ScenarioWarning)
        scenario = load_scenario(place.folder)
    robots = tuple(spec.config for spec in scenario.robots)
    notes = [str(warning.message) for warning in caught]
    return Content(scenario.config, scenario.world, robots), notes


def save(content: Content, place: Place) -> None:
    """Writes a scenario where it came from.

    Raises:
        EditError: It has a problem.
        UiError: It is a shipped one, or the disk does not want to.
    """
    if place.is_shipped:
        raise UiError(f"'{place.name}' is shipped and stays as it is; save it under a new name")
    check(content)
    _write(content, place.folder)


def save_as(
    content: Content, name: str, scenarios: Scenarios, source: Place | None = None
) -> tuple[Content, Place]:
    """Writes a scenario under a new name, with the controllers of the one it came from.

    Raises:
        UiError: The name is taken or not a plain name, or the disk does not want to.
        EditError: It has a problem.
    """
    name = name.strip()
    problem = scenarios.name_problem(name)
    if problem is not None:
        raise UiError(problem)
    check(content)
    content = _self_contained(content, name)
    target = scenarios.folder / name
    _write(content, target, source)
    return content, Place(name, target, is_shipped=False)


def _self_contained(content: Content, name: str) -> Content:
    """All files beside each other, whatever paths they had."""
    entries = []
    for k, entry in enumerate(content.scenario.robots):
        ref = entry.ref if _is_plain(entry.ref) else f"{content.ident(k)}.json"
        entries.append(rebuilt(entry, (), ref=ref, id=content.ident(k)))
    scenario = rebuilt(
        content.scenario, (), name=name, environment="world.json", robots=tuple(entries)
    )
    return replace(content, scenario=scenario, world=rebuilt(content.world, (), name=name))


def _is_plain(ref: str) -> bool:
    path = PurePosixPath(ref.replace("\\", "/"))
    return len(path.parts) == 1 and path.name not in ("..", "world.json", "scenario.json")


def _write(content: Content, folder: Path, source: Place | None = None) -> None:
    with explained(folder, UiError, "free some space or choose another folder"):
        folder.mkdir(parents=True, exist_ok=True)
        if source is not None:
            for path in source.folder.glob("*.py"):
                copy_whole(path, folder / path.name)
        # The scenario last, so that what it names is there.
        for name, text in reversed(files_of(content).items()):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text, UiError)
        _write_controllers(content, folder)


def _write_controllers(content: Content, folder: Path) -> None:
    """A beginning for robots that have none."""
    for entry, robot in zip(content.scenario.robots, content.robots, strict=True):
        module = entry.controller or robot.controller_module
        path = (folder / entry.ref).parent / f"{module}.py"
        if module and not path.exists():
            write_whole(path, starter_controller(robot), UiError)


def zipped(content: Content) -> bytes:
    """All files of a scenario as a ZIP archive."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files_of(content).items():
            archive.writestr(name, text)
    return data.getvalue()


def import_file(content: Content, name: str, data: bytes) -> tuple[Content, str]:
    """Takes in a world.json (in place of the world) or a robot.json (as another robot).

    Args:
        content: What is edited.
        name: Name of the file.
        data: What is in it.

    Returns:
        The new content, and what was done.

    Raises:
        HorusError: It is neither, or something in it does not fit.
    """
    if len(data) > LARGEST_FILE:
        raise UiError(f"'{name}' has more than {LARGEST_FILE // 1_000_000} MB")
    try:
        document = parse_json(data.decode(), name, UiError)
    except UnicodeDecodeError as error:
        raise UiError(f"'{name}' is not UTF-8 text: {error}; save it as such") from None
    values = document.data
    if not isinstance(values, dict) or "environment" in values:
        raise UiError(f"'{name}' is neither a world.json nor a robot.json; choose one of them")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScenarioWarning)
        if "bodies" in values:
            robot = parse(document, RobotConfig)
            after = insert_robot(content, robot, "robot")[0]
            done = f"robot of {name} added"
        else:
            after = replace(content, world=parse(document, WorldConfig))
            done = f"world of {name} taken"
    try:
        check(after, content)
    except EditError as error:
        key = ".".join(str(part) for part in error.place)
        raise HorusError(f"{name}: {key}: {error}") from None
    return after, done
