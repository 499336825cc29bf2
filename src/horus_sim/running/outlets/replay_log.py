"""What a world was told and did, for outlets: enough to do it all again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from horus_sim.running.outlets.due_times import Due
from horus_sim.running.topic_plan import COMMAND_LOG_TOPIC

if TYPE_CHECKING:
    from horus_sim.running.outlets.outgoing import Outlet
    from horus_sim.running.world.running_world import RunningWorld


class ReplayLog:
    """Writes entries for the log of commands to all outlets.

    Args:
        running: The world.
    """

    def __init__(self, running: RunningWorld[Any]) -> None:
        self._running = running
        self._digest = Due(running.config.digest_hz)
        self._origin: dict[str, Any] | None = None
        self._changes: list[dict[str, Any]] = []
        self._seen = (0, 0)

    def forget_origin(self) -> None:
        """Another world comes, and is as its scene says."""
        self._origin, self._changes = None, []

    def note(self, kind: str, **fields: Any) -> None:  # noqa: ANN401 - plain data
        """Notes something that was done before the next step."""
        if self._running.outgoing.outlets:
            self._running.outgoing.record(COMMAND_LOG_TOPIC, self._entry(kind, **fields))

    def note_state(self, kind: str = "state") -> None:
        """Notes a digest of the state, by which a replay is checked."""
        if self._running.outgoing.outlets:
            self.note(kind, sha256=self._running.exchange.digest())

    def note_change(self, kind: str, **fields: Any) -> None:  # noqa: ANN401 - plain data
        """Notes a spawn or a removal; later runs begin with it."""
        self.note(kind, **fields)
        self._changes.append({"kind": kind, **fields})

    def note_jump(self) -> None:
        """The state was set by itself, after the last step that was seen."""
        steps, stamp_ns = self._seen
        for outlet in self._running.outgoing.outlets:
            outlet.log(COMMAND_LOG_TOPIC, {"kind": "state set", "step": steps}, stamp_ns)

    def begin_run(self, *, with_state: bool) -> None:
        """A run begins.

        Args:
            with_state: Whether it does not begin as the scene says.
        """
        self._digest.restart()
        for outlet in self._running.outgoing.outlets:
            self.begin(outlet, with_state=with_state)

    def begin(self, outlet: Outlet, *, with_state: bool) -> None:
        """Tells an outlet what the world was made of, and where it is."""
        world, exchange = self._running.world, self._running.exchange
        outlet.begin_run(world)
        if self._origin is None:
            self._origin = exchange.origin()
        entry = self._entry(
            "start",
            simulator=exchange.simulator,
            scene=exchange.name,
            seed=world.seed,
            timestep=world.timestep,
            sha256=exchange.digest(),
            parts=exchange.parts(),
            changes=[*self._changes],
            **self._origin,
        )
        if with_state:
            entry["state"] = exchange.state()
        outlet.log(COMMAND_LOG_TOPIC, entry, world.stamp_ns)

    def end(self, outlet: Outlet) -> None:
        """Tells an outlet where the world is in the end."""
        entry = self._entry("end", sha256=self._running.exchange.digest())
        outlet.log(COMMAND_LOG_TOPIC, entry, self._running.world.stamp_ns)

    def after_step(self) -> None:
        """Notes the state if that is due."""
        stamp_ns = self._running.world.stamp_ns
        self._seen = (self._running.world.steps, stamp_ns)
        if stamp_ns >= self._digest.next_ns and self._running.outgoing.outlets:
            self._digest.pop(stamp_ns)
            self.note_state()

    def _entry(self, kind: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - plain data
        return {"kind": kind, "step": self._running.world.steps, **fields}
