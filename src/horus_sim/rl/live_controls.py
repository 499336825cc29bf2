"""The controls of a task, which are written in place and never replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from horus_sim.errors import TaskError

if TYPE_CHECKING:
    from horus_sim.rl.backend import Floats


class LiveControls:
    """An attribute that physics reads, so that another array in its place would do nothing.

    Args:
        spelling: How a task calls it.
    """

    _key, _owner_key = "_live_controls", "_live_controls_owner"

    def __init__(self, spelling: str) -> None:
        self._spelling = spelling

    def __get__(self, task: Any, kind: type | None = None) -> Floats:  # noqa: ANN401 - any task
        try:
            return vars(task)[self._key]
        except (KeyError, TypeError):
            raise AttributeError("a task has controls from bind() on") from None

    def __set__(self, task: Any, value: Floats) -> None:  # noqa: ANN401 - any task
        # `self.ctrl += x` changes the array and then sets it again.
        if value is not vars(task).get(self._key):
            raise TaskError(
                f"{vars(task).get(self._owner_key, type(task).__name__)}: {self._spelling} is read "
                "by physics and must be written in place, not replaced; write "
                f"{self._spelling}[:] = ... instead of {self._spelling} = ..."
            )

    @classmethod
    def attach(cls, holder: Any, ctrl: Floats, owner: str) -> None:  # noqa: ANN401 - any task
        """Gives a task, or its simulations, the controls.

        Args:
            holder: What has the attribute.
            ctrl: The controls.
            owner: Name of the task, for errors.
        """
        vars(holder)[cls._key], vars(holder)[cls._owner_key] = ctrl, owner
