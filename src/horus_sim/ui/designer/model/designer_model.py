"""What the panels of one page of the designer share: document, selection, view and messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from horus_sim.errors import HorusError
from horus_sim.ui.designer.model import clipboard, names
from horus_sim.ui.designer.model.content import Content, Place, has, place_of, place_text
from horus_sim.ui.designer.model.scene import BOUNDS_ID, difference, handles, scene
from horus_sim.ui.designer.model.sessions import DesignSessions

if TYPE_CHECKING:
    from nicegui import ui

    from horus_sim.ui.designer.model.document import Document
    from horus_sim.ui.designer.model.sessions import DesignSession
    from horus_sim.ui.shell.page import Page
    from horus_sim.ui.views.view2d import View2d

_BOUNDS: Place = ("world", "bounds")
_PASTED_ASIDE_M = (0.05, -0.05)
SNAPS = {0.0: "no grid", 0.001: "1 mm", 0.005: "5 mm", 0.01: "1 cm", 0.05: "5 cm", 0.1: "10 cm"}


class DesignerModel:
    """One page of the designer.

    Args:
        page: The page.
        session: The document that is shown.
        view: The view.
        message: Label that shows hints and mistakes.

    Attributes:
        sessions: The open documents of the site.
        selected: Place of the selected thing, () for none.
        snap: Grid [m]; 0 for none.
        is_pulling: Whether a handle is being pulled.
        on_select: Each is called when something else is selected.
        on_change: Each is called after a change of the document.
    """

    def __init__(self, page: Page, session: DesignSession, view: View2d, message: ui.label) -> None:
        self.page, self.session, self.view = page, session, view
        self.sessions = DesignSessions.of(page.site)
        self.selected: Place = ()
        self.snap = 0.01
        self.is_pulling = False
        self.on_select: list[Callable[[], object]] = []
        self.on_change: list[Callable[[], object]] = []
        self._message = message
        self._drawn: dict[str, Any] | None = None
        self.document.on_change.append(self.refresh)
        view.client.on_delete(lambda: self.document.on_change.remove(self.refresh))

    @property
    def document(self) -> Document:
        """What is edited."""
        return self.session.document

    @property
    def content(self) -> Content:
        """What it is now."""
        return self.document.content

    def begin(self) -> None:
        """Draws everything, and selects what the address says."""
        self._drawn = scene(self.content, self.session.place.name)
        self.view.run_method("setScene", self._drawn)
        self.set_snap(self.page.address.number("snap", self.snap))
        chosen = place_of(self.page.address.get("sel"))
        self.select(chosen if chosen and has(self.content, chosen) else ())

    def hint(self, text: str) -> None:
        """Shows under the view what to do; '' takes it away."""
        self._message.text = text
        self._message.classes(remove="bad")

    def complain(self, text: str) -> None:
        """Shows under the view what is wrong."""
        self._message.text = text
        self._message.classes(add="bad")

    def set_snap(self, step: float) -> None:
        """Chooses the grid."""
        self.snap = step if step in SNAPS else 0.01
        self.view.set_snap(self.snap)
        self.page.address.set(snap="" if self.snap == 0.01 else f"{self.snap:g}")

    def select(self, place: Place) -> None:
        """Selects a thing; () for none."""
        self.selected = place
        self.view.set_selected(BOUNDS_ID if place == _BOUNDS else place_text(place))
        self.show_handles()
        self.page.address.set(sel=place_text(place))
        self.document.seal()
        for callback in self.on_select:
            callback()

    def picked(self, ident: str) -> Place:
        """The place of what was clicked in the view, () for nothing."""
        place = _BOUNDS if ident == BOUNDS_ID else place_of(ident)
        return place if place and has(self.content, place) else ()

    def show_handles(self) -> None:
        """Shows what can be pulled of the selected thing."""
        if not self.is_pulling:
            self.view.set_handles(handles(self.content, self.selected))

    def do(
        self, label: str, edit: Callable[[Content], Content], merge: object = None
    ) -> HorusError | None:
        """Does an edit; what is wrong with it is said, changes nothing, and is returned."""
        return self._try(lambda: self.document.apply(label, edit, merge), lambda _: "")

    def add(self, label: str, edit: Callable[[Content], tuple[Content, Place]]) -> Place:
        """Does an edit that adds something and selects it; () where it does not fit."""
        added: Place = ()

        def keep(content: Content) -> Content:
            nonlocal added
            content, added = edit(content)
            return content

        if self.do(label, keep) is not None:
            return ()
        self.select(added)
        return added

    def undo(self) -> None:
        """Takes back the last edit."""
        self._try(self.document.undo, "undone: {}".format)

    def redo(self) -> None:
        """Does again what was undone."""
        self._try(self.document.redo, "done again: {}".format)

    def copy(self) -> bool:
        """Copies the selected thing; False where it cannot be copied."""

        def keep() -> None:
            self.sessions.clipboard = clipboard.copy(self.content, self.selected)

        return self._try(keep, lambda _: "copied") is None

    def cut(self) -> None:
        """Copies the selected thing and deletes it."""
        if self.copy():
            self.delete()

    def paste(self) -> None:
        """Pastes what was copied, a little aside."""
        text, onto = self.sessions.clipboard, self.selected
        self.add("paste", lambda c: clipboard.paste(c, text, _PASTED_ASIDE_M, onto))

    def delete(self) -> None:
        """Deletes the selected thing."""
        place = self.selected
        if not place:
            self.complain("nothing is selected; click on something first")
        elif self.do("delete", lambda c: names.delete(c, place)) is None:
            self.select(())

    def redraw(self, ident: str) -> None:
        """Draws a thing anew that the view shows elsewhere."""
        if self._drawn is not None:
            for key in ("bodies", "strokes", "devices"):
                again = [item for item in self._drawn[key] if item["id"] == ident]
                if again:
                    self.view.patch(**{key: again})
        self.show_handles()

    def refresh(self) -> None:
        """Draws what changed."""
        drawn = scene(self.content, self.session.place.name)
        if self._drawn is not None and (change := difference(self._drawn, drawn)):
            self.view.patch(**change)
        self._drawn = drawn
        if self.selected and not has(self.content, self.selected):
            self.select(())
        self.show_handles()
        for callback in self.on_change:
            callback()

    def _try(
        self, action: Callable[[], object], hint: Callable[[object], str]
    ) -> HorusError | None:
        """Does something, and says that it was done or what is wrong."""
        try:
            result = action()
        except HorusError as error:
            self.complain(str(error))
            return error
        self.hint(hint(result))
        return None
