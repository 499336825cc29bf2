"""What was done and can be undone, and what was undone and can be done again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from horus_sim.errors import UiError

StepT = TypeVar("StepT")


class History(Generic[StepT]):
    """Steps in the order in which they were done.

    Args:
        longest: How many steps are kept at most.

    Attributes:
        done: Steps that can be undone, beginning with the last.
        undone: Steps that can be done again, beginning with the last.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self.done: list[StepT] = []
        self.undone: list[StepT] = []

    def add(self, step: StepT) -> None:
        """Something was done; what was undone before cannot be done again."""
        self.done.append(step)
        del self.done[: -self._longest]
        self.undone.clear()

    def undo(self, reverse: Callable[[StepT], StepT] = lambda step: step) -> StepT:
        """Takes the last step back.

        Args:
            reverse: Does so, and gives the step as it is to be done again.

        Raises:
            UiError: There is none.
        """
        return _travel(self.done, self.undone, reverse, "undo")

    def redo(self, repeat: Callable[[StepT], StepT] = lambda step: step) -> StepT:
        """Does the step again that was undone last.

        Args:
            repeat: Does so, and gives the step as it is to be undone.

        Raises:
            UiError: There is none.
        """
        return _travel(self.undone, self.done, repeat, "do again")

    def clear(self) -> None:
        """Forgets all steps."""
        self.done.clear()
        self.undone.clear()


def _travel(
    source: list[StepT], target: list[StepT], go: Callable[[StepT], StepT], what: str
) -> StepT:
    if not source:
        raise UiError(f"there is nothing to {what}")
    # A step that fails stays where it is.
    target.append(go(source[-1]))
    return source.pop()
