"""The documents that are open; all pages of a site share them, so that none is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from horus_sim.ui.designer.model.content import Content
from horus_sim.ui.designer.model.document import Document
from horus_sim.ui.designer.model.library import load, save, save_as
from horus_sim.ui.kit.scenarios import Place, Scenarios
from horus_sim.ui.shell.sessions import Sessions

if TYPE_CHECKING:
    from horus_sim.ui.shell.site import Site


@dataclass(slots=True, eq=False)
class DesignSession:
    """A document with its place on disk.

    Attributes:
        channel: Name of the session.
        document: What is edited.
        place: Place on disk that it came from.
        notes: What was strange when it was read.
    """

    channel: str
    document: Document
    place: Place
    notes: Sequence[str] = ()

    @property
    def address(self) -> str:
        """The name of the scenario."""
        return self.place.name

    def refresh(self) -> None:
        """Nothing of it is streamed."""

    def close(self) -> None:
        """Nothing of it runs."""

    def save(self) -> None:
        """Writes the document where it came from.

        Raises:
            HorusError: It is a shipped one, has a problem, or the disk does not want to.
        """
        save(self.document.content, self.place)
        self.document.mark_saved(self.document.content)


class DesignSessions(Sessions[DesignSession]):
    """Open documents by the name of their scenario.

    Args:
        site: What all pages share.

    Attributes:
        scenarios: What may be opened.
        clipboard: What was copied last.
    """

    name = "design"

    def __init__(self, site: Site) -> None:
        super().__init__(site)
        self.scenarios = Scenarios.of(site)
        self.clipboard = ""

    def open(self, name: str) -> DesignSession:
        """A document; one that is open already is given with its history and unsaved work.

        Raises:
            HorusError: There is no such scenario, or its files do not fit.
        """
        place = self.scenarios.find(name)
        session = self.find(place.name)
        if session is not None and (session.place == place or session.document.is_changed):
            return session
        content, notes = load(place)
        return self._add(Document(content), place, notes)

    def new(self, name: str) -> DesignSession:
        """An empty scenario, written at once.

        Raises:
            UiError: The name is taken or not a plain name.
        """
        content, place = save_as(Content.empty(name.strip()), name, self.scenarios)
        return self._add(Document(content), place)

    def save_as(self, session: DesignSession, name: str) -> None:
        """Writes a document under a new name, which is edited from now on.

        Raises:
            HorusError: The name does not fit, it has a problem, or the disk does not want to.
        """
        document = session.document
        content, place = save_as(document.content, name, self.scenarios, session.place)
        self._make_way(place)
        session.place = place
        document.apply("save under a new name", lambda _: content)
        document.mark_saved(content)

    def _add(self, document: Document, place: Place, notes: Sequence[str] = ()) -> DesignSession:
        self._make_way(place)
        return self.add(lambda channel: DesignSession(channel, document, place, notes))

    def _make_way(self, place: Place) -> None:
        """Leaves a document of the same name, such as one whose files were deleted."""
        if (session := self.find(place.name)) is not None:
            self.leave(session)
