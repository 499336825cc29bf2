"""Texts of controllers as they are typed; the server keeps them when a tab is closed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from horus_sim.errors import UiError
from horus_sim.files.whole_file import write_whole

_LONGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that is not saved.

    Attributes:
        text: Text as it was typed.
        base: What the file held when the typing began.
    """

    text: str
    base: str


class Drafts:
    """Drafts by path of their file; to be used in the thread of the pages."""

    def __init__(self) -> None:
        self._drafts: dict[Path, Draft] = {}

    def text(self, path: Path) -> str:
        """What the editor shows: the draft, or else the file.

        Raises:
            UiError: The file cannot be read.
        """
        draft = self._drafts.get(path)
        return read_text(path) if draft is None else draft.text

    def set(self, path: Path, text: str) -> None:
        """Notes what was typed; the same as in the file is not a draft."""
        saved = read_text(path)
        before = self._drafts.get(path)
        if text == saved or len(text) > _LONGEST:
            self.drop(path)
        else:
            self._drafts[path] = Draft(text, saved if before is None else before.base)

    def is_unsaved(self, path: Path) -> bool:
        """Whether there is a draft."""
        return path in self._drafts

    def conflict(self, path: Path) -> bool:
        """Whether the file was changed by others since the typing began."""
        draft = self._drafts.get(path)
        return draft is not None and read_text(path) != draft.base

    def drop(self, path: Path) -> None:
        """Forgets a draft."""
        self._drafts.pop(path, None)

    def save(self, path: Path, text: str) -> None:
        """Writes a file as a whole, and forgets its draft.

        Raises:
            UiError: It cannot be written.
        """
        write_whole(path, text, UiError, "the text is kept here")
        self.drop(path)


def read_text(path: Path) -> str:
    """What a controller's file holds; '' if there is none yet.

    Raises:
        UiError: It cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UiError(f"{path} cannot be read: {error}") from error
