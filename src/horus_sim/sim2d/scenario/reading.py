"""One file of a scenario, read and checked. Errors name the file, the key and its line."""

from __future__ import annotations

import copy
import dataclasses
import typing
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

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
    try:
        model = kind.model_validate(document.data)
    except ValidationError as error:
        model = checked(kind, _with_unknown_kept(document, kind, error), _error)
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


def _with_unknown_kept(
    document: Document, kind: type[BaseModel], error: ValidationError
) -> Document:
    """The document with the unknown keys that were found moved into the metadata beside them."""
    details = error.errors(include_url=False, include_context=False, include_input=False)
    document = dataclasses.replace(document, data=copy.deepcopy(document.data))
    for detail in details:
        if detail["type"] == "extra_forbidden":
            _keep(document, kind, detail["loc"])
    return document


def _keep(document: Document, kind: type[BaseModel], place: KeyPath) -> None:
    """Moves an unknown key into the metadata of its object, with a warning."""
    around, names = document.data, kind.model_fields
    for part in place[:-1]:
        around = around[part]
        if isinstance(part, str):
            annotation: Any = names[part].annotation
            kinds = (annotation, *typing.get_args(annotation))
            names = next(kind for kind in kinds if hasattr(kind, "model_fields")).model_fields
    key = str(place[-1])
    metadata = around.setdefault("metadata", {})
    if isinstance(metadata, dict):
        if key in metadata:
            problem = "it is unknown, and metadata has a key of that name; remove one"
            refuse([(place, problem)], document)
        metadata[key] = around.pop(key)
    close = close_names(key, names, 1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    text = f"{document.place(place)} is unknown and kept in metadata{hint}"
    warnings.warn(text, UnknownKeyWarning, stacklevel=2)
