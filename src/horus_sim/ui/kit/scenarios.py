"""Which scenarios a page may open.

Shipped ones, those of the working folder, and those named when the program was started. A link
cannot name others, since their controllers are programs.
"""

from __future__ import annotations

import difflib
import re
import threading
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from horus_sim.errors import UiError
from horus_sim.files.whole_file import is_part
from horus_sim.files.whole_folder import copy_folder
from horus_sim.sim2d import Scenario, load_scenario, scenario_names
from horus_sim.sim2d.scenario.scenario import SHIPPED, scenario_folder

if TYPE_CHECKING:
    from horus_sim.ui.shell.site import Site

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_MOST_LISTED = 100


@dataclass(frozen=True, slots=True)
class Place:
    """A scenario that can be opened.

    Attributes:
        name: Name in addresses and lists.
        folder: Folder of its files.
        is_shipped: Whether it came with the program and stays as it is.
    """

    name: str
    folder: Path
    is_shipped: bool


class Scenarios:
    """The scenarios of a session.

    Args:
        folder: The working folder; new ones are made there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._named: dict[str, Path] = {}
        self._lock = threading.Lock()

    @classmethod
    def of(cls, site: Site) -> Scenarios:
        """The scenarios that all pages of a site share."""
        return site.share(cls, lambda site: cls(site.folder))

    def allow(self, scenario: str | Path) -> Place:
        """Adds one that whoever started the program named.

        Raises:
            UnknownNameError: There is no such scenario.
        """
        folder = scenario_folder(scenario).resolve()
        if folder.parent == SHIPPED:
            return Place(folder.name, folder, is_shipped=True)
        name = folder.name
        if folder.parent != self.folder:
            name = str(folder)
            with self._lock:
                self._named[name] = folder
        return Place(name, folder, is_shipped=False)

    def find(self, name: str) -> Place:
        """A scenario by its name.

        Raises:
            UiError: There is none that may be opened under that name.
        """
        for place in self.places():
            if place.name == name:
                return place
        known = [place.name for place in self.places()]
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"did you mean '{close[0]}'?" if close else "choose one of the list"
        raise UiError(
            f"there is no scenario '{name[:80]}' that this page may open; {hint} "
            "(others: start the program in their folder, or with their path)"
        )

    def places(self) -> list[Place]:
        """All of them: your own first."""
        with self._lock:
            found = [Place(name, path, is_shipped=False) for name, path in self._named.items()]
        folders = sorted(path.parent for path in self.folder.glob("*/world.json"))
        own = [path for path in folders if not is_part(path)][:_MOST_LISTED]
        found += [Place(path.name, path, is_shipped=False) for path in own]
        taken = {place.name for place in found}
        shipped = (name for name in scenario_names() if name not in taken)
        return found + [Place(name, SHIPPED / name, is_shipped=True) for name in shipped]

    def copy(self, place: Place, name: str) -> Place:
        """Copies a scenario into the working folder.

        Raises:
            UiError: The name cannot be used or is taken, or the files cannot be written.
        """
        problem = self.name_problem(name)
        if problem is not None:
            raise UiError(problem)
        target = self.folder / name
        copy_folder(place.folder, target, UiError)
        return Place(name, target, is_shipped=False)

    def name_problem(self, name: str) -> str | None:
        """What is wrong with the name of a new scenario, or None."""
        if not _NAME.fullmatch(name):
            return "letters, digits, '_', '-' and '.', beginning with a letter or digit"
        if (self.folder / name).exists() or name in scenario_names():
            return f"'{name}' exists already; choose another name"
        return None

    def free_name(self, name: str) -> str:
        """A name for a copy that is not taken."""
        first = f"my_{Path(name).name}"[:60]
        numbered = (f"{first}_{number}" for number in range(2, 10_000))
        return next(n for n in (first, *numbered) if self.name_problem(n) is None)


def controllers_of(place: Place) -> dict[str, Path]:
    """Files of the controllers by name of robot; of those in the scenario's folder.

    Raises:
        HorusError: The scenario's files do not fit.
    """
    found = ((spec.id, spec.controller_path) for spec in read(place).robots)
    return {robot: path for robot, path in found if path is not None}


def read(place: Place) -> Scenario:
    """Reads a scenario; keys that nobody reads do not matter here.

    Raises:
        HorusError: Its files do not fit.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_scenario(place.folder)


def signature(place: Place) -> tuple[tuple[str, int], ...]:
    """Changes when a JSON file of the scenario does."""
    return tuple(
        (str(path), path.stat().st_mtime_ns) for path in sorted(place.folder.glob("*.json"))
    )
