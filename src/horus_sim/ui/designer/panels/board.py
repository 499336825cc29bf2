"""What the parts of one page of the designer share: document, selection, view and messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nicegui import ui

from horus_sim.errors import HorusError
from horus_sim.ui.designer.model.content import Content, Place, has, place_of, place_text
from horus_sim.ui.designer.model.scene import BOUNDS_ID, difference, handles, scene

if TYPE_CHECKING:
    from horus_sim.ui.designer.model.desk import Desk, Sheet
    from horus_sim.ui.designer.model.document import Document
    from horus_sim.ui.shell.address import Address
    from horus_sim.ui.shell.page import Page
    from horus_sim.ui.views.view2d import View2d

_BOUNDS: Place = ("world", "bounds")
SNAPS = {0.0: "no grid", 0.001: "1 mm", 0.005: "5 mm", 0.01: "1 cm", 0.05: "5 cm", 0.1: "10 cm"}


class Board:
    """One page.

    Args:
        page: The page.
        desk: The open documents.
        sheet: The one that is shown.
        view: The view.
        address: State of the page.

    Attributes:
        selected: Place of the selected thing, () for none.
        snap: Grid [m]; 0 for none.
        on_select: Each is called when something else is selected.
        on_change: Each is called after a change of the document.
        hint: Shows what to do under the view; '' takes it away.
        complain: Shows what is wrong there.
    """

    def __init__(
        self, page: Page, desk: Desk, sheet: Sheet, view: View2d, address: Address
    ) -> None:
        self.page, self.desk, self.sheet = page, desk, sheet
        self.view, self.address = view, address
        self.selected: Place = ()
        self.snap = 0.01
        self.is_pulling = False
        self.on_select: list[Callable[[], object]] = []
        self.on_change: list[Callable[[], object]] = []
        self.hint: Callable[[str], object] = lambda _: None
        self.complain: Callable[[str], object] = lambda _: None
        self._drawn: dict[str, Any] | None = None
        self.document.on_change.append(self.refresh)
        ui.context.client.on_delete(lambda: self.document.on_change.remove(self.refresh))

    @property
    def document(self) -> Document:
        """What is edited."""
        return self.sheet.document

    @property
    def content(self) -> Content:
        """What it is now."""
        return self.document.content

    def begin(self) -> None:
        """Draws everything, and selects what the address says."""
        self._drawn = scene(self.content, self.sheet.place.name)
        self.view.run_method("setScene", self._drawn)
        self.set_snap(self.address.number("snap", self.snap))
        chosen = place_of(self.address.get("sel"))
        self.select(chosen if chosen and has(self.content, chosen) else ())

    def set_snap(self, step: float) -> None:
        """Chooses the grid."""
        self.snap = step if step in SNAPS else 0.01
        self.view.set_snap(self.snap)
        self.address.set(snap="" if self.snap == 0.01 else f"{self.snap:g}")

    def select(self, place: Place) -> None:
        """Selects a thing; () for none."""
        self.selected = place
        self.view.set_selected(BOUNDS_ID if place == _BOUNDS else place_text(place))
        self.show_handles()
        self.address.set(sel=place_text(place))
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
        try:
            self.document.apply(label, edit, merge)
        except HorusError as error:
            self.complain(str(error))
            return error
        self.hint("")
        return None

    def add(self, label: str, edit: Callable[[Content], tuple[Content, Place]]) -> Place:
        """Does an edit that adds something and selects it; () where it does not fit."""
        added: list[Place] = []

        def keep(content: Content) -> Content:
            changed, place = edit(content)
            added.append(place)
            return changed

        if self.do(label, keep) is not None:
            return ()
        self.select(added[-1])
        return added[-1]

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
        drawn = scene(self.content, self.sheet.place.name)
        if self._drawn is not None:
            change = difference(self._drawn, drawn)
            if change:
                self.view.patch(**change)
        self._drawn = drawn
        if self.selected and not has(self.content, self.selected):
            self.select(())
        self.show_handles()
        for callback in self.on_change:
            callback()
