"""What `gymnasium.make` and `make_vec` know: one table.

Registering imports nothing heavy; entry points are loaded when environments are made. Gymnasium 1.x
reads no entry points of installed packages: `import horus_sim.rl` registers, and so does
`gymnasium.make("horus_sim.rl:HorusSim/Navigation-v0")`, which imports it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

NAMESPACE = "HorusSim"
_SINGLE = "horus_sim.rl.making:make_single"
_VECTOR = "horus_sim.rl.making:make_vector"


@dataclass(frozen=True, slots=True)
class Registration:
    """An environment that Gymnasium can make.

    Attributes:
        name: With its version, such as 'Navigation-v0'; the id is 'HorusSim/Navigation-v0'.
        kwargs: Given to both entry points.
        entry_point: Makes a `gymnasium.Env`.
        vector_entry_point: Makes a `gymnasium.vector.VectorEnv`.
    """

    name: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    entry_point: str = _SINGLE
    vector_entry_point: str = _VECTOR

    @property
    def id(self) -> str:
        """As `gymnasium.make` takes it."""
        return f"{NAMESPACE}/{self.name}"


def _task(name: str) -> Registration:
    return Registration(f"{name}-v0", {"task": name})


TABLE: tuple[Registration, ...] = (
    _task("Ant"),
    _task("ArmReach"),
    _task("HalfCheetah"),
    _task("LineFollower2D"),
    _task("Manipulation"),
    _task("ManipulationReach"),
    _task("ManipulationLift"),
    _task("Navigation"),
    _task("Navigation2D"),
    _task("NavigationOpen"),
    _task("NavigationFar"),
    _task("Racing"),
)


def register_tasks(table: tuple[Registration, ...] = TABLE) -> None:
    """Makes environments known to Gymnasium; those that it knows stay as they are."""
    from gymnasium.envs.registration import register, registry

    for row in table:
        if row.id not in registry:
            register(
                id=row.id,
                entry_point=row.entry_point,
                vector_entry_point=row.vector_entry_point,
                kwargs=dict(row.kwargs),
                # Environments limit their own time, so that a vector of them does it too.
                max_episode_steps=None,
            )
