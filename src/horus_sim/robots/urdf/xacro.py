"""Unexpanded xacro: recognised, and expanded in a process of its own.

The macro language evaluates expressions and includes files, so a slip or an ill-meant file can run
for ever or fill the memory. The child process has bounds on both, and reads only below the folders
that the description may use.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from horus_sim.errors import DescriptionError, MissingExtraError
from horus_sim.robots.uris import UriResolver
from horus_sim.robots.xml import Element

TIMEOUT_S = 30.0
_MISSING_ARGUMENT = re.compile(r"Undefined substitution argument (\w+)")


def is_xacro(robot: Element, path: Path) -> bool:
    """Whether a document is xacro that nobody expanded.

    A declared prefix alone says nothing: expanded files keep it. Inside ``<gazebo>`` a ``${...}``
    may belong to a plugin.
    """
    if path.suffix.lower() == ".xacro":
        return True
    pending = [robot]
    while pending:
        element = pending.pop()
        if _is_macro(element):
            return True
        if any("${" in text or "$(" in text for text in element.attributes.values()):
            return True
        if element.tag != "gazebo":
            pending.extend(element.children)
    return False


def has_leftovers_only(robot: Element) -> bool:
    """Whether what stands outside of macros is a robot without expressions.

    Tools write such files: they expand what they need and keep the rest.
    """
    rest = without_macros(robot)
    return bool(rest.find_all("link")) and not is_xacro(rest, Path("rest.urdf"))


def without_macros(element: Element) -> Element:
    """The same element without elements of xacro, at any depth."""
    kept = [without_macros(child) for child in element.children if not _is_macro(child)]
    return dataclasses.replace(element, children=kept)


def _is_macro(element: Element) -> bool:
    return element.tag.startswith("xacro:")


def expand_xacro(
    data: bytes | str, path: Path, resolver: UriResolver, arguments: Mapping[str, str]
) -> str:
    """The document with its macros expanded.

    Args:
        data: The document.
        path: Its file, from which relative includes start.
        resolver: Says which files may be included and where packages are.
        arguments: Values of ``<xacro:arg>``.

    Raises:
        MissingExtraError: xacro is not installed.
        DescriptionError: The expansion failed or took too long.
    """
    if importlib.util.find_spec("xacro") is None:
        raise MissingExtraError(f"{path} is unexpanded xacro, and the package xacro", "xacro")
    order = {
        "text": data if isinstance(data, str) else data.decode("utf-8", "surrogateescape"),
        "path": str(path.resolve()),
        "arguments": {str(key): str(value) for key, value in arguments.items()},
        "folder": str(resolver.folder),
        "home": str(resolver.home),
        "roots": [str(root) for root in resolver.roots],
    }
    command = [sys.executable, "-m", "horus_sim.robots.urdf.xacro_process"]
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            command,
            input=json.dumps(order),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DescriptionError(
            f"{path}: the expansion of xacro took longer than {TIMEOUT_S:g} s and was stopped; "
            "look for a macro that calls itself without end"
        ) from error
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        last = done.stderr.strip().rsplit("\n", 1)[-1] or f"exit code {done.returncode}"
        raise DescriptionError(f"{path}: the expansion of xacro failed: {last}") from error
    if "error" in answer:
        text = f"{path}: the expansion of xacro failed: {answer['error']}"
        argument = _MISSING_ARGUMENT.search(answer["error"])
        if argument is not None:
            text += f"; give it: xacro_args={{'{argument[1]}': ...}} or --arg {argument[1]}=..."
        raise DescriptionError(text)
    return answer["xml"]
