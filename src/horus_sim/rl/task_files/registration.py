"""What `gymnasium.make` and `make_vec` know: the tasks that files list.

Registering imports nothing heavy; entry points are loaded when environments are made. Gymnasium 1.x
reads no entry points of installed packages: `import horus_sim.rl` registers, and so does
`gymnasium.make("horus_sim.rl:HorusSim/Navigation-v0")`, which imports it.
"""

from __future__ import annotations

from collections.abc import Iterable

from horus_sim.assets import asset_path
from horus_sim.errors import TaskError
from horus_sim.files.document import Document, read_document


def shipped_tasks() -> Document:
    """The file that lists the shipped tasks."""
    return read_document(asset_path("tasks", "rl_tasks", (".yaml",)), TaskError)


def register_tasks(names: Iterable[str]) -> None:
    """Makes tasks known to Gymnasium as `HorusSim/<name>-v0`; those that it knows stay."""
    from gymnasium.envs.registration import register, registry

    for name in names:
        full_name = f"HorusSim/{name}-v0"
        if full_name not in registry:
            register(
                id=full_name,
                entry_point="horus_sim.rl.envs.make:make_single",
                vector_entry_point="horus_sim.rl.envs.make:make_vector",
                kwargs={"task": name},
                # Environments limit their own time, so that a vector of them does it too.
                max_episode_steps=None,
            )
