"""Texts for names that do not exist, with the ones that may have been meant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

from horus_sim.errors import UnknownNameError
from horus_sim.errors.names import close_names, did_you_mean

__all__ = ["Named", "close_names", "did_you_mean", "free_name", "propose"]

_Value = TypeVar("_Value")


def propose(name: str, known: Iterable[str], culprit: str, what: str) -> str:
    """The text of an error about an unknown name.

    Args:
        name: What was asked for.
        known: What there is.
        culprit: Whose it would be, such as "robot 'burger'".
        what: What it would be, such as 'joint'.
    """
    names = sorted(known)
    hint = did_you_mean(name, names) if names else f"it has no {what}"
    return f"{culprit} has no {what} '{name}'; {hint}"


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with underscores behind it until nothing else is called so."""
    while name in taken:
        name += "_"
    return name


class Named(Mapping[str, _Value]):
    """A mapping whose errors propose close names.

    Args:
        values: What it holds; changes there are seen here.
        culprit: Whose they are.
        what: What they are.
    """

    def __init__(self, values: Mapping[str, _Value], culprit: str, what: str) -> None:
        self._values = values
        self._culprit = culprit
        self._what = what

    def __getitem__(self, name: str) -> _Value:
        try:
            return self._values[name]
        except KeyError:
            raise UnknownNameError(propose(name, self._values, self._culprit, self._what)) from None

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self):  # noqa: ANN204 - as in Mapping
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<{self._what}s: {', '.join(self._values) or 'none'}>"
