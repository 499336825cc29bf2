"""Settings as words of a command line: `lidar.rays=36`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from horus_sim.errors import TaskError
from horus_sim.files.document import Document
from horus_sim.files.overrides import overridden
from horus_sim.installation import command


def parse_settings(words: Sequence[str] | None) -> dict[str, Any]:
    """Nested settings from words KEY=VALUE; dots in keys lead inside, values are YAML.

    Raises:
        TaskError: A word has no '=', a key is empty or leads into a value, or a value is not YAML.
    """
    return overridden(Document({}), words or (), TaskError, "lidar.rays=36").data


def training_fields(
    options: Sequence[str] | None, settings: Sequence[str] | None, **fields: object
) -> dict[str, Any]:
    """Fields of a training that someone gave.

    Args:
        options: Words KEY=VALUE of any fields.
        settings: Words KEY=VALUE of the task's settings.
        **fields: Fields with options of their own; None where they were not given.

    Raises:
        TaskError: As in `parse_settings`.
    """
    from horus_sim.rl.settings import merged

    given = parse_settings(options)
    if settings:
        given = merged(given, {"settings": parse_settings(settings)})
    return given | {key: value for key, value in fields.items() if value is not None}


def command_line(*words: object, tasks: Path | None) -> str:
    """A command of `horus-sim rl` to type, with the file of tasks if there is one."""
    rest = () if tasks is None else ("--tasks", tasks)
    return command(shlex.join(["rl", *map(str, (*words, *rest))]))
