"""Tasks by name: files that say which class a name stands for and with which settings."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Self

from pydantic import Field, ValidationError, model_validator

from horus_sim.errors import TaskError, UnknownTaskError
from horus_sim.files.document import Document, read_document
from horus_sim.files.explaining import explain
from horus_sim.files.names import propose
from horus_sim.rl.settings import Config, build_config, merged
from horus_sim.rl.task_files.file_modules import forget_files, remember_files
from horus_sim.rl.task_files.registration import register_tasks, shipped_tasks
from horus_sim.rl.task_files.task_class import absolute_class_path, file_of, load_task_class
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.terms.term import takes


class TaskDefinition(Config):
    """What a name stands for.

    Attributes:
        class_path: 'package.module:Class', or 'file.py:Class' with a file beside that of the
            definition; None where `base` says it.
        base: Name of another task whose class and settings it takes.
        settings: Over those of the base.
    """

    class_path: str | None = None
    base: str | None = None
    settings: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.class_path is not None and self.base is not None:
            raise ValueError(
                "it has class_path and base, which says the class too; give one of them"
            )
        return self


_definitions: dict[str, TaskDefinition] = {}
# What Gymnasium takes as a part of its ids.
_NAME = re.compile(r"[\w.-]+")


def task_names() -> tuple[str, ...]:
    """Names of all tasks that are defined, sorted."""
    return tuple(sorted(_known()))


def task_bases(name: str) -> tuple[str, ...]:
    """The name and those of the tasks that it is based on, the nearest first.

    Raises:
        TaskError: The name is unknown.
    """
    _resolve(name, ())
    names, known = [name], _known()
    while (base := known[names[-1]].base) is not None:
        names.append(base)
    return tuple(names)


def load_tasks(path: str | Path) -> tuple[str, ...]:
    """Defines the tasks of a YAML file and registers them with Gymnasium.

    A name that is already defined is overridden: its entry becomes the settings on top. Files of
    classes are read anew, with what they import from beside them.

    Args:
        path: The file: a mapping from names to `class_path` or `base`, and `settings`.

    Returns:
        The names; `HorusSim/<name>-v0` are the ids.

    Raises:
        TaskError: The file does not hold task definitions, or a definition leads nowhere.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TaskError(f"{path!r} is not a path; give that of a YAML file of tasks")
    definitions = _parsed(read_document(Path(path), TaskError, "give a YAML file of tasks"))
    known = _known()
    for name, definition in definitions.items():
        if definition.base == name:
            raise TaskError(f"{path}: task '{name}' is its own base; name another or leave it out")
        if definition.class_path is None and definition.base is None:
            if name not in known:
                raise TaskError(
                    f"{path}: task '{name}' has neither class_path nor base; give one of them"
                )
            settings = merged(known[name].settings, definition.settings)
            definitions[name] = known[name].model_copy(update={"settings": settings})
    before = dict(known)
    known.update(definitions)
    forgotten: dict[str, ModuleType] = {}
    try:
        paths = {_resolve(name, ())[0] for name in definitions}
        forgotten = forget_files(file for path in paths if (file := file_of(path)) is not None)
        for name in definitions:
            build_task(name)
    except BaseException:
        known.clear()
        known.update(before)
        remember_files(forgotten)
        raise
    register_tasks(definitions)
    return tuple(definitions)


def build_task(task: str | Task[Any], settings: Mapping[str, Any] | None = None) -> Task[Any]:
    """A task from its name and settings over those that the name stands for.

    Raises:
        TaskError: The name or a setting is unknown, or a value does not fit.
    """
    if isinstance(task, Task):
        if settings:
            raise TaskError(
                f"settings {sorted(settings)} beside a task that is built already; give them to "
                "the task"
            )
        return task
    if not isinstance(task, str):
        remedy = f"{task.__name__}(settings)" if isinstance(task, type) else "a name"
        is_short = task is None or isinstance(task, (type, int, float))
        given = repr(task) if is_short else f"an object of type {type(task).__name__}"
        raise TaskError(f"{given} is neither a task nor the name of one; give {remedy}")
    path, values = _resolve(task, ())
    kind = load_task_class(path, task)
    config = build_config(kind.Config, merged(values, settings or {}), f"task '{task}'")
    if not takes(kind, 1):
        raise TaskError(
            f"task '{task}': {kind.__name__} takes no settings; define __init__(self, config) that "
            "calls super().__init__(config), or leave it out"
        )
    return kind(config)


def _resolve(name: str, below: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    known = _known()
    if name not in known:
        raise UnknownTaskError(propose(name, known, "horus_sim.rl", "task"))
    if name in below:
        raise TaskError(f"tasks are each other's base: {' -> '.join((*below, name))}; break it")
    definition = known[name]
    if definition.base is None:
        return str(definition.class_path), definition.settings
    path, settings = _resolve(definition.base, (*below, name))
    return path, merged(settings, definition.settings)


def _known() -> dict[str, TaskDefinition]:
    if not _definitions:
        _definitions.update(_parsed(shipped_tasks()))
    return _definitions


def _parsed(document: Document) -> dict[str, TaskDefinition]:
    path = document.file
    if not isinstance(document.data, dict) or not document.data:
        raise TaskError(f"{path} holds no tasks; give a mapping from names to definitions")
    definitions = {}
    for name, value in document.data.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise TaskError(
                f"{path}: a task is called {name!r}; give letters, digits, '_', '.' and '-', in "
                "quotes if YAML reads them as something else"
            )
        try:
            definition = TaskDefinition.model_validate({} if value is None else value)
        except ValidationError as error:
            raise TaskError(explain(error, TaskDefinition, document, (name,))) from None
        if definition.class_path is not None:
            class_path = absolute_class_path(definition.class_path, Path(str(path)).parent)
            definition = definition.model_copy(update={"class_path": class_path})
        definitions[name] = definition
    return definitions
