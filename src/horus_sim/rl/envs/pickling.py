"""Tasks as what pickles hold of them: which class, from where, and its settings."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horus_sim.errors import TaskError
from horus_sim.rl.task_files.file_modules import module_name, module_of_file
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.terms.term import takes


@dataclass(frozen=True, slots=True)
class TaskReference:
    """What a task is made from anew.

    Attributes:
        kind: Its class, or None where that is in a file that a definition names.
        file: That file, and the name of the class in it.
        settings: Its settings, as JSON.
    """

    kind: type[Task[Any]] | None
    file: tuple[str, str] | None
    settings: str

    @classmethod
    def of(cls, task: Task[Any]) -> TaskReference:
        """The reference of a task.

        Raises:
            TaskError: Its class takes more than settings.
        """
        kind = type(task)
        if not takes(kind, 1):
            raise TaskError(
                f"{kind.__name__} cannot be copied or pickled, for it is not made from settings "
                f"alone; let {kind.__name__}(config) make one"
            )
        settings = task.config.model_dump_json()
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        if file is not None and kind.__module__ == module_name(Path(file)):
            return cls(None, (file, kind.__qualname__), settings)
        return cls(kind, None, settings)

    def build(self) -> Task[Any]:
        """A task like the one that this is the reference of."""
        kind: Any = self.kind
        if self.file is not None:
            kind = getattr(module_of_file(Path(self.file[0])), self.file[1])
        return kind(kind.Config.model_validate_json(self.settings))
