"""One file of a scenario, read and checked. Errors name the file, the key and its line."""

from __future__ import annotations

import dataclasses
import types
import typing
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel

from horus_sim.errors import ScenarioError
from horus_sim.files.document import Document, KeyPath, Problem, read_document
from horus_sim.files.explaining import checked
from horus_sim.files.names import close_names
from horus_sim.sim2d.scenario.schema import FileModel

M = TypeVar("M", bound=FileModel)
Findings: TypeAlias = Iterable[tuple[KeyPath, str]]
"""Places in a file, and what is wrong or strange there."""


class ScenarioWarning(UserWarning):
    """Something in a file of a scenario is strange, and is taken as it is."""


class UnknownKeyWarning(ScenarioWarning):
    """A file has a key that nobody reads; it is kept in the metadata."""


class UnlikelyValueWarning(ScenarioWarning):
    """A value in a file is possible and hardly what was meant."""


def read_file(path: Path) -> Document:
    """Reads a JSON file of a scenario.

    Raises:
        ScenarioError: The file is missing or not valid JSON.
    """
    return read_document(path, _error, "create it, or check its path and permissions")


def parse(
    document: Document,
    kind: type[M],
    problems: Callable[[M], Findings] = lambda _: (),
    doubts: Callable[[M], Findings] = lambda _: (),
) -> M:
    """A description from what a user wrote; unknown keys go into the metadata with a warning.

    Args:
        document: What the user wrote.
        kind: What it describes.
        problems: Finds what the types cannot say; the first one is raised.
        doubts: Finds values that are hardly meant; they are warned of.

    Raises:
        ScenarioError: A value does not fit.
    """
    data = _keep_unknown(document.data, kind, (), document)
    model = checked(kind, dataclasses.replace(document, data=data), _error)
    refuse(problems(model), document)
    doubt(doubts(model), document)
    return model


def refuse(problems: Findings, document: Document) -> None:
    """Raises the first problem, if there is one."""
    for place, problem in problems:
        raise _error(document.problem(place, problem))


def doubt(doubts: Findings, document: Document) -> None:
    """Warns of values that are hardly meant, with file, line and key."""
    for place, text in doubts:
        warnings.warn(str(document.problem(place, text)), UnlikelyValueWarning, stacklevel=3)


def _error(problem: Problem) -> ScenarioError:
    return ScenarioError(problem.file, problem.key, problem.line, problem.text)


def _keep_unknown(values: object, kind: object, place: KeyPath, document: Document) -> object:
    """The values with the unknown keys of every object moved into its metadata."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        if not isinstance(values, dict):
            return values
        kept: dict[str, Any] = {}
        unknown: dict[str, Any] = {}
        for key, value in values.items():
            if key not in kind.model_fields:
                unknown[key] = value
                continue
            annotation = kind.model_fields[key].annotation
            kept[key] = _keep_unknown(value, annotation, (*place, key), document)
        if unknown:
            given = kept.get("metadata", {})
            for key in unknown:
                if isinstance(given, dict) and key in given:
                    problem = "it is unknown, and metadata has a key of that name; remove one"
                    refuse([((*place, key), problem)], document)
                _warn_unknown(kind, (*place, key), document)
            kept["metadata"] = {**given, **unknown} if isinstance(given, dict) else given
        return kept
    inside = typing.get_args(kind)
    if values and isinstance(values, list) and not isinstance(values[0], dict):
        return values
    if typing.get_origin(kind) is tuple and isinstance(values, list) and inside[-1] is Ellipsis:
        return [
            _keep_unknown(value, inside[0], (*place, index), document)
            for index, value in enumerate(values)
        ]
    if isinstance(kind, types.UnionType) and isinstance(values, dict):
        models = [part for part in inside if isinstance(part, type) and issubclass(part, BaseModel)]
        return _keep_unknown(values, models[0], place, document) if models else values
    return values


def _warn_unknown(kind: type[BaseModel], place: KeyPath, document: Document) -> None:
    close = close_names(str(place[-1]), kind.model_fields, 1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    text = f"{document.place(place)} is unknown and kept in metadata{hint}"
    warnings.warn(text, UnknownKeyWarning, stacklevel=2)
