"""A scenario that is edited, with its history."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from horus_sim.errors import UiError
from horus_sim.sim2d.scenario.schema import FileModel
from horus_sim.ui.designer.model.content import Content, check
from horus_sim.ui.designer.model.edits import Edit

_LONGEST = 500


@dataclass(frozen=True, slots=True)
class _Step:
    label: str
    before: Content
    after: Content
    merge: object


class Document:
    """A content and how it came about; contents are frozen, so that a history only keeps them.

    Args:
        content: To begin with; it must be without problems.

    Attributes:
        content: What it is now.
        revision: Counts up with each change.
        on_change: Called after each change.
    """

    def __init__(self, content: Content) -> None:
        check(content)
        self.content = content
        self.revision = 1
        self.on_change: list[Callable[[], None]] = []
        self._saved = content
        self._done: list[_Step] = []
        self._undone: list[_Step] = []
        self._merges = False

    @property
    def is_changed(self) -> bool:
        """Whether there is something to save."""
        return self.content is not self._saved and self.content != self._saved

    @property
    def undo_label(self) -> str:
        """What would be undone, or ''."""
        return self._done[-1].label if self._done else ""

    @property
    def redo_label(self) -> str:
        """What would be done again, or ''."""
        return self._undone[-1].label if self._undone else ""

    def check(self, edit: Edit) -> Content:
        """What an edit would lead to.

        Raises:
            EditError: It does not fit.
        """
        content = edit(self.content)
        check(content, self.content)
        return content

    def apply(self, label: str, edit: Edit, merge: object = None) -> None:
        """Does an edit.

        Args:
            label: What it is, for people.
            edit: Makes the new content.
            merge: Edits that follow each other with the same one are undone together.

        Raises:
            EditError: It does not fit; nothing was changed.
        """
        after = self.check(edit)
        if after == self.content:
            return
        last = self._done[-1] if self._done else None
        before = self.content
        if last is not None and merge is not None and self._merges and last.merge == merge:
            before = self._done.pop().before
        self._undone.clear()
        self._merges = True
        if after != before:
            self._done.append(_Step(label, before, after, merge))
            del self._done[:-_LONGEST]
        self._become(after)

    def seal(self) -> None:
        """The next edit is undone alone, whatever it is."""
        self._merges = False

    def undo(self) -> str:
        """Takes back the last edit; returns its label.

        Raises:
            UiError: There is none.
        """
        if not self._done:
            raise UiError("there is nothing to undo")
        step = self._done.pop()
        self._undone.append(step)
        self._merges = False
        self._become(step.before)
        return step.label

    def redo(self) -> str:
        """Does again what was undone last; returns its label.

        Raises:
            UiError: There is none.
        """
        if not self._undone:
            raise UiError("there is nothing to do again")
        step = self._undone.pop()
        self._done.append(step)
        self._merges = False
        self._become(step.after)
        return step.label

    def replace(self, label: str, content: Content) -> None:
        """Puts another content in place of this one; it can be undone."""
        self.apply(label, lambda _: content)

    def mark_saved(self, content: Content) -> None:
        """This content is on disk."""
        self._saved = content
        self._tell()

    def revert(self) -> None:
        """Goes back to what is on disk; it can be undone."""
        self.replace("revert to the saved version", self._saved)

    def _become(self, content: Content) -> None:
        self.content = content
        self.revision += 1
        self._tell()

    def _tell(self) -> None:
        for callback in tuple(self.on_change):
            callback()


def json_of(model: FileModel) -> str:
    """A description as its file is written: the keys that were given."""
    values: dict[str, Any] = model.model_dump(mode="json", exclude_unset=True)
    return json.dumps(values, indent=2) + "\n"


def files_of(content: Content) -> dict[str, str]:
    """The files of a scenario: path -> JSON text."""
    files = {
        "scenario.json": json_of(content.scenario),
        content.scenario.environment: json_of(content.world),
    }
    for entry, robot in zip(content.scenario.robots, content.robots, strict=True):
        files[entry.ref] = json_of(robot)
    return files
