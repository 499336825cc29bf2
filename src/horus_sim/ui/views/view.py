"""What all views share: properties that reach the browser when they change, and events."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import nicegui.elements.scene  # noqa: F401 - registers the module `nicegui-scene`
from nicegui.element import Element

if TYPE_CHECKING:
    from nicegui.events import GenericEventArguments


class View(Element, esm={"horus-view": "js"}):
    """A drawing on a page, a Python class beside its JavaScript.

    The JavaScript has `mixins: [viewBase]` of `views/js/view_base.js`, or `threeBase` for 3D.

    Args:
        props: Properties of the component in the beginning; '_' stands for '-' in their names.
    """

    def __init__(self, **props: object) -> None:
        super().__init__()
        for name, value in props.items():
            self._props[name.replace("_", "-")] = value

    def set_uploader(self, element: Element) -> None:
        """Chooses where files go that are dropped onto the view."""
        self._set("uploader", element.id)

    def set_unsaved(self, *, unsaved: bool) -> None:
        """Whether closing the tab loses work; the browser then asks."""
        self._set("unsaved", unsaved)

    def on_event(self, name: str, callback: Callable[[dict[str, Any]], object]) -> None:
        """Calls back with what the component tells under that name."""

        def handle(event: GenericEventArguments) -> object:
            return callback(event.args)

        self.on(name, handle)

    def _set(self, name: str, value: object) -> None:
        if self._props.get(name) != value:
            self._props[name] = value
            self.update()
