"""Whether what is asked of a resume is what the training in the folder does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from horus_sim.errors import TrainingError
from horus_sim.rl.settings import unknown_name
from horus_sim.rl.training.config import TrainConfig
from horus_sim.rl.training.run_folder import RunFolder
from horus_sim.rl.training.used_settings import dotted


def check_agreement(run: RunFolder, task: str, asked: Mapping[str, Any]) -> None:
    """Refuses another task or other options than those of the training in a folder.

    Args:
        run: The folder.
        task: Name of the task that is asked for.
        asked: Fields of `TrainConfig` that are asked for, without the limits that a resume may
            change.

    Raises:
        TrainingError: The folder holds no training, or one of another task or with other options;
            the text names both.
    """
    config = run.read_config()
    if config.task != task:
        raise TrainingError(
            f"'{run.path}' holds a training of '{config.task}', not of '{task}'; resume it by its "
            f"name, or train '{task}' in another folder"
        )
    has, missing = dotted(config.model_dump(mode="json")), "the task's own"
    for name, value in dotted(asked).items():
        if name.partition(".")[0] not in TrainConfig.model_fields:
            raise TrainingError(unknown_name("setting", name, tuple(TrainConfig.model_fields)))
        if name not in has or has[name] != value:
            raise TrainingError(
                f"'{run.path}' is trained with {name}={has.get(name, missing)}, not {value}, and a "
                "resume changes only steps and minutes; leave the option out, or train in another "
                "folder"
            )
