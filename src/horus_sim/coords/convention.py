"""A coordinate convention: which way its axes point, and how long its unit is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, TypedDict, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import (
    BaseModel,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from horus_sim.coords.config import read_convention_fields
from horus_sim.coords.units import METRES_PER_UNIT, checked_unit
from horus_sim.errors import ConventionError, UnknownConventionError
from horus_sim.files.names import did_you_mean

_AXES = ("x", "y", "z")
_OPPOSITES = {"left": "right", "back": "forward", "backward": "forward", "down": "up"}


class ConventionFields(TypedDict):
    """The fields of a `Convention` other than its name, for type checkers."""

    right: str
    forward: str
    up: str
    unit: str | float


class Convention(BaseModel, frozen=True, extra="forbid"):
    """Which of its own axes points right, forward and up, and the length of its unit.

    An axis is ``"x"``, ``"y"`` or ``"z"`` with an optional sign. The sign covers the opposite
    directions: a convention whose Y points left has ``right="-y"``. Each axis is used once.

    Conventions are immutable and hashable. The name only serves messages: two conventions that
    differ in nothing else convert into each other as they are.

    Examples:
        >>> blender = Convention("blender", right="x", forward="y", up="z", unit="m")
        >>> blender.is_right_handed
        True

    Attributes:
        name: What messages call it.
        right: The own axis that points right.
        forward: The own axis that points forward.
        up: The own axis that points up.
        unit: Name of the unit of length (``"m"``, ``"mm"``, ``"inch"``...), or metres per unit.

    Raises:
        ConventionError: A field is missing, unknown or contradicts another.
    """

    name: str
    right: str
    forward: str
    up: str
    unit: str | float

    # A default for the name lets its absence be reported like that of any other field.
    def __init__(self, name: str = "", **fields: Unpack[ConventionFields]) -> None:
        try:
            super().__init__(name=name, **fields)
        except ValidationError as error:
            causes = [detail.get("ctx", {}).get("error") for detail in error.errors()]
            is_name = any(isinstance(cause, UnknownConventionError) for cause in causes)
            kind = UnknownConventionError if is_name else ConventionError
            raise kind(_explain(name, error)) from None

    @field_validator("name", mode="before")
    @classmethod
    def _check_name(cls, name: object) -> str:
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"name={name!r} is not a name; give it a text such as 'workshop'.")
        return name.strip()

    @field_validator("right", "forward", "up", mode="before")
    @classmethod
    def _check_axis(cls, axis: object, info: ValidationInfo) -> str:
        text = axis.strip().lower() if isinstance(axis, str) else ""
        if text[-1:] not in _AXES or text[:-1] not in ("", "+", "-"):
            raise ValueError(
                f"{info.field_name}={axis!r} is not an axis; "
                "write x, y or z with an optional sign, such as '-y'."
            )
        return text.removeprefix("+")

    @field_validator("unit", mode="before")
    @classmethod
    def _check_unit(cls, unit: object) -> str | float:
        return checked_unit(unit)

    @model_validator(mode="after")
    def _check_axes_differ(self) -> Self:
        used: dict[str, str] = {}
        for direction in ("right", "forward", "up"):
            axis = getattr(self, direction)
            other = used.setdefault(axis[-1], direction)
            if other != direction:
                free = [name for name in _AXES if name not in (self.right + self.forward + self.up)]
                raise ValueError(
                    f"{other}='{getattr(self, other)}' and {direction}='{axis}' use the same axis; "
                    f"let one of them use {' or '.join(free)}."
                )
        return self

    @property
    def metres_per_unit(self) -> float:
        """Length of the unit [m]."""
        return METRES_PER_UNIT[self.unit] if isinstance(self.unit, str) else self.unit

    @property
    def axes(self) -> npt.NDArray[np.float64]:
        """Own coordinates to (right, forward, up) without scaling: signed permutation, (3, 3)."""
        rows = np.zeros((3, 3))
        for row, axis in zip(rows, (self.right, self.forward, self.up), strict=True):
            row[_AXES.index(axis[-1])] = -1.0 if axis.startswith("-") else 1.0
        return rows

    @property
    def is_right_handed(self) -> bool:
        """Whether x cross y is z when the axes are drawn in the directions they stand for."""
        return bool(np.linalg.det(self.axes) > 0.0)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with some fields replaced, checked like a new convention.

        Args:
            update: Fields to replace, such as ``{"name": "cad_inch", "unit": "inch"}``.
            deep: Without effect, as every field is immutable.

        Returns:
            The changed convention.

        Raises:
            ConventionError: The fields do not make a convention.
        """
        del deep
        return type(self)(**{**self.model_dump(), **(update or {})})

    @classmethod
    def from_file(cls, path: str | Path, name: str | None = None) -> Self:
        """Read one convention from a YAML file.

        Args:
            path: File in one of the two layouts of `load_conventions`.
            name: Which one to take. It may be left out if the file holds one only.

        Returns:
            The convention.

        Raises:
            UnknownConventionError: The file holds no convention of that name.
            ConventionError: The file or the convention is faulty, or it is not clear which one.
        """
        conventions = read_convention_fields(path)
        if name is None:
            if len(conventions) > 1:
                known = ", ".join(f"'{known}'" for known in conventions)
                raise ConventionError(
                    f"'{path}' holds {len(conventions)} conventions; say which: name={known}."
                )
            name = next(iter(conventions))
        elif name not in conventions:
            hint = did_you_mean(name, conventions)
            raise UnknownConventionError(f"'{path}' holds no convention '{name}'; {hint}")
        return cls._from_fields(path, name, conventions[name])

    @classmethod
    def _from_fields(cls, path: str | Path, name: str, fields: Mapping[str, Any]) -> Self:
        texts = {str(key): value for key, value in fields.items()}
        try:
            return cls(name, **texts)  # pyright: ignore[reportArgumentType] - __init__ checks
        except ConventionError as error:
            raise type(error)(f"'{path}': {error}") from None


def load_conventions(path: str | Path) -> dict[str, Convention]:
    """Read every convention of a YAML file.

    A file holds one convention::

        name: workshop
        right: x
        forward: y
        up: z
        unit: inch

    or several by name::

        conventions:
          workshop: {right: x, forward: y, up: z, unit: inch}
          unity: {right: x, forward: z, up: y, unit: m}

    Args:
        path: The file.

    Returns:
        The conventions by name, in the order of the file.

    Raises:
        ConventionError: The file or one of its conventions is faulty.
    """
    return {
        name: Convention._from_fields(path, name, fields)
        for name, fields in read_convention_fields(path).items()
    }


def _explain(name: object, error: ValidationError) -> str:
    """What is wrong and what to write instead, in place of pydantic's report."""
    texts: list[str] = []
    for detail in error.errors():
        field = str(detail["loc"][0]) if detail["loc"] else ""
        if detail["type"] == "missing":
            meaning = "the unit of length" if field == "unit" else f"which own axis points {field}"
            texts.append(f"{field} is missing; say {meaning}.")
        elif detail["type"] == "extra_forbidden":
            texts.append(_explain_unknown_field(field, detail["input"]))
        else:
            texts.append(str(detail["ctx"]["error"]) if "ctx" in detail else detail["msg"])
    return f"convention {name!r}: {' '.join(texts)}"


def _explain_unknown_field(field: str, value: object) -> str:
    if field in _OPPOSITES and isinstance(value, str):
        opposite = value.removeprefix("-") if value.startswith("-") else f"-{value.lstrip('+')}"
        return f"'{field}' is not a field; write {_OPPOSITES[field]}='{opposite}' instead."
    return f"'{field}' is not a field; the fields are name, right, forward, up and unit."
