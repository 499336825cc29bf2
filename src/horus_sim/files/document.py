"""Files that users write, read strictly: what they hold, and on which line each key stands.

YAML and JSON become plain data: mappings with text as keys, lists, text, numbers, truth values.
Nothing in a file can run, and size, depth and number of values are bounded.
"""

from __future__ import annotations

import dataclasses
import json
import re
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from horus_sim.errors import HorusError
from horus_sim.files.json_position import json_position
from horus_sim.files.yaml_loader import StrictLoader, yaml_line

KeyPath: TypeAlias = tuple[str | int, ...]
MOST_YAML_BYTES = 16_000_000
MOST_JSON_BYTES = 64_000_000


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong in a document, where it stands, and what to do about it.

    Attributes:
        file: Path of the file, or None when the data did not come from one.
        key: The place in the file, such as ``bodies[0].mass``, or '' for all of it.
        line: Line of that key, from 1, or None.
        text: The cause and the remedy, without the place.
        column: Column of the mistake, from 1, or None.
        others: Further problems of the same document.
        left_out: Number of problems beyond those.
    """

    file: str | None
    key: str
    line: int | None
    text: str
    column: int | None = None
    others: tuple[Problem, ...] = ()
    left_out: int = 0

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        lines = [": ".join(part for part in (where, self.key, self.text) if part)]
        lines += [str(other) for other in self.others]
        if self.left_out:
            lines.append(f"... and {self.left_out} more")
        return "\n".join(lines)


Refusal: TypeAlias = Callable[[Problem], HorusError]
"""Makes the error of a problem; every exception class whose one argument is a text is one."""


@dataclasses.dataclass(frozen=True, slots=True)
class Document:
    """Plain data that a user wrote.

    Attributes:
        data: What it holds.
        file: Path or name of the file for errors, or None when the data did not come from one.
        find_line: Gives the line, from 1, of what stands at a path of keys and indices, or of the
            nearest thing around it; None where it is not known.
    """

    data: Any
    file: str | None = None
    find_line: Callable[[KeyPath], int | None] = lambda _: None

    def problem(self, path: KeyPath, text: str) -> Problem:
        """A problem of what stands at a path of keys and indices."""
        return Problem(self.file, key_text(path), self.find_line(path), text)

    def place(self, path: KeyPath = ()) -> str:
        """File, line and key of what stands at a path, for texts: ``a.yaml:3: robots[0]``."""
        return str(self.problem(path, ""))


def key_text(path: KeyPath) -> str:
    """A path of keys and indices as people write it: ``bodies[0].mass``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def read_document(path: Path, refuse: Refusal, remedy: str = "check the path") -> Document:
    """Reads a file of a user: JSON where its name ends in ``.json``, else YAML.

    Args:
        path: The file, UTF-8.
        refuse: Makes the error that is raised.
        remedy: What to do about a file that cannot be read.

    Raises:
        HorusError: As `refuse` makes it; the file cannot be read, is too large, is neither UTF-8
            nor valid, or has a key twice.
    """
    is_json = path.suffix.lower() == ".json"
    most = MOST_JSON_BYTES if is_json else MOST_YAML_BYTES
    file = str(path)
    data = read_bytes(path, most, refuse, remedy)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        problem = "the text is not UTF-8; save the file in that encoding"
        raise refuse(Problem(file, "", line, problem)) from error
    return parse_json(text, file, refuse) if is_json else parse_yaml(text, file, refuse)


def read_bytes(path: Path, most: int, refuse: Refusal, remedy: str = "check the path") -> bytes:
    """The content of a regular file.

    Args:
        path: The file.
        most: The largest number of bytes that is read.
        refuse: Makes the error that is raised.
        remedy: What to do about a file that cannot be read.

    Raises:
        HorusError: As `refuse` makes it; the file cannot be read, is not a regular one, or is too
            large.
    """
    try:
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= most:
            return path.read_bytes()
        cause = f"the file has {status.st_size} bytes, more than the limit of {most}"
        if not stat.S_ISREG(status.st_mode):
            cause = f"it is not a regular file; {remedy}"
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        problem = f"the file cannot be read ({cause}); {remedy}"
        raise refuse(Problem(str(path), "", None, problem)) from error
    raise refuse(Problem(str(path), "", None, cause))


def parse_yaml(text: str, file: str | None, refuse: Refusal) -> Document:
    """A document from YAML; an empty text holds None.

    Args:
        text: The YAML.
        file: Path or name of the file, for errors.
        refuse: Makes the error that is raised.

    Raises:
        HorusError: As `refuse` makes it; the text is not YAML, has a key twice, is nested too deep
            or expands to too many values.
    """
    line = column = None
    try:
        return Document(StrictLoader(text).get_single_data(), file, partial(yaml_line, text))
    except yaml.MarkedYAMLError as error:
        cause, mark, raised = error.problem, error.problem_mark, error
        if mark is not None:
            line, column = mark.line + 1, mark.column + 1
    except yaml.YAMLError as error:
        cause, raised = " ".join(str(error).split()), error
    except RecursionError as error:
        cause, raised = "lists or mappings are nested too deeply", error
    except (ValueError, OverflowError) as error:
        # A date that does not exist, or an integer of thousands of digits.
        cause, raised = f"it has a value that YAML cannot hold, {error}", error
    problem = f"this is not valid YAML: {cause}; correct it"
    raise refuse(Problem(file, "", line, problem, column)) from raised


def parse_json(text: str, file: str | None, refuse: Refusal) -> Document:
    """A document from JSON.

    Args:
        text: The JSON.
        file: Path or name of the file, for errors.
        refuse: Makes the error that is raised.

    Raises:
        HorusError: As `refuse` makes it; the text is not JSON, has a key twice or is nested too
            deep.
    """
    key, at, column = "", None, None
    try:
        return Document(
            json.loads(text, object_pairs_hook=_no_key_twice), file, partial(_json_line, text)
        )
    except json.JSONDecodeError as error:
        problem, raised = f"this is not valid JSON: {error.msg}; correct it", error
        at, column = error.pos, error.colno
    except _RepeatedKey as error:
        key, raised = error.key, error
        places = [m.start() for m in re.finditer(rf"{re.escape(json.dumps(key))}\s*:", text)]
        # With more than two it is not clear which ones are meant.
        at = places[1] if len(places) == 2 else None
        problem = f"the key '{key}' is given twice in one object; remove one"
    except ValueError as error:
        long = re.search(r"\d{1000,}", text)
        at = long.start() if long else None
        problem, raised = "a number has too many digits; write a shorter one", error
    except RecursionError as error:
        problem, raised = "the JSON is nested too deeply; write fewer levels", error
    line = None if at is None else _line(text, at)
    raise refuse(Problem(file, key, line, problem, column)) from raised


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


def _json_line(text: str, path: KeyPath) -> int:
    return _line(text, json_position(text, path))


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
