"""A scenario that is edited, with its history."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from horus_sim.sim2d.scenario.schema import FileModel
from horus_sim.ui.designer.model.content import Content, check
from horus_sim.ui.designer.model.edits import Edit
from horus_sim.ui.kit.history import History

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
        content: Content to begin with; it must be without problems.

    Attributes:
        content: What it is now.
        on_change: Called after each change.
    """

    def __init__(self, content: Content) -> None:
        check(content)
        self.content = content
        self.on_change: list[Callable[[], None]] = []
        self._saved = content
        self._history: History[_Step] = History(_LONGEST)
        self._merges = False

    @property
    def is_changed(self) -> bool:
        """Whether there is something to save."""
        return self.content is not self._saved and self.content != self._saved

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return bool(self._history.done)

    @property
    def can_redo(self) -> bool:
        """Whether there is something to do again."""
        return bool(self._history.undone)

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
        after, done = self.check(edit), self._history.done
        if after == self.content:
            return
        before = self.content
        if done and merge is not None and self._merges and done[-1].merge == merge:
            before = done.pop().before
        self._history.undone.clear()
        if after != before:
            self._history.add(_Step(label, before, after, merge))
        self._become(after, merges=True)

    def seal(self) -> None:
        """The next edit is undone alone, whatever it is."""
        self._merges = False

    def undo(self) -> str:
        """Takes back the last edit; returns its label.

        Raises:
            UiError: There is none.
        """
        step = self._history.undo()
        self._become(step.before)
        return step.label

    def redo(self) -> str:
        """Does again what was undone last; returns its label.

        Raises:
            UiError: There is none.
        """
        step = self._history.redo()
        self._become(step.after)
        return step.label

    def mark_saved(self, content: Content) -> None:
        """This content is on disk."""
        self._saved = content
        self._tell()

    def revert(self) -> None:
        """Goes back to what is on disk; it can be undone."""
        self.apply("revert to the saved version", lambda _: self._saved)

    def _become(self, content: Content, *, merges: bool = False) -> None:
        self._merges = merges
        self.content = content
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
