"""One file of a scenario, read. Errors name the file, the key and its line."""

from __future__ import annotations

import difflib
import json
import re
import types
import typing
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from horus_sim.errors import ScenarioError
from horus_sim.sim2d import schema
from horus_sim.sim2d.json_lines import key_text, line_of
from horus_sim.sim2d.outline import MOST_POINTS
from horus_sim.sim2d.schema import FileModel

_MOST_BYTES = 64_000_000
M = TypeVar("M", bound=FileModel)


class ScenarioWarning(UserWarning):
    """Something in a file of a scenario is strange, and is taken as it is."""


class UnknownKeyWarning(ScenarioWarning):
    """A file has a key that nobody reads; it is kept in the metadata."""


class UnlikelyValueWarning(ScenarioWarning):
    """A value in a file is possible and hardly what was meant."""


def read_file(path: Path, kind: type[M]) -> M:
    """Reads one description.

    Raises:
        ScenarioError: The file is missing, is no JSON, or a value does not fit.
    """
    if not path.is_file():
        raise ScenarioError(str(path), "", None, "the file does not exist; create it")
    if path.stat().st_size > _MOST_BYTES:
        raise ScenarioError(str(path), "", None, f"the file is larger than {_MOST_BYTES} bytes")
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        problem = f"the file cannot be read ({error.strerror or error}); check its permissions"
        raise ScenarioError(str(path), "", None, problem) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        problem = "the text is not UTF-8; save the file in that encoding"
        raise ScenarioError(str(path), "", line, problem) from None
    try:
        values = json.loads(text, object_pairs_hook=_no_key_twice)
    except json.JSONDecodeError as error:
        raise ScenarioError(str(path), "", error.lineno, f"this is no JSON: {error.msg}") from None
    except _RepeatedKey as error:
        places = [m.start() for m in re.finditer(rf"{re.escape(json.dumps(error.key))}\s*:", text)]
        # With more than two it is not clear which ones are meant.
        line = text.count("\n", 0, places[1]) + 1 if len(places) == 2 else None
        problem = f"the key '{error.key}' is given twice in one object; remove one"
        raise ScenarioError(str(path), error.key, line, problem) from None
    except ValueError:
        long = re.search(r"\d{1000,}", text)
        line = text.count("\n", 0, long.start()) + 1 if long else None
        problem = "a number has too many digits; write a shorter one"
        raise ScenarioError(str(path), "", line, problem) from None
    except RecursionError:
        raise ScenarioError(str(path), "", None, "the JSON is nested too deeply") from None
    return parse(values, kind, path, text)


class _RepeatedKey(Exception):  # noqa: N818 - never leaves the module
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKey(key)
            seen.add(key)
    return values


def parse(values: object, kind: type[M], path: Path | None, text: str) -> M:
    """A description from JSON values; unknown keys go into the metadata with a warning."""
    values = _keep_unknown(values, kind, (), path, text)
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = tuple(first["loc"])
        refuse([(place, _problem_text(first, place))], path, text)
        raise


def _problem_text(problem: ErrorDetails, place: tuple[str | int, ...]) -> str:
    """What is wrong with a value, and the value."""
    sort, text, value = problem["type"], problem["msg"], problem["input"]
    if sort == "missing":
        return text
    if sort == "too_long" and place[-1] in ("points", "edges"):
        return (
            f"{len(value)} points are too many for one body; simplify the outline to at most "
            f"{MOST_POINTS}"
        )
    if sort == "tuple_type":
        text = "Input should be a list"
    elif sort == "model_type":
        subject = "Input should be" if place else "the file should hold"
        keys = _keys(str(problem.get("ctx", {}).get("class_name")))
        text = f"{subject} an object with keys such as {keys}"
    shown = repr(value)
    return f"{text}, got {shown if len(shown) <= 60 else shown[:57] + '...'}"


def _keys(kind: str) -> str:
    """The first keys of what a class of the schema describes."""
    keys = [key for key in getattr(schema, kind).model_fields if key != "metadata"]
    return " and ".join(f"'{key}'" for key in keys[:2])


def refuse(
    problems: Iterable[tuple[tuple[str | int, ...], str]],
    path: Path | None,
    text: str | None = None,
) -> None:
    """Raises the first problem, if there is one."""
    for place, problem in problems:
        if text is None:
            text = path.read_text(encoding="utf-8") if path is not None and path.is_file() else ""
        line = line_of(text, place) if text else None
        raise ScenarioError(None if path is None else str(path), key_text(place), line, problem)


def doubt(problems: Iterable[tuple[tuple[str | int, ...], str]], path: Path | None) -> None:
    """Warns of values that are hardly meant, with file, line and key."""
    text: str | None = None
    for place, problem in problems:
        if text is None:
            text = path.read_text(encoding="utf-8") if path is not None and path.is_file() else ""
        line = line_of(text, place) if text else None
        where = f"{path}:{line}: " if line else f"{path}: " if path else ""
        warnings.warn(f"{where}{key_text(place)}: {problem}", UnlikelyValueWarning, stacklevel=3)


def _keep_unknown(
    values: object, kind: object, place: tuple[str | int, ...], path: Path | None, text: str
) -> object:
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
            kept[key] = _keep_unknown(value, annotation, (*place, key), path, text)
        if unknown:
            given = kept.get("metadata", {})
            for key in unknown:
                if isinstance(given, dict) and key in given:
                    problem = "it is unknown, and metadata has a key of that name; remove one"
                    refuse([((*place, key), problem)], path, text)
            _warn_unknown(unknown, kind, place, path, text)
            kept["metadata"] = {**given, **unknown} if isinstance(given, dict) else given
        return kept
    inside = typing.get_args(kind)
    if values and isinstance(values, list) and not isinstance(values[0], dict):
        return values
    if typing.get_origin(kind) is tuple and isinstance(values, list) and inside[-1] is Ellipsis:
        return [
            _keep_unknown(value, inside[0], (*place, index), path, text)
            for index, value in enumerate(values)
        ]
    if isinstance(kind, types.UnionType) and isinstance(values, dict):
        models = [part for part in inside if isinstance(part, type) and issubclass(part, BaseModel)]
        return _keep_unknown(values, models[0], place, path, text) if models else values
    return values


def _warn_unknown(
    unknown: dict[str, Any],
    kind: type[BaseModel],
    place: tuple[str | int, ...],
    path: Path | None,
    text: str,
) -> None:
    for key in unknown:
        close = difflib.get_close_matches(key, kind.model_fields, n=1, cutoff=0.7)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        line = line_of(text, (*place, key)) if text else None
        where = f"{path}:{line}: " if line else f"{path}: " if path else ""
        warnings.warn(
            f"{where}{key_text((*place, key))} is unknown and kept in metadata{hint}",
            UnknownKeyWarning,
            stacklevel=2,
        )
