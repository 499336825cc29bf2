"""Scenarios on disk that pages may open and save.

They are the shipped ones, those of the folder the program was started in, and what the command line
named. Pages ask by name, and reach no other folder.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import warnings
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from horus_sim.errors import EditError, HorusError, UiError
from horus_sim.sim2d.files import (
    SHIPPED,
    UnknownKeyWarning,
    load_scenario,
    parse,
    scenario_names,
)
from horus_sim.sim2d.schema import RobotConfig, WorldConfig
from horus_sim.ui.designer.content import Content, check, rebuilt
from horus_sim.ui.designer.document import files_of
from horus_sim.ui.designer.edits import insert_robot
from horus_sim.ui.designer.starter import starter_controller

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
LARGEST_FILE = 10_000_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A scenario that can be opened.

    Attributes:
        name: How pages ask for it.
        folder: Where it is.
        is_shipped: Shipped ones are not written to.
    """

    name: str
    folder: Path
    is_shipped: bool


class Library:
    """The scenarios that pages may open and save.

    Args:
        folder: Where scenarios are saved.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._named: dict[str, Path] = {}

    def admit(self, folder: str | Path) -> str:
        """Lets pages open a folder, wherever it is; returns the name they ask by."""
        path = Path(folder).resolve()
        is_own = path.parent == self.folder
        is_shipped = path.parent == SHIPPED.resolve() and not (self.folder / path.name).exists()
        if (is_own or is_shipped) and _NAME.fullmatch(path.name):
            return path.name
        name = str(path)
        self._named[name] = path
        return name

    def entries(self) -> list[Entry]:
        """What can be opened: one's own first, then the shipped ones."""
        own = [
            Entry(path.parent.name, path.parent, is_shipped=False)
            for path in sorted(self.folder.glob("*/world.json"))
            if _NAME.fullmatch(path.parent.name)
        ]
        own += [Entry(name, path, is_shipped=False) for name, path in self._named.items()]
        names = {entry.name for entry in own}
        shipped = [Entry(name, SHIPPED / name, is_shipped=True) for name in scenario_names()]
        return own + [entry for entry in shipped if entry.name not in names]

    def find(self, name: str) -> Entry:
        """A scenario by name.

        Raises:
            UiError: There is none.
        """
        for entry in self.entries():
            if entry.name == name:
                return entry
        if name in self._named:
            return Entry(name, self._named[name], is_shipped=False)
        raise UiError(f"there is no scenario '{name[:80]}' here; choose one of the gallery")

    def load(self, entry: Entry) -> tuple[Content, list[str]]:
        """Reads a scenario; also what was strange about it.

        Raises:
            HorusError: A file is missing or wrong.
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UnknownKeyWarning)
            scenario = load_scenario(entry.folder)
        content = Content(
            scenario.config, scenario.world, tuple(spec.config for spec in scenario.robots)
        )
        return content, [str(warning.message) for warning in caught]

    def save(self, content: Content, entry: Entry) -> Content:
        """Writes a scenario where it came from; returns what was written.

        Raises:
            EditError: It has a problem.
            UiError: It is a shipped one.
            OSError: The disk does not want to.
        """
        if entry.is_shipped:
            raise UiError(f"'{entry.name}' is shipped and stays as it is; save it under a new name")
        check(content)
        _write(content, entry.folder)
        return content

    def save_as(self, content: Content, name: str, source: Entry | None) -> tuple[Content, Entry]:
        """Writes a scenario under a new name, with the controllers of the one it came from.

        Raises:
            UiError: The name is taken or no plain name.
            EditError: It has a problem.
            OSError: The disk does not want to.
        """
        name = check_name(name)
        target = self.folder / name
        if target.exists():
            raise UiError(f"'{name}' exists already; choose another name")
        check(content)
        content = _self_contained(content, name)
        if source is not None:
            target.mkdir(parents=True)
            for path in source.folder.glob("*.py"):
                shutil.copy(path, target / path.name)
        _write(content, target)
        return content, Entry(name, target, is_shipped=False)


def check_name(name: str) -> str:
    """The name of a scenario to save.

    Raises:
        UiError: It could be a path, or is empty.
    """
    name = name.strip()
    if not _NAME.fullmatch(name):
        raise UiError("a name has 1 to 64 letters, digits, _ and -, and begins with no sign")
    return name


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


def _write(content: Content, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files_of(content).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # First beside it, so that a full disk does not cost the old version.
        draft = path.with_name(f".{path.name}.new")
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    for entry, robot in zip(content.scenario.robots, content.robots, strict=True):
        module = entry.controller or robot.controller_module
        path = (folder / entry.ref).parent / f"{module}.py"
        if not path.exists() and _NAME.fullmatch(module):
            path.write_text(starter_controller(robot), encoding="utf-8")


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
        name: Of the file.
        data: What is in it.

    Returns:
        The new content, and what was done.

    Raises:
        HorusError: It is neither, or something in it does not fit.
    """
    if len(data) > LARGEST_FILE:
        raise UiError(f"'{name}' has more than {LARGEST_FILE // 1_000_000} MB")
    try:
        text = data.decode()
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UiError(f"'{name}' is no JSON: {error}") from None
    if not isinstance(values, dict) or "environment" in values:
        raise UiError(f"'{name}' is no world.json or robot.json; choose one of them")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownKeyWarning)
        if "bodies" in values:
            robot = parse(values, RobotConfig, Path(name), text)
            after = insert_robot(content, robot, "robot")[0]
            done = f"robot of {name} added"
        else:
            after = replace(content, world=parse(values, WorldConfig, Path(name), text))
            done = f"world of {name} taken"
    try:
        check(after, content)
    except EditError as error:
        key = ".".join(str(part) for part in error.place)
        raise HorusError(f"{name}: {key}: {error}") from None
    return after, done
