"""The documents that are open; all pages of a session share them, so that none is lost."""

from __future__ import annotations

from dataclasses import dataclass

from horus_sim.ui.designer.model.content import Content
from horus_sim.ui.designer.model.document import Document
from horus_sim.ui.designer.model.library import load, save, save_as
from horus_sim.ui.kit.scenarios import Place, Scenarios


@dataclass(slots=True)
class Sheet:
    """A document with its place on disk.

    Attributes:
        document: What is edited.
        place: Where it came from.
        notes: What was strange when it was read.
    """

    document: Document
    place: Place
    notes: list[str]


class Desk:
    """Open documents by the name of their scenario.

    Args:
        scenarios: What may be opened.

    Attributes:
        clipboard: What was copied last.
    """

    def __init__(self, scenarios: Scenarios) -> None:
        self.scenarios = scenarios
        self.clipboard = ""
        self._sheets: dict[str, Sheet] = {}

    def open(self, name: str) -> Sheet:
        """A document; one that is open already is given with its history and unsaved work.

        Raises:
            HorusError: There is no such scenario, or its files do not fit.
        """
        place = self.scenarios.find(name)
        sheet = self._sheets.get(place.name)
        if sheet is None or (sheet.place != place and not sheet.document.is_changed):
            content, notes = load(place)
            sheet = self._sheets[place.name] = Sheet(Document(content), place, notes)
        return sheet

    def new(self, name: str) -> Sheet:
        """An empty scenario, written at once.

        Raises:
            UiError: The name is taken or no plain name.
        """
        content, place = save_as(Content.empty(name.strip()), name, self.scenarios)
        sheet = self._sheets[place.name] = Sheet(Document(content), place, [])
        return sheet

    def save(self, sheet: Sheet) -> None:
        """Writes a document where it came from.

        Raises:
            HorusError: It is a shipped one, has a problem, or the disk does not want to.
        """
        save(sheet.document.content, sheet.place)
        sheet.document.mark_saved(sheet.document.content)

    def save_as(self, sheet: Sheet, name: str) -> Sheet:
        """Writes a document under a new name, which is edited from now on.

        Raises:
            HorusError: The name does not fit, it has a problem, or the disk does not want to.
        """
        content, place = save_as(sheet.document.content, name, self.scenarios, sheet.place)
        document = sheet.document
        document.apply("save under a new name", lambda _: content)
        document.mark_saved(content)
        self._sheets.pop(sheet.place.name, None)
        sheet.place = place
        self._sheets[place.name] = sheet
        return sheet
