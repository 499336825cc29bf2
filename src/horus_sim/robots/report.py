"""What an importer changed, assumed or left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from horus_sim.errors import DescriptionError

_MOST_SHOWN = 8


class NoteKind(StrEnum):
    """What an importer did about something."""

    WARNING = "warning"
    REPAIR = "repair"
    SUBSTITUTION = "substitution"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Note:
    """One remark of an importer.

    Attributes:
        kind: What was done.
        culprit: What it is about, such as "link 'base'".
        text: Cause and consequence, in one sentence.
        line: Line of the file, or None.
    """

    kind: NoteKind
    culprit: str
    text: str
    line: int | None = None

    def __str__(self) -> str:
        where = f" (line {self.line})" if self.line is not None else ""
        return f"{self.kind}: {self.culprit}{where}: {self.text}"


def about_package(package: str, notes: Sequence[Note]) -> Note:
    """One remark for all files of a package that is not there.

    Args:
        package: Its name.
        notes: A remark on each of its files, at least one.
    """
    if len(notes) == 1:
        return notes[0]
    text = (
        f"was not found below the package roots; {len(notes)} files of it are left out; give the "
        "folder that holds it as package root (package_roots, --package-root)"
    )
    return Note(NoteKind.WARNING, f"package '{package}'", text, notes[0].line)


@dataclass(slots=True)
class Report:
    """The remarks of one import, in order."""

    notes: list[Note] = field(default_factory=list)

    def add(self, kind: NoteKind, culprit: str, text: str, line: int | None = None) -> None:
        """Adds a remark."""
        self.notes.append(Note(kind, culprit, text, line))

    def of(self, kind: NoteKind) -> tuple[Note, ...]:
        """The remarks of a kind."""
        return tuple(note for note in self.notes if note.kind is kind)

    def refuse_if_mended(self, culprit: str) -> None:
        """Refuses what gave a warning or needed a repair.

        Args:
            culprit: What was imported, such as the file.

        Raises:
            DescriptionError: There is such a remark; the text has the first ones.
        """
        wrong = (*self.of(NoteKind.WARNING), *self.of(NoteKind.REPAIR))
        if not wrong:
            return
        shown = "; ".join(str(note) for note in wrong[:_MOST_SHOWN])
        more = f"; and {len(wrong) - _MOST_SHOWN} more" if len(wrong) > _MOST_SHOWN else ""
        raise DescriptionError(
            f"{culprit}: refused by strict=True: {shown}{more}; correct the file or load it "
            "without strict"
        )

    def __iter__(self) -> Iterator[Note]:
        return iter(self.notes)

    def __len__(self) -> int:
        return len(self.notes)

    def __str__(self) -> str:
        return "\n".join(str(note) for note in self.notes) or "nothing to remark"
