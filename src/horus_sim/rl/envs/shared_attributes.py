"""Gymnasium's `call`, `get_attr` and `set_attr` for environments that are one object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from horus_sim.errors import TaskError, UnknownAttributeError
from horus_sim.files.names import propose

if TYPE_CHECKING:
    from horus_sim.rl.tasks.task import Task

# What one environment calls so.
_OF_ONE = {"observation_space": "single_observation_space", "action_space": "single_action_space"}
_OF_ALL = ("reset", "step", "close", "call", "get_attr", "set_attr")


class SharedAttributes:
    """Attributes and methods of the environments, or else of their task, by name.

    All environments share them, but for arrays that have a row for each.
    """

    task: Task[Any]
    num_envs: int

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:  # noqa: ANN401 - as Gymnasium's
        """Calls a method, which is one of all environments, once; gives its result for each.

        `call("render")` gives the picture of each. What is no method is given as by `get_attr`.

        Args:
            name: A method of the environments, or of their task.
            args: What it is called with.
            kwargs: Likewise by name.

        Raises:
            UnknownAttributeError: There is none of that name.
            TaskError: It steps, resets or closes all environments; call it itself.
        """
        if name in _OF_ALL:
            raise TaskError(f"'{name}' is of all environments together; call envs.{name}() itself")
        found = self._attribute(name)
        if not callable(found):
            return self.get_attr(name)
        result: Any = found(*args, **kwargs)
        if name == "render" and result is not None:
            return tuple(result)
        return (result,) * self.num_envs

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute for each environment: its row of an array that has one, or what all share.

        Args:
            name: An attribute of the environments, or of their task.

        Raises:
            UnknownAttributeError: There is none of that name.
        """
        value = self._attribute(name)
        return tuple(value.copy()) if self._has_rows(value) else (value,) * self.num_envs

    def set_attr(
        self,
        name: str,
        values: Any,  # noqa: ANN401 - as Gymnasium's
        ids: Sequence[int] | None = None,
    ) -> None:
        """Sets an attribute: rows of an array that has one for each environment, or what all share.

        Args:
            name: An attribute of the environments or of their task, or a new one.
            values: A list or tuple with a value for each environment, or one value for all.
            ids: The environments, all unless given.

        Raises:
            TaskError: The number of values is another one, they do not fit, or the environments
                share the attribute and are to have different values.
        """
        rows = np.arange(self.num_envs) if ids is None else np.asarray(ids, np.int64)
        given = values if isinstance(values, (list, tuple)) else [values] * len(rows)
        if len(given) != len(rows):
            raise TaskError(
                f"{len(given)} values of '{name}' for {len(rows)} environments; give one for each, "
                "or one that is not a list for all"
            )
        owner = self.task if hasattr(self.task, name) and not hasattr(self, name) else self
        present: Any = getattr(owner, name, None)
        if self._has_rows(present):
            try:
                present[rows] = given
            except (TypeError, ValueError) as error:
                raise TaskError(
                    f"'{name}' has rows of shape {present.shape[1:]} and type {present.dtype} and "
                    f"takes no {given!r:.80} ({error}); give such rows"
                ) from error
            return
        if len(rows) < self.num_envs or not all(_is_same(value, given[0]) for value in given):
            raise TaskError(
                f"'{name}' is one for all environments and cannot differ between them; give one "
                "value for all"
            )
        try:
            setattr(owner, name, given[0])
        except AttributeError as error:
            raise TaskError(f"'{name}' cannot be set ({error}); it only tells") from error

    def _attribute(self, name: str) -> Any:  # noqa: ANN401 - whatever there is
        for owner in (self, self.task):
            if hasattr(owner, name):
                return getattr(owner, _OF_ONE.get(name, name))
        known = {word for owner in (self, self.task) for word in dir(owner) if word[0] != "_"}
        raise UnknownAttributeError(propose(name, known, type(self.task).__name__, "attribute"))

    def _has_rows(self, value: object) -> bool:
        return isinstance(value, np.ndarray) and value.shape[:1] == (self.num_envs,)


def _is_same(one: object, other: object) -> bool:
    return one is other or np.array_equal(np.asarray(one), np.asarray(other))
