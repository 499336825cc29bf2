"""What comes into a running world, goes and is moved: done, noted, and undone again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from horus_sim.errors import SceneError
from horus_sim.running.outlets.transforms import check_frames

if TYPE_CHECKING:
    from horus_sim.running.outlets.replay_log import ReplayLog
    from horus_sim.running.world.entity import Vector
    from horus_sim.running.world.running_world import RunningWorld
    from horus_sim.tf import Transform


class Changes:
    """Changes what a running world is made of; a record has it all.

    Args:
        running: The world.
        replay_log: Takes what was changed.
        follow: Called after things came or left.

    Attributes:
        spawned: Names of what came since the world was put in place.
    """

    def __init__(
        self, running: RunningWorld[Any], replay_log: ReplayLog, follow: Callable[[], object]
    ) -> None:
        self._running = running
        self._replay_log = replay_log
        self._follow = follow
        self.spawned: list[str] = []
        self._taken: dict[str, Any] = {}

    def forget(self) -> None:
        """Another world comes, and is as its scene says."""
        self.spawned.clear()
        self._taken.clear()

    def spawn(self, thing: Any, described: Any = None) -> str:  # noqa: ANN401 - what the world takes
        """Puts something into the world; see `RunningWorld.spawn`."""
        exchange = self._running.exchange
        name, record = exchange.spawn(thing, described)
        plan = exchange.plan()
        try:
            if name in plan.robots:
                raise SceneError(plan.robots[name])
            check_frames(exchange)
        except SceneError:
            exchange.remove(name)
            raise
        self._replay_log.note_change("spawn", **record)
        if self._taken.get(name) is thing:
            del self._taken[name]
        else:
            self.spawned.append(name)
        self._follow()
        return name

    def remove(self, name: str) -> Any:  # noqa: ANN401 - what `spawn` takes
        """Takes something out of the world; see `RunningWorld.remove`."""
        taken = self._running.exchange.remove(name)
        self._replay_log.note_change("remove", name=name)
        if name in self.spawned:
            self.spawned.remove(name)
        else:
            self._taken[name] = taken
        self._follow()
        return taken

    def move(self, name: str, pose: Transform, velocity: tuple[Vector, Vector] | None) -> None:
        """Puts something elsewhere; see `RunningWorld.move`."""
        self._running.exchange.move(name, pose, velocity)
        at = {"translation": pose.translation.tolist(), "rotation": pose.rotation.tolist()}
        speeds = {} if velocity is None else {"velocity": [list(part) for part in velocity]}
        self._replay_log.note("move", name=name, pose=at, **speeds)

    def despawn(self) -> None:
        """Takes out all that came."""
        for name in tuple(self.spawned):
            self.remove(name)

    def restore(self) -> None:
        """Takes out all that came, and puts back what left."""
        self.despawn()
        for taken in tuple(self._taken.values()):
            self.spawn(taken)
